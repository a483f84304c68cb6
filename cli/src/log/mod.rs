//! The log: events of the crates on standard error, a line each.
//!
//! `WAVETUNE_LOG` selects the events. Without it, a command shows the level that it passes to
//! [`install`], mostly none. A progress bar may be on standard error as well: a line suspends it,
//! see [`suspend_bar`].
//!
//! A device's process has no log. The HIP library owns its standard error, and the parent reads
//! there why that library died.

mod event_limit;
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

use event_limit::EventRateLimit;

/// The variable that selects the events.
const VARIABLE: &str = "WAVETUNE_LOG";

/// The crates that log, and `audit`, the record of changes to a service.
const CRATES: [&str; 7] = [
    "agent", "audit", "dispatch", "fleet", "server", "sqlx", "tuner",
];

/// The crates that log by default. sqlx is not among them: it warns of each statement that takes
/// a second, also on a busy machine.
const UNASKED: [&str; 5] = ["agent", "dispatch", "fleet", "server", "tuner"];

/// The progress bar on the terminal.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

thread_local! {
    /// True while this thread suspends the bar.
    static IS_ASIDE: Cell<bool> = const { Cell::new(false) };
}

/// Keeps logging and traces alive. Its drop writes the remaining events.
#[derive(Default)]
pub(crate) struct LogGuard {
    _limited: Option<RateLimitedLog>,
    _traces: Option<traces::Traces>,
}

/// The filter and the writer of the log on standard error.
struct StderrLog {
    shown: Targets,
    writer: LogWriter,
}

/// A log with a rate limit. Its drop reports the omitted events.
struct RateLimitedLog(Arc<Mutex<EventRateLimit>>);

/// Installs the log as the variable says. Without the variable, logs our own crates at level
/// `unasked`, with a rate limit unless the user asked for that level. A program calls this once.
///
/// # Errors
///
/// The variable has a level or a crate that does not exist.
pub(crate) fn install(unasked: LevelFilter, is_asked: bool) -> anyhow::Result<LogGuard> {
    let (shown, limit) = match parse_filter(env::var_os(VARIABLE))? {
        Some(asked) => (Some(asked), None),
        None if unasked == LevelFilter::OFF => (None, None),
        None => {
            let limit = (!is_asked).then(|| Arc::new(Mutex::new(EventRateLimit::new())));
            let ours = UNASKED.map(|name| (name, unasked));
            (Some(Targets::new().with_targets(ours)), limit)
        }
    };
    let writer = LogWriter(limit.clone());
    let lines = shown.map(|shown| StderrLog { shown, writer });
    Ok(LogGuard {
        _limited: limit.map(RateLimitedLog),
        _traces: traces::subscribe(lines)?,
    })
}

/// Log lines alone, for a build without OpenTelemetry.
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

/// Parses a value of the variable. Returns `None` if it is unset or empty.
fn parse_filter(value: Option<OsString>) -> anyhow::Result<Option<Targets>> {
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let crates = CRATES.join(", ");
    let refused = |what: String| {
        anyhow!(
            "{VARIABLE}={}: {what}; write a level (error, warn, info, debug or trace) or a list such as tuner=debug,server=info; \
             the crates are {crates}",
            value.display()
        )
    };
    let text = value
        .to_str()
        .ok_or_else(|| refused("not UTF-8".to_owned()))?;
    // `Targets` reads an empty part as the level error.
    let is_empty = |part: &str| part.is_empty() || part.ends_with('=');
    if text.split(',').any(is_empty) {
        bail!(refused("one part is empty".to_owned()));
    }
    let targets: Targets = text.parse().map_err(|error| refused(format!("{error}")))?;
    let is_known = |name: &str| {
        name.split("::")
            .next()
            .is_some_and(|one| CRATES.contains(&one))
    };
    // `Targets` reads an unknown level as the name of a crate.
    if let Some((name, _)) = targets.iter().find(|(name, _)| !is_known(name)) {
        bail!(refused(format!(
            "{name:?} is neither a level nor a crate that logs"
        )));
    }
    Ok(Some(targets))
}

/// Registers the bar that log lines must suspend. Ignores a hidden bar.
pub(crate) fn set_progress_bar(bar: &ProgressBar) {
    if !bar.is_hidden() {
        *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
    }
}

/// Runs `print` while the bar is suspended. Log lines may appear meanwhile.
pub(crate) fn suspend_bar<T>(bar: &ProgressBar, print: impl FnOnce() -> T) -> T {
    // `suspend` holds the bar's lock: a second call of this thread would wait for itself.
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

/// Creates log lines for standard error, with an optional rate limit.
struct LogWriter(Option<Arc<Mutex<EventRateLimit>>>);

/// One line of the log, and the notice of omitted events before it.
struct LogLine {
    before: Option<String>,
    is_shown: bool,
}

impl MakeWriter<'_> for LogWriter {
    type Writer = LogLine;

    fn make_writer(&self) -> LogLine {
        // tracing asks for a writer once per event, so the event is counted here.
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
        // One write for both, so that no other output comes between.
        let shown = if self.is_shown { line } else { &[] };
        write_line(&[before.as_bytes(), shown].concat());
        // An omitted line counts as written too, because the caller retries a short write.
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes to standard error around the bar. Ignores errors: standard error may be closed.
fn write_line(line: &[u8]) {
    let write = || drop(io::stderr().lock().write_all(line));
    // A panic of a thread with the lock must not end the log.
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
