//! Events: a place in a stream, and the stream's modelled clock at that place.

use crate::clock::Clock;

/// `hipEventDisableTiming`.
pub(crate) const NO_TIME: u32 = 2;

/// An event.
#[derive(Default)]
pub(crate) struct HipEvent {
    pub(crate) flags: u32,
    /// The number of requested records, and the number of the last completed one.
    pub(crate) requested: u64,
    pub(crate) recorded: u64,
    /// The stream's clock at the last completed record.
    pub(crate) clock: Clock,
    /// The graph that captured the stream when a record was last requested.
    pub(crate) captured: Option<u64>,
}

impl HipEvent {
    pub(crate) fn is_pending(&self) -> bool {
        self.recorded < self.requested
    }
}
