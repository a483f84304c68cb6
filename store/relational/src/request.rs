//! Idempotency keys: requests that a client may repeat.

use store::{Repeat, StudyId};

/// The time in milliseconds for which the answer to a request is kept: a day.
pub const KEPT_MS: i64 = 24 * 60 * 60 * 1000;

/// Compares the digest of a request with that of the stored request with its key. `studies` is
/// the stored answer, if it is readable.
pub fn repeat(digest: &str, kept: &str, studies: Option<Vec<i64>>) -> Repeat {
    match studies {
        Some(studies) if kept == digest => {
            Repeat::Known(studies.into_iter().map(StudyId).collect())
        }
        _ => Repeat::Other,
    }
}
