//! Limits of a service: concurrency and times.

use std::num::NonZeroU32;
use std::time::Duration;

/// Limits of a service. Each is a setting of `wavetune serve`.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most open connections. Half of them may wait for batches or for events.
    pub connections: usize,
    /// Requests that are handled at the same time.
    pub requests: usize,
    /// Requests of one client that are handled at the same time. A client is a token, or an
    /// address without one.
    pub requests_per_client: usize,
    /// Requests that wait for their turn. The service answers 503 to further ones.
    pub queue: usize,
    /// Longest wait for a turn. The service answers 503 after it.
    pub queue_time: Duration,
    /// Longest time that a handler may take.
    pub answer_time: Duration,
    /// Longest time without the database for which answers and tokens in memory are still valid
    /// for reading.
    pub max_stale: Duration,
    /// Failed authentications of one address per minute in the audit log. Further ones are
    /// answered 429.
    pub failures_per_minute: NonZeroU32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 8192,
            requests: 256,
            // Half: one client with hanging requests leaves the other half to all others.
            requests_per_client: 128,
            queue: 4096,
            queue_time: Duration::from_secs(2),
            answer_time: Duration::from_secs(10),
            max_stale: Duration::from_secs(10),
            failures_per_minute: NonZeroU32::new(60).expect("it is not 0"),
        }
    }
}

impl Limits {
    /// Returns the limits of the probe listener, which has few connections of its own.
    pub(crate) fn of_probes(self) -> Limits {
        Limits {
            connections: 64,
            requests: 16,
            requests_per_client: 8,
            queue: 64,
            ..self
        }
    }
}
