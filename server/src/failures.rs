//! Failures that are the service's own: told to whoever runs it, a line for each, but not without end.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lines in [`WINDOW`] at most; how many more there were is said in the next one.
const LINES: u64 = 10;

const WINDOW: Duration = Duration::from_secs(10);

pub(crate) type Sink = Box<dyn Fn(&str) + Send + Sync>;

pub(crate) struct Failures {
    sink: Sink,
    window: Mutex<Window>,
}

struct Window {
    begin: Instant,
    failures: u64,
}

impl Failures {
    pub(crate) fn new(sink: Sink) -> Self {
        let begin = Instant::now();
        let window = Mutex::new(Window { begin, failures: 0 });
        Failures { sink, window }
    }

    pub(crate) fn tell(&self, line: &str) {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if window.begin.elapsed() >= WINDOW {
            self.close(&mut window);
        }
        window.failures += 1;
        if window.failures <= LINES {
            (self.sink)(line);
        }
    }

    /// Says what was not said.
    pub(crate) fn finish(&self) {
        self.close(&mut self.window.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn close(&self, window: &mut Window) {
        let more = window.failures.saturating_sub(LINES);
        if more > 0 {
            let seconds = window.begin.elapsed().as_secs();
            (self.sink)(&format!("{more} more failures in {seconds} s"));
        }
        *window = Window {
            begin: Instant::now(),
            failures: 0,
        };
    }
}
