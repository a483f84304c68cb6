//! Several attempts at a command that depends on the network or on another program's lock.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::step;

/// The pauses between attempts: a lock is held for a minute or so by an upgrade in the background, a
/// network error is mostly gone after seconds.
const PAUSES: [Duration; 3] = [
    Duration::from_secs(5),
    Duration::from_secs(20),
    Duration::from_secs(60),
];

/// Runs a command until it succeeds, at most once more than there are [`PAUSES`], each time for at
/// most `limit`. Its output is this program's; its input is empty.
///
/// The limit is kept by coreutils' `timeout`, which ends the command's whole process group.
pub(super) fn run(words: &[String], limit: Duration) -> Result<()> {
    let mut command = Command::new("timeout");
    command
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
