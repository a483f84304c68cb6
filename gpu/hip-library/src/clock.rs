//! Modelled clocks of streams and of the host.

use std::collections::BTreeMap;

/// A modelled clock. It depends on launches of unknown time if its stream executed them, or waited
/// for one that did.
#[derive(Clone, Default)]
pub(crate) struct Clock {
    us: f64,
    /// True directly behind a launch: the next one starts earlier.
    is_behind_launch: bool,
    /// The number of these launches in each stream.
    unknown: BTreeMap<u64, u64>,
}

impl Clock {
    pub(crate) fn advance(&mut self, us: f64) {
        self.us += us;
        self.is_behind_launch = false;
    }

    /// Advances past a launch, which takes `saved_us` less directly behind another one.
    pub(crate) fn advance_launch(&mut self, us: f64, saved_us: f64) {
        self.us += match self.is_behind_launch {
            true => us - saved_us,
            false => us,
        };
        self.is_behind_launch = true;
    }

    /// Advances past a launch of unknown time. Later events are at least `least_us` later.
    pub(crate) fn advance_unknown(&mut self, stream: u64, least_us: f64) {
        self.advance(least_us);
        *self.unknown.entry(stream).or_default() += 1;
    }

    /// Advances to the other clock, if that is later.
    pub(crate) fn join(&mut self, other: &Clock) {
        // A stream that waited has drained.
        self.is_behind_launch &= other.us < self.us;
        self.us = self.us.max(other.us);
        for (stream, launches) in &other.unknown {
            let own = self.unknown.entry(*stream).or_default();
            *own = (*own).max(*launches);
        }
    }

    /// Continues with the clock that a command of the stream has advanced.
    pub(crate) fn continue_with(&mut self, advanced: &Clock) {
        self.join(advanced);
        self.is_behind_launch = advanced.is_behind_launch;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_behind_another_one_takes_less() {
        let mut clock = Clock::default();
        clock.advance_launch(5.0, 1.5);
        assert_eq!(clock.us, 5.0);
        clock.advance_launch(5.0, 1.5);
        assert_eq!(clock.us, 8.5);
        // The host has waited for the stream, so the next launch is a first one.
        let host = clock.clone();
        clock.join(&host);
        clock.advance_launch(5.0, 1.5);
        assert_eq!(clock.us, 13.5);
        let mut stream = Clock::default();
        stream.continue_with(&clock);
        stream.advance_launch(5.0, 1.5);
        assert_eq!(stream.us, 17.0);
        // An earlier clock changes nothing.
        clock.join(&host);
        clock.advance_launch(5.0, 1.5);
        assert_eq!(clock.us, 17.0);
        // A copy lies between.
        clock.advance(1.0);
        clock.advance_launch(5.0, 1.5);
        assert_eq!(clock.us, 23.0);
    }
}
