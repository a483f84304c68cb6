//! Answers: what is told to whoever asks for a configuration, on the command line and over HTTP alike.

use configgen::{Configuration, Generator, Problem, Target};
use serde::{Serialize, Serializer};
use store::{Clock, Status, Unreadable};

use crate::ranking::{Ranked, Ranking};

/// The answer to a [`Request`](crate::Request); `answer` in its JSON is the rung of the ladder that it stands on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "answer", rename_all = "lowercase")]
pub enum Answer {
    /// This very problem was tuned for this target.
    Exact(Box<Found>),
    /// Nothing that may be served is known.
    None(Miss),
}

impl Answer {
    /// One line of JSON, without the newline. Every door prints this and nothing else.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("every key of an answer is a string")
    }

    /// The configuration, where there is one.
    pub fn found(&self) -> Option<&Found> {
        match self {
            Self::Exact(found) => Some(found),
            Self::None(_) => None,
        }
    }

    /// What is known of the problem and cannot be read.
    pub fn unreadable(&self) -> &Unreadable {
        match self {
            Self::Exact(found) => &found.unreadable,
            Self::None(miss) => &miss.unreadable,
        }
    }
}

/// A configuration, how fast it is, and how that is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// The problem that was asked for.
    pub problem: Problem,
    /// The target that was asked for.
    #[serde(serialize_with = "name_of")]
    pub target: &'static Target,
    /// The fastest configuration.
    pub configuration: Configuration,
    /// The generator that it belongs to; with another one it is another kernel.
    pub generator: Generator,
    /// The verdict: `right`, or for `iree` also `tie`, which gives on ties another index than the fold's. Unless any index
    /// on ties was asked for, it is `tie` where nothing right is known.
    pub status: Status,
    /// Its time in microseconds.
    pub time_us: f64,
    /// The generator's default in microseconds; none where it did not compile, was not right or was not tried.
    pub default_time_us: Option<f64>,
    /// `default_time_us / time_us`.
    pub speedup: Option<f64>,
    /// Whose time these are.
    pub clock: Clock,
    /// What made the numbers.
    pub provenance: Provenance,
    /// What is known of the problem and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    pub unreadable: Unreadable,
}

/// What made a number; all of it, or the number cannot be compared with any other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Provenance {
    /// Name of the device.
    pub device: String,
    /// Its driver, or the emulator, with its version.
    pub driver: String,
    /// The compiler.
    pub compiler: String,
    /// Its version.
    pub compiler_version: String,
    /// Version of the generator.
    pub generator_version: String,
    /// Whose time was told.
    pub clock: Clock,
    /// Seed of the inputs.
    pub input_seed: u64,
    /// Number of samples that the time was taken from.
    pub samples: usize,
    /// How they were taken.
    pub timing: String,
    /// When the trial ended: RFC 3339, UTC.
    pub when: String,
}

/// That nothing is known, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Miss {
    /// The problem that was asked for.
    pub problem: Problem,
    /// The target that was asked for; none where it was left open.
    #[serde(serialize_with = "name_of_any")]
    pub target: Option<&'static Target>,
    /// What is known instead, and what would help.
    pub reason: String,
    /// Whether it is noted that this was asked for: in the database, now or within a second. Not where that is read-only.
    pub wished: bool,
    /// What is known of the problem and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    pub unreadable: Unreadable,
}

fn name_of<S: Serializer>(target: &&'static Target, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(target.name)
}

fn name_of_any<S: Serializer>(
    target: &Option<&'static Target>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    target.map(|target| target.name).serialize(serializer)
}

impl Found {
    /// `ranked`, which is the first of `ranking`.
    pub(crate) fn new(ranking: &Ranking, ranked: &Ranked, unreadable: Unreadable) -> Self {
        Found {
            problem: ranking.problem.clone(),
            target: ranking.provenance.target,
            configuration: ranked.configuration.clone(),
            generator: ranking.provenance.generator,
            status: ranked.trial.outcome.status(),
            time_us: ranked.timing.time_us,
            default_time_us: ranking.default_time_us(),
            speedup: ranking.speedup(),
            clock: ranking.provenance.clock,
            provenance: Provenance::new(ranking, ranked),
            unreadable,
        }
    }
}

impl Provenance {
    /// Where the time of `ranked`, a place in `ranking`, comes from.
    pub fn new(ranking: &Ranking, ranked: &Ranked) -> Self {
        let made = &ranking.provenance;
        Provenance {
            device: made.device.clone(),
            driver: made.driver_line(),
            compiler: made.compiler.clone(),
            compiler_version: made.compiler_line(),
            generator_version: made.generator_line(),
            clock: made.clock,
            input_seed: ranked.trial.input_seed,
            samples: ranked.timing.samples_us.len(),
            timing: made.timing_line(),
            when: humantime::format_rfc3339_seconds(ranked.trial.ended).to_string(),
        }
    }
}
