//! Finals: how a study ended on a device whose times vary.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::Ties;

/// What the finals of a study decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finals {
    /// How many trials the study had. If it has others now, this decides nothing.
    pub trials: u32,
    /// Ordinal of the trial whose configuration is to be taken: the default's where nothing is significantly faster.
    pub winner: u32,
    /// Which index was wanted on ties: with [`Ties::Fold`] no tie took part where something was right.
    pub ties: Ties,
    /// By how much the best of the search is faster than the default.
    pub speedup: f64,
    /// Interval of the speedup.
    pub interval: (f64, f64),
    /// Every sample, as JSON in the harness's words.
    pub samples: String,
    /// When they ended; kept to the millisecond.
    pub ended: SystemTime,
}
