//! The exit code and the processor time of a finished child process.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::{Context, Result};

use crate::step;

/// Linux reports processor times to user space in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// Returns the exit code of a finished child; a signal counts 128 plus its number, as in a shell.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    ExitCode::from(u8::try_from(code.unwrap_or(1)).unwrap_or(1))
}

/// Runs a command to its end. Returns its status and its processor seconds.
///
/// # Errors
///
/// If the command cannot be started.
pub(crate) fn measure(command: &mut Command) -> Result<(ExitStatus, f64)> {
    // The kernel's counter covers all finished children, so only the difference counts.
    let before = processor_seconds()?;
    let status = command.status();
    let status = status.with_context(|| format!("cannot start `{}`", step::text(command)))?;
    Ok((status, processor_seconds()? - before))
}

/// Returns the processor seconds of finished children, and of their children that they waited
/// for.
///
/// # Errors
///
/// If `/proc` does not have it.
pub(crate) fn processor_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    parse_children_ticks(&stat)
        .map(|ticks| ticks / TICKS_PER_SECOND)
        .context("/proc/self/stat has no times of children")
}

/// Returns the sum of `cutime` and `cstime` of proc_pid_stat(5), in ticks.
fn parse_children_ticks(stat: &str) -> Option<f64> {
    // The second field is the program's name in parentheses, and may contain blanks.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut times = fields.split(' ').skip(13);
    let mut next = || times.next()?.parse::<f64>().ok();
    Some(next()? + next()?)
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
        let mut work = Command::new("sh");
        work.args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]);
        let (status, seconds) = measure(&mut work).unwrap();
        assert!(status.success() && seconds > 0.0);
        // The time of one child is none of the next one's.
        let (status, next) = measure(&mut Command::new("false")).unwrap();
        assert!(!status.success() && next < seconds);
        assert!(measure(&mut Command::new("/nowhere/program")).is_err());
    }
}
