//! The knobs of kernels beside the lowering configuration.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a kernel does what the lowering configuration leaves open; those of IREE have a split alone. The default is what a kernel does that says
/// nothing; in JSON a knob at its default is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Knobs {
    /// Workgroups that share each row: every one reduces a piece of it. The last of a native kernel to end reduces their
    /// results, or where what the row gives is used again they wait for each other; of IREE's that is a kernel of its own.
    pub split: u32,
    /// Whether the loop keeps the best value alone and the step in which it was found; the index is looked for in that step
    /// afterwards.
    pub lazy_index: bool,
    /// The running pairs that a lane has of each of its rows.
    pub accumulators: Accumulators,
}

/// The running pairs of a lane and row.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Accumulators {
    /// One for each element of the thread tile: they are compared side by side, and become one at the end.
    #[default]
    Vector,
    /// One for all: elements are compared one after the other, and nothing is left to be done at the end.
    One,
}

impl Accumulators {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vector => "vector",
            Self::One => "one",
        }
    }
}

impl Knobs {
    /// The default.
    pub const DEFAULT: Knobs = Knobs {
        split: 1,
        lazy_index: false,
        accumulators: Accumulators::Vector,
    };
}

/// The knobs that are not at their default, as people read them: `split 4, lazy index, one accumulator`.
impl fmt::Display for Knobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Knobs {
            split,
            lazy_index,
            accumulators,
        } = *self;
        let split = (split != Knobs::DEFAULT.split).then(|| format!("split {split}"));
        let lazy = lazy_index.then(|| "lazy index".to_owned());
        let one = (accumulators == Accumulators::One).then(|| "one accumulator".to_owned());
        let named: Vec<String> = split.into_iter().chain(lazy).chain(one).collect();
        f.write_str(&named.join(", "))
    }
}
