//! The reasons why a study stops.

use bench_harness::{DeviceError, InputsError};
use configgen::{Problem, Rejection};
use store::{StoreError, StoreFault};

/// The reason why a study stopped.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The generator does not support this problem.
    #[error("{problem}: {rejection}")]
    Problem {
        /// The problem.
        problem: Box<Problem>,
        /// The broken rule.
        rejection: Rejection,
    },
    /// A stored trial of the study cannot be read. The search depends on its result, and a
    /// repetition would be another trial with its ordinal.
    #[error(
        "the study cannot continue: {0}; continue it with the wavetune that wrote it, or start another one with \
         another --seed"
    )]
    Unreadable(StoreError),
    /// The database does not take the trials.
    #[error(transparent)]
    Store(StoreError),
    /// The device does not take the inputs, or cannot be used any more.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The bench cannot verify the problem.
    #[error(transparent)]
    Inputs(#[from] InputsError),
    /// The machine failed to build a kernel.
    #[error("this machine could not build a kernel: {0}")]
    Environment(String),
    /// An agent got work for which it has no builder.
    #[error("an agent that builds {has} kernels got {wanted} kernels to build")]
    Builder {
        /// The generator of the agent's builder.
        has: String,
        /// The requested generator.
        wanted: String,
    },
    /// A thread could not be started.
    #[error("a worker cannot be started: {0}")]
    Thread(std::io::Error),
    /// All agents died, or two died of the same batch.
    #[error("a worker died; {0} trials are missing. Run it again: the other trials are kept")]
    Lost(u64),
    /// This build lacks the figures of an offered device.
    #[error("this wavetune does not know device {0:?}; use the version that offers it")]
    UnknownDevice(String),
    /// A batch could not be dispatched.
    #[error("a batch cannot be dispatched: {0}")]
    Dispatch(String),
    /// The study has no device.
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
