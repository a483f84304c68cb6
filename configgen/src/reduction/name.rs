//! Names of reductions: the text before and behind the sizes of a problem, and its meaning.

use std::fmt;

use super::program::ROWS;
use super::row_operation::RowOperation;
use super::{Combiner, Reduction};
use crate::ElementType;
use crate::comparator::ScalarType;
use crate::literal::Literal;

/// The name of a reduction; it gives the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ReductionName {
    /// The name of the combiner of its only fold.
    Combiner,
    /// That of a map, or of a copy.
    Pointwise { is_copy: bool },
    /// That of a row operation.
    Operation {
        operation: RowOperation,
        /// The bits of an f32, if the operation has an ε.
        epsilon: u64,
        /// The type of labels, if the operation has some.
        label: ElementType,
    },
    /// The text of a program.
    Program {
        /// The canonical text.
        text: String,
        /// The types and dimensions of the operands, as in `,f16(1)`.
        operands: String,
    },
}

/// The name of a map with a function, and the name of a copy.
pub(crate) const POINTWISE: [&str; 2] = ["map", "copy"];

/// The default type of labels.
pub(crate) const USUAL_LABEL: ElementType = ElementType::I32;

impl ReductionName {
    /// Returns the text before the sizes of a problem, and the text behind the element type.
    pub(super) fn text(&self, combiner: Option<&Combiner>) -> [String; 2] {
        match self {
            Self::Combiner => match combiner {
                Some(Combiner::Pairwise(fold)) => [fold.name(), fold.options()],
                Some(Combiner::Comparison(it)) => [it.name(), it.options()],
                None => unreachable!("it has the name of its fold"),
            },
            Self::Pointwise { is_copy } => {
                [POINTWISE[usize::from(*is_copy)].to_owned(), String::new()]
            }
            Self::Operation {
                operation,
                epsilon,
                label,
            } => {
                let options = match *epsilon == operation.usual_epsilon() {
                    // No operation has both an epsilon and labels.
                    false => format!(":epsilon={}", Epsilon(*epsilon)),
                    true if *label != USUAL_LABEL => format!(":{label}"),
                    true => String::new(),
                };
                [operation.name().to_owned(), options]
            }
            Self::Program { text, operands } => [format!("{ROWS}({text})"), operands.clone()],
        }
    }
}

impl Reduction {
    /// Returns the kind of operation, such as `arg_compare`, by which users filter problems.
    pub fn operation(&self) -> &'static str {
        match (&self.statements.name, self.sole_combiner()) {
            (ReductionName::Pointwise { .. }, _) => "map",
            (ReductionName::Combiner, Some(Combiner::Pairwise(_))) => "reduce",
            (ReductionName::Combiner, Some(Combiner::Comparison(_))) => "arg_compare",
            _ => "rowwise",
        }
    }

    /// Returns the text before the sizes of a problem, such as `argmax`.
    pub fn name(&self) -> &str {
        &self.statements.text[0]
    }

    /// Returns the text behind the element type, such as `:i32:index_base`.
    ///
    /// Each part begins with a colon. The types of operands that the name does not imply come
    /// first, and each begins with a comma.
    pub fn options(&self) -> &str {
        &self.statements.text[1]
    }

    /// Returns a word of letters, digits and `_` for names of kernels.
    pub fn symbol(&self) -> String {
        match (&self.statements.name, self.comparison()) {
            (ReductionName::Program { .. }, _) => ROWS.to_owned(),
            (ReductionName::Combiner, Some(it)) => it.comparator.symbol(),
            _ => self.name().to_owned(),
        }
    }

    /// Returns the row operation that the reduction is named by, if it is named by one.
    pub fn row_operation(&self) -> Option<RowOperation> {
        match self.statements.name {
            ReductionName::Operation { operation, .. } => Some(operation),
            _ => None,
        }
    }

    /// Returns the bits of ε, an f32, if the name is that of an operation with ε.
    pub fn epsilon(&self) -> Option<u64> {
        match self.statements.name {
            ReductionName::Operation {
                operation, epsilon, ..
            } => operation.has_epsilon().then_some(epsilon),
            _ => None,
        }
    }

    /// Returns sentences about the results of a row, for the caller of a kernel.
    pub fn meaning(&self) -> String {
        let meaning = match &self.statements.name {
            ReductionName::Combiner => {
                return match self.sole_combiner() {
                    Some(Combiner::Pairwise(fold)) => fold.meaning(),
                    Some(Combiner::Comparison(it)) => it.meaning(),
                    None => String::new(),
                };
            }
            ReductionName::Pointwise { is_copy: true } => {
                "values are the elements, each at its place".to_owned()
            }
            ReductionName::Pointwise { is_copy: false } => {
                "values are what is computed of the elements at the same place".to_owned()
            }
            ReductionName::Operation {
                operation, epsilon, ..
            } => match operation.has_epsilon() {
                true => format!(
                    "{}, where epsilon is {}",
                    operation.meaning(),
                    Epsilon(*epsilon)
                ),
                false => operation.meaning().to_owned(),
            },
            ReductionName::Program { text, .. } => format!("the results are {text}"),
        };
        let order = match self.folds().is_empty() {
            true => "",
            false => {
                "\nIt is computed in f32, and the elements of a row are added in an order that is the same in every launch."
            }
        };
        format!("{meaning}.{order}")
    }
}

/// An f32 in a problem's text: `1e-6` if that is exact.
struct Epsilon(u64);

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = f32::from_bits(self.0 as u32);
        let short = format!("{number:e}");
        match short.len() <= 12 {
            true => f.write_str(&short),
            false => Literal(ScalarType::F32, self.0).fmt(f),
        }
    }
}
