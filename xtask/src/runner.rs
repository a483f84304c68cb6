//! `cargo xtask runner [--passed FOLDER] FILE PROGRAM…`: starts one test for nextest and appends its
//! times to `FILE`. With a folder, a test that has passed for the same executable is not started
//! again ([`crate::passed`]).
//!
//! nextest reports wall time only. A budget needs processor time, which a neighbour's load hardly
//! changes.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::passed::Passed;
use crate::times::TestTime;

/// Linux reports processor times to user space in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// Runs the program, appends a line for it if nextest runs a test, and returns its exit code.
///
/// # Errors
/// If the program cannot be started or the line cannot be written.
pub(crate) fn run(file: &Path, program: &[String], passed: Option<&Passed>) -> Result<ExitCode> {
    let (name, arguments) = program
        .split_first()
        .context("`xtask runner FILE PROGRAM…` needs a program")?;
    let key = passed
        .map(|passed| passed.key(Path::new(name), &std::env::current_dir()?))
        .transpose()?;
    // nextest also starts each executable to list its tests; these two are set for a test alone.
    let variables = ["NEXTEST_BINARY_ID", "NEXTEST_TEST_NAME"].map(std::env::var);
    if let ([Ok(binary), Ok(test)], Some(passed), Some(key)) = (&variables, passed, &key)
        && passed.has(key, binary, test)
    {
        println!("passed before, for the same executable");
        return Ok(ExitCode::SUCCESS);
    }
    let start = Instant::now();
    let status = Command::new(name)
        .args(arguments)
        .status()
        .with_context(|| format!("cannot start {name}"))?;
    if let [Ok(binary), Ok(test)] = variables {
        let time = TestTime {
            binary,
            test,
            processor_s: children_processor_seconds()?,
            wall_s: start.elapsed().as_secs_f64(),
        };
        let mut times = OpenOptions::new().create(true).append(true).open(file)?;
        // One write a line: many runners append to the file at once.
        times.write_all(time.line().as_bytes())?;
        if let (true, Some(passed), Some(key)) = (status.success(), passed, &key) {
            passed.add(key, time)?;
        }
    }
    // A shell reports a signal in the same way.
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    Ok(ExitCode::from(u8::try_from(code.unwrap_or(1)).unwrap_or(1)))
}

/// Returns the processor time of the ended child and of its own children that it waited for.
fn children_processor_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    parse_children_ticks(&stat)
        .map(|ticks| ticks / TICKS_PER_SECOND)
        .context("/proc/self/stat has no times of children")
}

/// Parses `cutime` and `cstime` of proc_pid_stat(5) and returns their sum.
fn parse_children_ticks(stat: &str) -> Option<f64> {
    // The second field is the program's name in parentheses, which may contain blanks.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut times = fields.split(' ').skip(13);
    let mut next = || times.next()?.parse::<f64>().ok();
    Some(next()? + next()?)
}

/// Returns the configuration that makes cargo and nextest start tests by this program.
///
/// # Errors
/// If this program does not know its own path.
pub(crate) fn cargo_config(file: &Path, passed: Option<&Passed>) -> Result<String> {
    let program = std::env::current_exe().context("cannot tell where xtask itself is")?;
    let mut words = vec![program.as_os_str(), OsStr::new("runner")];
    if let Some(passed) = passed {
        words.extend([OsStr::new("--passed"), passed.folder().as_os_str()]);
    }
    words.push(file.as_os_str());
    let words: Vec<String> = words
        .iter()
        .map(|word| format!("'{}'", word.to_string_lossy()))
        .collect();
    Ok(format!("target.'cfg(unix)'.runner=[{}]", words.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_children_stand_behind_a_name_with_blanks_and_parentheses() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4 5 6 0 0 11 12 130 20 20 0 1 0 9";
        assert_eq!(parse_children_ticks(stat), Some(150.0));
        assert_eq!(parse_children_ticks("7 (a) S 1"), None);
        assert_eq!(parse_children_ticks(""), None);
    }

    #[test]
    fn the_times_of_an_ended_child_are_counted() {
        let before = children_processor_seconds().unwrap();
        let mut work = Command::new("sh");
        work.args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]);
        assert!(work.status().unwrap().success());
        assert!(children_processor_seconds().unwrap() > before);
    }

    #[test]
    fn a_test_that_fails_keeps_its_exit_code_and_a_listing_has_no_line() {
        let folder = std::env::temp_dir().join(format!("xtask-runner-{}", std::process::id()));
        let words = ["sh", "-c", "exit 7"].map(String::from);
        // nextest runs this test, so the variables are set; the line is this test's own.
        let code = run(&folder, &words, None).unwrap();
        assert_eq!(code, ExitCode::from(7));
        let text = std::fs::read_to_string(&folder).unwrap_or_default();
        std::fs::remove_file(&folder).ok();
        let expected = usize::from(std::env::var_os("NEXTEST_TEST_NAME").is_some());
        assert_eq!(text.lines().count(), expected, "{text}");
        let signalled = ["sh", "-c", "kill -9 $$"].map(String::from);
        let code = run(Path::new("/dev/null"), &signalled, None).unwrap();
        assert_eq!(code, ExitCode::from(137));
    }
}
