//! The combiner of `arg_compare`: the best value so far and its position.
//!
//! A slot holds a value and its position. A state holds a value and its *rank*, an unsigned
//! number of the position's type; the lower rank wins a tie. If the first of equals wins, the
//! rank is the position p; if the last wins, it is -2 - p.
//!
//! In both, all ones means "none": no element has won yet. Positions move by saturating addition,
//! which keeps "none". If the value alone tells that nothing won, no such rank is needed
//! ([`ArgCompare::tells_none`]). A row has fewer than 2^32 - 2 elements, or positions of 64 bits.

use std::fmt;

use configgen::comparator::order::{Class, Extreme, ExtremeKind, NanBehaviour, Ties};
use configgen::comparator::{Comparator, IntegerPredicate, ScalarType};
use configgen::generator::native::legality::has_long_positions;
use configgen::{ElementType, Initial, Problem, reduction};

use super::{
    Accumulation, Combiner, Index, RegisterForm, ResultPosition, RowResult, StateValues, region,
    register,
};
use crate::native::ir::{Binary, Builder, Scalar, Value};

/// The way in which two elements are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ElementComparison {
    /// One comparison of their registers.
    Ordered,
    /// A comparison of keys, which are computed from the elements.
    Keyed,
    /// The comparator's region as written.
    Region,
}

/// The combiner of a comparison; its state is the best value so far and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArgCompare {
    /// The comparator that decides if an element replaces the value.
    pub(crate) comparator: Comparator,
    /// The way in which elements are compared.
    pub(crate) test: ElementComparison,
    /// The type of the compared elements and of the returned values.
    pub(crate) element: ElementType,
    /// The index among the results.
    pub(crate) index: Index,
    /// The start of the fold.
    pub(crate) initial: Initial,
    /// Bits of the start value, unless the outputs hold it.
    start: u64,
    /// The element that wins among equals; `None` if elements must be taken one by one.
    pub(crate) ties: Option<Ties>,
    position: Scalar,
}

impl ArgCompare {
    /// Returns the combiner of a comparison of a problem's reduced elements.
    pub(crate) fn new(problem: &Problem, reduction: &reduction::ArgCompare) -> ArgCompare {
        let order = reduction.comparator.order();
        let proven = order.worst.is_some_and(|worst| worst.is_proven);
        let test = match reduction.extreme() {
            // If the worst value is unproven, only the rank tells whether anything won, so states
            // compare as written.
            Some(extreme) if extreme.is_identity() => ElementComparison::Ordered,
            Some(_) if proven || reduction.initial != Initial::Worst => ElementComparison::Keyed,
            _ => ElementComparison::Region,
        };
        ArgCompare {
            comparator: reduction.comparator.clone(),
            test,
            element: problem.reduced_type(),
            index: Index {
                kind: reduction.index,
                mode: reduction.index_mode,
                of_none: reduction.index_of_none(),
            },
            start: reduction.start(),
            initial: reduction.initial,
            ties: reduction.ties(),
            position: match has_long_positions(problem) {
                true => Scalar::I64,
                false => Scalar::I32,
            },
        }
    }

    /// Returns true if lanes can find the best value of their states first, and then its holder.
    fn is_by_value(&self) -> bool {
        self.test != ElementComparison::Region
    }

    /// Returns the extreme that the comparator finds, if it finds one.
    pub(super) fn extreme(&self) -> Option<&Extreme> {
        match &self.comparator.order().class {
            Class::Extreme(extreme) => Some(extreme),
            Class::Pair => None,
        }
    }

    pub(super) fn side(&self) -> ExtremeKind {
        self.extreme()
            .map_or(ExtremeKind::Max, |extreme| extreme.side)
    }

    pub(super) fn is_signed(&self) -> bool {
        self.extreme().is_none_or(|extreme| extreme.is_signed)
    }

    /// Returns the register type of values.
    fn value(&self) -> Scalar {
        self.form().scalar(self.element)
    }

    /// Returns true if the rank of a state tells that nothing has won yet. It need not if every
    /// winner is better than the start. A state with the start value then had no winner, and may
    /// stand for the row's first position.
    pub(crate) fn tells_none(&self) -> bool {
        let is_strict = self.is_by_value() && self.ties == Some(Ties::First);
        self.initial != Initial::Worst || !is_strict
    }

    /// Returns the value before the first element, if the outputs do not hold it.
    fn start(&self) -> Value {
        Value::bits(self.value(), self.form().of_bits(self.element, self.start))
    }

    /// Returns true if the value before the first element is a floating-point zero. Its sign may
    /// change if nothing wins: LLVM turns `x < 0 ? x : 0` into a minimum, which may return either
    /// zero.
    fn begins_at_zero(&self) -> bool {
        let kind = ScalarType::from(self.element);
        let is_pair = matches!(self.initial, Initial::Pair(..));
        is_pair && kind.is_float() && kind.to_f64(self.start) == 0.0
    }

    /// Returns "no element has won yet", as a position and as a rank.
    fn none(&self) -> Value {
        Value::bits(self.position, u64::MAX)
    }

    /// Computes the lower of two ranks.
    pub(crate) fn least(&self, ir: &mut Builder, a: Value, b: Value) -> Value {
        ir.binary(Binary::MinUnsigned, a, b)
    }

    /// Computes the rank if `holds` (`i1`) is true, otherwise "none".
    pub(crate) fn candidate(&self, ir: &mut Builder, holds: Value, rank: Value) -> Value {
        ir.select(holds, rank, self.none())
    }

    /// Computes as `i1` whether element `a` replaces the value `b`.
    pub(crate) fn replaces(&self, ir: &mut Builder, a: Value, b: Value) -> Value {
        match self.test {
            ElementComparison::Ordered => {
                let or_equal = self.ties == Some(Ties::Last);
                ir.compare(self.predicate(a.kind.is_float(), or_equal), a, b)
            }
            ElementComparison::Keyed | ElementComparison::Region => {
                let arguments = [a, b].map(|value| self.argument(ir, value));
                region::build(ir, self.comparator.region(), &arguments)
            }
        }
    }

    /// Returns a plain value in the type that the comparator takes.
    pub(super) fn argument(&self, ir: &mut Builder, value: Value) -> Value {
        match self.element {
            ElementType::I1 => register::truth(ir, value),
            _ => value,
        }
    }

    /// Moves `position` (a position or a rank) by `distance`. "None" stays "none".
    fn moved(&self, ir: &mut Builder, position: Value, distance: Value) -> Value {
        match self.tells_none() {
            _ if distance.is_zero() => position,
            // "None" is all ones and must stay so.
            true => ir.binary(Binary::AddSaturating, position, distance),
            false => ir.add(position, distance),
        }
    }

    /// Converts a position to its rank and a rank to its position. "None" stays "none".
    fn turned(&self, ir: &mut Builder, position: Value) -> Value {
        match self.ties {
            Some(Ties::Last) => {
                // -2 - p maps "none" (-1) to itself.
                let last = Value::bits(self.position, u64::MAX - 1);
                ir.binary(Binary::Sub, last, position)
            }
            Some(Ties::First) | None => position,
        }
    }

    /// Computes as `i1` whether state `b` wins over state `a`. Compares the states by their keys.
    fn takes_by_key(&self, ir: &mut Builder, a: &[Value], b: &[Value]) -> Value {
        let [ours, theirs] = [a[0], b[0]].map(|value| self.key_of(ir, value));
        let better = self.is_better(ir, theirs, ours);
        let same = self.is_same(ir, theirs, ours);
        let earlier = ir.compare(IntegerPredicate::Ult, b[1], a[1]);
        let tie = ir.and(same, earlier);
        ir.or(better, tie)
    }

    /// Computes the same as [`Self::takes_by_key`] with the comparator as written. A state
    /// without a winner loses, whatever its value, because the worst value may be unproven.
    fn takes_by_pair(&self, ir: &mut Builder, a: &[Value], b: &[Value]) -> Value {
        let better = self.replaces(ir, b[0], a[0]);
        let worse = self.replaces(ir, a[0], b[0]);
        let earlier = ir.compare(IntegerPredicate::Ult, b[1], a[1]);
        let not_worse = ir.not(worse);
        let takes = match self.ties {
            Some(Ties::Last) => {
                // If the last of equals wins, the comparator also holds for equals.
                let holds = ir.or(not_worse, earlier);
                ir.and(better, holds)
            }
            Some(Ties::First) | None => {
                let tie = ir.and(not_worse, earlier);
                ir.or(better, tie)
            }
        };
        // If the worst value is unproven, the start value may beat an element.
        let empty = ir.compare(IntegerPredicate::Eq, a[1], self.none());
        let takes = ir.or(empty, takes);
        let won = ir.compare(IntegerPredicate::Ne, b[1], self.none());
        ir.and(won, takes)
    }
}

impl Combiner for ArgCompare {
    fn name(&self) -> String {
        self.comparator.to_string()
    }

    fn step(&self) -> String {
        let (kind, name) = (self.value(), self.name());
        format!("compare {kind} by {name}, select value, select position")
    }

    fn element(&self) -> ElementType {
        self.element
    }

    fn form(&self) -> RegisterForm {
        match self.test {
            ElementComparison::Ordered => RegisterForm::Ordered {
                is_signed: self.is_signed(),
            },
            ElementComparison::Keyed | ElementComparison::Region => RegisterForm::Plain,
        }
    }

    fn state(&self) -> Vec<(Scalar, &'static str)> {
        vec![(self.value(), "best"), (self.position, "at")]
    }

    fn position(&self) -> Option<Scalar> {
        Some(self.position)
    }

    fn index(&self) -> Option<Index> {
        Some(self.index)
    }

    fn is_serial(&self) -> bool {
        self.ties.is_none()
    }

    /// Returns `None`: a repeated element changes nothing.
    fn neutral(&self) -> Option<Value> {
        None
    }

    /// Returns false if a NaN loses, because then no NaN is returned.
    fn sees_nan(&self) -> bool {
        let loses = |it: &Extreme| it.is_identity() && it.nan == NanBehaviour::Loses;
        !self.extreme().is_some_and(loses)
    }

    fn begins_at_results(&self) -> bool {
        self.initial == Initial::Outputs
    }

    fn by_value(&self) -> Option<&ArgCompare> {
        self.is_by_value().then_some(self)
    }

    fn initial(&self, value: Option<Value>) -> StateValues {
        let position = match self.tells_none() {
            true => self.none(),
            false => Value::bits(self.position, 0),
        };
        vec![value.unwrap_or_else(|| self.start()), position]
    }

    fn accumulate(&self, ir: &mut Builder, steps: &mut [Accumulation<'_>]) {
        // All comparisons come first, because a select may not directly follow its comparison.
        let better: Vec<Value> = steps
            .iter()
            .map(|step| {
                let better = self.replaces(ir, step.element, step.slot[0]);
                ir.named(better, "better")
            })
            .collect();
        for (step, &better) in steps.iter_mut().zip(&better) {
            step.slot[0] = ir.select(better, step.element, step.slot[0]);
        }
        for (step, &better) in steps.iter_mut().zip(&better) {
            step.slot[1] = ir.select(better, step.position, step.slot[1]);
        }
    }

    fn settle(&self, ir: &mut Builder, slot: &[Value], distance: u64) -> StateValues {
        let position = self.moved(ir, slot[1], Value::bits(self.position, distance));
        vec![slot[0], self.turned(ir, position)]
    }

    // A rank may count downwards, so it is converted to a position, moved, and converted back.
    fn displace(&self, ir: &mut Builder, state: &[Value], distance: Value) -> StateValues {
        let position = self.turned(ir, state[1]);
        let position = self.moved(ir, position, distance);
        vec![state[0], self.turned(ir, position)]
    }

    fn combine(&self, ir: &mut Builder, a: &[Value], b: &[Value]) -> StateValues {
        let take = match self.is_by_value() {
            true => self.takes_by_key(ir, a, b),
            false => self.takes_by_pair(ir, a, b),
        };
        vec![ir.select(take, b[0], a[0]), ir.select(take, b[1], a[1])]
    }

    /// Returns 0 if the first of equals wins: rank 0 is the row's first position. If the last
    /// wins, returns all ones, a rank that no row has.
    fn nobodys(&self) -> u8 {
        match self.ties {
            Some(Ties::Last) => u8::MAX,
            Some(Ties::First) | None => 0,
        }
    }

    fn finish(&self, ir: &mut Builder, state: &[Value]) -> RowResult {
        let position = self.turned(ir, state[1]);
        let won = match self.tells_none() {
            true => ir.compare(IntegerPredicate::Ne, state[1], self.none()),
            false => {
                let [best, start] = [state[0], self.start()].map(|value| self.key_of(ir, value));
                self.is_better(ir, best, start)
            }
        };
        // See `begins_at_zero`: the start's sign is restored if nothing won.
        let value = match self.begins_at_zero() {
            true => ir.select(won, state[0], self.start()),
            false => state[0],
        };
        RowResult {
            value: register::memory(ir, self.form(), self.element, value),
            found: Some(ResultPosition {
                won,
                position,
                is_always_one: !self.tells_none(),
            }),
        }
    }
}

impl fmt::Display for ArgCompare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = ScalarType::from(self.element);
        write!(f, "state (value {}", self.element)?;
        match self.initial {
            Initial::Worst | Initial::Pair(..) => write!(f, " = {}", kind.show(self.start))?,
            Initial::Outputs => write!(f, " = the output's")?,
        }
        let none = if self.tells_none() { "none" } else { "0" };
        write!(f, ", position {} = {none}); ", self.position)?;
        match self.ties {
            Some(Ties::First) => write!(f, "of equal elements the first stays"),
            Some(Ties::Last) => write!(f, "of equal elements the last stays"),
            None => write!(f, "elements are taken one by one"),
        }
    }
}
