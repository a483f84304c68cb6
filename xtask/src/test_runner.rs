//! `cargo xtask runner [--passed FOLDER] FILE PROGRAM…`: starts one test for nextest and appends
//! its times to `FILE`. With a folder, it skips a test that has passed for the same executable and
//! files ([`crate::test_cache`]).
//!
//! nextest reports wall time only. A budget needs processor time, which other load on the machine
//! hardly changes.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::child;
use crate::compile_times;
use crate::files;
use crate::one_pass;
use crate::test_cache::TestCache;
use crate::test_times::TestTime;

/// Runs the program, appends a line for it if nextest runs a test, and returns its exit code.
///
/// # Errors
///
/// If the program cannot be started or the line cannot be written.
pub(crate) fn run(file: &Path, program: &[String], passed: Option<&TestCache>) -> Result<ExitCode> {
    let (name, arguments) = program
        .split_first()
        .context("`xtask runner FILE PROGRAM…` needs a program")?;
    let key = passed
        .map(|passed| passed.key(Path::new(name), &std::env::current_dir()?))
        .transpose()?;
    // nextest also starts each executable to list its tests; it sets these two only for a test.
    let variables = ["NEXTEST_BINARY_ID", "NEXTEST_TEST_NAME"].map(std::env::var);
    if let ([Ok(binary), Ok(test)], Some(passed), Some(key)) = (&variables, passed, &key)
        && passed.has(key, binary, test)
    {
        println!("passed before, for the same executable and files");
        passed.skip(test)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let ([Ok(binary), Ok(test)], Some(passed)) = (&variables, passed)
        && passed.leaves_out(binary, test)
    {
        println!("left out of a quick run");
        return Ok(ExitCode::SUCCESS);
    }
    let start = Instant::now();
    let mut test = Command::new(name);
    // A test that calls cargo is no part of this build's table.
    compile_times::stop_recording(test.args(arguments));
    one_pass::exclude(&mut test);
    let (status, processor_s) = child::measure(&mut test)?;
    if let [Ok(binary), Ok(test)] = variables {
        let time = TestTime {
            binary,
            test,
            processor_s,
            wall_s: start.elapsed().as_secs_f64(),
        };
        files::append(file, &time.line())?;
        if let (true, Some(passed), Some(key)) = (status.success(), passed, &key) {
            passed.add(key, time)?;
        }
    }
    Ok(child::exit_code(status))
}

/// Returns the configuration that makes cargo and nextest start tests through this program.
///
/// # Errors
///
/// If this program does not know its own path.
pub(crate) fn cargo_config(file: &Path, passed: Option<&TestCache>) -> Result<String> {
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
