//! Combiners: what a reduction keeps (its state) and how two states become one.
//!
//! The distribution over workgroups, subgroups, lanes and steps knows a reduction by its [`Combiner`]; what is special about
//! one, such as that the winner of a comparison can be found by ballot, is its own affair ([`Combiner::by_value`]).
//! A *slot* is the state that a lane accumulates in the loop: it may be narrower than the state that is exchanged between
//! lanes, and positions in it are relative. [`ArgCompare`] is the combiner of every comparator, [`Fold`] that of
//! plain reductions.
//!
//! Loads at the end of a row may read an element twice. Where that does harm, because a combiner is not idempotent
//! (`combine(a, a) = a`), the second one is replaced by what changes nothing ([`Combiner::neutral`]). Of a reduction that
//! takes its elements one by one (rule N1) no two states are combined, and the last step leaves out what was taken before.
//!
//! [`region`] has the operations of comparators that are more than one comparison, [`register`] the elements in registers.
//! This module knows nothing of distribution.

mod arg_compare;
mod empty_combiner;
mod fold;
mod keys;
pub(crate) mod region;
pub(crate) mod register;
mod register_form;

use std::fmt;
use std::sync::Arc;

use configgen::reduction::Reduce as _;
use configgen::{ElementType, IndexMode, IndexType, Problem};

pub(crate) use arg_compare::ArgCompare;
use empty_combiner::EmptyCombiner;
use fold::Fold;
pub(crate) use register_form::RegisterForm;

use super::ir::{Builder, Scalar, Type, Value};

/// The combiner of a problem's reduction, where there is one; of several folds the first one's, of none one that makes nothing.
pub(crate) fn of(problem: &Problem) -> Option<Arc<dyn Combiner>> {
    let arg_compare = ArgCompare::of(problem).map(|it| Arc::new(it) as Arc<dyn Combiner>);
    let fold = || problem.reduction.fold().copied().map(Fold::new);
    let fold = || fold().map(|it| Arc::new(it) as Arc<dyn Combiner>);
    let map = || {
        let map = problem.reduction.map()?;
        let nothing = EmptyCombiner::new(map.name(), problem.reduced_type());
        Some(Arc::new(nothing) as Arc<dyn Combiner>)
    };
    arg_compare
        .or_else(fold)
        .or_else(map)
        .or_else(|| of_folds(problem).into_iter().next())
}

/// The combiners of the folds of a row, where what it gives is used again.
pub(crate) fn of_folds(problem: &Problem) -> Vec<Arc<dyn Combiner>> {
    let rowwise = problem.reduction.rowwise().into_iter();
    let folds = rowwise.flat_map(|rowwise| rowwise.folds());
    folds
        .map(|fold| Arc::new(Fold::new(fold.fold)) as Arc<dyn Combiner>)
        .collect()
}

/// How a reduction is computed. As text it says what its state is.
pub(crate) trait Combiner: fmt::Debug + fmt::Display + Send + Sync {
    /// Its name.
    fn name(&self) -> String;

    /// What is done for an element, in words.
    fn step(&self) -> String;

    /// Type of what is reduced.
    fn element(&self) -> ElementType;

    /// Type of the values that are stored, in memory.
    fn result(&self) -> ElementType {
        self.element()
    }

    /// How elements are held in the loop and in states.
    fn form(&self) -> RegisterForm;

    /// The scalars of a state and of a slot, and what they are called in the loop.
    fn state(&self) -> Vec<(Scalar, &'static str)>;

    /// The type in which positions are counted, where there are any.
    fn position(&self) -> Option<Scalar>;

    /// What the index of a result is, where the results have one.
    fn index(&self) -> Option<Index>;

    /// Whether elements must be taken one by one: there is one slot a row, and no two states become one.
    fn is_serial(&self) -> bool;

    /// An element, in its form, that changes no state, where one that is taken twice counts twice. `None` where it does not,
    /// and where elements are taken one by one.
    fn neutral(&self) -> Option<Value>;

    /// Whether somebody may see of which kind a NaN is that was computed.
    fn sees_nan(&self) -> bool {
        false
    }

    /// Whether the fold begins with what the results hold at the launch.
    fn begins_at_results(&self) -> bool;

    /// The slot before the first element; `value` is the row's initial one where it has one.
    fn initial(&self, value: Option<Value>) -> StateValues;

    /// Some slots, each after one more element. Several at once, so that what is independent can stand side by side.
    fn accumulate(&self, ir: &mut Builder, steps: &mut [Accumulation<'_>]);

    /// The state that a slot stands for, its positions moved by `distance`.
    fn settle(&self, ir: &mut Builder, slot: &[Value], distance: u64) -> StateValues;

    /// `state` with its positions moved by `distance`, of type [`Self::position`].
    fn displace(&self, ir: &mut Builder, state: &[Value], distance: Value) -> StateValues;

    /// Two states in one, whichever comes first.
    fn combine(&self, ir: &mut Builder, a: &[Value], b: &[Value]) -> StateValues;

    /// A byte of which a state may consist that stands for no element, or for one that each row has, with any value.
    fn nobodys(&self) -> u8 {
        0
    }

    /// What is to be stored.
    fn finish(&self, ir: &mut Builder, state: &[Value]) -> RowResult;

    /// The combiner of a comparison of which the best value of some states can be found first, and then who holds it.
    fn by_value(&self) -> Option<&ArgCompare> {
        None
    }

    /// 32-bit words of a state.
    fn words(&self) -> u32 {
        self.state().iter().map(|(scalar, _)| scalar.words()).sum()
    }

    /// Bytes of a state in memory: a power of two, so that it is read at once.
    fn partial_bytes(&self) -> u32 {
        self.words().next_power_of_two() * 4
    }

    /// [`Self::position`] as a type; that of constants which nobody looks at, where there are no positions.
    fn position_type(&self) -> Type {
        self.position().unwrap_or(Scalar::I32).into()
    }
}

/// The index among the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Index {
    /// Its type.
    pub(crate) kind: IndexType,
    /// What it is.
    pub(crate) mode: IndexMode,
    /// That of a row in which nothing was found.
    pub(crate) of_none: i64,
}

/// The values of a state or a slot, one per scalar.
pub(crate) type StateValues = Vec<Value>;

/// One element for one slot.
pub(crate) struct Accumulation<'a> {
    /// The slot, which is replaced.
    pub(crate) slot: &'a mut StateValues,
    /// A value of the first scalar's type.
    pub(crate) element: Value,
    /// Its relative position, of type [`Combiner::position_type`].
    pub(crate) position: Value,
}

/// What is to be stored of a state.
pub(crate) struct RowResult {
    /// The value as it lies in memory.
    pub(crate) value: Value,
    /// Where it was found, if the results have an index.
    pub(crate) found: Option<ResultPosition>,
}

/// Where in the row a value was found.
pub(crate) struct ResultPosition {
    /// Whether (i1) anything was taken from the input.
    pub(crate) won: Value,
    /// The position, of type [`Combiner::position_type`]; anything where nothing was taken.
    pub(crate) position: Value,
    /// Whether it is position 0 where nothing was taken.
    pub(crate) is_always_one: bool,
}
