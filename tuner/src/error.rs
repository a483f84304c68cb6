//! Why a study stopped.

use bench_harness::{DeviceError, InputsError};
use configgen::{Problem, Rejection};
use store::{StoreError, StoreFault};

/// Why a study stopped.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The generator does not take this problem.
    #[error("{problem}: {rejection}")]
    Problem {
        /// The problem.
        problem: Box<Problem>,
        /// The rule that it breaks.
        rejection: Rejection,
    },
    /// A trial of the study is in the database, but cannot be read. What it found is a part of the search, and trying it
    /// again would be another trial of its place.
    #[error(
        "the study cannot go on: {0}; go on with the wavetune that wrote it, or begin another with another --seed"
    )]
    Unreadable(StoreError),
    /// The database does not take the trials.
    #[error(transparent)]
    Store(StoreError),
    /// The device does not take the inputs, or cannot be used any more.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The problem cannot be verified.
    #[error(transparent)]
    Inputs(#[from] InputsError),
    /// The machine failed to build a kernel.
    #[error("a kernel could not be built, for no fault of its own: {0}")]
    Environment(String),
    /// An agent was given what it has no builder for.
    #[error("an agent builds kernels of {has}, and was given some of {wanted} to build")]
    Builder {
        /// The generator whose kernels it builds.
        has: String,
        /// The one that was asked for.
        wanted: String,
    },
    /// A thread could not be started.
    #[error("a worker cannot be started: {0}")]
    Thread(std::io::Error),
    /// All agents died, or two died of the same batch.
    #[error("a worker died; {0} trials are missing, the others are kept: run it again")]
    Lost(u64),
    /// A device is offered that this build has no figures of.
    #[error("device {0:?} is not known to this wavetune; use the version that offers it")]
    UnknownDevice(String),
    /// What is to be done could not be handed on.
    #[error("work cannot be handed on: {0}")]
    Dispatch(String),
    /// There is no device to work on.
    #[error("a study needs at least one device")]
    NoDevice,
}

impl From<StoreError> for TuneError {
    fn from(error: StoreError) -> TuneError {
        match error.fault {
            StoreFault::Value(_) => TuneError::Unreadable(error),
            _ => TuneError::Store(error),
        }
    }
}
