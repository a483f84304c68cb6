//! Errors of a request to a service.

use serde::Deserialize;

/// An error of a request to a service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// No answer, or a fault of the service. A retry may succeed.
    #[error("{server}: {reason}")]
    Lost {
        /// Its address.
        server: String,
        /// The fault.
        reason: String,
    },
    /// A refusal that a retry does not change.
    #[error("{server}: {reason}")]
    Refused {
        /// Its address.
        server: String,
        /// The status of its answer.
        status: u16,
        /// The kind of problem, as `/problems/wrong-state`; empty if the answer has none.
        kind: String,
        /// The broken rule of a generator.
        rule: Option<String>,
        /// The message of the service.
        reason: String,
    },
}

impl ClientError {
    /// Returns true if a retry may succeed.
    pub fn passes(&self) -> bool {
        matches!(self, ClientError::Lost { .. })
    }

    /// Returns true if the service authorizes no request of this client.
    pub fn is_final(&self) -> bool {
        matches!(
            self,
            ClientError::Refused {
                // 404 and 405: the address is no wavetune service, or one of another version.
                status: 401 | 403 | 404 | 405 | 421,
                ..
            }
        )
    }
}

/// A problem in the format of RFC 9457. Every field may be absent, because a proxy before the
/// service may refuse, too.
#[derive(Default, Deserialize)]
pub(crate) struct Problem {
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    pub(crate) rule: Option<String>,
    pub(crate) detail: Option<String>,
}
