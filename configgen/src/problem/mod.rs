//! Problems: what is computed, and their canonical text `argmax:4x[32000]xf32:i32`.
//!
//! ```text
//! problem    = comparator ":" dimension { "x" dimension } "x" element [ ":" index { ":" option } ]
//! comparator = name | "arg_compare{" compact "}" | "unordered{" compact "}"
//! dimension  = size | "[" size "]"          (bracketed: reduced)
//! option     = "index_base" | "explicit_index" | "initial" | "assume_order" | "pitch=" size
//! ```
//!
//! A name is one of [`Comparator::names`], such as `argmax`, `argmin_nan` or `argmax.ugt`; compact is
//! [`Comparator::compact`], of a comparator that no name fits. One that is shown not to order the elements has to be called
//! `unordered`: its result depends on the order in which they are taken, which is that of the fold. Where it is neither
//! shown nor proved to, they are taken in that order too, unless `assume_order` promises that it orders them; the option goes
//! where that is proved, and is refused where the opposite is shown. Integers have no sign of their own, the comparator
//! reads one into them; `argmax:4x[8]xui8` is another way to write `argmax.ugt:4x[8]xi8`.
//!
//! Parsing accepts exactly this grammar, options in any order; [`Problem`]'s `Display` prints the canonical form, which
//! always names the index type and has the options in the order of the grammar.

mod parse;
mod shape;

use std::fmt;

pub use shape::Shape;

use crate::comparator::Comparator;
use crate::comparator::order::{Class, Extreme, NanBehaviour, Standing, Ties};
use crate::{ElementType, IndexType};

/// The highest rank of a problem.
pub const MAX_RANK: usize = 6;

/// The largest number of elements of a problem: 2^40.
pub const MAX_ELEMENTS: u64 = 1 << 40;

/// What is computed: for every row `acc = initial pair; for each element in index order: if it beats acc's value, acc =
/// (the element, its index)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Problem {
    /// When an element beats the accumulator's value. Its elements are of type [`Self::element`].
    pub comparator: Comparator,
    /// Sizes and reduced dimensions.
    pub shape: Shape,
    /// Type of the input elements and of the returned values.
    pub element: ElementType,
    /// Type of the returned indices.
    pub index: IndexType,
    /// What the index of an element is.
    pub index_mode: IndexMode,
    /// Where the fold begins.
    pub initial: Initial,
    /// Whether it is promised that the comparator orders the elements, which is not proved.
    pub assumes_order: bool,
}

/// What the index of an element is. Its position is its row-major number within the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum IndexMode {
    /// Its position.
    #[default]
    Position,
    /// Its position plus a number that is known when the kernel is launched: the `index_base` of IREE's operation.
    Based,
    /// The element of a second input with the shape of the first, without its gaps. Ties still go by position.
    Explicit,
}

/// Where the fold begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Initial {
    /// At the comparator's worst value, and index 0 whatever the index mode.
    #[default]
    Worst,
    /// At the pair that the outputs hold when the kernel is launched.
    Outputs,
}

impl Problem {
    /// Whether the comparator orders the values that the accumulator can have.
    pub fn standing(&self) -> &Standing {
        let order = self.comparator.order();
        match self.initial {
            Initial::Worst => &order.from_start,
            Initial::Outputs => &order.from_anywhere,
        }
    }

    /// Which of equal elements wins; `None` where a row cannot be reduced in pieces, because it is neither proved nor promised
    /// that the comparator orders the values that the accumulator can have: then the elements have to be taken one by
    /// one.
    pub fn ties(&self) -> Option<Ties> {
        let is_order = self.assumes_order || *self.standing() == Standing::Proved;
        is_order.then_some(self.comparator.order().ties)
    }

    /// The extreme of a key that is looked for, where to compare the keys that are numbers is all there is to it.
    pub fn extreme(&self) -> Option<&Extreme> {
        let Class::Extreme(extreme) = &self.comparator.order().class else {
            return None;
        };
        let is_number = match (extreme.nan, self.initial) {
            (NanBehaviour::Loses, _) | (NanBehaviour::Yields, Initial::Worst) => true,
            (NanBehaviour::Yields, Initial::Outputs) => false,
            (NanBehaviour::Wins | NanBehaviour::Other, _) => false,
        };
        (is_number && !self.is_serial()).then_some(extreme)
    }

    /// Whether the elements of a row have to be taken one by one, in their order.
    pub fn is_serial(&self) -> bool {
        self.ties().is_none()
    }

    /// Bytes of the buffer of the input, gaps between its rows included.
    pub fn input_bytes(&self) -> u64 {
        self.shape.span() * u64::from(self.element.bytes())
    }

    /// Bytes of the buffer of explicit indices; 0 where the problem has none.
    pub fn explicit_index_bytes(&self) -> u64 {
        match self.index_mode {
            IndexMode::Position | IndexMode::Based => 0,
            IndexMode::Explicit => self.shape.elements() * u64::from(self.index.bytes()),
        }
    }

    /// Bytes of the buffers of values and indices.
    pub fn output_bytes(&self) -> u64 {
        self.shape.rows() * u64::from(self.element.bytes() + self.index.bytes())
    }

    /// Bytes that any kernel must move: each element once, each value and index once, and once more where the outputs hold
    /// the initial pairs. Of explicit indices only those of the winners.
    pub fn compulsory_bytes(&self) -> u64 {
        let elements = self.shape.elements() * u64::from(self.element.bytes());
        let initial = match self.initial {
            Initial::Worst => 0,
            Initial::Outputs => self.output_bytes(),
        };
        let indices = match self.index_mode {
            IndexMode::Position | IndexMode::Based => 0,
            IndexMode::Explicit => self.shape.rows() * u64::from(self.index.bytes()),
        };
        elements + self.output_bytes() + initial + indices
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comparator = &self.comparator;
        match comparator.name() {
            Some(name) => write!(f, "{name}:")?,
            None if comparator.order().is_refuted() => {
                write!(f, "unordered{{{}}}:", comparator.compact())?;
            }
            None => write!(f, "arg_compare{{{}}}:", comparator.compact())?,
        }
        for (d, size) in self.shape.sizes.iter().enumerate() {
            match self.shape.reduced[d] {
                true => write!(f, "[{size}]x")?,
                false => write!(f, "{size}x")?,
            }
        }
        write!(f, "{}:{}", self.element, self.index)?;
        match self.index_mode {
            IndexMode::Position => {}
            IndexMode::Based => f.write_str(":index_base")?,
            IndexMode::Explicit => f.write_str(":explicit_index")?,
        }
        if self.initial == Initial::Outputs {
            f.write_str(":initial")?;
        }
        if self.assumes_order {
            f.write_str(":assume_order")?;
        }
        match self.shape.pitch {
            Some(pitch) => write!(f, ":pitch={pitch}"),
            None => Ok(()),
        }
    }
}

impl serde::Serialize for Problem {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Problem {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Problem, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Why a text is not a problem, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("problem {text:?}, character {}: {message}", .position + 1)]
pub struct ProblemError {
    /// The text as it was given (cut to its first 80 characters).
    pub text: String,
    /// Character of the text, counted from 0, at which it stops being a problem.
    pub position: usize,
    /// What is wrong there and what would be right.
    pub message: String,
}

#[cfg(test)]
mod tests;
