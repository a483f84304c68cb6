//! Events: a place in a stream, and what the stream's modelled clock showed there.

use crate::clock::Clock;

/// `hipEventDisableTiming`.
pub(crate) const NO_TIME: u32 = 2;

/// An event.
#[derive(Default)]
pub(crate) struct HipEvent {
    pub(crate) flags: u32,
    /// How often it was asked to be recorded, and the last of these times that has happened.
    pub(crate) requested: u64,
    pub(crate) recorded: u64,
    /// The stream's clock then.
    pub(crate) clock: Clock,
    /// The graph that the stream was captured into when it was last asked to be recorded.
    pub(crate) captured: Option<u64>,
}

impl HipEvent {
    pub(crate) fn is_pending(&self) -> bool {
        self.recorded < self.requested
    }
}
