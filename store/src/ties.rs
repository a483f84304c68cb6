//! Tie-break: the index that a kernel returns if several elements of a row win.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The verdict [`Status::Tie`](crate::Status::Tie) in words for people.
pub const ANOTHER_INDEX: &str = "with another tie-break";

/// The tie-break that a user demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// The index that the fold gives: the lowest for `argmax`, the highest for `argmax_last`. A
    /// configuration with another tie-break ranks behind every one with this, regardless of time.
    #[default]
    Fold,
    /// The index of any winning element: only times count.
    Any,
}

impl Ties {
    /// Both tie-breaks.
    pub const ALL: [Ties; 2] = [Self::Fold, Self::Any];

    /// Returns the name on the command line, over HTTP and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fold => "fold",
            Self::Any => "any",
        }
    }
}

impl fmt::Display for Ties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An error for an unknown name of a tie-break.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown index on ties {0:?}; one of fold, any")]
pub struct UnknownTies(pub String);

impl FromStr for Ties {
    type Err = UnknownTies;

    fn from_str(name: &str) -> Result<Self, UnknownTies> {
        let found = Ties::ALL.into_iter().find(|ties| ties.name() == name);
        found.ok_or_else(|| UnknownTies(name.chars().take(80).collect()))
    }
}
