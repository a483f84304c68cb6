//! What can go wrong with a queue, in words that say what to do.

/// Why a queue did not do what it was asked. Prints as one line, without secrets.
#[derive(Debug, thiserror::Error)]
#[error("queue {queue}: {fault}")]
pub struct QueueError {
    /// The queue's name, for people.
    pub queue: String,
    /// What is wrong with it.
    pub fault: QueueFault,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueueFault {
    /// Its address, or what one logs in with, cannot be used.
    #[error("{0}")]
    Settings(String),
    /// It was asked for a while, and did not do it.
    #[error(
        "no answer within {seconds} s ({last}); see that nats-server runs with JetStream and can be reached from here; \
         what was put is kept, ask again"
    )]
    Silent {
        /// How long it was asked.
        seconds: u64,
        /// What came of the last attempt.
        last: String,
    },
    /// It does not let us in.
    #[error(
        "does not let this process in ({0}); check the user and password of its address, or the credentials file"
    )]
    Denied(String),
    /// It will not do this, however often it is asked.
    #[error("{0}")]
    Refused(String),
    /// More than it carries at once.
    #[error(
        "takes at most {most} bytes at once; put less into one payload, or raise NATS's `max_payload`"
    )]
    TooLarge {
        /// What it takes, with the name.
        most: usize,
    },
    /// The queue lost its data, and the work of a receipt with it. Whoever put the work puts it again.
    #[error("the queue no longer has the work of this receipt, because it lost its data")]
    Lost,
    /// What is no receipt of this queue.
    #[error("the receipt is none of this queue's")]
    Receipt,
}

impl QueueFault {
    /// Whether asking again may do.
    pub fn passes(&self) -> bool {
        matches!(self, QueueFault::Silent { .. })
    }
}
