//! Errors of a fleet.

use server_dispatch::{QueueError, QueueFault};
use store::{RunState, StoreError};
use tuner::TuneError;

/// An error of a fleet. Prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// There is no such study, or no service was asked to run it.
    #[error("no study {0} was submitted to this service")]
    Unknown(i64),
    /// The state of a study does not allow the change.
    #[error("study {study} is {}; it cannot be {wanted}", state.name())]
    State {
        /// The study.
        study: i64,
        /// Its state.
        state: RunState,
        /// The change that the caller wanted.
        wanted: &'static str,
    },
    /// A submitter has too many open studies.
    #[error(
        "this token has {open} open studies, of at most {most}; cancel some, or wait until they are done"
    )]
    NoRoom {
        /// Open studies of the submitter.
        open: u64,
        /// Open studies that it may have.
        most: u64,
    },
    /// An earlier request with the same idempotency key had other content.
    #[error("another request had the idempotency key {0:?}; use a new key for a new request")]
    OtherRequest(String),
    /// A token is no lease of this service, or the lease has ended.
    #[error("this lease is not from this service, or has ended")]
    NoLease,
    /// A statement of an agent is invalid.
    #[error("{0}")]
    Said(String),
    /// The generator refuses a problem, or nothing can verify it.
    #[error("{message}")]
    Refused {
        /// The broken rule of the generator, if there is one.
        rule: Option<&'static str>,
        /// The fault, with its numbers.
        message: String,
    },
    /// This machine cannot prepare a study, or this version cannot read the stored request.
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

/// Returns true if the queue still had the item. A lost item needs no acknowledgement.
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
