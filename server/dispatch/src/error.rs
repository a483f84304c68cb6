//! Errors of a queue, each with its remedy.

/// An error of a queue. Prints as one line, without secrets.
#[derive(Debug, thiserror::Error)]
#[error("queue {queue}: {fault}")]
pub struct QueueError {
    /// The queue's name, for people.
    pub queue: String,
    /// The fault.
    pub fault: QueueFault,
}

/// A fault of a queue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueueFault {
    /// Its address or its credentials are invalid.
    #[error("{0}")]
    Settings(String),
    /// It gave no answer within the limit.
    #[error(
        "no answer within {seconds} s ({last}); check that nats-server runs with JetStream and is reachable, and try \
         again: stored items are kept"
    )]
    Silent {
        /// The limit, in seconds.
        seconds: u64,
        /// The outcome of the last attempt.
        last: String,
    },
    /// It does not authorize the service.
    #[error(
        "refuses this process ({0}); check the user and password of its address, or the credentials file"
    )]
    Denied(String),
    /// It refuses the request permanently.
    #[error("{0}")]
    Refused(String),
    /// A payload is too large.
    #[error(
        "takes at most {most} bytes per payload; split the payload, or raise NATS's `max_payload`"
    )]
    TooLarge {
        /// Largest payload with its name, in bytes.
        most: usize,
    },
    /// The queue lost its data, including the item of this ack handle. The service puts the item
    /// again.
    #[error("the queue lost its data, and no longer has the item of this acknowledgement handle")]
    Lost,
    /// The text is no ack handle of this queue.
    #[error("the acknowledgement handle is from another queue")]
    Receipt,
}

impl QueueFault {
    /// Returns true if a retry may succeed.
    pub fn passes(&self) -> bool {
        matches!(self, QueueFault::Silent { .. })
    }
}
