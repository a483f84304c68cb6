//! The messages of an interrupted run, and the advice of errors.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use testing::Failed;

use super::{json, tune, wait_for_trials, wavetune};

fn send(signal: &str, child: &Child) -> Result<(), Failed> {
    // A minimal Debian has no `kill` program, but its shell does.
    let command = format!("kill -{signal} {}", child.id());
    match Command::new("sh")
        .args(["-c", &command])
        .status()?
        .success()
    {
        true => Ok(()),
        false => Err(format!("{command} failed").into()),
    }
}

/// Returns the text between `before` and the end of the line.
fn after<'a>(text: &'a str, before: &str) -> Result<&'a str, Failed> {
    let found = text
        .split_once(before)
        .and_then(|(_, rest)| rest.lines().next());
    Ok(found.ok_or_else(|| format!("no {before:?} in {text}"))?)
}

/// More than a run completes before the signal arrives on a busy machine.
const TRIALS: u64 = 48;

pub(super) fn a_signal_ends_a_run_with_what_it_has() -> Result<(), Failed> {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let directory = tempfile::tempdir()?;
        let db = directory.path().join("stopped.db");
        let mut command = tune(&db, &TRIALS.to_string());
        command.args(["argmax:2x[100]xf32", "--jobs", "1"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let reported = wait_for_trials(&mut child, &db, 4)?;
        send(signal, &child)?;
        let output = child.wait_with_output()?;
        let (said, answer) = (
            String::from_utf8(output.stderr)?,
            String::from_utf8(output.stdout)?,
        );
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert_eq!(answer, "", "a problem that is not done has no answer");
        let start = format!("stopped by SIG{signal}; [1/2] argmax:4x[32000]xf32:i32: ");
        let kept: u64 = after(&said, &start)?
            .split(' ')
            .next()
            .unwrap_or_default()
            .parse()?;
        assert!(
            reported <= kept && kept < TRIALS,
            "{reported} stored, {said}"
        );
        assert!(
            said.contains(&format!(" of {TRIALS} trials, best ")) && said.contains(", default "),
            "{said}"
        );
        assert!(
            said.contains(&format!("kept in {}; ", db.display())),
            "{said}"
        );
        // The named command continues the run; one signal is enough to check that.
        let command = after(&said, "to continue: ")?;
        if signal == "TERM" {
            continue;
        }
        let mut again = Command::new("sh");
        again
            .arg("-c")
            .arg(command)
            .env("WAVETUNE_DB", &db)
            .stdin(Stdio::null());
        let output = again.output()?;
        assert_eq!(output.status.code(), Some(0), "{command}");
        let answers = testing_conformance::answers("tune", &output.stdout);
        let [first, _] = answers.as_slice() else {
            return Err(format!("{} answers", answers.len()).into());
        };
        let resumed = first["trials"]["resumed"].as_u64().unwrap_or_default();
        // The trial in work at the signal may be stored after the message.
        assert!(kept <= resumed && resumed <= kept + 1, "{kept}: {first}");
    }
    Ok(())
}

/// Checks the second signal. The message after the first finds a full pipe, so the program waits
/// there.
pub(super) fn a_second_signal_ends_the_program_at_once() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("stopped.db");
    let (_reader, mut writer) = std::io::pipe()?;
    // The capacity of a pipe on Linux.
    writer.write_all(&[b' '; 1 << 16])?;
    let mut command = tune(&db, "500");
    let mut child = command.stdout(Stdio::null()).stderr(writer).spawn()?;
    wait_for_trials(&mut child, &db, 1)?;
    send("INT", &child)?;
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait()?.is_none(), "the pipe had room");
    send("INT", &child)?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > Duration::from_secs(60) {
            child.kill()?;
            return Err("it did not end".into());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(130));
    Ok(())
}

/// Runs the commands that an error names, with their placeholders filled in, and then the failed
/// command again.
pub(super) fn advice_can_be_followed() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("new.db");
    let check = |failing: &[&str], code: i32, problem: &str| -> Result<(), Failed> {
        let output = wavetune(&db, failing).output()?;
        let said = String::from_utf8([output.stdout, output.stderr].concat())?;
        assert_eq!(output.status.code(), Some(code), "{said}");
        let command = after(&said, "`")?.split('`').next().unwrap_or_default();
        let (program, rest) = command.split_once(' ').unwrap_or_default();
        assert_eq!(program, "wavetune", "{said}");
        let rest = rest.replace("PROBLEM", &format!("'{problem}'"));
        let mut shell = Command::new("sh");
        let program = env!("CARGO_BIN_EXE_wavetune");
        shell
            .arg("-c")
            .arg(format!("'{program}' {rest} --budget 1"));
        let followed = shell
            .env("WAVETUNE_DB", &db)
            .stdin(Stdio::null())
            .output()?;
        let said = String::from_utf8(followed.stderr)?;
        assert_eq!(followed.status.code(), Some(0), "{rest}: {said}");
        let output = wavetune(&db, failing).output()?;
        assert_eq!(output.status.code(), Some(0), "{failing:?} after {rest}");
        Ok(())
    };
    let problem = "argmax:2x[100]xf32";
    let lookup = |target| ["lookup", problem, "--target", target];
    // No database; a target with another default device, not tuned; one device.
    check(&lookup("gfx942"), 2, problem)?;
    let other = ["lookup", "argmin:2x[100]xf32", "--target", "gfx1100"];
    check(&other, 1, problem)?;
    let device = [
        "lookup",
        "argmin:[77]xf32",
        "--target",
        "gfx942",
        "--device",
        "emulated:mi300a",
    ];
    check(&device, 1, problem)?;
    // No command could help.
    let iree = [
        "lookup",
        "argmax:[78]xf32",
        "--target",
        "gfx906",
        "--generator",
        "iree",
    ];
    let said = String::from_utf8(wavetune(&db, &iree).output()?.stderr)?;
    assert!(
        said.contains("the iree generator does not support the problem: rule 0")
            && !said.contains('`'),
        "{said}"
    );
    Ok(())
}

pub(super) fn too_few_descriptors_are_not_permissions() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("few.db");
    json(tune(&db, "1"), 0)?;
    // The number of files that a process opens first differs between machines: for some, all of
    // these limits suffice, for others none.
    let mut told = 0;
    for limit in 9..24 {
        let mut shell = Command::new("sh");
        let lookup = "lookup 'argmax:4x[32000]xf32' --target gfx942";
        let program = env!("CARGO_BIN_EXE_wavetune");
        shell
            .arg("-c")
            .arg(format!("ulimit -n {limit}; exec '{program}' {lookup}"));
        let output = shell
            .env("WAVETUNE_DB", &db)
            .stdin(Stdio::null())
            .output()?;
        let said = String::from_utf8(output.stderr)?;
        assert!(!said.contains("permissions"), "{limit}: {said}");
        told += usize::from(said.contains("may not open more files"));
    }
    assert!(told > 0, "no limit was too low");
    Ok(())
}
