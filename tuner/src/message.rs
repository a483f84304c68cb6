//! What a director and its agents say to each other.
//!
//! A director decides what is tried; an agent has a device, builds what it is given, and tells what came of it. All of it
//! can be written as JSON, so that whoever carries it may be a channel of this process or a network. A batch may be given
//! twice, and an event may be told twice: of two trials in one place of a study the first that is stored counts.

use bench_harness::DeviceError;
use bench_harness::timing::Finals;
use configgen::Problem;
use serde::{Deserialize, Serialize};
use store::Trial;

use crate::build::Choice;

/// What an agent has to know of a study before it can do anything for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    /// What is computed.
    pub(crate) problem: Problem,
    /// Name of the generator whose kernels are built.
    pub(crate) generator: String,
    /// Seed of the inputs.
    pub(crate) input_seed: u64,
    /// What the generator does untuned: by it a device whose times vary is watched.
    pub(crate) default: Choice,
}

/// Names a batch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct BatchId {
    /// Who gives it: the name under which its tasks are taken in the ledger.
    pub(crate) owner: String,
    /// The number of the study in the ledger.
    pub(crate) study: i64,
    /// Counts the batches of this owner and study.
    pub(crate) number: u64,
}

/// One candidate, with its place in the study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Candidate {
    /// Its place in the study's sequence, counted from 0.
    pub(crate) ordinal: u32,
    /// What is built.
    pub(crate) choice: Choice,
}

/// What an agent is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Work {
    /// To evaluate these.
    Try(Vec<Candidate>),
    /// To hold finals of these and the default.
    Finals {
        /// The best of the search.
        finalists: Vec<Choice>,
        /// Seed of the order in which they are measured.
        seed: u64,
    },
}

/// A piece of work for one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Batch {
    /// Its name.
    pub(crate) id: BatchId,
    /// What it is work on.
    pub(crate) job: Job,
    /// What is to be done.
    pub(crate) work: Work,
}

/// What an agent has to say of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Event {
    /// The batch.
    pub(crate) batch: BatchId,
    /// What there is to say.
    pub(crate) news: News,
}

/// What there is to say of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum News {
    /// A trial of it has ended.
    Trial(Box<Trial>),
    /// The finals have ended, or could not be held for this reason.
    Finals(Result<Box<Finals>, String>),
    /// It is done.
    Done,
    /// The agent cannot do it, for no fault of a kernel.
    Failed(Failure),
    /// The agent died with it.
    Died,
}

/// What is no kernel's fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Failure {
    /// The device does not take the inputs, or cannot be used any more.
    Device(DeviceError),
    /// The machine failed to build a kernel.
    Environment(String),
    /// The agent builds kernels of this generator.
    Builder(String),
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Failure {
        Failure::Device(error)
    }
}
