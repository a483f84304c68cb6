//! Strategies: in which order the configurations of a space are tried.
//!
//! An order depends on the space, the strategy and the seed only, never on results or on the budget: a study that is
//! continued with a larger budget goes on where it stood.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use configgen::{Configuration, Space};

/// Where to look next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strategy {
    /// The space in its own order.
    Exhaustive,
    /// Uniformly, without repetition; the default. Where the budget allows, it is the whole space too.
    #[default]
    Random,
}

impl Strategy {
    /// Every strategy.
    pub const ALL: [Strategy; 2] = [Self::Exhaustive, Self::Random];

    /// Its name on the command line and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exhaustive => "exhaustive",
            Self::Random => "random",
        }
    }

    /// The configurations of `space` in the order of this strategy.
    pub fn order(
        self,
        space: Arc<Space>,
        seed: u64,
    ) -> Box<dyn Iterator<Item = Configuration> + Send> {
        let ranks: Box<dyn Iterator<Item = u64> + Send> = match self {
            Self::Exhaustive => Box::new(0..space.len()),
            Self::Random => Box::new(space.sample_ranks(seed)),
        };
        Box::new(ranks.filter_map(move |rank| space.nth(rank)))
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No strategy has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown strategy {0:?}; one of exhaustive, random")]
pub struct UnknownStrategy(pub String);

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        let found = Strategy::ALL
            .into_iter()
            .find(|strategy| strategy.name() == name);
        found.ok_or_else(|| UnknownStrategy(name.chars().take(80).collect()))
    }
}
