//! Ties: which index is wanted where several elements of a row win.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The verdict [`Status::Tie`](crate::Status::Tie) in words, wherever a person is told of it.
pub const ANOTHER_INDEX: &str = "on ties another index than the fold's";

/// The index that a kernel shall give where elements tie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// The one that the fold gives: of `argmax` the lowest, of `argmax_last` the highest. A configuration that gives
    /// another is behind every one that does not, however fast it is.
    #[default]
    Fold,
    /// That of any of them: only times count.
    Any,
}

impl Ties {
    /// Both.
    pub const ALL: [Ties; 2] = [Self::Fold, Self::Any];

    /// Its name on the command line, over HTTP and in the database.
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

/// Nothing that ties can be asked for has this name.
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
