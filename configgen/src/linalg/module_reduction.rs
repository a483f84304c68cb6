//! The entry of an operation in a module: its problem, its form and its parts.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use super::LinalgError;
use super::chain::step::ChainStep;
use super::chain::traffic::{Traffic, rest};
use super::form::OperationForm;
use crate::Problem;
use crate::comparator::ComparatorError;

/// An operation of a module.
#[derive(Debug, Clone)]
pub struct ModuleReduction {
    /// The byte offset of the name of its last operation.
    pub place: usize,
    /// The byte offsets of its reducing operations. Empty for a chain that is no row operation;
    /// its reductions have entries of their own.
    pub reductions: Vec<usize>,
    /// The problem, or the reason why it is none.
    pub problem: Result<Problem, LinalgError>,
    /// The form that matchers compare.
    ///
    /// It is none if there is no problem, or if a part has no printable matcher.
    pub form: Option<OperationForm>,
    /// The forms of other operations that the problem also computes. Each has some of its
    /// results.
    pub beside: Vec<OperationForm>,
    /// The parts that are problems with a form of their own; no operation is in two of them.
    pub parts: Vec<ModuleReduction>,
    /// The memory traffic of the operations outside of all parts, if there are parts.
    pub rest: Traffic,
    /// The place of the row operation with which it shares operations. A kernel can replace only
    /// one of the two, and another entry is without the shared operations.
    pub shares_with: Option<usize>,
}

impl ModuleReduction {
    /// Creates the entry of one reducing operation without parts.
    pub(super) fn of_one(
        place: usize,
        problem: Result<Problem, LinalgError>,
        form: Option<OperationForm>,
    ) -> ModuleReduction {
        ModuleReduction {
            place,
            reductions: vec![place],
            problem,
            form,
            beside: Vec::new(),
            parts: Vec::new(),
            rest: Traffic::default(),
            shares_with: None,
        }
    }

    /// Returns the same entry with this range of counts.
    pub(super) fn with_counts(self, module: &str, counts: &RangeInclusive<u32>) -> ModuleReduction {
        // The parser checks the range and the number of elements.
        let problem = self.problem.and_then(|problem| {
            let problem = problem.with_counts(counts);
            let at = |message| ComparatorError::at(module, self.place, message).into();
            problem.map_err(|error| at(error.message))
        });
        let parts = self.parts.into_iter();
        ModuleReduction {
            problem,
            parts: parts.map(|it| it.with_counts(module, counts)).collect(),
            ..self
        }
    }

    /// Returns the same entry with these parts, if the traffic of its other operations is known.
    pub(super) fn with_parts(
        self,
        mut parts: Vec<ModuleReduction>,
        steps: &[&ChainStep<'_>],
        within: &HashSet<usize>,
    ) -> ModuleReduction {
        // A chain that takes in a reshape alone is the problem of the chain without it.
        let own = self.problem.as_ref().ok();
        parts.retain(|part| own.is_none() || part.problem.as_ref().ok() != own);
        match rest(steps, |place| within.contains(&place)) {
            Some(rest) if !parts.is_empty() => ModuleReduction {
                parts,
                rest,
                ..self
            },
            _ => self,
        }
    }
}
