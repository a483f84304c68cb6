//! Studies: what identifies a search, and with it every number that the search makes.

use configgen::Problem;
use serde::{Deserialize, Serialize};

use crate::{Provenance, Ties};

/// The identity of a study. Opening a study with an equal key resumes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyKey {
    /// What is computed.
    pub problem: Problem,
    /// What makes the numbers.
    pub provenance: Provenance,
    /// Name of the strategy.
    pub strategy: String,
    /// What tells the space that is searched, and where a search in it begins, from that of another version.
    pub space: String,
    /// The index that is wanted on ties, where that decides which trial is which.
    pub ties: Option<Ties>,
    /// The strategy's seed.
    pub seed: u64,
}

/// A study's number in its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StudyId(pub i64);

/// An open study: a handle for recording and reading its trials.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Its number.
    pub id: StudyId,
    /// Its identity.
    pub key: StudyKey,
    /// Least time in microseconds that any kernel needs on the device; none where no figures are published.
    pub bound_us: Option<f64>,
    /// Trials that were recorded before it was opened; 0 for a new one.
    pub recorded: u64,
}
