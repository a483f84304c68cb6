//! Checks of the Kubernetes manifests.

use std::collections::BTreeSet;
use std::fs;

use yaml_rust2::Yaml;

use super::workload::{PORT, Workload, check_open};
use super::{END_SECONDS, documents, items, keys, read, root, text, texts};

pub(super) const FOLDER: &str = "shipping/kubernetes";

/// Returns the objects of all files that the kustomization names; it must name all files of the
/// folder.
pub(super) fn manifests() -> Vec<Yaml> {
    let [kustomization] = &documents(&format!("{FOLDER}/kustomization.yaml"))[..] else {
        panic!("one document")
    };
    let named = texts(&kustomization["resources"]);
    let entries = fs::read_dir(root().join(FOLDER)).unwrap();
    let there: BTreeSet<String> = entries
        .map(Result::unwrap)
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| name != "kustomization.yaml")
        .collect();
    assert_eq!(there, named.iter().cloned().collect());
    let version = env!("CARGO_PKG_VERSION");
    for image in items(&kustomization["images"]) {
        assert_eq!(text(&image["newTag"], "the tag"), version);
    }
    named
        .iter()
        .flat_map(|name| documents(&format!("{FOLDER}/{name}")))
        .collect()
}

pub(super) fn of<'a>(manifests: &'a [Yaml], kind: &str, name: &str) -> &'a Yaml {
    let is = |one: &&Yaml| {
        one["kind"].as_str() == Some(kind) && one["metadata"]["name"].as_str() == Some(name)
    };
    manifests
        .iter()
        .find(is)
        .unwrap_or_else(|| panic!("no {kind} {name}"))
}

/// Returns the three objects that start pods.
fn pods(manifests: &[Yaml]) -> [(&'static str, &Yaml); 3] {
    [
        ("Deployment", "wavetune"),
        ("Deployment", "wavetune-agent"),
        ("StatefulSet", "nats"),
    ]
    .map(|(kind, name)| (name, of(manifests, kind, name)))
}

fn container(owner: &Yaml) -> &Yaml {
    match items(&owner["spec"]["template"]["spec"]["containers"]) {
        [one] => one,
        other => panic!("{other:?}"),
    }
}

/// Returns the names of a container's variables.
fn variables(container: &Yaml) -> Vec<String> {
    let variables = items(&container["env"]).iter();
    variables
        .map(|it| text(&it["name"], "a variable").to_owned())
        .collect()
}

/// Returns a container's workload, with the files of its volumes. For a volume with items, only
/// the items.
pub(super) fn workload(name: &str, owner: &Yaml) -> Workload {
    let container = container(owner);
    let volumes = items(&owner["spec"]["template"]["spec"]["volumes"]);
    let mut files = Vec::new();
    for mount in items(&container["volumeMounts"]) {
        let volume = volumes
            .iter()
            .find(|volume| volume["name"] == mount["name"]);
        let volume = volume.unwrap_or_else(|| panic!("{name}: no volume {:?}", mount["name"]));
        let path = text(&mount["mountPath"], name);
        match items(&volume["secret"]["items"]) {
            // Without items all keys of the secret are files, and the folder stands for them.
            [] => files.push(path.to_owned()),
            some => files.extend(
                some.iter()
                    .map(|it| format!("{path}/{}", text(&it["path"], name))),
            ),
        }
    }
    // Kubernetes itself expands these variables in the arguments.
    let own: Vec<String> = texts(&container["args"])
        .iter()
        .flat_map(|argument| expanded(argument))
        .collect();
    let read_by_us = |variable: &String| !own.contains(variable);
    Workload {
        place: format!("{FOLDER}: {name}"),
        arguments: texts(&container["args"]),
        variables: variables(container)
            .into_iter()
            .filter(read_by_us)
            .collect(),
        files,
    }
}

/// Returns the variables of `$(…)` in an argument.
fn expanded(argument: &str) -> Vec<String> {
    let pieces = argument.split("$(").skip(1);
    pieces
        .filter_map(|piece| Some(piece.split_once(')')?.0.to_owned()))
        .collect()
}

#[test]
fn pods_start_this_program() {
    let manifests = manifests();
    let server = workload("server", of(&manifests, "Deployment", "wavetune"));
    let agent = workload("agent", of(&manifests, "Deployment", "wavetune-agent"));
    for workload in [&server, &agent] {
        workload.check();
    }
    server.check_listens();
    // The name of a Service with its namespace is a host name.
    let namespace = of(&manifests, "Namespace", "wavetune");
    let name = format!(
        "wavetune.{}.svc",
        text(&namespace["metadata"]["name"], "the namespace")
    );
    assert!(
        server.names().contains(&name.as_str()),
        "{:?}",
        server.names()
    );
    agent.check_asks(&[&name]);
    for wanted in ["WAVETUNE_DB", "WAVETUNE_QUEUE"] {
        assert!(server.variables.iter().any(|it| it == wanted), "{wanted}");
    }
    let used = variables(container(of(&manifests, "Deployment", "wavetune-agent")));
    let asked: Vec<String> = agent
        .arguments
        .iter()
        .flat_map(|argument| expanded(argument))
        .collect();
    assert!(asked.iter().all(|it| used.contains(it)), "{asked:?}");
}

/// Checks that each selector selects the pods of its object.
#[test]
fn labels_agree() {
    let manifests = manifests();
    for (name, owner) in pods(&manifests) {
        let labels = &owner["spec"]["template"]["metadata"]["labels"];
        assert_eq!(labels, &owner["spec"]["selector"]["matchLabels"], "{name}");
    }
    let labels = |name: &str| {
        pods(&manifests)
            .into_iter()
            .find(|it| it.0 == name)
            .unwrap()
            .1["spec"]["selector"]["matchLabels"]
            .clone()
    };
    let server = labels("wavetune");
    assert_ne!(server, labels("wavetune-agent"));
    assert_eq!(
        of(&manifests, "Service", "wavetune")["spec"]["selector"],
        server
    );
    assert_eq!(
        of(&manifests, "Service", "nats")["spec"]["selector"],
        labels("nats")
    );
    let budget = &of(&manifests, "PodDisruptionBudget", "wavetune")["spec"];
    assert_eq!(budget["selector"]["matchLabels"], server);
    let deployment = &of(&manifests, "Deployment", "wavetune")["spec"];
    // With as many as there are replicas, no node could be drained.
    assert!(budget["minAvailable"].as_i64() < deployment["replicas"].as_i64());
    let spread = &items(&deployment["template"]["spec"]["topologySpreadConstraints"])[0];
    assert_eq!(spread["labelSelector"]["matchLabels"], server);
    let policy = &of(&manifests, "NetworkPolicy", "nats")["spec"];
    assert_eq!(policy["podSelector"]["matchLabels"], labels("nats"));
    let from = &items(&policy["ingress"])[0]["from"];
    assert_eq!(items(from)[0]["podSelector"]["matchLabels"], server);
}

/// Checks that ports and probes match the listening addresses, and that probes need no token.
#[test]
fn ports_and_probes_agree() {
    let manifests = manifests();
    let server = container(of(&manifests, "Deployment", "wavetune"));
    let [port, probes] = items(&server["ports"]) else {
        panic!("a port, and one for probes")
    };
    assert_eq!(port["containerPort"].as_i64(), Some(PORT.into()));
    let listens = texts(&server["args"]);
    let listens = listens
        .iter()
        .find_map(|it| it.strip_prefix("--probe-listen=0.0.0.0:"));
    let number = probes["containerPort"].as_i64().map(|it| it.to_string());
    assert_eq!(listens.map(str::to_owned), number);
    let [outside] = items(&of(&manifests, "Service", "wavetune")["spec"]["ports"]) else {
        panic!("one port")
    };
    assert_eq!(
        (outside["port"].as_i64(), &outside["targetPort"]),
        (Some(PORT.into()), &port["name"])
    );
    for (probe, path) in [
        ("startupProbe", "/healthz"),
        ("livenessProbe", "/healthz"),
        ("readinessProbe", "/readyz"),
    ] {
        let asks = &server[probe]["httpGet"];
        assert_eq!(
            (text(&asks["path"], probe), &asks["port"]),
            (path, &probes["name"])
        );
        // The probe address speaks no TLS.
        assert!(asks["scheme"].is_badvalue());
        check_open(path);
    }
    let nats = container(of(&manifests, "StatefulSet", "nats"));
    let settings = &of(&manifests, "ConfigMap", "nats")["data"]["nats.conf"];
    let settings: Vec<&str> = text(settings, "nats.conf").lines().collect();
    for port in items(&nats["ports"]) {
        let number = port["containerPort"].as_i64().unwrap();
        let key = match text(&port["name"], "nats") {
            "client" => "port",
            _ => "http",
        };
        let setting = format!("{key}: {number}");
        assert!(settings.contains(&&*setting), "{setting}: {settings:?}");
    }
    let client = items(&of(&manifests, "Service", "nats")["spec"]["ports"])[0]["port"].as_i64();
    assert_eq!(client, Some(4222));
    let ingress = &items(&of(&manifests, "NetworkPolicy", "nats")["spec"]["ingress"])[0];
    assert_eq!(items(&ingress["ports"])[0]["port"].as_i64(), client);
}

/// Checks that pods have only the rights that they need.
#[test]
fn pods_may_do_little() {
    let manifests = manifests();
    let stages = read("shipping/Dockerfile");
    for (name, owner) in pods(&manifests) {
        let pod = &owner["spec"]["template"]["spec"];
        assert_eq!(
            pod["automountServiceAccountToken"].as_bool(),
            Some(false),
            "{name}"
        );
        let context = &pod["securityContext"];
        assert_eq!(context["runAsNonRoot"].as_bool(), Some(true), "{name}");
        assert_eq!(
            text(&context["seccompProfile"]["type"], name),
            "RuntimeDefault"
        );
        let user = context["runAsUser"].as_i64().unwrap();
        // The image of NATS is not ours, and has its own user.
        if name != "nats" {
            assert!(
                stages.contains(&format!("\nUSER {user}:{user}\n")),
                "{name}: {user}"
            );
        }
        let context = &container(owner)["securityContext"];
        assert_eq!(
            context["allowPrivilegeEscalation"].as_bool(),
            Some(false),
            "{name}"
        );
        assert_eq!(
            context["readOnlyRootFilesystem"].as_bool(),
            Some(true),
            "{name}"
        );
        assert_eq!(texts(&context["capabilities"]["drop"]), ["ALL"], "{name}");
        // Without a limit a pod could take all memory of its node.
        let resources = &container(owner)["resources"];
        assert!(
            !resources["requests"]["memory"].is_badvalue()
                && !resources["limits"]["memory"].is_badvalue(),
            "{name}"
        );
        // The namespace's policy allows no other volumes.
        for volume in items(&pod["volumes"]) {
            let kinds = keys(volume);
            assert!(
                kinds.iter().all(
                    |it| ["name", "secret", "configMap", "emptyDir", "projected"].contains(it)
                ),
                "{name}: {kinds:?}"
            );
        }
    }
    // Each agent has a GPU of its own, on nodes with GPUs.
    let agent = of(&manifests, "Deployment", "wavetune-agent");
    let resources = &container(agent)["resources"];
    for kind in ["requests", "limits"] {
        assert_eq!(resources[kind]["amd.com/gpu"].as_i64(), Some(1), "{kind}");
    }
    let [toleration] = items(&agent["spec"]["template"]["spec"]["tolerations"]) else {
        panic!("one toleration")
    };
    assert_eq!(
        (
            text(&toleration["key"], "a key"),
            text(&toleration["effect"], "an effect")
        ),
        ("amd.com/gpu", "NoSchedule")
    );
}

/// Checks that a replica has time to end, after the pause in which it still gets requests.
#[test]
fn pods_have_time_to_end() {
    let manifests = manifests();
    let server = of(&manifests, "Deployment", "wavetune");
    let grace = server["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        .as_i64()
        .unwrap();
    let before = texts(&container(server)["lifecycle"]["preStop"]["exec"]["command"]);
    let [program, pause] = &before[..] else {
        panic!("{before:?}")
    };
    assert_eq!(program, "/bin/sleep");
    assert!(grace >= pause.parse::<i64>().unwrap() + i64::from(END_SECONDS));
    let agent = of(&manifests, "Deployment", "wavetune-agent");
    let grace = agent["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        .as_i64()
        .unwrap();
    // An agent finishes its kernel first.
    assert!(grace >= 120);
}

/// Checks that the documented commands create each secret, with the keys of the manifests.
#[test]
fn secrets_are_made() {
    let manifests = manifests();
    let document = read("docs/deploy.md");
    let mut asked = BTreeSet::new();
    for (name, owner) in pods(&manifests) {
        for variable in items(&container(owner)["env"]) {
            let source = &variable["valueFrom"]["secretKeyRef"];
            if !source.is_badvalue() {
                asked.insert((
                    text(&source["name"], name).to_owned(),
                    text(&source["key"], name).to_owned(),
                ));
            }
        }
        for volume in items(&owner["spec"]["template"]["spec"]["volumes"]) {
            let projected = items(&volume["projected"]["sources"])
                .iter()
                .map(|it| (&it["secret"]["name"], &it["secret"]["items"]));
            let alone = (&volume["secret"]["secretName"], &volume["secret"]["items"]);
            for (secret, chosen) in projected
                .chain([alone])
                .filter(|(secret, _)| !secret.is_badvalue())
            {
                let secret = text(secret, name).to_owned();
                asked.extend(
                    items(chosen)
                        .iter()
                        .map(|it| (secret.clone(), text(&it["key"], name).to_owned())),
                );
            }
        }
    }
    assert!(asked.len() >= 6, "{asked:?}");
    let made = document.replace("\\\n", "");
    for (secret, key) in asked {
        let makes = |line: &&str| line.contains(&format!("create secret generic {secret} "));
        let line = made
            .lines()
            .find(makes)
            .unwrap_or_else(|| panic!("{secret} is made nowhere"));
        let has = [
            format!("--from-literal={key}="),
            format!("--from-file={key}="),
        ]
        .iter()
        .any(|it| line.contains(it.as_str()));
        assert!(has, "{secret}: {key}: {line}");
    }
}
