//! Simplification of comparisons.

use std::cmp::Ordering;

use super::super::opcode::Opcode;
use super::super::predicate::{EQUAL, FloatPredicate, IntegerPredicate, UNORDERED, swap};
use super::super::region::Value;
use super::super::scalar::ScalarType;
use super::graph::Graph;

impl Graph {
    pub(super) fn compare_floats(
        &mut self,
        predicate: FloatPredicate,
        x: Value,
        y: Value,
    ) -> Value {
        let outcomes = predicate.outcomes();
        // A comparison of a value with itself depends only on NaN.
        if x == y {
            let (number, nan) = (outcomes & EQUAL != 0, outcomes & UNORDERED != 0);
            return match number == nan || self.never_nan(x) {
                true => self.truth(number),
                false => self.nan_test(x, nan),
            };
        }
        // A constant NaN makes every comparison unordered.
        if [x, y].iter().any(|&side| self.is_constant_nan(side)) {
            return self.truth(outcomes & UNORDERED != 0);
        }
        // Negation reverses the order of both sides.
        if let Some((x, y)) = self.without_negation(x, y) {
            return self.compare_floats(FloatPredicate::from_outcomes(swap(outcomes)), x, y);
        }
        if let Some((x, y)) = self.without_extension(x, y) {
            return self.compare_floats(predicate, x, y);
        }
        if let Some((x, y)) = self.without_difference(outcomes, x, y) {
            return self.compare_floats(predicate, x, y);
        }
        if let Some((x, y, signed)) = self.without_integer_conversion(x, y) {
            let numbers = outcomes & !UNORDERED;
            return match IntegerPredicate::from_outcomes(numbers, signed) {
                Some(predicate) => self.compare_integers(predicate, x, y),
                None => self.truth(numbers != 0),
            };
        }
        if self.order(x, y) == Ordering::Greater {
            return self.compare_floats(FloatPredicate::from_outcomes(swap(outcomes)), y, x);
        }
        let compared = Opcode::Cmpf(predicate);
        let value = self.intern(compared, &[x, y], ScalarType::I1);
        match self.relation(value) {
            Some(relation) => self.express(relation),
            None => value,
        }
    }

    fn is_constant_nan(&self, value: Value) -> bool {
        self.bits(value)
            .is_some_and(|bits| self.type_of(value).is_nan(bits))
    }

    /// Returns both sides without a common negation; a constant is negated instead.
    fn without_negation(&mut self, x: Value, y: Value) -> Option<(Value, Value)> {
        let inner = |graph: &Self, side| graph.operand_of(Opcode::Negf, side);
        match (inner(self, x), inner(self, y)) {
            (Some(x), Some(y)) => Some((x, y)),
            (Some(x), None) if self.bits(y).is_some() => {
                let ty = self.type_of(y);
                Some((x, self.build(Opcode::Negf, &[y], ty)))
            }
            (None, Some(y)) if self.bits(x).is_some() => {
                let ty = self.type_of(x);
                Some((self.build(Opcode::Negf, &[x], ty), y))
            }
            _ => None,
        }
    }

    /// Returns both sides before their extension from one type.
    ///
    /// A constant counts as extended if the narrow type has its value.
    fn without_extension(&mut self, x: Value, y: Value) -> Option<(Value, Value)> {
        let inner = |graph: &Self, side| graph.operand_of(Opcode::Extf, side);
        match (inner(self, x), inner(self, y)) {
            (Some(x), Some(y)) => (self.type_of(x) == self.type_of(y)).then_some((x, y)),
            (Some(narrow), None) => Some((narrow, self.narrowed(y, self.type_of(narrow))?)),
            (None, Some(narrow)) => Some((self.narrowed(x, self.type_of(narrow))?, narrow)),
            (None, None) => None,
        }
    }

    /// Returns the two values of a difference that is compared with zero.
    ///
    /// Subnormal numbers keep the difference of unequal numbers from being zero. The difference
    /// of equal infinities is NaN, so the predicate must treat equal and unordered values alike.
    /// In a type without infinity, a large difference would be NaN.
    fn without_difference(&self, outcomes: u8, x: Value, y: Value) -> Option<(Value, Value)> {
        let ty = self.type_of(x);
        let alike = (outcomes & EQUAL != 0) == (outcomes & UNORDERED != 0);
        let is_zero = self.bits(y).is_some_and(|bits| bits & !ty.sign_bit() == 0);
        match self.definition(x)? {
            (Opcode::Subf, &[left, right]) if alike && is_zero && ty.has_infinity() => {
                Some((left, right))
            }
            _ => None,
        }
    }

    fn narrowed(&mut self, constant: Value, narrow: ScalarType) -> Option<Value> {
        let value = self.type_of(constant).to_f64(self.bits(constant)?);
        let bits = narrow.round(value);
        (narrow.to_f64(bits) == value).then(|| self.constant(bits, narrow))
    }

    /// Returns both sides before a conversion from an integer type that the float represents
    /// exactly.
    fn without_integer_conversion(&self, x: Value, y: Value) -> Option<(Value, Value, bool)> {
        let float = self.type_of(x);
        let (opcode, operands) = self.definition(x)?;
        let signed = match opcode {
            Opcode::Sitofp => true,
            Opcode::Uitofp => false,
            _ => return None,
        };
        let (x, y) = (operands[0], self.operand_of(opcode, y)?);
        let integer = self.type_of(x);
        // The bits of each significand, the implicit one included.
        let exact = match float {
            ScalarType::F64 => 53,
            ScalarType::F32 => 24,
            ScalarType::F16 => 11,
            ScalarType::Bf16 => 8,
            _ => 0,
        };
        (self.type_of(y) == integer && integer.bits() <= exact).then_some((x, y, signed))
    }

    pub(super) fn compare_integers(
        &mut self,
        predicate: IntegerPredicate,
        x: Value,
        y: Value,
    ) -> Value {
        if x == y {
            return self.truth(predicate.outcomes() & EQUAL != 0);
        }
        // Equality of truth values is an operation of logic, which has one form.
        if self.type_of(x) == ScalarType::I1 {
            match predicate {
                IntegerPredicate::Ne => return self.build(Opcode::Xori, &[x, y], ScalarType::I1),
                IntegerPredicate::Eq => {
                    let differ = self.build(Opcode::Xori, &[x, y], ScalarType::I1);
                    return self.negate(differ);
                }
                _ => {}
            }
        }
        // Extension keeps the order of the narrow values. Zero extension also makes all signs
        // positive.
        for (extension, signed) in [
            (Opcode::Extsi, predicate.signed()),
            (Opcode::Extui, Some(false)),
        ] {
            let sides = (self.operand_of(extension, x), self.operand_of(extension, y));
            if let (Some(x), Some(y)) = sides
                && self.type_of(x) == self.type_of(y)
            {
                let narrow =
                    IntegerPredicate::from_outcomes(predicate.outcomes(), signed == Some(true));
                return self.compare_integers(narrow.unwrap_or(predicate), x, y);
            }
        }
        if self.order(x, y) == Ordering::Greater {
            let outcomes = swap(predicate.outcomes());
            let swapped =
                IntegerPredicate::from_outcomes(outcomes, predicate.signed() == Some(true));
            return self.compare_integers(swapped.unwrap_or(predicate), y, x);
        }
        self.intern(Opcode::Cmpi(predicate), &[x, y], ScalarType::I1)
    }
}
