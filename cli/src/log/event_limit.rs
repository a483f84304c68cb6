//! The rate limit of the default log: a repeated fault must not fill the disk.

use std::time::{Duration, Instant};

/// Events shown per [`WINDOW`]. After the window a line counts the omitted ones.
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

    /// Counts an event. Returns the notice to print before it, and whether to show it.
    pub(super) fn event(&mut self) -> (Option<String>, bool) {
        let mut before = None;
        if self.begin.elapsed() >= WINDOW {
            before = self.end();
        }
        self.events += 1;
        (before, self.events <= EVENTS)
    }

    /// Ends the window. Returns a notice of the events that it omitted.
    pub(super) fn end(&mut self) -> Option<String> {
        let more = self.events.saturating_sub(EVENTS);
        let seconds = self.begin.elapsed().as_secs();
        *self = EventRateLimit::new();
        (more > 0).then(|| format!("{more} more events in {seconds} s\n"))
    }
}
