//! `arg_compare`: the element of a row that beats all others, and its index.

use super::initial::Initial;
use super::{Extent, Scalar, Tensor};
use crate::IndexType;
use crate::comparator::Comparator;
use crate::comparator::order::{Class, Extreme, NanBehaviour, OrderProof, Ties};
use crate::literal::Literal;

/// A loop over each row that keeps the element that beats the one it has.
///
/// `acc = initial pair; for each element in index order: if it beats acc's value, acc = (the
/// element, its index)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ArgCompare {
    /// The predicate for "beats". Its elements are the problem's.
    pub comparator: Comparator,
    /// The type of the returned indices.
    pub index: IndexType,
    /// The meaning of an element's index.
    pub index_mode: IndexMode,
    /// The initial pair.
    pub initial: Initial,
    /// Set if the user promises an order that the program cannot prove.
    pub assumes_order: bool,
}

/// The meaning of an element's index. Its position is its row-major number within the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum IndexMode {
    /// The position.
    #[default]
    Position,
    /// The position plus a number that the launch gives: the `index_base` of IREE's operation.
    Based,
    /// The element of a second dense input with the same shape. Tie-breaks still use positions.
    Explicit,
}

impl ArgCompare {
    /// Returns the proof that the comparator orders the values that the accumulator can have.
    pub fn standing(&self) -> &OrderProof {
        let order = self.comparator.order();
        match self.initial {
            Initial::Worst => &order.from_start,
            Initial::Pair(value, _) if value == order.start => &order.from_start,
            Initial::Pair(..) | Initial::Outputs => &order.from_anywhere,
        }
    }

    /// Returns the bits of the initial value, or of the comparator's own if only the launch gives
    /// it.
    pub fn start(&self) -> u64 {
        match self.initial {
            Initial::Pair(value, _) => value,
            Initial::Worst | Initial::Outputs => self.comparator.order().start,
        }
    }

    /// Returns the index of a row if no element beats the initial value, 0 if only the launch
    /// gives it.
    pub fn index_of_none(&self) -> i64 {
        match self.initial {
            Initial::Pair(_, index) => index,
            Initial::Worst | Initial::Outputs => 0,
        }
    }

    /// Returns the tie-break: which of equal elements wins.
    ///
    /// It is none if no proof or promise says that the comparator orders the accumulator's
    /// values. A kernel must then take the elements one by one, not in pieces of a row.
    pub fn ties(&self) -> Option<Ties> {
        let is_order = self.assumes_order || *self.standing() == OrderProof::Proved;
        is_order.then_some(self.comparator.order().ties)
    }

    /// Returns the extreme key that the reduction finds, if comparing keys that are numbers
    /// suffices.
    pub fn extreme(&self) -> Option<&Extreme> {
        let Class::Extreme(extreme) = &self.comparator.order().class else {
            return None;
        };
        // If NaN becomes the result, only the worst initial value guarantees that no NaN is there
        // already.
        let is_number = match (extreme.nan, self.initial) {
            (NanBehaviour::Loses, _) | (NanBehaviour::Yields, Initial::Worst) => true,
            (NanBehaviour::Yields, Initial::Pair(..) | Initial::Outputs) => false,
            (NanBehaviour::Wins | NanBehaviour::Other, _) => false,
        };
        (is_number && !self.is_serial()).then_some(extreme)
    }
}

impl ArgCompare {
    /// Returns the text before the sizes of a problem, such as `argmax`.
    pub(super) fn name(&self) -> String {
        let comparator = &self.comparator;
        match comparator.name() {
            Some(name) => name.to_owned(),
            // The parser refuses a refuted comparator under another name, so the text must use
            // this one.
            None if comparator.order().is_refuted() => {
                format!("unordered{{{}}}", comparator.compact())
            }
            None => format!("arg_compare{{{}}}", comparator.compact()),
        }
    }

    /// Returns the text behind the element type.
    pub(super) fn options(&self) -> String {
        let mut options = format!(":{}", self.index);
        options += match self.index_mode {
            IndexMode::Position => "",
            IndexMode::Based => ":index_base",
            IndexMode::Explicit => ":explicit_index",
        };
        match self.initial {
            Initial::Worst => {}
            Initial::Pair(value, index) => {
                options += &format!(":initial={}", Literal(self.comparator.element(), value));
                if index != 0 {
                    options += &format!("@{index}");
                }
            }
            Initial::Outputs => options += ":initial",
        }
        if self.assumes_order {
            options += ":assume_order";
        }
        options
    }

    /// Returns whether the elements of a row must be taken one by one.
    pub(super) fn is_serial(&self) -> bool {
        self.ties().is_none()
    }

    /// Returns the reason as a clause, such as "argmax does not order the elements".
    pub(super) fn why_serial(&self) -> String {
        let comparator = &self.comparator;
        match (self.standing(), self.initial) {
            (OrderProof::Refuted(example), Initial::Worst) => {
                format!("{comparator} does not order the elements ({example})")
            }
            (OrderProof::Refuted(example), Initial::Pair(..) | Initial::Outputs) => format!(
                "{comparator} does not order the values that can follow the initial value ({example})"
            ),
            (OrderProof::Unproved | OrderProof::Proved, _) => {
                format!("{comparator} is not proved to be an order of the elements")
            }
        }
    }

    /// Returns whether one comparison of two elements decides the result.
    pub(super) fn finds_element(&self) -> bool {
        // If the key is the element itself, the comparison of two elements decides.
        self.extreme().is_some_and(Extreme::is_identity)
    }

    /// Returns the tensors of the results, if they are outputs.
    pub(super) fn outputs(&self) -> [Tensor; 2] {
        let element = self.comparator.element().element();
        let values = Tensor {
            name: "values",
            scalar: Scalar::Element(element.expect("a comparator takes elements")),
            what: "the winner",
            extent: Extent::Rows,
        };
        let indices = Tensor {
            name: "indices",
            scalar: Scalar::Index(self.index),
            what: match self.index_mode {
                IndexMode::Position => "its position in the row",
                IndexMode::Based => "its position in the row plus the base",
                IndexMode::Explicit => "the explicit one of its position",
            },
            extent: Extent::Rows,
        };
        [values, indices]
    }

    /// Returns the tensor of explicit indices, if there is one.
    pub(super) fn explicit_indices(&self) -> Option<Tensor> {
        (self.index_mode == IndexMode::Explicit).then_some(Tensor {
            name: "explicit_indices",
            scalar: Scalar::Index(self.index),
            what: "its index",
            extent: Extent::Elements,
        })
    }

    /// Returns sentences about the results of a row.
    pub(super) fn meaning(&self) -> String {
        let otherwise = match self.initial {
            Initial::Worst => "if none does, the index is 0.".to_owned(),
            Initial::Pair(value, index) => format!(
                "if none does, the result is that value, {}, and the index {index}.",
                Literal(self.comparator.element(), value)
            ),
            Initial::Outputs => "if none does, the outputs stay what they are.".to_owned(),
        };
        format!(
            "The result is that of a loop over a row, from its first element to its last, that starts at the initial value\n\
             and keeps each element that replaces what it has; {otherwise}"
        )
    }
}
