//! Checks of the Dockerfile, and of the compose file that starts its images.

use std::collections::HashMap;

use yaml_rust2::Yaml;

use super::workload::{PORT, Workload};
use super::{END_SECONDS, documents, items, keys, read, root, text, texts};

const DOCKERFILE: &str = "shipping/Dockerfile";
const COMPOSE: &str = "shipping/compose.yaml";

/// A stage of a Dockerfile: its base, its name, and its instructions with their arguments.
struct DockerfileStage {
    base: String,
    name: String,
    instructions: Vec<(String, String)>,
}

impl DockerfileStage {
    fn all(&self, instruction: &str) -> Vec<&str> {
        let instructions = self
            .instructions
            .iter()
            .filter(|(name, _)| name == instruction);
        instructions.map(|(_, rest)| rest.as_str()).collect()
    }

    /// Returns the last instruction of this name, the one in effect.
    fn last(&self, instruction: &str) -> Option<&str> {
        self.all(instruction).last().copied()
    }

    /// Returns the words of an instruction in JSON form.
    #[track_caller]
    fn words(&self, instruction: &str) -> Vec<String> {
        let list = self
            .last(instruction)
            .unwrap_or_else(|| panic!("{}: {instruction}", self.name));
        serde_json::from_str(list).unwrap_or_else(|error| panic!("{list}: {error}"))
    }
}

fn stages() -> Vec<DockerfileStage> {
    let text = read(DOCKERFILE).replace("\\\n", "");
    let mut stages: Vec<DockerfileStage> = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
    {
        let (instruction, rest) = line.split_once(' ').unwrap_or_else(|| panic!("{line}"));
        let rest = rest.trim();
        if instruction == "FROM" {
            let (base, name) = rest.split_once(" AS ").unwrap_or_else(|| panic!("{line}"));
            stages.push(DockerfileStage {
                base: base.to_owned(),
                name: name.to_owned(),
                instructions: Vec::new(),
            });
        } else if let Some(stage) = stages.last_mut() {
            stage
                .instructions
                .push((instruction.to_owned(), rest.to_owned()));
        } else {
            assert_eq!(instruction, "ARG", "{line}");
        }
    }
    stages
}

fn stage<'a>(stages: &'a [DockerfileStage], name: &str) -> &'a DockerfileStage {
    let found = stages.iter().find(|stage| stage.name == name);
    found.unwrap_or_else(|| panic!("no stage {name}"))
}

#[test]
fn images_run_this_program_as_nobody_in_particular() {
    let stages = stages();
    for name in ["server", "agent"] {
        let image = stage(&stages, name);
        assert_eq!(image.words("ENTRYPOINT"), ["/usr/bin/wavetune"]);
        // Numeric: Kubernetes cannot check `runAsNonRoot` for a user's name.
        assert_eq!(image.last("USER"), Some("10001:10001"), "{name}");
        assert_eq!(image.last("STOPSIGNAL"), Some("SIGTERM"), "{name}");
        let variables = image.all("ENV").into_iter();
        let workload = Workload {
            place: format!("{DOCKERFILE}: {name}"),
            arguments: image.words("CMD"),
            variables: variables
                .map(|it| it.split('=').next().unwrap_or_default().to_owned())
                .collect(),
            files: Vec::new(),
        };
        workload.check();
        if name == "server" {
            workload.check_listens();
        }
        // The image's user must own the folder that the service writes.
        let volume = image.last("VOLUME").unwrap();
        let made = format!("install --directory --owner=10001 --group=10001 {volume}");
        assert!(
            image.all("RUN").iter().any(|run| run.ends_with(&made)),
            "{name}: {made}"
        );
    }
    let server = stage(&stages, "server");
    assert_eq!(server.last("EXPOSE"), Some(PORT.to_string().as_str()));
    assert_eq!(
        server.last("ENV"),
        Some("WAVETUNE_DB=/var/lib/wavetune/wavetune.db")
    );
}

/// Checks that the health check asks an existing address, with an installed program.
#[test]
fn health_is_asked_for() {
    let stages = stages();
    let server = stage(&stages, "server");
    let check = server.last("HEALTHCHECK").unwrap();
    let (options, command) = check.split_once(" CMD ").unwrap();
    assert!(options.contains("--interval=10s"), "{options}");
    let command: Vec<String> = serde_json::from_str(command.trim()).unwrap();
    let asked: Vec<&str> = command[2]
        .split_whitespace()
        .filter(|word| word.contains("://"))
        .collect();
    let addresses = ["http", "https"].map(|scheme| format!("{scheme}://127.0.0.1:{PORT}/healthz"));
    assert_eq!(asked, addresses);
    super::workload::check_open("/healthz");
    let installs = server.all("RUN").join(" ");
    assert!(installs.contains(" curl "), "{installs}");
}

/// Checks that each copied file comes from an earlier stage, that the compiler is the
/// repository's, and that the program finds the installed libLLVM.
#[test]
fn stages_have_the_files_that_they_copy() {
    let stages = stages();
    let toolchain = read("rust-toolchain.toml");
    let build = stage(&stages, "build");
    let version = build
        .base
        .strip_prefix("rust:")
        .and_then(|base| base.split('-').next());
    let version = version.unwrap_or_else(|| panic!("{}", build.base));
    assert!(
        toolchain.contains(&format!("channel = \"{version}.")),
        "{toolchain}"
    );
    assert_eq!(build.last("RUN"), Some("cargo xtask release"));
    for (place, taker) in stages.iter().enumerate() {
        for copy in taker.all("COPY") {
            let Some(from) = copy.strip_prefix("--from=") else {
                continue;
            };
            let mut words = from.split(' ');
            let (giver, file) = (words.next().unwrap(), words.next().unwrap());
            let giver = stage(&stages[..place], giver);
            let is_made = match file.strip_prefix("/src/") {
                Some("target/release-files/bin/wavetune") => {
                    read("xtask/src/release/mod.rs").contains("\"release-files\"")
                }
                Some(file) => root().join(file).is_file(),
                None => giver.all("COPY").iter().any(|copy| copy.ends_with(file)),
            };
            assert!(is_made, "{}: {file}", taker.name);
        }
    }
    let agent = stage(&stages, "agent");
    let llvm = agent
        .last("ARG")
        .and_then(|arg| arg.strip_prefix("LLVM="))
        .unwrap();
    assert!(
        codegen::tools::LLVM_VERSIONS.contains(&llvm.parse().unwrap()),
        "{llvm}"
    );
    let installs = agent.all("RUN").join(" ");
    assert!(
        installs.contains("\"libllvm${LLVM}\" \"lld-${LLVM}\""),
        "{installs}"
    );
    // A build must not depend on files that are not sent to the builder.
    let ignored = read(".dockerignore");
    assert!(
        ignored.contains("\n/target\n") && ignored.contains("\n/.git\n"),
        "{ignored}"
    );
}

fn variables(service: &Yaml) -> Vec<String> {
    let names = keys(&service["environment"]).into_iter();
    names.map(str::to_owned).collect()
}

#[test]
fn the_compose_file_is_of_one_piece() {
    let [compose] = &documents(COMPOSE)[..] else {
        panic!("one document")
    };
    let services = &compose["services"];
    assert_eq!(keys(services), ["postgres", "nats", "server", "agent"]);
    let given = keys(&compose["secrets"]);
    let workloads: HashMap<&str, Workload> = ["server", "agent"]
        .map(|name| {
            let service = &services[name];
            let secrets = texts(&service["secrets"]);
            assert!(
                secrets.iter().all(|it| given.contains(&it.as_str())),
                "{name}: {secrets:?}"
            );
            let secrets = secrets.iter().map(|it| format!("/run/secrets/{it}"));
            let workload = Workload {
                place: format!("{COMPOSE}: {name}"),
                arguments: texts(&service["command"]),
                variables: variables(service),
                files: secrets.collect(),
            };
            workload.check();
            (name, workload)
        })
        .into();
    workloads["server"].check_listens();
    workloads["agent"].check_asks(&workloads["server"].names());
    // In a compose file, the names of services are host names.
    let names = keys(services);
    for name in workloads["server"].names() {
        assert!(names.contains(&name), "{name}");
    }
    let environment = &services["server"]["environment"];
    let db = text(&environment["WAVETUNE_DB"], "the database");
    let owner = &services["postgres"]["environment"];
    let [user, name] = ["POSTGRES_USER", "POSTGRES_DB"].map(|key| text(&owner[key], key));
    assert_eq!(db, format!("postgres://{user}@postgres/{name}"));
    assert_eq!(environment["PGPASSWORD"], owner["POSTGRES_PASSWORD"]);
    assert_eq!(
        text(&environment["WAVETUNE_QUEUE"], "the queue"),
        "nats://nats:4222"
    );
    assert!(texts(&services["nats"]["command"]).contains(&"--jetstream".to_owned()));
    let ports = texts(&services["server"]["ports"]);
    assert_eq!(ports, [format!("127.0.0.1:{PORT}:{PORT}")]);
}

#[test]
fn services_of_the_compose_file_are_kept_and_end() {
    let [compose] = &documents(COMPOSE)[..] else {
        panic!("one document")
    };
    let stages = stages();
    let version = env!("CARGO_PKG_VERSION");
    for (name, image, seconds) in [
        ("server", "wavetune", END_SECONDS),
        // An agent finishes its kernel first.
        ("agent", "wavetune-agent", 120),
    ] {
        let service = &compose["services"][name];
        assert_eq!(text(&service["image"], name), format!("{image}:{version}"));
        assert_eq!(text(&service["build"]["dockerfile"], name), DOCKERFILE);
        assert_eq!(
            stage(&stages, text(&service["build"]["target"], name)).name,
            name
        );
        assert_eq!(
            text(&service["stop_grace_period"], name),
            format!("{seconds}s")
        );
        assert_eq!(service["read_only"].as_bool(), Some(true), "{name}");
        assert_eq!(texts(&service["cap_drop"]), ["ALL"], "{name}");
    }
    // A mounted volume that is not declared would not survive the container.
    let kept = keys(&compose["volumes"]);
    for name in ["postgres", "nats", "agent"] {
        for volume in items(&compose["services"][name]["volumes"]) {
            let volume = text(volume, name).split(':').next().unwrap_or_default();
            assert!(kept.contains(&volume), "{name}: {volume}");
        }
    }
}

/// Checks that no container starts bubblewrap, which lacks the privileges for its namespaces
/// there.
#[test]
fn containers_have_no_sandbox_within() {
    for file in [DOCKERFILE, COMPOSE, "shipping/kubernetes/agents.yaml"] {
        let text = read(file);
        for word in ["--sandbox", "bubblewrap"] {
            assert!(!text.contains(word), "{file}: {word}");
        }
    }
}
