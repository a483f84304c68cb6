//! Combiners: the state that a reduction keeps, and the merge of two states.
//!
//! The distribution over workgroups, subgroups, lanes and steps knows a reduction only as a
//! [`Combiner`]. Special properties stay inside, such as that a ballot can find the winner of a
//! comparison ([`Combiner::by_value`]). A *slot* is the state that a lane accumulates in the
//! loop. It may be narrower than the exchanged state, and its positions are relative.
//! [`ArgCompare`] is the combiner of every comparator, [`Fold`] that of plain reductions.
//!
//! Loads at the end of a row may read an element twice. If a combiner is not idempotent
//! (`combine(a, a) = a`), [`Combiner::neutral`] replaces the repeated element. A serial reduction
//! (rule N1) never merges two states, and its last step skips repeated elements.
//!
//! [`region`] has the operations of comparators beyond one comparison, [`register`] the elements
//! in registers. This module knows nothing of distribution.

mod arg_compare;
mod empty_combiner;
mod fold;
mod keys;
pub(crate) mod region;
pub(crate) mod register;
mod register_form;

use std::fmt;
use std::sync::Arc;

use configgen::{ElementType, IndexMode, IndexType, Problem, reduction};

pub(crate) use arg_compare::ArgCompare;
use empty_combiner::EmptyCombiner;
use fold::Fold;
pub(crate) use register_form::RegisterForm;

use super::ir::{Builder, Scalar, Type, Value};

/// Returns the combiner of a problem's first fold, or the [`EmptyCombiner`] of a pointwise problem.
pub(crate) fn of(problem: &Problem) -> Arc<dyn Combiner> {
    let first = of_folds(problem).into_iter().next();
    first.unwrap_or_else(|| {
        let symbol = problem.reduction.symbol();
        Arc::new(EmptyCombiner::new(symbol, problem.reduced_type()))
    })
}

/// Returns the combiners of a problem's folds.
pub(crate) fn of_folds(problem: &Problem) -> Vec<Arc<dyn Combiner>> {
    let folds = problem.reduction.folds().iter();
    let folds = folds.map(|fold| -> Arc<dyn Combiner> {
        match &fold.combiner {
            reduction::Combiner::Pairwise(fold) => Arc::new(Fold::new(*fold)),
            reduction::Combiner::Comparison(it) => Arc::new(ArgCompare::new(problem, it)),
        }
    });
    folds.collect()
}

/// The computation of a reduction. Its `Display` text describes the state.
pub(crate) trait Combiner: fmt::Debug + fmt::Display + Send + Sync {
    /// Returns the combiner's name.
    fn name(&self) -> String;

    /// Returns the work for one element, in words.
    fn step(&self) -> String;

    /// Returns the type of the reduced elements.
    fn element(&self) -> ElementType;

    /// Returns the type of the stored values, in memory.
    fn result(&self) -> ElementType {
        self.element()
    }

    /// Returns the register form of elements in the loop and in states.
    fn form(&self) -> RegisterForm;

    /// Returns the scalars of a state and of a slot, with their names in the loop.
    fn state(&self) -> Vec<(Scalar, &'static str)>;

    /// Returns the type of positions, if there are any.
    fn position(&self) -> Option<Scalar>;

    /// Returns the index among the results, if there is one.
    fn index(&self) -> Option<Index>;

    /// Returns true if elements must be taken one by one: a row has one slot, and states never
    /// merge.
    fn is_serial(&self) -> bool;

    /// Returns an element, in its register form, that changes no state. `None` if repeated
    /// elements do no harm, or elements are taken one by one.
    fn neutral(&self) -> Option<Value>;

    /// Returns true if the bits of a computed NaN may be visible in a result.
    fn sees_nan(&self) -> bool {
        false
    }

    /// Returns true if the fold starts from the contents of the results at launch.
    fn begins_at_results(&self) -> bool;

    /// Returns the slot before the first element. `value` is the row's initial value, if it has
    /// one.
    fn initial(&self, value: Option<Value>) -> StateValues;

    /// Adds one element to each of some slots. Takes several slots at once, so that independent
    /// operations can be adjacent.
    fn accumulate(&self, ir: &mut Builder, steps: &mut [Accumulation<'_>]);

    /// Converts a slot to a state, with its positions moved by `distance`.
    fn settle(&self, ir: &mut Builder, slot: &[Value], distance: u64) -> StateValues;

    /// Moves the positions of `state` by `distance`, of type [`Self::position`].
    fn displace(&self, ir: &mut Builder, state: &[Value], distance: Value) -> StateValues;

    /// Merges two states, in any order.
    fn combine(&self, ir: &mut Builder, a: &[Value], b: &[Value]) -> StateValues;

    /// Returns the fill byte of a state that stands for no element, or for an element of every
    /// row, with any value.
    fn nobodys(&self) -> u8 {
        0
    }

    /// Computes the values to be stored.
    fn finish(&self, ir: &mut Builder, state: &[Value]) -> RowResult;

    /// Returns the combiner of a comparison that can find the best value first and then its
    /// holder.
    fn by_value(&self) -> Option<&ArgCompare> {
        None
    }

    /// Returns the 32-bit words of a state.
    fn words(&self) -> u32 {
        self.state().iter().map(|(scalar, _)| scalar.words()).sum()
    }

    /// Returns the bytes of a state in memory: a power of two, so that one load reads it.
    fn partial_bytes(&self) -> u32 {
        self.words().next_power_of_two() * 4
    }

    /// Returns [`Self::position`] as a type. Without positions, returns the type of unused
    /// constants.
    fn position_type(&self) -> Type {
        self.position().unwrap_or(Scalar::I32).into()
    }
}

/// The index among the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Index {
    /// The index's type.
    pub(crate) kind: IndexType,
    /// The index's meaning.
    pub(crate) mode: IndexMode,
    /// The index of a row without a winner.
    pub(crate) of_none: i64,
}

/// The values of a state or a slot, one per scalar.
pub(crate) type StateValues = Vec<Value>;

/// One element for one slot.
pub(crate) struct Accumulation<'a> {
    /// The slot, which is replaced.
    pub(crate) slot: &'a mut StateValues,
    /// The element, of the first scalar's type.
    pub(crate) element: Value,
    /// The element's relative position, of type [`Combiner::position_type`].
    pub(crate) position: Value,
}

/// The values that are stored for a state.
pub(crate) struct RowResult {
    /// The value in its memory type.
    pub(crate) value: Value,
    /// The position of the value, if the results have an index.
    pub(crate) found: Option<ResultPosition>,
}

/// The position of a value in the row.
pub(crate) struct ResultPosition {
    /// An `i1` that is true if an element won.
    pub(crate) won: Value,
    /// The position, of type [`Combiner::position_type`]; any number if nothing won.
    pub(crate) position: Value,
    /// True if the position is 0 when nothing won.
    pub(crate) is_always_one: bool,
}
