//! The combiner of `arg_compare`: the best value so far and where it was found.
//!
//! A slot holds a value and its position; a state holds a value and its *rank*, an unsigned number of the position's type
//! of which the lower one wins a tie. Where the first of equals wins the rank is the position p, where the last does it is
//! -2 - p. In both, all ones stands for "none": no element has won yet. Positions move by saturating addition, which leaves
//! it what it is. Where the value tells as much ([`ArgCompare::tells_none`]) there is no such rank. A row has fewer than
//! 2^32 - 2 elements, or positions of 64 bits.

use std::fmt;

use configgen::comparator::order::{Class, Extreme, Side, Ties};
use configgen::comparator::{Comparator, ScalarType};
use configgen::legality::native::has_long_positions;
use configgen::{ElementType, IndexMode, IndexType, Initial, Problem};

use super::{Accumulation, Combiner, Finished, State, Stored};
use crate::native::emit::region;
use crate::native::ir::{Ir, Value};
use crate::native::register;
use crate::native::scalar::{Form, Scalar};

/// "No element has won yet", as a position and as a rank.
const NONE: Value = Value::Int(-1);

/// How two elements are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// By one comparison of their registers.
    Ordered,
    /// By comparing a key that is computed of each.
    Keyed,
    /// As the comparator is written.
    Region,
}

/// The state is the best value so far and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgCompare {
    /// When an element replaces the value.
    pub comparator: Comparator,
    /// How that is found out.
    pub test: Test,
    /// Type of the elements and of the returned values.
    pub element: ElementType,
    /// Type of the returned indices.
    pub index: IndexType,
    /// What the index of an element is.
    pub index_mode: IndexMode,
    /// Where the fold begins.
    pub initial: Initial,
    /// Which of equal elements wins; `None` where elements must be taken one by one.
    pub ties: Option<Ties>,
    position: Scalar,
}

impl ArgCompare {
    /// The combiner of a problem.
    pub fn of(problem: &Problem) -> ArgCompare {
        let order = problem.comparator.order();
        let proven = order.worst.is_some_and(|worst| worst.is_proven);
        let ties = problem.ties();
        let test = match problem.extreme() {
            Some(extreme) if extreme.is_identity() => Test::Ordered,
            Some(_) if proven || problem.initial == Initial::Outputs => Test::Keyed,
            _ => Test::Region,
        };
        ArgCompare {
            comparator: problem.comparator.clone(),
            test,
            element: problem.element,
            index: problem.index,
            index_mode: problem.index_mode,
            initial: problem.initial,
            ties,
            position: match has_long_positions(problem) {
                true => Scalar::I64,
                false => Scalar::I32,
            },
        }
    }

    /// Its name: the comparator's.
    pub fn name(&self) -> String {
        self.comparator.to_string()
    }

    /// Whether elements must be taken one by one: there is one slot a row, and no two states become one.
    pub fn is_serial(&self) -> bool {
        self.ties.is_none()
    }

    /// Whether the best value of some states can be found first, and then who holds it.
    pub fn is_by_value(&self) -> bool {
        self.test != Test::Region
    }

    /// How the comparator finds an extreme, where it does.
    pub(super) fn extreme(&self) -> Option<&Extreme> {
        match &self.comparator.order().class {
            Class::Extreme(extreme) => Some(extreme),
            Class::Pair => None,
        }
    }

    pub(super) fn side(&self) -> Side {
        self.extreme().map_or(Side::Max, |extreme| extreme.side)
    }

    pub(super) fn is_signed(&self) -> bool {
        self.extreme().is_none_or(|extreme| extreme.is_signed)
    }

    /// How elements are held in the loop and in states.
    pub fn form(&self) -> Form {
        match self.test {
            Test::Ordered => Form::Ordered {
                is_signed: self.is_signed(),
            },
            Test::Keyed | Test::Region => Form::Plain,
        }
    }

    /// The register type of values.
    pub fn value(&self) -> Scalar {
        self.form().scalar(self.element)
    }

    /// Whether a state tells by its rank that nothing has won yet. It need not where whatever wins is better than the
    /// start: a state with the start's value then has had no winner, and may as well stand for the row's first
    /// position.
    pub(crate) fn tells_none(&self) -> bool {
        let is_strict = self.is_by_value() && self.ties == Some(Ties::First);
        self.initial == Initial::Outputs || !is_strict
    }

    /// The value before the first element, where the problem has none of its own.
    fn start(&self) -> Value {
        let bits = self.comparator.order().start;
        let bits = self.form().of_bits(self.element, bits);
        register::constant(self.value(), bits)
    }

    /// The lower of two ranks.
    pub(crate) fn least(&self, ir: &mut Ir, a: &Value, b: &Value) -> Value {
        let kind = self.position.llvm();
        ir.value(format_args!(
            "call {kind} @llvm.umin.{kind}({kind} {a}, {kind} {b})"
        ))
    }

    /// The rank where `holds` (i1), otherwise none.
    pub(crate) fn candidate(&self, ir: &mut Ir, holds: &Value, rank: &Value) -> Value {
        select(ir, holds, self.position, rank, &NONE)
    }

    /// `i1`: whether element `a` replaces the value `b`.
    pub(crate) fn replaces(&self, ir: &mut Ir, a: &Value, b: &Value) -> Value {
        match self.test {
            Test::Ordered => {
                let kind = self.value();
                let or_equal = self.ties == Some(Ties::Last);
                let predicate = self.predicate(kind.is_float(), or_equal);
                compare(ir, kind, predicate, a, b)
            }
            Test::Keyed | Test::Region => {
                region::print(ir, self.comparator.region(), &[a.clone(), b.clone()])
            }
        }
    }

    /// `position` (a position or a rank) moved by `distance`; none stays none.
    fn moved(&self, ir: &mut Ir, position: &Value, distance: &Value) -> Value {
        if distance.is_zero() {
            return position.clone();
        }
        let kind = self.position.llvm();
        match self.tells_none() {
            true => ir.value(format_args!(
                "call {kind} @llvm.uadd.sat.{kind}({kind} {position}, {kind} {distance})"
            )),
            false => ir.add(kind, position, distance),
        }
    }

    /// The rank of a position and the position of a rank; of none it is none.
    fn turned(&self, ir: &mut Ir, position: &Value) -> Value {
        match self.ties {
            Some(Ties::Last) => {
                let kind = self.position.llvm();
                ir.value(format_args!("sub {kind} -2, {position}"))
            }
            Some(Ties::First) | None => position.clone(),
        }
    }

    /// `i1`: whether state `b` is the one to keep, of two that are compared by their keys.
    fn takes_by_key(&self, ir: &mut Ir, a: &[Value], b: &[Value]) -> Value {
        let [ours, theirs] = [&a[0], &b[0]].map(|value| self.key_of(ir, value));
        let better = self.is_better(ir, &theirs, &ours);
        let same = self.is_same(ir, &theirs, &ours);
        let earlier = compare(ir, self.position, "ult", &b[1], &a[1]);
        let tie = ir.value(format_args!("and i1 {same}, {earlier}"));
        ir.value(format_args!("or i1 {better}, {tie}"))
    }

    /// As [`Self::takes_by_key`], as the comparator is written. A state in which nothing has won yet loses, whatever its
    /// value: that a value is the worst may be unproven.
    fn takes_by_pair(&self, ir: &mut Ir, a: &[Value], b: &[Value]) -> Value {
        let better = self.replaces(ir, &b[0], &a[0]);
        let worse = self.replaces(ir, &a[0], &b[0]);
        let earlier = compare(ir, self.position, "ult", &b[1], &a[1]);
        let not_worse = ir.value(format_args!("xor i1 {worse}, true"));
        let takes = match self.ties {
            Some(Ties::Last) => {
                let holds = ir.value(format_args!("or i1 {not_worse}, {earlier}"));
                ir.value(format_args!("and i1 {better}, {holds}"))
            }
            Some(Ties::First) | None => {
                let tie = ir.value(format_args!("and i1 {not_worse}, {earlier}"));
                ir.value(format_args!("or i1 {better}, {tie}"))
            }
        };
        let empty = compare(ir, self.position, "eq", &a[1], &NONE);
        let takes = ir.value(format_args!("or i1 {empty}, {takes}"));
        let won = compare(ir, self.position, "ne", &b[1], &NONE);
        ir.value(format_args!("and i1 {won}, {takes}"))
    }
}

impl Combiner for ArgCompare {
    fn slot(&self) -> Vec<Scalar> {
        vec![self.value(), self.position]
    }

    fn position(&self) -> Scalar {
        self.position
    }

    fn initial(&self, value: Option<&Value>) -> State {
        let position = match self.tells_none() {
            true => NONE,
            false => Value::Int(0),
        };
        vec![value.cloned().unwrap_or_else(|| self.start()), position]
    }

    fn accumulate(&self, ir: &mut Ir, steps: &mut [Accumulation<'_>]) {
        // All comparisons first: a select may not follow its comparison at once.
        let better: Vec<Value> = steps
            .iter()
            .map(|step| self.replaces(ir, step.element, &step.slot[0]))
            .collect();
        for (step, better) in steps.iter_mut().zip(&better) {
            step.slot[0] = select(ir, better, self.value(), step.element, &step.slot[0]);
        }
        for (step, better) in steps.iter_mut().zip(&better) {
            step.slot[1] = select(ir, better, self.position, step.position, &step.slot[1]);
        }
    }

    fn state(&self) -> Vec<Scalar> {
        vec![self.value(), self.position]
    }

    fn settle(&self, ir: &mut Ir, slot: &[Value], distance: u64) -> State {
        let position = self.moved(ir, &slot[1], &distance.into());
        vec![slot[0].clone(), self.turned(ir, &position)]
    }

    fn displace(&self, ir: &mut Ir, state: &[Value], distance: &Value) -> State {
        let position = self.turned(ir, &state[1]);
        let position = self.moved(ir, &position, distance);
        vec![state[0].clone(), self.turned(ir, &position)]
    }

    fn combine(&self, ir: &mut Ir, a: &[Value], b: &[Value]) -> State {
        let take = match self.is_by_value() {
            true => self.takes_by_key(ir, a, b),
            false => self.takes_by_pair(ir, a, b),
        };
        let value = select(ir, &take, self.value(), &b[0], &a[0]);
        let rank = select(ir, &take, self.position, &b[1], &a[1]);
        vec![value, rank]
    }

    fn finish(&self, ir: &mut Ir, state: &[Value]) -> Finished {
        let position = self.turned(ir, &state[1]);
        let won = match self.tells_none() {
            true => compare(ir, self.position, "ne", &state[1], &NONE),
            false => {
                let [best, start] = [&state[0], &self.start()].map(|value| self.key_of(ir, value));
                self.is_better(ir, &best, &start)
            }
        };
        Finished {
            won,
            value: Stored {
                kind: register::memory_kind(self.element),
                bytes: self.element.bytes(),
                value: register::memory(ir, self.form(), self.element, &state[0]),
            },
            position,
        }
    }
}

pub(super) fn compare(ir: &mut Ir, kind: Scalar, predicate: &str, a: &Value, b: &Value) -> Value {
    let instruction = if kind.is_float() { "fcmp" } else { "icmp" };
    let kind = kind.llvm();
    ir.value(format_args!("{instruction} {predicate} {kind} {a}, {b}"))
}

pub(crate) fn select(
    ir: &mut Ir,
    condition: &Value,
    kind: Scalar,
    yes: &Value,
    no: &Value,
) -> Value {
    let kind = kind.llvm();
    ir.value(format_args!(
        "select i1 {condition}, {kind} {yes}, {kind} {no}"
    ))
}

impl fmt::Display for ArgCompare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = ScalarType::from(self.element);
        write!(f, "state (value {}", self.element)?;
        match self.initial {
            Initial::Worst => write!(f, " = {}", kind.show(self.comparator.order().start))?,
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
