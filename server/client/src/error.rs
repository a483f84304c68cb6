//! Why a service did not answer as it was asked.

use serde::Deserialize;

/// Why a service did not answer as it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// It is not heard of, or has trouble of its own: asking again may do.
    #[error("{server}: {reason}")]
    Lost {
        /// Its address.
        server: String,
        /// What happened.
        reason: String,
    },
    /// It does not do this, however often it is asked.
    #[error("{server}: {reason}")]
    Refused {
        /// Its address.
        server: String,
        /// The status of its answer.
        status: u16,
        /// The kind of problem, as `/problems/wrong-state`; empty where it says none.
        kind: String,
        /// The rule of a generator that was broken.
        rule: Option<String>,
        /// What it says.
        reason: String,
    },
}

impl ClientError {
    /// Whether asking again may do.
    pub fn passes(&self) -> bool {
        matches!(self, ClientError::Lost { .. })
    }

    /// Whether who asks is not let in, and need not ask for anything else.
    pub fn is_final(&self) -> bool {
        matches!(
            self,
            ClientError::Refused {
                status: 401 | 403 | 404 | 405 | 421,
                ..
            }
        )
    }
}

/// What a refusal says of itself, as RFC 9457 has it.
#[derive(Default, Deserialize)]
pub(crate) struct Problem {
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    pub(crate) rule: Option<String>,
    pub(crate) detail: Option<String>,
}
