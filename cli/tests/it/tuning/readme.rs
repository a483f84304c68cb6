//! The guide's commands for a service: each works as described.

use std::path::Path;
use std::process::Command;

use testing::Failed;

use crate::tuning::lent::agent;
use crate::tuning::running::Running;
use crate::tuning::wavetune;

const GUIDE: &str = include_str!("../../../../docs/guide-service.md");

/// The section with the commands.
const SECTION: &str = "## Studies on lent devices\n";

/// A part of each command's output, in their order.
const SAID: [&str; 5] = [
    r#""state":"running""#,
    r#""state":"done""#,
    "64 trials of a space of",
    r#""answer":"exact""#,
    "",
];

/// Runs a line of the guide, with this service's address and a shorter problem. Returns its
/// output.
fn run(folder: &Path, line: &str, address: &str) -> Result<String, Failed> {
    let line = line
        .replace("127.0.0.1:8942", address)
        .replace("32000", "1000");
    // Unchanged, except that the exit code reports a failure.
    let line = line.replacen("curl", "curl --silent --show-error --fail", 1);
    let output = Command::new("sh")
        .args(["-c", &line])
        .current_dir(folder)
        .output()?;
    let (out, err) = (
        String::from_utf8(output.stdout)?,
        String::from_utf8(output.stderr)?,
    );
    match output.status.success() {
        true => Ok(out),
        false => Err(format!("{line}: {}\n{out}{err}", output.status).into()),
    }
}

pub(crate) fn the_loop_by_curl_works() -> Result<(), Failed> {
    let (_, section) = GUIDE.split_once(SECTION).ok_or("no such section")?;
    let section = section.split("\n#").next().unwrap_or_default();
    let lines: Vec<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("    curl "))
        .collect();
    assert_eq!(lines.len(), SAID.len(), "{lines:?}");
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("served.db");
    let service = Running::service(wavetune(&db, &[]), "127.0.0.1:0")?;
    let _agent = agent(&db, service.address())?;
    for (line, part) in lines.into_iter().zip(SAID) {
        let said = run(directory.path(), &format!("curl {line}"), service.address())?;
        assert!(said.contains(part), "{line}: {part}: {said}");
    }
    let exported = std::fs::read(directory.path().join("trials.ndjson"))?;
    let trials = testing_conformance::answers("trial", &exported);
    assert_eq!(trials.len(), 64);
    Ok(())
}
