//! Ranges of floats, and of conversions to and from them.
//!
//! An operation that is monotonic in each operand has its extreme results at the extremes of its
//! operands, rounding included. The operation itself computes them.

use super::super::super::opcode::Opcode;
use super::super::super::scalar::ScalarType;
use super::super::super::semantics::apply;
use super::{Range, at, higher, integer, lower, place};

/// Returns the range of an operation; `is_same` if its first two operands are one value.
pub(super) fn of(
    opcode: Opcode,
    from: ScalarType,
    to: ScalarType,
    operands: &[Range],
    is_same: bool,
) -> Range {
    use Opcode::*;
    let (x, y) = (operands[0], operands.get(1).copied().unwrap_or(Range::NAN));
    match opcode {
        // A square is never negative, which a product of two ranges would allow.
        Mulf if is_same => square(to, x),
        Mulf | Fma if meet(to, x, y) || meet(to, y, x) => Range::any(to),
        // A division by zero jumps from one infinity to the other.
        Divf if has_zero(to, y) => Range::any(to),
        Sqrt => root(to, x),
        Absf => absolute(to, x),
        Negf => negated(to, x),
        Addf | Subf | Mulf | Divf | Fma | Maximumf | Minimumf => {
            corners(opcode, from, to, operands)
        }
        Maxnumf | Minnumf => numbers(opcode, to, x, y),
        Extf | Truncf | Floor | Ceil | Trunc | Round | Roundeven => {
            corners(opcode, from, to, operands)
        }
        Sitofp => {
            let ends = integer::signed(from, x);
            corners(opcode, from, to, &[unwrapped(from, ends)])
        }
        Uitofp => corners(opcode, from, to, operands),
        Fptosi | Fptoui => rounded(opcode, from, to, x),
        Bitcast => cast(from, to, x),
        _ => Range::any(to),
    }
}

/// Returns integers between two, in signed order; only the ends are used.
fn unwrapped(ty: ScalarType, (first, last): (i128, i128)) -> Range {
    Range::between(first as u64 & ty.mask(), last as u64 & ty.mask())
}

/// Returns whether x can be zero and y infinite, with NaN as their product.
fn meet(ty: ScalarType, x: Range, y: Range) -> bool {
    let is_infinite = |bits: u64| ty.has_infinity() && bits & !ty.sign_bit() == ty.greatest();
    let infinite = (y.numbers).is_some_and(|(first, last)| is_infinite(first) || is_infinite(last));
    infinite && has_zero(ty, x)
}

fn has_zero(ty: ScalarType, range: Range) -> bool {
    range.numbers.is_some_and(|(first, last)| {
        place(ty, first) <= 0 && place(ty, last) >= if ty.has_negative_zero() { -1 } else { 0 }
    })
}

/// Extends a range so that a zero at an end has both signs.
fn with_both_zeros(ty: ScalarType, range: Range) -> Range {
    let Some((first, last)) = range.numbers.filter(|_| ty.has_negative_zero()) else {
        return range;
    };
    let first = if first == 0 { ty.sign_bit() } else { first };
    let last = if last == ty.sign_bit() { 0 } else { last };
    Range {
        numbers: Some((first, last)),
        ..range
    }
}

/// Returns the range of an operation that is monotonic in each operand and passes NaN on.
fn corners(opcode: Opcode, from: ScalarType, to: ScalarType, operands: &[Range]) -> Range {
    let nan = operands.iter().any(|operand| operand.nan);
    let mut ends = vec![[0u64; 3]];
    for (number, operand) in operands.iter().enumerate() {
        // A NaN operand alone makes every result NaN.
        let Some((first, last)) = operand.numbers else {
            return Range::NAN;
        };
        let with = |bits: u64| {
            ends.iter().map(move |end| {
                let mut end = *end;
                end[number] = bits;
                end
            })
        };
        ends = with(first).chain(with(last)).collect();
    }
    let results: Vec<u64> = ends
        .into_iter()
        .map(|end| apply(opcode, from, to, end))
        .collect();
    // A NaN at a corner, such as inf - inf, can occur in between too.
    if results.iter().any(|&bits| to.is_nan(bits)) {
        return Range::any(to);
    }
    let first = results.iter().copied().reduce(|x, y| lower(to, x, y));
    let last = results.iter().copied().reduce(|x, y| higher(to, x, y));
    let range = Range {
        numbers: first.zip(last),
        nan,
    };
    with_both_zeros(to, range)
}

fn square(ty: ScalarType, x: Range) -> Range {
    let magnitudes = absolute(ty, x);
    let Some((first, last)) = magnitudes.numbers else {
        return Range::NAN;
    };
    let squares = [first, last].map(|bits| apply(Opcode::Mulf, ty, ty, [bits, bits, 0]));
    match squares.iter().any(|&bits| ty.is_nan(bits)) {
        true => Range::any(ty),
        false => Range {
            numbers: Some((squares[0], squares[1])),
            nan: x.nan,
        },
    }
}

fn root(ty: ScalarType, x: Range) -> Range {
    let zero = place(ty, 0) - i128::from(ty.has_negative_zero());
    // The root of -0 is -0.
    let Some((first, last)) = x.numbers.filter(|numbers| place(ty, numbers.1) >= zero) else {
        return Range::NAN;
    };
    let is_below_zero = place(ty, first) < zero;
    let first = if is_below_zero { at(ty, zero) } else { first };
    let roots = [first, last].map(|bits| apply(Opcode::Sqrt, ty, ty, [bits, 0, 0]));
    Range {
        numbers: Some((roots[0], roots[1])),
        nan: x.nan || is_below_zero,
    }
}

fn absolute(ty: ScalarType, x: Range) -> Range {
    let magnitude = |bits| apply(Opcode::Absf, ty, ty, [bits, 0, 0]);
    let numbers = x.numbers.map(|(first, last)| {
        let ends = [magnitude(first), magnitude(last)];
        match (place(ty, first) < 0, place(ty, last) < 0) {
            (true, false) => (0, ends[0].max(ends[1])),
            _ => (ends[0].min(ends[1]), ends[0].max(ends[1])),
        }
    });
    Range { numbers, ..x }
}

fn negated(ty: ScalarType, x: Range) -> Range {
    let negated = |bits| apply(Opcode::Negf, ty, ty, [bits, 0, 0]);
    let numbers = x
        .numbers
        .map(|(first, last)| (negated(last), negated(first)));
    Range { numbers, ..x }
}

/// Returns the range of an operation that ignores a NaN.
fn numbers(opcode: Opcode, ty: ScalarType, x: Range, y: Range) -> Range {
    let both = match (x.numbers, y.numbers) {
        (Some(_), Some(_)) => {
            let number = |range: Range| Range {
                nan: false,
                ..range
            };
            corners(opcode, ty, ty, &[number(x), number(y)])
        }
        _ => Range {
            numbers: None,
            nan: false,
        },
    };
    let alone = |range: Range, other: Range| Range {
        numbers: range.numbers.filter(|_| other.nan),
        nan: false,
    };
    let range = both.union(alone(x, y), ty).union(alone(y, x), ty);
    Range {
        nan: x.nan && y.nan,
        ..range
    }
}

/// Returns the range of a conversion to integers, which turns a NaN into 0.
fn rounded(opcode: Opcode, from: ScalarType, to: ScalarType, x: Range) -> Range {
    let zero = Range::between(0, 0);
    let Some(numbers) = x.numbers else {
        return zero;
    };
    let (first, last) = (
        apply(opcode, from, to, [numbers.0, 0, 0]),
        apply(opcode, from, to, [numbers.1, 0, 0]),
    );
    // A saturated range may contain both signs, and signed order is not the order of bits.
    let is_whole = opcode == Opcode::Fptoui || (first ^ last) & to.sign_bit() == 0;
    match (is_whole, x.nan) {
        (true, false) => Range::between(first, last),
        (true, true) => Range::between(first, last).union(zero, to),
        (false, _) => Range::any(to),
    }
}

/// Returns the range of a bitcast. The bits of floats of one sign are in ascending or descending
/// order.
fn cast(from: ScalarType, to: ScalarType, x: Range) -> Range {
    match x.numbers {
        Some((first, last)) if from.is_float() && to.is_integer() && !x.nan => {
            match (place(from, first) < 0, place(from, last) < 0) {
                (true, true) => Range::between(last, first),
                (false, false) => Range::between(first, last),
                _ => Range::any(to),
            }
        }
        _ => Range::any(to),
    }
}
