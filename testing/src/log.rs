//! The log of a test, as text.

use std::io;
use std::sync::{Arc, Mutex};

use tracing::Level;
use tracing::subscriber::{DefaultGuard, set_default};

/// The captured log of a test.
#[derive(Clone, Default)]
pub struct CapturedLog(Arc<Mutex<Vec<u8>>>);

impl CapturedLog {
    /// Captures the log of this thread and of the pool workers that it starts, until the guard is
    /// dropped.
    pub fn capture() -> (CapturedLog, DefaultGuard) {
        let log = CapturedLog::default();
        let writer = log.clone();
        let lines = tracing_subscriber::fmt()
            .with_max_level(Level::TRACE)
            .with_writer(move || writer.clone())
            // Times would differ from run to run.
            .without_time();
        // Not global, because tests of one process run side by side.
        (log, set_default(lines.finish()))
    }

    /// Returns the lines that contain `part`.
    pub fn lines(&self, part: &str) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let lines = text.lines().filter(|line| line.contains(part));
        lines.map(|line| line.trim().to_owned()).collect()
    }
}

impl io::Write for CapturedLog {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
