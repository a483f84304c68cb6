//! Drift: does the default still take the time that it took?
//!
//! A search lasts minutes or hours. Clocks, temperature and other users change the device meanwhile, and trials from before
//! and after cannot be ranked together. The default is therefore measured again after some trials. Where two of its
//! measurements that follow each other agree, the trials between them stand; where they do not, nobody knows when the
//! change came, and the trials between are repeated.

use super::measure::Measurement;

/// Trials between two measurements of the default: these cost a sixteenth of the study, and what one change costs is
/// at most as many trials.
const TRIALS: usize = 16;
/// Difference of two measurements of the default that is drift, if their intervals do not meet as well: the precision that a
/// search aims at on either side.
const TOLERANCE: f64 = 0.01;
/// How often a trial is repeated at most: a device that changes more often than that has no state to wait for.
const REPEATS: u32 = 2;

/// Watches a device while a search tries things on it, each known by a `T` (an ordinal).
#[derive(Debug, Clone, PartialEq)]
pub struct DriftWatch<T> {
    /// The default's last measurement: its median and the half width of its interval, in microseconds.
    last: Level,
    /// Trials since.
    between: Vec<T>,
    /// How often in a row trials have been repeated.
    repeats: u32,
}

/// What becomes of the trials between two measurements of the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span<T> {
    /// The device is what it was: they stand.
    Steady(Vec<T>),
    /// It is not: they are to be tried again, and the default after them.
    Repeat(Vec<T>),
    /// It was not, as often as may be: they stand, for what they are worth.
    Unsteady(Vec<T>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Level {
    median_us: f64,
    half_width_us: f64,
}

impl Level {
    fn of(measurement: &Measurement) -> Level {
        Level {
            median_us: measurement.median_us(),
            half_width_us: measurement
                .interval
                .map_or(0.0, |interval| interval.half_width()),
        }
    }

    fn agrees_with(self, other: Level) -> bool {
        let apart = (self.median_us - other.median_us).abs();
        let least = self.median_us.min(other.median_us);
        apart <= TOLERANCE * least || apart <= self.half_width_us + other.half_width_us
    }
}

impl<T> DriftWatch<T> {
    /// Begins with the default's first measurement.
    pub fn new(default: &Measurement) -> DriftWatch<T> {
        DriftWatch {
            last: Level::of(default),
            between: Vec::new(),
            repeats: 0,
        }
    }

    /// A trial has been measured.
    pub fn tried(&mut self, trial: T) {
        self.between.push(trial);
    }

    /// Whether the default is to be measured now. At the end of a search it is measured too, if there were trials since.
    pub fn is_due(&self) -> bool {
        self.between.len() >= TRIALS
    }

    /// The default has been measured again.
    pub fn again(&mut self, default: &Measurement) -> Span<T> {
        let level = Level::of(default);
        let agrees = level.agrees_with(self.last);
        self.last = level;
        let between = std::mem::take(&mut self.between);
        if agrees {
            self.repeats = 0;
            Span::Steady(between)
        } else if self.repeats < REPEATS {
            self.repeats += 1;
            Span::Repeat(between)
        } else {
            self.repeats = 0;
            Span::Unsteady(between)
        }
    }
}
