//! Drift control: repeated measurements of the default, which show changes of the device.
//!
//! A search lasts minutes or hours. Meanwhile, clocks, temperature and other users change the
//! device, so trials from before and after a change cannot be ranked together. The search
//! therefore measures the default again after some trials. If two successive measurements of the
//! default agree, the trials between them stand. If they do not, the time of the change is
//! unknown, and the search repeats the trials between them. Slower drift adds up unnoticed, so
//! the ranking takes each time relative to the default's last time.

use super::measure::CONFIDENCE;
use super::median::{Interval, median, median_interval};

/// The number of trials between two measurements of the default. These cost a sixteenth of the
/// study, and a change costs at most as many trials.
const TRIALS: usize = 16;
/// The difference of two measurements of the default that counts as drift if their intervals are
/// disjoint, too. A search aims at this precision on either side.
const TOLERANCE: f64 = 0.01;
/// The maximum number of repeats of a trial. A device that changes more often has no state to
/// wait for.
const REPEATS: u32 = 2;

/// A watch on a device during a search. A `T`, such as an ordinal, identifies each trial.
#[derive(Debug, Clone, PartialEq)]
pub struct DriftWatch<T> {
    /// The default's first median, in microseconds.
    first_us: f64,
    /// The default's last measurement.
    last: DefaultTime,
    /// The trials since the last measurement.
    between: Vec<T>,
    /// The number of successive repeats.
    repeats: u32,
}

/// The decision on the trials between two measurements of the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriftDecision<T> {
    /// The device has not changed: the trials stand.
    Steady(Vec<T>),
    /// The device has changed: repeat the trials, and then measure the default.
    Repeat(Vec<T>),
    /// The device has changed after the last allowed repeat: the trials stand with reduced value.
    Unsteady(Vec<T>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct DefaultTime {
    median_us: f64,
    /// The half width of its interval. With too few samples for an interval, that of all samples.
    half_width_us: f64,
}

impl DefaultTime {
    fn of(samples_us: &[f64]) -> DefaultTime {
        let range = || Interval {
            low: samples_us.iter().copied().fold(f64::INFINITY, f64::min),
            high: samples_us.iter().copied().fold(0.0, f64::max),
        };
        let interval = median_interval(samples_us, CONFIDENCE).unwrap_or_else(range);
        DefaultTime {
            median_us: median(samples_us),
            half_width_us: interval.half_width(),
        }
    }

    fn agrees_with(self, other: DefaultTime) -> bool {
        let apart = (self.median_us - other.median_us).abs();
        let least = self.median_us.min(other.median_us);
        apart <= TOLERANCE * least || apart <= self.half_width_us + other.half_width_us
    }
}

impl<T> DriftWatch<T> {
    /// Begins with the samples of the default's first measurement, at least one.
    pub fn new(default_us: &[f64]) -> DriftWatch<T> {
        let first = DefaultTime::of(default_us);
        DriftWatch {
            first_us: first.median_us,
            last: first,
            between: Vec::new(),
            repeats: 0,
        }
    }

    /// Returns the factor that makes a current time comparable with the others: the default's
    /// first median over its last.
    pub fn correction(&self) -> f64 {
        self.first_us / self.last.median_us
    }

    /// Returns the relative uncertainty of the default's last median: half of its interval.
    pub fn noise(&self) -> f64 {
        self.last.half_width_us / self.last.median_us
    }

    /// Takes the trials since the last measurement, because the default could not be measured.
    /// Nothing confirms these trials.
    pub fn skip_default(&mut self) -> Vec<T> {
        std::mem::take(&mut self.between)
    }

    /// Records a measured trial.
    pub fn record_trial(&mut self, trial: T) {
        self.between.push(trial);
    }

    /// Returns true if the default is due for a measurement. A search also measures it at its
    /// end, if trials followed the last measurement.
    pub fn is_due(&self) -> bool {
        self.between.len() >= TRIALS
    }

    /// Records a new measurement of the default and decides on the trials before it.
    pub fn record_default(&mut self, default_us: &[f64]) -> DriftDecision<T> {
        let level = DefaultTime::of(default_us);
        let agrees = level.agrees_with(self.last);
        // Each measurement becomes the reference, agreeing or not: the device may stay in its new
        // state.
        self.last = level;
        let between = std::mem::take(&mut self.between);
        if agrees {
            self.repeats = 0;
            DriftDecision::Steady(between)
        } else if self.repeats < REPEATS {
            self.repeats += 1;
            DriftDecision::Repeat(between)
        } else {
            self.repeats = 0;
            DriftDecision::Unsteady(between)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use configgen::seeded_random::{below, generator};

    /// Returns samples of the default with an interval 0.4 % wide.
    fn default(median_us: f64) -> [f64; 7] {
        [0.996, 0.998, 0.999, 1.0, 1.001, 1.002, 1.004].map(|part| part * median_us)
    }

    /// Checks the decisions on a trial between each two measurements of the default: `s`teady,
    /// `r`epeat, `u`nsteady.
    #[track_caller]
    fn check(defaults: &[f64], expected: &str) {
        let mut watch = DriftWatch::new(&default(defaults[0]));
        let found = defaults[1..].iter().map(|median_us| {
            watch.record_trial(7);
            match watch.record_default(&default(*median_us)) {
                DriftDecision::Steady(trials) => (trials, 's'),
                DriftDecision::Repeat(trials) => (trials, 'r'),
                DriftDecision::Unsteady(trials) => (trials, 'u'),
            }
        });
        let (trials, kinds): (Vec<_>, String) = found.unzip();
        assert_eq!(kinds, expected);
        assert!(trials.iter().all(|trials| trials == &[7]), "{trials:?}");
    }

    #[test]
    fn trials_between_defaults_that_disagree_are_repeated() {
        check(&[50.0, 50.2, 49.9], "ss");
        check(&[50.0, 53.0, 53.0, 53.1], "rss");
        check(&[50.0, 53.0, 50.0, 50.0], "rrs");
        check(&[50.0, 53.0, 50.0, 53.0, 50.0, 50.0], "rrurs");
    }

    #[test]
    fn wide_intervals_that_meet_agree() {
        let wide =
            |middle: f64| [0.97, 0.98, 0.99, 1.0, 1.01, 1.02, 1.03].map(|part| part * middle);
        let mut watch = DriftWatch::new(&wide(50.0));
        watch.record_trial(1);
        assert_eq!(
            watch.record_default(&wide(52.0)),
            DriftDecision::Steady(vec![1])
        );
    }

    #[test]
    fn slow_drift_is_corrected() {
        let mut watch: DriftWatch<u32> = DriftWatch::new(&default(50.0));
        for step in 1..=10 {
            let slower = 50.0 * (1.0 + 0.005 * f64::from(step));
            assert_eq!(
                watch.record_default(&default(slower)),
                DriftDecision::Steady(vec![])
            );
        }
        assert!((52.5 * watch.correction() - 50.0).abs() < 1e-9);
    }

    /// Checks a device that becomes 8 % slower or faster at random times. Accepted trials are
    /// from one state, and no trial is repeated too often.
    #[test]
    fn kept_samples_share_a_clock_state() {
        for seed in 0..500 {
            let mut random = generator(seed, 0);
            let mut level = 50.0;
            let mut watch = DriftWatch::new(&default(level));
            let mut waiting: Vec<usize> = (0..100).rev().collect();
            // The device's state in each trial's last measurement, and the number of its
            // measurements.
            let mut states = [(0.0, 0); 100];
            let (mut stand, mut changes) = (0, 0);
            while let Some(trial) = waiting.pop() {
                if below(&mut random, 40) == 0 {
                    level = 104.0 - level;
                    changes += 1;
                }
                states[trial] = (level, states[trial].1 + 1);
                watch.record_trial(trial);
                if !watch.is_due() && !waiting.is_empty() {
                    continue;
                }
                match watch.record_default(&default(level)) {
                    DriftDecision::Steady(trials) => {
                        stand += trials.len();
                        // Two opposite changes between two measurements are invisible.
                        let same = trials.iter().all(|trial| states[*trial].0 == level);
                        assert!(same || changes > 1, "{seed}: {states:?}");
                    }
                    DriftDecision::Repeat(trials) => waiting.extend(trials.into_iter().rev()),
                    DriftDecision::Unsteady(trials) => stand += trials.len(),
                }
            }
            assert_eq!(stand, 100, "{seed}");
            let most = states.iter().map(|state| state.1).max();
            assert!(most <= Some(1 + REPEATS), "{seed}: {most:?}");
        }
    }
}
