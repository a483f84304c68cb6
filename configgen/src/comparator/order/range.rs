//! Ranges: the possible values of a region for arguments between two numbers.
//!
//! A range may contain more than the possible values, never fewer. Floats are ordered by sign and
//! magnitude, with -0 before +0, and integers by their bits.

mod float;
mod integer;

use super::super::opcode::Opcode;
use super::super::predicate::{EQUAL, GREATER, LESS, UNORDERED};
use super::super::region::{Region, RegionOperation};
use super::super::scalar::ScalarType;
use super::super::semantics::apply;

/// The bits that a value can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    /// The first and the last number, or none if it cannot be a number.
    pub(super) numbers: Option<(u64, u64)>,
    /// Set if it can be a NaN, of any bits.
    pub(super) nan: bool,
}

impl Range {
    /// Returns the range of one value.
    pub(super) fn one(ty: ScalarType, bits: u64) -> Range {
        match ty.is_nan(bits) {
            true => Range::NAN,
            false => Range::between(bits, bits),
        }
    }

    /// Returns the numbers from one to another.
    pub(super) fn between(first: u64, last: u64) -> Range {
        Range {
            numbers: Some((first, last)),
            nan: false,
        }
    }

    /// Any NaN, and no number.
    pub(super) const NAN: Range = Range {
        numbers: None,
        nan: true,
    };

    /// Returns all values of a type.
    pub(super) fn any(ty: ScalarType) -> Range {
        match ty.is_float() {
            true => Range {
                numbers: Some((ty.greatest() | ty.sign_bit(), ty.greatest())),
                nan: true,
            },
            false => Range::between(0, ty.mask()),
        }
    }

    /// Returns the values of a type in parts of one sign, non-negative ones first.
    pub(super) fn parts(ty: ScalarType) -> Vec<Range> {
        if ty.is_integer() {
            let sign = ty.sign_bit();
            return vec![Range::between(0, sign - 1), Range::between(sign, ty.mask())];
        }
        let least = ty.greatest() | ty.sign_bit();
        let above_zero = match ty.has_negative_zero() {
            true => ty.sign_bit(),
            false => ty.sign_bit() | 1,
        };
        // The smallest magnitude of an FNUZ type's negative numbers is 1.
        vec![
            Range::between(0, ty.greatest()),
            Range::between(least, above_zero),
            Range::NAN,
        ]
    }

    /// Returns the values of a type in smaller parts: zeros, finite numbers and infinities apart.
    pub(super) fn places(ty: ScalarType) -> Vec<Range> {
        if ty.is_integer() {
            return Range::parts(ty);
        }
        let mut magnitudes = vec![(0, 0), (1, ty.greatest_finite())];
        if ty.has_infinity() {
            magnitudes.push((ty.greatest(), ty.greatest()));
        }
        let mut places = vec![Range::NAN];
        for (least, most) in magnitudes {
            places.push(Range::between(least, most));
            if least > 0 || ty.has_negative_zero() {
                places.push(Range::between(most | ty.sign_bit(), least | ty.sign_bit()));
            }
        }
        places
    }

    fn union(self, other: Range, ty: ScalarType) -> Range {
        let numbers = match (self.numbers, other.numbers) {
            (Some((first, last)), Some((other_first, other_last))) => {
                Some((lower(ty, first, other_first), higher(ty, last, other_last)))
            }
            (one, other) => one.or(other),
        };
        Range {
            numbers,
            nan: self.nan || other.nan,
        }
    }

    /// Returns whether a truth value can be this.
    pub(super) fn can_be(self, truth: bool) -> bool {
        self.numbers
            .is_some_and(|(first, last)| first <= u64::from(truth) && u64::from(truth) <= last)
    }
}

/// Returns the rank of a number among those of its type.
pub(super) fn place(ty: ScalarType, bits: u64) -> i128 {
    match ty.is_float() && bits & ty.sign_bit() != 0 {
        true => -1 - i128::from(bits & !ty.sign_bit()),
        false => i128::from(bits),
    }
}

/// Returns the number of a rank.
pub(super) fn at(ty: ScalarType, place: i128) -> u64 {
    match place < 0 {
        true => (-1 - place) as u64 | ty.sign_bit(),
        false => place as u64,
    }
}

fn lower(ty: ScalarType, x: u64, y: u64) -> u64 {
    if place(ty, x) <= place(ty, y) { x } else { y }
}

fn higher(ty: ScalarType, x: u64, y: u64) -> u64 {
    if place(ty, x) >= place(ty, y) { x } else { y }
}

/// Returns the range of a region's result for arguments in these ranges.
pub(super) fn result(region: &Region, arguments: &[Range]) -> Range {
    let mut ranges = arguments.to_vec();
    for operation in region.operations() {
        let range = of(region, operation, &ranges);
        ranges.push(range);
    }
    ranges[region.result().index()]
}

fn of(region: &Region, operation: &RegionOperation, ranges: &[Range]) -> Range {
    use Opcode::*;
    let (opcode, to) = (operation.opcode, operation.result);
    let Some(&first) = operation.operands.first() else {
        // Only a constant has no operands.
        let Constant(bits) = opcode else {
            return Range::any(to);
        };
        return Range::one(to, bits);
    };
    let from = region.type_of(first);
    let mut operands = [Range::NAN; 3];
    for (range, operand) in operands.iter_mut().zip(&operation.operands) {
        *range = ranges[operand.index()];
    }
    let is_same = operation.operands.len() > 1 && operation.operands[0] == operation.operands[1];
    let [x, y, z] = operands;
    let exact = |range: &Range| match (range.numbers, range.nan) {
        (Some((first, last)), false) if first == last => Some(first),
        _ => None,
    };
    let bits: Vec<Option<u64>> = operands[..operation.operands.len()]
        .iter()
        .map(exact)
        .collect();
    // An operation on single values is computed exactly.
    if let Some(bits) = bits.into_iter().collect::<Option<Vec<u64>>>() {
        let mut all = [0; 3];
        all[..bits.len()].copy_from_slice(&bits);
        return Range::one(to, apply(opcode, from, to, all));
    }
    match opcode {
        Cmpf(predicate) => truth(float_outcomes(from, x, y, is_same), predicate.outcomes()),
        Cmpi(predicate) => {
            let outcomes = integer_outcomes(from, predicate.signed() == Some(true), x, y);
            truth(outcomes, predicate.outcomes())
        }
        Select => match (x.can_be(true), x.can_be(false)) {
            (true, false) => y,
            (false, true) => z,
            _ => y.union(z, to),
        },
        _ if from.is_float() || to.is_float() => {
            float::of(opcode, from, to, &operands[..opcode.arity()], is_same)
        }
        _ => integer::of(opcode, from, to, x, y),
    }
}

fn truth(outcomes: u8, holds: u8) -> Range {
    Range::between(
        u64::from(outcomes & !holds == 0),
        u64::from(outcomes & holds != 0),
    )
}

/// Returns the possible outcomes of a comparison of floats; `is_same` if both are one value.
pub(super) fn float_outcomes(ty: ScalarType, x: Range, y: Range, is_same: bool) -> u8 {
    let mut outcomes = if x.nan || y.nan { UNORDERED } else { 0 };
    let (Some(x), Some(y)) = (x.numbers, y.numbers) else {
        return outcomes;
    };
    let value = |(first, last): (u64, u64)| (ty.to_f64(first), ty.to_f64(last));
    let ((x_first, x_last), (y_first, y_last)) = (value(x), value(y));
    if is_same {
        return outcomes | EQUAL;
    }
    if x_first < y_last {
        outcomes |= LESS;
    }
    if x_last > y_first {
        outcomes |= GREATER;
    }
    if x_first <= y_last && y_first <= x_last {
        outcomes |= EQUAL;
    }
    outcomes
}

/// Returns the possible outcomes of a comparison of integers.
pub(super) fn integer_outcomes(ty: ScalarType, is_signed: bool, x: Range, y: Range) -> u8 {
    let (x, y) = match is_signed {
        true => (integer::signed(ty, x), integer::signed(ty, y)),
        false => (integer::unsigned(ty, x), integer::unsigned(ty, y)),
    };
    let mut outcomes = 0;
    if x.0 < y.1 {
        outcomes |= LESS;
    }
    if x.1 > y.0 {
        outcomes |= GREATER;
    }
    if x.0 <= y.1 && y.0 <= x.1 {
        outcomes |= EQUAL;
    }
    outcomes
}
