//! A limit for a log that nobody asked for: not without end, however often the same thing goes wrong.

use std::time::{Duration, Instant};

/// Events in [`WINDOW`] at most; how many more there were is said after it.
const EVENTS: u64 = 10;

const WINDOW: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct EventRateLimit {
    begin: Instant,
    events: u64,
}

impl EventRateLimit {
    pub(super) fn new() -> Self {
        EventRateLimit {
            begin: Instant::now(),
            events: 0,
        }
    }

    /// One event more: what is to be said before it, and whether it is to be seen.
    pub(super) fn event(&mut self) -> (Option<String>, bool) {
        let mut before = None;
        if self.begin.elapsed() >= WINDOW {
            before = self.end();
        }
        self.events += 1;
        (before, self.events <= EVENTS)
    }

    /// What was not said.
    pub(super) fn end(&mut self) -> Option<String> {
        let more = self.events.saturating_sub(EVENTS);
        let seconds = self.begin.elapsed().as_secs();
        *self = EventRateLimit::new();
        (more > 0).then(|| format!("{more} more events in {seconds} s\n"))
    }
}
