//! Builds the demo's program, and estimates the time beforehand.

use std::io::{BufRead, BufReader, IsTerminal};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::program_build;
use crate::step::{self, StepFailure};
use crate::workspace;

/// The profile of the root Cargo.toml.
const PROFILE: &str = "demo";

/// Processor seconds of a build from nothing and of the demo: 240 on the fastest machine that was
/// measured, twice as many on the slowest.
const WHOLE: u64 = 360;
/// More cores do not shorten the build: crates wait for one another.
const USEFUL_CORES: u64 = 4;

/// Time between progress lines of a build without a terminal.
const PAUSE: Duration = Duration::from_secs(15);

/// Builds `wavetune` and returns its path.
///
/// Uses a contributor's dev build if there is one. Otherwise the profile `demo` builds the
/// program, without the parts that only serve further builds and debuggers.
pub(super) fn wavetune() -> Result<PathBuf> {
    let target = workspace::target_dir()?;
    if target.join("debug/wavetune").is_file() {
        return program_build::build("wavetune");
    }
    let built = target.join(PROFILE).join("wavetune");
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    println!("{}", announcement(built.is_file(), cores));
    let mut cargo = workspace::cargo();
    // For the features of the workspace, as in `program_build::build`.
    cargo.args(["build", "--locked", "--workspace", "--bin", "wavetune"]);
    cargo.args(["--profile", PROFILE]);
    // On a terminal cargo shows a progress bar itself.
    if std::io::stderr().is_terminal() {
        step::run(&mut cargo)?;
        return Ok(built);
    }
    let text = step::text(&cargo);
    println!("$ {text}");
    cargo.stdin(Stdio::null()).stderr(Stdio::piped());
    let mut process = cargo.spawn().context("cannot start cargo")?;
    let lines = process.stderr.take().context("its stderr is a pipe")?;
    let mut progress = BuildProgress::default();
    let start = Instant::now();
    for line in BufReader::new(lines).lines() {
        if let Some(line) = progress.show(line?, start.elapsed()) {
            eprintln!("{line}");
        }
    }
    let status = process.wait()?;
    match status.success() {
        true => Ok(built),
        false => Err(StepFailure(format!("`{text}`: {status}")).into()),
    }
}

/// Returns the announcement of the demo and its duration on this number of cores.
fn announcement(is_built: bool, cores: u64) -> String {
    let build = match is_built {
        true => "wavetune has been built before; cargo rebuilds what has changed.".to_owned(),
        false => {
            let plural = if cores == 1 { "" } else { "s" };
            let time = about(WHOLE / cores.clamp(1, USEFUL_CORES));
            format!(
                "The demo builds wavetune first. Both take {time} on {cores} core{plural} \
                 ({WHOLE} processor seconds)."
            )
        }
    };
    format!(
        "{build}\nThen it tunes two kernels on an emulated MI300X and calls iree-compile. All files stay in \
         the target directory."
    )
}

/// Formats a duration in words, rounded up to ten seconds.
fn about(seconds: u64) -> String {
    let seconds = seconds.div_ceil(10) * 10;
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("about {seconds} s"),
        (minutes, 0) => format!("about {minutes} min"),
        (minutes, seconds) => format!("about {minutes} min {seconds} s"),
    }
}

/// Turns cargo's line for each crate into an occasional progress line.
#[derive(Default)]
struct BuildProgress {
    crates: u32,
    shown: Duration,
}

impl BuildProgress {
    /// Returns the line to show, if one is due after `elapsed`.
    fn show(&mut self, line: String, elapsed: Duration) -> Option<String> {
        if !line.trim_start().starts_with("Compiling ") {
            return Some(line);
        }
        self.crates += 1;
        if elapsed < self.shown + PAUSE {
            return None;
        }
        self.shown = elapsed;
        let seconds = elapsed.as_secs();
        Some(format!(
            "{} crates after {seconds} s; {}",
            self.crates,
            line.trim()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_announced_with_its_time() {
        let check = |cores, expected: &str| {
            let text = announcement(false, cores);
            assert!(text.contains(expected), "{text}");
        };
        check(1, "about 6 min on 1 core (");
        check(2, "about 3 min on 2 cores (");
        // Crates wait for one another.
        check(64, "about 1 min 30 s on 64 cores (");
        let text = announcement(true, 2);
        assert!(text.starts_with("wavetune has been built before"), "{text}");
    }

    #[test]
    fn durations_are_rounded_up() {
        assert_eq!(about(41), "about 50 s");
        assert_eq!(about(118), "about 2 min");
        assert_eq!(about(130), "about 2 min 10 s");
    }

    #[test]
    fn a_log_has_a_line_now_and_then() {
        let mut progress = BuildProgress::default();
        let mut at =
            |line: &str, seconds| progress.show(line.to_owned(), Duration::from_secs(seconds));
        assert_eq!(at("   Compiling libc v0.2.177", 1), None);
        assert_eq!(at("   Compiling serde v1.0.228", 14), None);
        let shown = at("   Compiling tokio v1.54.0", 16);
        assert_eq!(
            shown.as_deref(),
            Some("3 crates after 16 s; Compiling tokio v1.54.0")
        );
        assert_eq!(at("   Compiling ring v0.17.14", 30), None);
        assert!(at("   Compiling sqlx v0.9.0", 31).is_some());
        // Other output is shown at once.
        let error = "error: linking with `cc` failed";
        assert_eq!(at(error, 32).as_deref(), Some(error));
    }
}
