//! Why a fleet did not do what it was asked.

use dispatch::{QueueError, QueueFault};
use store::{RunState, StoreError};
use tuner::TuneError;

/// Why a fleet did not do what it was asked. Prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// There is no such study, or no service was asked to run it.
    #[error("there is no study {0} that this service was asked to run")]
    Unknown(i64),
    /// A study in this state cannot be made to do that.
    #[error("study {study} is {}; it cannot be {wanted}", state.name())]
    State {
        /// The study.
        study: i64,
        /// Its state.
        state: RunState,
        /// What was wanted.
        wanted: &'static str,
    },
    /// A submitter has too many open studies.
    #[error(
        "{open} studies of this token are open, of {most} that may be; end some, or wait until they are done"
    )]
    NoRoom {
        /// Open studies of the submitter.
        open: u64,
        /// Open studies that it may have.
        most: u64,
    },
    /// Of a request with the same key something else was asked.
    #[error("another request had the idempotency key {0:?}; take a new key for a new request")]
    OtherRequest(String),
    /// A token is no lease of this service, or not any more.
    #[error("this is no lease of this service, or it has ended")]
    NoLease,
    /// What an agent says cannot be.
    #[error("{0}")]
    Said(String),
    /// The generator does not take a problem, or it cannot be verified.
    #[error("{message}")]
    Refused {
        /// The rule of the generator that it breaks, where it is one.
        rule: Option<&'static str>,
        /// What is wrong, with the numbers.
        message: String,
    },
    /// A study cannot be prepared on this machine, or this version cannot read what was asked.
    #[error("{0}")]
    Unable(String),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The queue.
    #[error(transparent)]
    Queue(QueueError),
}

impl From<TuneError> for FleetError {
    fn from(error: TuneError) -> FleetError {
        let message = error.to_string();
        match error {
            TuneError::Problem { rejection, .. } => FleetError::Refused {
                rule: Some(rejection.rule),
                message,
            },
            TuneError::Inputs(_) => FleetError::Refused {
                rule: None,
                message,
            },
            TuneError::UnknownDevice(_) => FleetError::Unable(message),
            TuneError::Store(error) | TuneError::Unreadable(error) => FleetError::Store(error),
            _ => FleetError::Unable(message),
        }
    }
}

/// Returns whether the queue still had the work that it was told of. It needs no word of work that it has lost.
pub(crate) fn was_there(told: Result<(), QueueError>) -> Result<bool, QueueError> {
    match told {
        Err(error) if error.fault == QueueFault::Lost => Ok(false),
        told => told.map(|()| true),
    }
}

impl From<QueueError> for FleetError {
    fn from(error: QueueError) -> FleetError {
        match error.fault {
            QueueFault::Receipt | QueueFault::Lost => FleetError::NoLease,
            _ => FleetError::Queue(error),
        }
    }
}
