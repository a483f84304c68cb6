//! Rankings: which configurations are the fastest, kept apart by everything that makes times incomparable.

use configgen::{Generator, Problem, Target};

use crate::{Clock, Provenance, Status, StudyKey, Timing, Trial};

/// The fastest configurations of one problem on one device, by one generator and one clock, all of one provenance.
///
/// Where there are numbers of several provenances, those of the study that was opened last count: a time that an older
/// compiler or driver gave is history once the newer one has been tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// What is computed.
    pub problem: Problem,
    /// The ISA.
    pub target: &'static Target,
    /// The device's name.
    pub device: String,
    /// Who makes the kernels.
    pub generator: Generator,
    /// Whose time is told.
    pub clock: Clock,
    /// What else made the numbers.
    pub provenance: Provenance,
    /// Least time in microseconds that any kernel needs; none where no figures are published.
    pub bound_us: Option<f64>,
    /// The untuned configuration, whatever its verdict; none where no study has come to it yet.
    pub default: Option<Trial>,
    /// The fastest configurations, fastest first, each once; at least one. Of a configuration that was tried several
    /// times, its latest trial counts: its fastest would reward noise.
    pub best: Vec<Ranked>,
}

/// A place in a [`Ranking`]: a trial that [may be served](Status::is_served), and its timing.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The trial.
    pub trial: Trial,
    /// Its timing.
    pub timing: Timing,
}

impl Ranking {
    /// The untuned configuration's time in microseconds; none where it is not there or not right.
    pub fn default_time_us(&self) -> Option<f64> {
        let trial = self.default.as_ref()?;
        let served = trial.outcome.status().is_served(self.generator);
        let timing = trial.outcome.timing().filter(|_| served)?;
        Some(timing.time_us)
    }

    /// How many times faster than the untuned configuration the fastest one is.
    pub fn speedup(&self) -> Option<f64> {
        Some(self.default_time_us()? / self.best.first()?.timing.time_us)
    }
}

/// How many trials a problem has: what is known of it where there is no ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// The ISA.
    pub target: &'static Target,
    /// The device's name.
    pub device: String,
    /// Who makes the kernels.
    pub generator: Generator,
    /// Whose time is told.
    pub clock: Clock,
    /// The verdict that is counted.
    pub status: Status,
    /// Trials with this verdict.
    pub trials: u64,
}
