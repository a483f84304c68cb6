//! Modelled clocks of streams and of the host.

use std::collections::BTreeMap;

/// A modelled clock. It depends on launches of unknown time if its stream executed them, or waited
/// for one that did.
#[derive(Clone, Default)]
pub(crate) struct Clock {
    us: f64,
    /// The number of these launches in each stream.
    unknown: BTreeMap<u64, u64>,
}

impl Clock {
    pub(crate) fn advance(&mut self, us: f64) {
        self.us += us;
    }

    /// Advances past a launch of unknown time. Later events are at least `least_us` later.
    pub(crate) fn advance_unknown(&mut self, stream: u64, least_us: f64) {
        self.us += least_us;
        *self.unknown.entry(stream).or_default() += 1;
    }

    /// Advances to the other clock, if that is later.
    pub(crate) fn join(&mut self, other: &Clock) {
        self.us = self.us.max(other.us);
        for (stream, launches) in &other.unknown {
            let own = self.unknown.entry(*stream).or_default();
            *own = (*own).max(*launches);
        }
    }

    /// Returns the microseconds since `start`; NaN if one depends on launches of unknown time on
    /// which the other does not.
    pub(crate) fn since(&self, start: &Clock) -> f64 {
        match self.unknown == start.unknown {
            true => self.us - start.us,
            false => f64::NAN,
        }
    }
}
