//! Retries of a command that depends on the network or on another program's lock.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::step;

/// Pauses between attempts. A background upgrade holds its lock for about a minute; a network
/// error mostly lasts seconds.
const PAUSES: [Duration; 3] = [
    Duration::from_secs(5),
    Duration::from_secs(20),
    Duration::from_secs(60),
];

/// Runs a command until it succeeds, once more than there are [`PAUSES`], each time for at most
/// `limit`. The command inherits the output, and its input is empty.
///
/// coreutils' `timeout` enforces the limit, and ends the command's whole process group.
pub(super) fn run(words: &[String], limit: Duration) -> Result<()> {
    let mut command = Command::new("timeout");
    command
        // SIGKILL after 10 s more, for a command that ignores SIGTERM.
        .arg("--kill-after=10")
        .arg(limit.as_secs().to_string())
        .args(words);
    let mut shown = Command::new(&words[0]);
    shown.args(&words[1..]);
    let text = step::text(&shown);
    let mut pauses = PAUSES.iter();
    loop {
        println!("$ {text}");
        let status = command.stdin(Stdio::null()).status()?;
        if status.success() {
            return Ok(());
        }
        // 124: `timeout` ended the command. 137: it needed SIGKILL.
        let outcome = match status.code() {
            Some(124 | 137) => format!("took longer than {} s", limit.as_secs()),
            _ => status.to_string(),
        };
        let Some(pause) = pauses.next() else {
            bail!("`{text}`: {outcome}")
        };
        println!("{outcome}; again in {} s", pause.as_secs());
        sleep(*pause);
    }
}
