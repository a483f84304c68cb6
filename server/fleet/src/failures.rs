//! Why agents could not do their work, as far as it is remembered.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Failures that are remembered.
const MOST: usize = 1000;

/// The last reason for each digest of a batch.
#[derive(Default)]
pub(crate) struct Failures(Mutex<VecDeque<(String, String)>>);

impl Failures {
    /// Somebody could not do what has this digest.
    pub(crate) fn note(&self, digest: String, reason: String) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, _)| *known != digest);
        if all.len() >= MOST {
            all.pop_front();
        }
        all.push_back((digest, reason));
    }

    /// Why what has this digest was given up after so many leases.
    pub(crate) fn reason(&self, digest: &str, leases: u64) -> String {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match all.iter().find(|(known, _)| known == digest) {
            Some((_, reason)) => format!("given up after {leases} leases; {reason}"),
            None => {
                format!("given up after {leases} leases, none of which was heard of to its end")
            }
        }
    }
}
