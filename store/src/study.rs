//! Studies: the identity of a search, and thereby of every number that it produces.

use configgen::Problem;
use serde::{Deserialize, Serialize};

use crate::{Provenance, Ties};

/// The identity of a study. Opening a study with an equal key resumes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyKey {
    /// The problem.
    pub problem: Problem,
    /// The provenance of the numbers.
    pub provenance: Provenance,
    /// The name of the strategy.
    pub strategy: String,
    /// The hash of the search space, its version and the start of the search.
    pub space: String,
    /// The tie-break, if it decides the order of the trials.
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
    /// The study's number.
    pub id: StudyId,
    /// The study's identity.
    pub key: StudyKey,
    /// The least time in microseconds that any kernel needs on the device; none if the device has
    /// no published figures.
    pub bound_us: Option<f64>,
    /// The number of trials recorded before this opening; 0 for a new study.
    pub recorded: u64,
}
