//! The knobs of kernels beside the lowering configuration.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Options of a kernel that the lowering configuration leaves open.
///
/// IREE's kernels have only the split. A configuration without knobs has the default ones, and
/// its JSON omits a knob at its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Knobs {
    /// The number of workgroups that share each row; each reduces one piece of it.
    ///
    /// In a native kernel, the last workgroup to finish reduces the results of the pieces. If a
    /// row's result is used again, the workgroups wait at a grid barrier instead. IREE reduces
    /// the pieces in a kernel of its own.
    pub split: u32,
    /// Set if the loop keeps only the best value and its step.
    ///
    /// A search of that step then finds the index.
    pub lazy_index: bool,
    /// The number of running pairs that a lane has per row.
    pub accumulators: Accumulators,
}

/// The number of running pairs of a lane and row.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Accumulators {
    /// One pair per element of the thread tile. The kernel reduces them to one after the loop.
    #[default]
    Vector,
    /// One pair for all elements of the thread tile. The lane compares elements one after the
    /// other.
    One,
}

impl Accumulators {
    /// Returns its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vector => "vector",
            Self::One => "one",
        }
    }
}

impl Knobs {
    /// The knobs of a configuration without any.
    pub const DEFAULT: Knobs = Knobs {
        split: 1,
        lazy_index: false,
        accumulators: Accumulators::Vector,
    };
}

/// Prints the knobs that are not at their default: `split 4, lazy index, one accumulator`.
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
