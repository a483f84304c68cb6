//! The log: what the crates tell of their work, on standard error, a line for each event.
//!
//! `WAVETUNE_LOG` says what is shown; where it says nothing, a command shows nothing, or what [`install`] is told.
//! Standard error is also where a bar may be: a line is written while nothing of it is to be seen, see [`beside`].
//!
//! A device's process has no log. Its standard error belongs to the HIP library: its parent looks there for what that
//! library died of.

mod rate_limit;
#[cfg(feature = "opentelemetry")]
mod traces;

use std::cell::Cell;
use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{anyhow, bail};
use indicatif::ProgressBar;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;

use rate_limit::EventRateLimit;

/// The variable that says what is shown.
const VARIABLE: &str = "WAVETUNE_LOG";

/// The crates that tell something, and `audit`, which is who changed what in a service.
const CRATES: [&str; 7] = [
    "agent", "audit", "dispatch", "fleet", "server", "sqlx", "tuner",
];

/// Those of them that are heard unasked. sqlx warns of each statement that took a second, also of a machine at its limit.
const UNASKED: [&str; 5] = ["agent", "dispatch", "fleet", "server", "tuner"];

/// The bar that is on the terminal.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

thread_local! {
    /// Whether nothing of a bar is to be seen because of this thread.
    static IS_ASIDE: Cell<bool> = const { Cell::new(false) };
}

/// What is told, for as long as this value lasts. What is left to be told then is told when it is dropped.
#[derive(Default)]
pub(crate) struct LogGuard {
    _limited: Option<RateLimitedLog>,
    _traces: Option<traces::Traces>,
}

/// Which events are lines on standard error, and who writes them.
struct StderrLog {
    shown: Targets,
    writer: LogWriter,
}

/// A log with a limit.
struct RateLimitedLog(Arc<Mutex<EventRateLimit>>);

/// Shows from now on what the variable says; where it says nothing, our own events of this level and above, but not without
/// end. A program does this once.
///
/// # Errors
///
/// The variable cannot be read.
pub(crate) fn install(unasked: LevelFilter) -> anyhow::Result<LogGuard> {
    let (shown, limit) = match parse_filter(env::var_os(VARIABLE))? {
        Some(asked) => (Some(asked), None),
        None if unasked == LevelFilter::OFF => (None, None),
        None => {
            let limit = Arc::new(Mutex::new(EventRateLimit::new()));
            let ours = UNASKED.map(|name| (name, unasked));
            (Some(Targets::new().with_targets(ours)), Some(limit))
        }
    };
    let writer = LogWriter(limit.clone());
    let lines = shown.map(|shown| StderrLog { shown, writer });
    Ok(LogGuard {
        _limited: limit.map(RateLimitedLog),
        _traces: traces::subscribe(lines)?,
    })
}

/// A program without OpenTelemetry tells lines alone.
#[cfg(not(feature = "opentelemetry"))]
mod traces {
    use tracing_subscriber::fmt;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::StderrLog;

    pub(super) enum Traces {}

    pub(super) fn subscribe(lines: Option<StderrLog>) -> anyhow::Result<Option<Traces>> {
        if let Some(StderrLog { shown, writer }) = lines {
            let lines = fmt::layer().with_writer(writer);
            let lines = tracing_subscriber::registry().with(lines).with(shown);
            tracing::subscriber::set_global_default(lines)?;
        }
        Ok(None)
    }
}

/// What a value of the variable says; none where it says nothing.
fn parse_filter(value: Option<OsString>) -> anyhow::Result<Option<Targets>> {
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let crates = CRATES.join(", ");
    let refused = |what: String| {
        anyhow!(
            "{VARIABLE}={}: {what}; write a level (error, warn, info, debug, trace), or for some of {crates} \
             CRATE=LEVEL, separated by commas, such as tuner=debug,server=info",
            value.display()
        )
    };
    let text = value
        .to_str()
        .ok_or_else(|| refused("not UTF-8".to_owned()))?;
    // Read as a level otherwise, as that of errors.
    let is_empty = |part: &str| part.is_empty() || part.ends_with('=');
    if text.split(',').any(is_empty) {
        bail!(refused("a part of it is empty".to_owned()));
    }
    let targets: Targets = text.parse().map_err(|error| refused(format!("{error}")))?;
    let is_known = |name: &str| {
        name.split("::")
            .next()
            .is_some_and(|one| CRATES.contains(&one))
    };
    // A level that is none is read as a name.
    if let Some((name, _)) = targets.iter().find(|(name, _)| !is_known(name)) {
        bail!(refused(format!(
            "{name:?} is no level, and no crate that logs"
        )));
    }
    Ok(Some(targets))
}

/// From now on this bar is what a line of the log has to go round.
pub(crate) fn set_progress_bar(bar: &ProgressBar) {
    if !bar.is_hidden() {
        *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
    }
}

/// Prints something while nothing of a bar is to be seen; what is logged meanwhile may be seen, too.
pub(crate) fn suspend_bar<T>(bar: &ProgressBar, print: impl FnOnce() -> T) -> T {
    // The bar waits for whoever put it aside.
    if IS_ASIDE.get() {
        return print();
    }
    bar.suspend(|| {
        IS_ASIDE.set(true);
        let printed = print();
        IS_ASIDE.set(false);
        printed
    })
}

/// Writes lines to standard error, with a limit where one is wanted.
struct LogWriter(Option<Arc<Mutex<EventRateLimit>>>);

/// A line to be written.
struct LogLine {
    before: Option<String>,
    is_shown: bool,
}

impl MakeWriter<'_> for LogWriter {
    type Writer = LogLine;

    fn make_writer(&self) -> LogLine {
        let (before, is_shown) = self.0.as_ref().map_or((None, true), |limit| {
            let mut limit = limit.lock().unwrap_or_else(PoisonError::into_inner);
            limit.event()
        });
        LogLine { before, is_shown }
    }
}

impl Write for LogLine {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let before = self.before.take().unwrap_or_default();
        let shown = if self.is_shown { line } else { &[] };
        write_line(&[before.as_bytes(), shown].concat());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes to standard error, round a bar. Nothing comes of it that nobody reads standard error any more.
fn write_line(line: &[u8]) {
    let write = || drop(io::stderr().lock().write_all(line));
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => suspend_bar(&bar, write),
        None => write(),
    }
}

impl Drop for RateLimitedLog {
    fn drop(&mut self) {
        let mut limit = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rest) = limit.end() {
            write_line(rest.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests;
