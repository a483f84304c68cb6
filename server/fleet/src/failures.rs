//! Failures: the last reasons that agents gave.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Most failures in memory.
const MOST: usize = 1000;

/// The last reason for each digest of a batch.
#[derive(Default)]
pub(crate) struct Failures(Mutex<VecDeque<(String, String)>>);

impl Failures {
    /// Notes the reason of a failure of the batch with this digest.
    pub(crate) fn note(&self, digest: String, reason: String) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, _)| *known != digest);
        // The oldest goes, so that a flood of failures does not grow the memory.
        if all.len() >= MOST {
            all.pop_front();
        }
        all.push_back((digest, reason));
    }

    /// Returns the reason for which the batch with this digest is given up after so many leases.
    pub(crate) fn reason(&self, digest: &str, leases: u64) -> String {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match all.iter().find(|(known, _)| known == digest) {
            Some((_, reason)) => format!("given up after {leases} leases; {reason}"),
            None => {
                format!("given up after {leases} leases, none of which ended with a report")
            }
        }
    }
}
