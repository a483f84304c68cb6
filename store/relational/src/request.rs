//! Requests that a client may send again.

use store::{Repeat, StudyId};

/// Milliseconds for which the answer to a request is kept.
pub const KEPT_MS: i64 = 24 * 60 * 60 * 1000;

/// What a request with this digest is to one that was kept, with its digest and its studies where they can be read.
pub fn repeat(digest: &str, kept: &str, studies: Option<Vec<i64>>) -> Repeat {
    match studies {
        Some(studies) if kept == digest => {
            Repeat::Known(studies.into_iter().map(StudyId).collect())
        }
        _ => Repeat::Other,
    }
}
