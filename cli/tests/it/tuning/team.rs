//! docs/deploy.md for a team: the commands of the page and of the units work as described.

use std::fs;
use std::path::Path;
use std::process::Command;

use testing::Failed;

use crate::tuning::running::Running;
use crate::tuning::wavetune;

const PAGE: &str = include_str!("../../../../docs/deploy.md");
const SERVER: &str =
    include_str!("../../../../shipping/systemd/wavetune-server.service.d/team.conf");
const AGENT: &str = include_str!("../../../../shipping/systemd/wavetune-agent@.service");

/// Returns the lines of the section with this beginning.
fn typed(begin: &str) -> Vec<&'static str> {
    let (_, section) = PAGE.split_once("\n## A team\n").unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let lines = section.lines().filter_map(|line| line.strip_prefix("    "));
    lines.filter(|line| line.starts_with(begin)).collect()
}

/// Returns a shell command of a line with this program, with words replaced.
fn shell(folder: &Path, line: &str, instead: &[(&str, &str)]) -> Command {
    let mut line = line.to_owned();
    for (from, to) in instead {
        line = line.replace(from, to);
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(folder);
    shell.env_remove("WAVETUNE_DB").env_remove("WAVETUNE_TOKEN");
    shell
}

/// Returns the output of such a command.
fn said(mut command: Command) -> Result<String, Failed> {
    let output = command.output()?;
    let said = String::from_utf8([output.stdout, output.stderr].concat())?;
    match output.status.success() {
        true => Ok(said),
        false => Err(format!("{command:?}: {}: {said}", output.status).into()),
    }
}

/// Returns the command that a unit starts.
fn started(unit: &'static str) -> Result<&'static str, Failed> {
    let mut lines = unit
        .lines()
        .filter_map(|line| line.strip_prefix("ExecStart="));
    lines
        .rfind(|line| !line.is_empty())
        .ok_or_else(|| "it starts nothing".into())
}

pub(crate) fn a_team_has_its_service() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let folder = directory.path();
    let program = wavetune(folder, &[]).get_program().to_owned();
    let program = program.to_str().ok_or("a path that is no text")?;
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    fs::write(folder.join("tls.crt"), made.cert.pem())?;
    fs::write(folder.join("tls.key"), made.signing_key.serialize_pem())?;

    let create = typed("sudo -u wavetune wavetune token create ");
    assert_eq!(create.len(), 3, "{create:?}");
    let here = [
        ("sudo -u wavetune wavetune", program),
        ("/var/lib/wavetune/", ""),
    ];
    for line in create {
        said(shell(folder, line, &here))?;
    }

    // On loopback, so that no other user reaches it; there it needs the option to require a
    // token.
    let exec = format!("exec {} --require-token", started(SERVER)?);
    let own = [
        ("/usr/bin/wavetune", program),
        ("0.0.0.0:8942", "127.0.0.1:0"),
        ("/etc/wavetune/", ""),
    ];
    let mut serve = shell(folder, &exec, &own);
    serve.env("WAVETUNE_DB", "wavetune.db");
    let service = Running::start(serve, "listening on https://")?;
    let port = service.address().rsplit(':').next().unwrap_or_default();
    let server = format!("https://localhost:{port}");

    let exec = format!("exec {} --ca tls.crt --jobs 1", started(AGENT)?);
    let own = [
        ("/usr/bin/wavetune", program),
        ("${SERVER}", &server),
        ("%d/token", "rack-7.token"),
        ("%i", "emulated:mi300x"),
    ];
    let agent = Running::start(shell(folder, &exec, &own), "connected")?;

    for (begin, part) in [
        ("wavetune tune ", "kept as study 1"),
        ("wavetune lookup ", "emulated:mi300x"),
    ] {
        let [line] = typed(begin)[..] else {
            return Err(begin.into());
        };
        let line = format!("{line} --ca tls.crt");
        let here = [
            ("wavetune ", &*format!("{program} ")),
            ("https://tuner.lan:8942", &server),
            ("32000", "1000"),
        ];
        let said = said(shell(folder, &line, &here))?;
        assert!(said.contains(part), "{line}: {said}");
    }
    assert_eq!(agent.end()?, Some(0));
    assert_eq!(service.end()?, Some(0));
    Ok(())
}
