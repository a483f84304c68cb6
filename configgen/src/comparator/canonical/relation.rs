//! Relations: truth tables of truth values that depend only on a comparison and on NaN.
//!
//! Two floats x and y are in one of six states: equal, x greater, x less, only x NaN, only y NaN,
//! both NaN. Any composition of comparisons of x and y, and of their NaN tests, is a set of
//! states. Each set has one form.

use super::super::opcode::Opcode;
use super::super::predicate::{
    self, EQUAL, FloatPredicate, GREATER, IntegerPredicate, LESS, UNORDERED,
};
use super::super::region::{RegionOperation, Value};
use super::super::scalar::ScalarType;
use super::graph::Graph;

/// The state "only x is NaN". The states of two numbers are the outcomes of [`predicate`].
pub(in super::super) const X_NAN: u8 = 8;
/// The state "only y is NaN".
pub(in super::super) const Y_NAN: u8 = 16;
/// The state "both are NaN".
pub(in super::super) const BOTH_NAN: u8 = 32;

const NUMBERS: u8 = EQUAL | GREATER | LESS;
const NAN: u8 = X_NAN | Y_NAN | BOTH_NAN;

/// The state "a number" in a NaN test of one value.
const IS_NUMBER: u8 = 1;
/// The state "NaN" in a NaN test of one value.
const IS_NAN: u8 = 2;

/// The kind of comparison in a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum ComparisonDomain {
    /// A comparison of floats.
    Float,
    /// A comparison of integers. Signedness is open if the states treat less and greater alike.
    Integer(Option<bool>),
    /// A NaN test of x, without a comparison. y is x.
    Nan,
}

/// The states in which a truth value is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Relation {
    pub(in super::super) x: Value,
    pub(in super::super) y: Value,
    pub(in super::super) domain: ComparisonDomain,
    pub(in super::super) states: u8,
}

impl Graph {
    /// Returns the relation of an operation, if it has one.
    pub(super) fn relate(&self, operation: &RegionOperation) -> Option<Relation> {
        let (opcode, operands) = (operation.opcode, &operation.operands);
        match opcode {
            Opcode::Cmpf(predicate) if operands[0] == operands[1] => Some(Relation {
                x: operands[0],
                y: operands[0],
                domain: ComparisonDomain::Nan,
                // `UNORDERED` is bit 3 and `IS_NAN` bit 1; `EQUAL` is `IS_NUMBER`.
                states: predicate.outcomes() & EQUAL | (predicate.outcomes() & UNORDERED) >> 2,
            }),
            Opcode::Cmpf(predicate) => {
                let outcomes = predicate.outcomes();
                let nan = if outcomes & UNORDERED == 0 { 0 } else { NAN };
                let (x, y) = (operands[0], operands[1]);
                Some(Relation {
                    x,
                    y,
                    domain: ComparisonDomain::Float,
                    states: (outcomes & NUMBERS | nan) & self.possible(x, y),
                })
            }
            Opcode::Cmpi(predicate) => Some(Relation {
                x: operands[0],
                y: operands[1],
                domain: ComparisonDomain::Integer(predicate.signed()),
                states: predicate.outcomes(),
            }),
            Opcode::Andi | Opcode::Ori | Opcode::Xori if operation.result == ScalarType::I1 => {
                let (left, right) = (self.relation(operands[0]), self.relation(operands[1]));
                match (left, right, self.bits(operands[1])) {
                    (Some(left), Some(right), _) => self.join(opcode, left, right),
                    (Some(left), _, Some(1)) if opcode == Opcode::Xori => {
                        Some(self.complement(left))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the possible states of two floats.
    fn possible(&self, x: Value, y: Value) -> u8 {
        match (self.never_nan(x), self.never_nan(y)) {
            (false, false) => NUMBERS | NAN,
            (true, false) => NUMBERS | Y_NAN,
            (false, true) => NUMBERS | X_NAN,
            (true, true) => NUMBERS,
        }
    }

    fn universe(&self, relation: Relation) -> u8 {
        match relation.domain {
            // Only states that can occur count, so that relations that differ elsewhere are
            // equal.
            ComparisonDomain::Float => self.possible(relation.x, relation.y),
            ComparisonDomain::Integer(_) => NUMBERS,
            ComparisonDomain::Nan => IS_NUMBER | IS_NAN,
        }
    }

    /// Returns the relation that holds if this one does not.
    pub(super) fn complement(&self, relation: Relation) -> Relation {
        Relation {
            states: relation.states ^ self.universe(relation),
            ..relation
        }
    }

    /// Returns `and`, `or` or `xor` of two relations of the same values.
    pub(super) fn join(&self, opcode: Opcode, left: Relation, right: Relation) -> Option<Relation> {
        let (left, right) = self.align(left, right)?;
        let states = match opcode {
            Opcode::Andi => left.states & right.states,
            Opcode::Ori => left.states | right.states,
            _ => left.states ^ right.states,
        };
        let domain = match (left.domain, right.domain) {
            (ComparisonDomain::Integer(None), domain) | (domain, _) => domain,
        };
        Some(Relation {
            states,
            domain,
            ..left
        })
    }

    /// Returns both relations with the same x and y.
    fn align(&self, left: Relation, right: Relation) -> Option<(Relation, Relation)> {
        let same = (left.x, left.y) == (right.x, right.y);
        match (left.domain, right.domain) {
            (ComparisonDomain::Nan, ComparisonDomain::Nan) if same => Some((left, right)),
            (ComparisonDomain::Nan, ComparisonDomain::Nan) => {
                let (x, y) = match self.order(left.x, right.x) {
                    std::cmp::Ordering::Greater => (right.x, left.x),
                    _ => (left.x, right.x),
                };
                let comparable = self.type_of(x) == self.type_of(y);
                comparable.then_some((self.widen(left, x, y)?, self.widen(right, x, y)?))
            }
            (ComparisonDomain::Nan, ComparisonDomain::Float) => {
                Some((self.widen(left, right.x, right.y)?, right))
            }
            (ComparisonDomain::Float, ComparisonDomain::Nan) => {
                Some((left, self.widen(right, left.x, left.y)?))
            }
            (ComparisonDomain::Float, ComparisonDomain::Float) => same.then_some((left, right)),
            (ComparisonDomain::Integer(s), ComparisonDomain::Integer(t)) => {
                let compatible = s.is_none() || t.is_none() || s == t;
                (same && compatible).then_some((left, right))
            }
            _ => None,
        }
    }

    /// Returns a NaN test as a relation of x and y. One of them must be NaN exactly if the tested
    /// value is.
    fn widen(&self, test: Relation, x: Value, y: Value) -> Option<Relation> {
        let nan = match (self.nan_root(x) == test.x, self.nan_root(y) == test.x) {
            (true, true) => NAN,
            (true, false) => X_NAN | BOTH_NAN,
            (false, true) => Y_NAN | BOTH_NAN,
            (false, false) => return None,
        };
        let all = NUMBERS | NAN;
        let is_number = if test.states & IS_NUMBER == 0 {
            0
        } else {
            all ^ nan
        };
        let is_nan = if test.states & IS_NAN == 0 { 0 } else { nan };
        Some(Relation {
            x,
            y,
            domain: ComparisonDomain::Float,
            states: (is_number | is_nan) & self.possible(x, y),
        })
    }

    /// Builds the value of a relation in its one form.
    pub(super) fn express(&mut self, relation: Relation) -> Value {
        let Relation {
            x,
            y,
            domain,
            states,
        } = relation;
        if states == 0 || states == self.universe(relation) {
            return self.truth(states != 0);
        }
        match domain {
            ComparisonDomain::Nan => self.nan_test(x, states == IS_NAN),
            ComparisonDomain::Integer(signed) => {
                match IntegerPredicate::from_outcomes(states, signed == Some(true)) {
                    Some(predicate) => {
                        self.intern(Opcode::Cmpi(predicate), &[x, y], ScalarType::I1)
                    }
                    None => self.truth(states != 0),
                }
            }
            ComparisonDomain::Float => self.express_float(x, y, states),
        }
    }

    fn express_float(&mut self, x: Value, y: Value, states: u8) -> Value {
        let possible_nan = self.possible(x, y) & NAN;
        let numbers = states & NUMBERS;
        let nan = states & NAN;
        if nan == 0 || nan == possible_nan {
            return match (numbers, possible_nan) {
                // If only one value can be NaN, a single NaN test suffices.
                (0 | NUMBERS, X_NAN) => self.nan_test(x, numbers == 0),
                (0 | NUMBERS, Y_NAN) => self.nan_test(y, numbers == 0),
                _ => self.float_test(numbers, nan != 0, x, y),
            };
        }
        // From here on, both can be NaN.
        match (nan, numbers) {
            (nan, 0) if nan == X_NAN | BOTH_NAN => self.nan_test(x, true),
            (nan, 0) if nan == Y_NAN | BOTH_NAN => self.nan_test(y, true),
            (Y_NAN, NUMBERS) => self.nan_test(x, false),
            (X_NAN, NUMBERS) => self.nan_test(y, false),
            (X_NAN, _) => {
                let parts = (
                    self.float_test(numbers, true, x, y),
                    self.nan_test(y, false),
                );
                self.logical(Opcode::Andi, parts)
            }
            (Y_NAN, _) => {
                let parts = (
                    self.float_test(numbers, true, x, y),
                    self.nan_test(x, false),
                );
                self.logical(Opcode::Andi, parts)
            }
            (BOTH_NAN, _) => {
                let tests = (self.nan_test(x, true), self.nan_test(y, true));
                let both = self.logical(Opcode::Andi, tests);
                match numbers {
                    0 => both,
                    _ => {
                        let parts = (self.float_test(numbers, false, x, y), both);
                        self.logical(Opcode::Ori, parts)
                    }
                }
            }
            (nan, _) if nan == X_NAN | Y_NAN => {
                let tests = (self.nan_test(x, false), self.nan_test(y, false));
                match numbers {
                    0 => self.logical(Opcode::Xori, tests),
                    NUMBERS => self.logical(Opcode::Ori, tests),
                    _ => {
                        let one_is_number = self.logical(Opcode::Ori, tests);
                        let parts = (self.float_test(numbers, true, x, y), one_is_number);
                        self.logical(Opcode::Andi, parts)
                    }
                }
            }
            (nan, _) => {
                let which = if nan & X_NAN == 0 { y } else { x };
                let parts = (
                    self.float_test(numbers, false, x, y),
                    self.nan_test(which, true),
                );
                self.logical(Opcode::Ori, parts)
            }
        }
    }

    fn float_test(&mut self, numbers: u8, unordered: bool, x: Value, y: Value) -> Value {
        let outcomes = numbers | if unordered { UNORDERED } else { 0 };
        let predicate = FloatPredicate::from_outcomes(outcomes);
        self.intern(Opcode::Cmpf(predicate), &[x, y], ScalarType::I1)
    }

    /// Builds a test for NaN, or for a number.
    pub(super) fn nan_test(&mut self, value: Value, is_nan: bool) -> Value {
        let root = self.nan_root(value);
        let predicate = if is_nan {
            FloatPredicate::Uno
        } else {
            FloatPredicate::Ord
        };
        self.intern(Opcode::Cmpf(predicate), &[root, root], ScalarType::I1)
    }

    /// Builds an operation of two truth values, in order.
    fn logical(&mut self, opcode: Opcode, (p, q): (Value, Value)) -> Value {
        let operands = match self.order(p, q) {
            std::cmp::Ordering::Greater => [q, p],
            _ => [p, q],
        };
        self.intern(opcode, &operands, ScalarType::I1)
    }
}

impl Relation {
    /// Returns the same relation with x and y exchanged.
    pub(in super::super) fn swapped(self) -> Relation {
        let nan = (self.states & X_NAN) << 1 | (self.states & Y_NAN) >> 1 | self.states & BOTH_NAN;
        Relation {
            x: self.y,
            y: self.x,
            states: predicate::swap(self.states & NUMBERS) | nan,
            ..self
        }
    }
}
