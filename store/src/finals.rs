//! Finals: the comparison that ends a study on a device whose times vary.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::Ties;

/// The decision of a study's finals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finals {
    /// The number of trials that the study had. The finals do not count for a study with another
    /// number of trials.
    pub trials: u32,
    /// The ordinal of the winning trial. It is the default's if no trial is
    /// significantly faster.
    pub winner: u32,
    /// The tie-break of the finals. With [`Ties::Fold`] and a correct trial, no trial with
    /// another tie-break took part.
    pub ties: Ties,
    /// The speedup of the best of the search, as a ratio of times: default / best.
    pub speedup: f64,
    /// The interval of the speedup.
    pub interval: (f64, f64),
    /// All samples, as JSON of the benchmark harness.
    pub samples: String,
    /// The end of the finals, in milliseconds since 1970 when stored.
    pub ended: SystemTime,
}
