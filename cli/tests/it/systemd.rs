//! The units of `shipping/systemd`, as systemd reads them. Needs `systemd-analyze`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testing::{Failed, Trial};

/// Largest exposure of a unit in `systemd-analyze security`, in tenths: 100 is everything.
const SERVER_EXPOSURE: u32 = 15;
const AGENT_EXPOSURE: u32 = 40;
const CONFINING_AGENT_EXPOSURE: u32 = 50;

pub(crate) fn trials() -> Vec<Trial> {
    let is_missing = Command::new("systemd-analyze")
        .arg("--version")
        .output()
        .is_err();
    // In CI they fail.
    let is_ignored = is_missing && std::env::var_os("CI").is_none();
    let test = |name: &str, test: fn() -> Result<(), Failed>| match is_missing {
        true => Trial::test(name, test)
            .with_kind("systemd-analyze is missing")
            .with_ignored_flag(is_ignored),
        false => Trial::test(name, test),
    };
    vec![
        test("units_are_taken", units_are_taken),
        test("a_sandbox_is_taken", a_sandbox_is_taken),
        test(
            "a_unit_that_is_wrong_is_not_taken",
            a_unit_that_is_wrong_is_not_taken,
        ),
    ]
}

/// Writes the units into a folder, with this program's path, and with a drop-in or none.
fn units(drop_in: Option<&str>) -> Result<tempfile::TempDir, Failed> {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shipping/systemd");
    let folder = tempfile::tempdir()?;
    let mut files = vec![
        PathBuf::from("wavetune-server.service"),
        PathBuf::from("wavetune-agent@.service"),
    ];
    files.extend(drop_in.map(PathBuf::from));
    for file in files {
        let text = fs::read_to_string(from.join(&file))?;
        let text = text.replace("/usr/bin/wavetune", env!("CARGO_BIN_EXE_wavetune"));
        let to = folder.path().join(file);
        fs::create_dir_all(to.parent().unwrap_or(folder.path()))?;
        fs::write(to, text)?;
    }
    Ok(folder)
}

fn analyze(arguments: &[&str], unit: &Path) -> Result<Output, Failed> {
    Ok(Command::new("systemd-analyze")
        .args(arguments)
        .arg(unit)
        .output()?)
}

fn verify(folder: &Path, unit: &str) -> Result<Result<(), String>, Failed> {
    let output = analyze(&["verify", "--man=no"], &folder.join(unit))?;
    let said = String::from_utf8([output.stdout, output.stderr].concat())?;
    // It warns of unknown settings, and still succeeds. Faults of the machine's other units are
    // not ours.
    let ours: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("wavetune"))
        .collect();
    Ok(match output.status.success() && ours.is_empty() {
        true => Ok(()),
        false => Err(said),
    })
}

fn units_are_taken() -> Result<(), Failed> {
    for drop_in in [
        None,
        Some("wavetune-server.service.d/team.conf"),
        Some("wavetune-server.service.d/fleet.conf"),
    ] {
        let folder = units(drop_in)?;
        check(folder.path(), "wavetune-server.service", SERVER_EXPOSURE)?;
        check(folder.path(), "wavetune-agent@.service", AGENT_EXPOSURE)?;
    }
    Ok(())
}

/// Checks that an agent with a sandbox has more rights itself.
fn a_sandbox_is_taken() -> Result<(), Failed> {
    let folder = units(Some("wavetune-agent@.service.d/sandbox.conf"))?;
    check(
        folder.path(),
        "wavetune-agent@.service",
        CONFINING_AGENT_EXPOSURE,
    )
}

/// Checks that systemd accepts a unit, with at most this exposure.
fn check(folder: &Path, unit: &str, exposure: u32) -> Result<(), Failed> {
    verify(folder, unit)?.map_err(|said| format!("{unit}: {said}"))?;
    let threshold = format!("--threshold={exposure}");
    let output = analyze(
        &["security", "--offline=true", &threshold],
        &folder.join(unit),
    )?;
    let said = String::from_utf8(output.stdout)?;
    let last = said.lines().last().unwrap_or_default();
    assert!(
        output.status.success() && last.contains("Overall exposure level"),
        "{unit}: {said}"
    );
    Ok(())
}

fn a_unit_that_is_wrong_is_not_taken() -> Result<(), Failed> {
    for (right, wrong) in [
        ("ProtectHome=", "ProtectHomes="),
        ("Restart=on-failure", "Restart=on-failures"),
    ] {
        let folder = units(None)?;
        let unit = folder.path().join("wavetune-server.service");
        let text = fs::read_to_string(&unit)?;
        assert!(text.contains(right));
        fs::write(&unit, text.replace(right, wrong))?;
        assert!(
            verify(folder.path(), "wavetune-server.service")?.is_err(),
            "{wrong}"
        );
    }
    Ok(())
}
