//! Clocks: the origin of a time in microseconds. This module reads no clock.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The origin of a trial's time. Times of different clocks are never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// The events of a real GPU.
    Measured,
    /// The emulator's time model.
    Modelled,
}

impl Clock {
    /// Every clock, the most trusted one first.
    pub const ALL: [Clock; 2] = [Self::Measured, Self::Modelled];

    /// Returns the clock's name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Modelled => "modelled",
        }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Clock {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Clock::ALL.into_iter().find(|clock| clock.name() == name);
        found.ok_or_else(|| format!("unknown clock {name:?}; one of measured, modelled"))
    }
}
