//! `arg_compare`: the element of a row that beats all others, and its index.

use super::initial::Initial;
use super::{Extent, Reduce, ReductionState, Scalar, Tensor};
use crate::comparator::Comparator;
use crate::comparator::order::{Class, Extreme, NanBehaviour, OrderProof, Ties};
use crate::literal::Literal;
use crate::{ElementType, IndexType, Shape};

/// For every row `acc = initial pair; for each element in index order: if it beats acc's value, acc = (the element, its
/// index)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ArgCompare {
    /// When an element beats the accumulator's value. Its elements are the problem's.
    pub comparator: Comparator,
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

impl ArgCompare {
    /// Whether the comparator orders the values that the accumulator can have.
    pub fn standing(&self) -> &OrderProof {
        let order = self.comparator.order();
        match self.initial {
            Initial::Worst => &order.from_start,
            Initial::Pair(value, _) if value == order.start => &order.from_start,
            Initial::Pair(..) | Initial::Outputs => &order.from_anywhere,
        }
    }

    /// The bits of the value at which the fold begins, where that is known before the launch.
    pub fn start(&self) -> u64 {
        match self.initial {
            Initial::Pair(value, _) => value,
            Initial::Worst | Initial::Outputs => self.comparator.order().start,
        }
    }

    /// The index of a row of which no element beats the value at which the fold begins, where that is known.
    pub fn index_of_none(&self) -> i64 {
        match self.initial {
            Initial::Pair(_, index) => index,
            Initial::Worst | Initial::Outputs => 0,
        }
    }

    /// Which of equal elements wins; `None` where a row cannot be reduced in pieces, because it is neither proved nor promised
    /// that the comparator orders the values that the accumulator can have: then the elements have to be taken one by
    /// one.
    pub fn ties(&self) -> Option<Ties> {
        let is_order = self.assumes_order || *self.standing() == OrderProof::Proved;
        is_order.then_some(self.comparator.order().ties)
    }

    /// The extreme of a key that is looked for, where to compare the keys that are numbers is all there is to it.
    pub fn extreme(&self) -> Option<&Extreme> {
        let Class::Extreme(extreme) = &self.comparator.order().class else {
            return None;
        };
        let is_number = match (extreme.nan, self.initial) {
            (NanBehaviour::Loses, _) | (NanBehaviour::Yields, Initial::Worst) => true,
            (NanBehaviour::Yields, Initial::Pair(..) | Initial::Outputs) => false,
            (NanBehaviour::Wins | NanBehaviour::Other, _) => false,
        };
        (is_number && !self.is_serial()).then_some(extreme)
    }
}

impl Reduce for ArgCompare {
    fn operation(&self) -> &'static str {
        "arg_compare"
    }

    fn name(&self) -> String {
        let comparator = &self.comparator;
        match comparator.name() {
            Some(name) => name.to_owned(),
            None if comparator.order().is_refuted() => {
                format!("unordered{{{}}}", comparator.compact())
            }
            None => format!("arg_compare{{{}}}", comparator.compact()),
        }
    }

    fn options(&self) -> String {
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

    fn symbol(&self) -> String {
        self.comparator.symbol()
    }

    fn is_serial(&self) -> bool {
        self.ties().is_none()
    }

    fn why_serial(&self) -> String {
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

    fn finds_element(&self) -> bool {
        self.extreme().is_some_and(Extreme::is_identity)
    }

    fn state(&self, element: ElementType) -> ReductionState {
        ReductionState {
            words: element.bits().div_ceil(32),
            has_position: true,
        }
    }

    fn results(&self, element: ElementType) -> Vec<Tensor> {
        let values = Tensor {
            name: "values",
            scalar: Scalar::Element(element),
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
        vec![values, indices]
    }

    fn operands(&self) -> Vec<Tensor> {
        match self.index_mode {
            IndexMode::Position | IndexMode::Based => Vec::new(),
            IndexMode::Explicit => vec![Tensor {
                name: "explicit_indices",
                scalar: Scalar::Index(self.index),
                what: "its index",
                extent: Extent::Elements,
            }],
        }
    }

    fn scalar(&self) -> Option<(IndexType, &'static str)> {
        (self.index_mode == IndexMode::Based).then_some((self.index, "base"))
    }

    fn begins_at_results(&self) -> bool {
        self.initial == Initial::Outputs
    }

    /// Of explicit indices only those of the winners.
    fn bytes_beside(&self, shape: &Shape) -> u64 {
        match self.index_mode {
            IndexMode::Position | IndexMode::Based => 0,
            IndexMode::Explicit => shape.rows() * u64::from(self.index.bytes()),
        }
    }

    fn operations(&self) -> u64 {
        self.comparator.region().operations().len() as u64
    }

    fn meaning(&self) -> String {
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
