//! Checks of the systemd units. `cli/tests/it/systemd.rs` has systemd itself verify them, if it
//! is installed.

use std::collections::HashMap;
use std::fs;

use super::workload::Workload;
use super::{read, root};
use crate::documented_commands::words;

const SERVER: &str = "shipping/systemd/wavetune-server.service";
const AGENT: &str = "shipping/systemd/wavetune-agent@.service";
const SANDBOX: &str = "shipping/systemd/wavetune-agent@.service.d/sandbox.conf";

/// The test's value of `%i`, and systemd's folder of credentials.
const INSTANCE: &str = "hip:0";
const CREDENTIALS: &str = "/run/credentials";

/// The settings of a unit; those of a drop-in come behind those of the file.
struct Unit {
    place: String,
    settings: Vec<(String, String)>,
}

impl Unit {
    fn of(files: &[&str]) -> Unit {
        let mut settings = Vec::new();
        for file in files {
            for line in read(file).lines() {
                if line.starts_with(['#', '[']) || line.trim().is_empty() {
                    continue;
                }
                let (key, value) = line
                    .split_once('=')
                    .unwrap_or_else(|| panic!("{file}: {line}"));
                // systemd: an empty value resets the list of earlier values.
                if value.is_empty() && key == "ExecStart" {
                    settings.retain(|(known, _)| known != key);
                } else {
                    settings.push((key.to_owned(), value.to_owned()));
                }
            }
        }
        Unit {
            place: files.join(" with "),
            settings,
        }
    }

    fn all(&self, key: &str) -> Vec<&str> {
        let settings = self.settings.iter().filter(|(known, _)| known == key);
        settings.map(|(_, value)| value.as_str()).collect()
    }

    #[track_caller]
    fn one(&self, key: &str) -> &str {
        match self.all(key)[..] {
            [one] => one,
            ref other => panic!("{}: {key}: {other:?}", self.place),
        }
    }

    fn workload(&self) -> Workload {
        let assigned: HashMap<&str, &str> = (self.all("Environment").into_iter())
            .map(|pair| pair.split_once('=').unwrap_or_else(|| panic!("{pair}")))
            .collect();
        let line = self
            .one("ExecStart")
            .replace("%d", CREDENTIALS)
            .replace("%i", INSTANCE);
        let mut words = words(&line).unwrap_or_else(|| panic!("{line}")).into_iter();
        assert_eq!(words.next().as_deref(), Some("/usr/bin/wavetune"));
        let mut used = Vec::new();
        let arguments = words.map(|word| {
            let name = word
                .strip_prefix("${")
                .and_then(|word| word.strip_suffix('}'));
            let Some(name) = name else { return word };
            used.push(name.to_owned());
            let value = assigned
                .get(name)
                .unwrap_or_else(|| panic!("{}: {word}", self.place));
            (*value).to_owned()
        });
        let arguments = arguments.collect();
        // Variables that only the unit's command line expands are not the program's.
        let own = assigned
            .keys()
            .filter(|&&name| !used.iter().any(|it| it == name));
        let credentials = self.all("LoadCredential").into_iter();
        let credentials = credentials.map(|it| it.split(':').next().unwrap_or_default());
        let mut files: Vec<String> = credentials
            .map(|it| format!("{CREDENTIALS}/{it}"))
            .collect();
        files.push("/etc/wavetune".to_owned());
        Workload {
            place: self.place.clone(),
            variables: own.map(|&name| name.to_owned()).collect(),
            arguments,
            files,
        }
    }
}

/// Returns the server's unit, alone and with each of its drop-ins.
fn servers() -> Vec<Unit> {
    let folder = format!("{SERVER}.d");
    let mut units = vec![Unit::of(&[SERVER])];
    let entries = fs::read_dir(root().join(&folder)).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in &names {
        units.push(Unit::of(&[SERVER, &format!("{folder}/{name}")]));
    }
    // The unit alone, a team's and a fleet's.
    assert_eq!(units.len(), 3, "{names:?}");
    units
}

#[test]
fn units_start_this_program() {
    let servers = servers();
    let workloads: Vec<Workload> = servers.iter().map(Unit::workload).collect();
    for workload in &workloads {
        workload.check();
        workload.check_listens();
        // Only a service on loopback may go without TLS.
        let is_open = workload.value("--listen").unwrap().starts_with("127.");
        assert_eq!(
            workload.value("--tls-key").is_none(),
            is_open,
            "{}",
            workload.place
        );
    }
    let agent = Unit::of(&[AGENT]).workload();
    agent.check();
    assert_eq!(agent.value("--device"), Some(INSTANCE));
    // The agent's address is that of a team's service and of a fleet's.
    for workload in &workloads[1..] {
        agent.check_asks(&workload.names());
    }
    // Only a fleet shares a queue, so only it has the secret.
    let secret = |name: &str| {
        workloads
            .iter()
            .find(|it| it.place.contains(name))
            .unwrap()
            .value("--secret-file")
    };
    assert_eq!(
        (secret("fleet.conf"), secret("team.conf")),
        (Some("/run/credentials/secret"), None)
    );
}

/// Parses `30s` or `2min` to seconds.
fn seconds(text: &str) -> u32 {
    match text.strip_suffix("min") {
        Some(minutes) => 60 * minutes.parse::<u32>().unwrap(),
        None => text.trim_end_matches('s').parse().unwrap(),
    }
}

#[test]
fn units_end_and_begin_again() {
    for unit in servers().iter().chain([&Unit::of(&[AGENT])]) {
        assert_eq!(unit.one("Restart"), "on-failure", "{}", unit.place);
        // 0: systemd restarts without a limit of attempts.
        assert_eq!(unit.one("StartLimitIntervalSec"), "0", "{}", unit.place);
        assert!(
            seconds(unit.one("TimeoutStopSec")) >= super::END_SECONDS,
            "{}",
            unit.place
        );
        // More than the 8,192 connections that a service allows by default.
        assert_eq!(unit.one("LimitNOFILE"), "65536", "{}", unit.place);
    }
    // A signal to the agent's compilers would make their kernels count as failed.
    assert_eq!(Unit::of(&[AGENT]).one("KillMode"), "mixed");
}

/// Checks the sandboxing options of the units.
#[test]
fn units_may_do_little() {
    let both = [
        ("NoNewPrivileges", "yes"),
        ("CapabilityBoundingSet", ""),
        ("ProtectSystem", "strict"),
        ("ProtectHome", "yes"),
        ("ProtectKernelTunables", "yes"),
        ("ProtectKernelModules", "yes"),
        ("ProtectControlGroups", "yes"),
        ("PrivateTmp", "yes"),
        ("RestrictSUIDSGID", "yes"),
        ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX"),
        ("UMask", "0077"),
    ];
    let (servers, agent) = (servers(), Unit::of(&[AGENT]));
    for (key, value) in both {
        for unit in servers.iter().chain([&agent]) {
            assert_eq!(unit.one(key), value, "{}: {key}", unit.place);
        }
    }
    for unit in &servers {
        let user = unit.one("User");
        let users = read("shipping/systemd/wavetune.sysusers");
        assert!(users.contains(&format!("\nu {user} ")), "{users}");
        let db = format!(
            "WAVETUNE_DB=/var/lib/{}/wavetune.db",
            unit.one("StateDirectory")
        );
        assert!(unit.all("Environment").contains(&db.as_str()), "{db}");
        assert_eq!(unit.one("PrivateDevices"), "yes");
        let log = unit.all("Environment");
        let log = log.iter().find_map(|it| it.strip_prefix("WAVETUNE_LOG="));
        assert!(
            log.is_some_and(|log| log.ends_with("audit=info")),
            "{log:?}"
        );
    }
    assert_eq!(
        (agent.one("DynamicUser"), agent.one("DevicePolicy")),
        ("yes", "closed")
    );
    // ROCm needs the compute device and the render nodes.
    assert_eq!(agent.all("DeviceAllow"), ["/dev/kfd rw", "char-drm rw"]);
    // Agents of several devices share the folder of their locks: they have one user, and systemd
    // keeps the folder.
    assert!(agent.all("Environment").contains(&"XDG_RUNTIME_DIR=%t"));
    let kept = ["User", "RuntimeDirectory", "RuntimeDirectoryPreserve"].map(|key| agent.one(key));
    assert_eq!(kept, ["wavetune-agent", "wavetune", "yes"]);
}

/// Checks that a confined agent differs only by the settings that bubblewrap needs. The kernel's
/// requirements were found by hand.
#[test]
fn the_sandboxed_unit_drops_conflicting_settings() {
    let (agent, confined) = (Unit::of(&[AGENT]), Unit::of(&[AGENT, SANDBOX]));
    confined.workload().check();
    let words = |unit: &Unit| unit.workload().arguments;
    assert_eq!(
        words(&confined),
        [words(&agent), vec!["--sandbox".to_owned()]].concat()
    );
    let own = read(SANDBOX);
    let said: Vec<&str> = (own.lines().filter(|line| !line.starts_with('#')))
        .filter_map(|line| line.split_once('='))
        .filter_map(|(key, value)| (value == "no").then_some(key))
        .collect();
    let in_its_way = [
        "RestrictNamespaces",
        "ProtectHostname",
        "ProtectKernelLogs",
        "ProtectKernelTunables",
    ];
    assert_eq!(said, in_its_way);
    for key in in_its_way {
        assert_eq!(
            agent.one(key),
            "yes",
            "{key}: there is nothing to be taken back"
        );
    }
    assert_eq!(
        // bubblewrap sets up its loopback device by netlink.
        confined.all("RestrictAddressFamilies").last(),
        Some(&"AF_NETLINK")
    );
}
