//! Ranges of integers.

use super::super::super::opcode::Opcode;
use super::super::super::scalar::ScalarType;
use super::super::super::semantics::apply;
use super::Range;

/// Returns the first and the last number of a range, read as unsigned.
pub(super) fn unsigned(ty: ScalarType, range: Range) -> (i128, i128) {
    let (first, last) = range.numbers.unwrap_or((0, ty.mask()));
    (i128::from(first), i128::from(last))
}

/// Returns the same as signed; all numbers if the range has both signs.
pub(super) fn signed(ty: ScalarType, range: Range) -> (i128, i128) {
    let (first, last) = range.numbers.unwrap_or((0, ty.mask()));
    // A range with both signs wraps around in signed order.
    let (first, last) = match (first ^ last) & ty.sign_bit() {
        0 => (first, last),
        _ => (ty.sign_bit(), ty.sign_bit() - 1),
    };
    (i128::from(ty.signed(first)), i128::from(ty.signed(last)))
}

/// Returns the numbers from one to another, wrapped to the type.
///
/// They are a range only if both wrap equally often.
fn wrapped(ty: ScalarType, (first, last): (i128, i128)) -> Range {
    let bits = ty.bits();
    match first >> bits == last >> bits {
        true => Range::between(first as u64 & ty.mask(), last as u64 & ty.mask()),
        false => Range::any(ty),
    }
}

/// Returns the range of a function with its extremes at the extremes of its operands.
fn corners(x: (i128, i128), y: (i128, i128), f: impl Fn(i128, i128) -> i128) -> (i128, i128) {
    let all = [f(x.0, y.0), f(x.0, y.1), f(x.1, y.0), f(x.1, y.1)];
    let first = all.into_iter().min().unwrap_or(0);
    (first, all.into_iter().max().unwrap_or(0))
}

/// Returns the range of an integer operation.
pub(super) fn of(opcode: Opcode, from: ScalarType, to: ScalarType, x: Range, y: Range) -> Range {
    use Opcode::*;
    let (ux, uy) = (unsigned(from, x), unsigned(from, y));
    let (sx, sy) = (signed(from, x), signed(from, y));
    match opcode {
        Addi => wrapped(to, (ux.0 + uy.0, ux.1 + uy.1)),
        Subi => wrapped(to, (ux.0 - uy.1, ux.1 - uy.0)),
        Muli => {
            // Both readings give the same bits; the one that does not wrap is more precise.
            match ux.1.checked_mul(uy.1) {
                Some(last) if last <= i128::from(to.mask()) => wrapped(to, (ux.0 * uy.0, last)),
                _ => wrapped(to, corners(sx, sy, |x, y| x * y)),
            }
        }
        // A divisor that can be 0 gives all ones, which breaks monotonicity.
        Divui if uy.0 > 0 => wrapped(to, corners(ux, uy, |x, y| x / y)),
        Divsi if sy.0 > 0 => wrapped(to, corners(sx, sy, |x, y| x / y)),
        Ceildivui if uy.0 > 0 => wrapped(to, corners(ux, uy, |x, y| -(-x).div_euclid(y))),
        Ceildivsi if sy.0 > 0 => wrapped(to, corners(sx, sy, |x, y| -(-x).div_euclid(y))),
        Floordivsi if sy.0 > 0 => wrapped(to, corners(sx, sy, i128::div_euclid)),
        Remui if uy.0 > ux.1 => x,
        Remui if uy.0 > 0 => wrapped(to, (0, uy.1 - 1)),
        Maxsi => wrapped(to, (sx.0.max(sy.0), sx.1.max(sy.1))),
        Minsi => wrapped(to, (sx.0.min(sy.0), sx.1.min(sy.1))),
        Maxui => wrapped(to, (ux.0.max(uy.0), ux.1.max(uy.1))),
        Minui => wrapped(to, (ux.0.min(uy.0), ux.1.min(uy.1))),
        Andi | Ori | Xori => bitwise(opcode, to, x, y),
        // Only a shift by a known number of bits is monotonic.
        Shli | Shrui | Shrsi => match uy.0 == uy.1 {
            true => shifted(opcode, to, (ux, sx), uy.0),
            false => Range::any(to),
        },
        Absi if sx.0 >= 0 => x,
        Absi if sx.1 <= 0 => wrapped(to, (-sx.1, -sx.0)),
        Absi => wrapped(to, (0, sx.1.max(-sx.0))),
        Ctpop | Cttz => Range::between(0, u64::from(from.bits()).min(to.mask())),
        // More leading zeros mean a smaller number, so the ends swap.
        Ctlz => {
            let zeros = |x: i128| apply(Ctlz, from, to, [x as u64, 0, 0]);
            Range::between(zeros(ux.1), zeros(ux.0))
        }
        Extui => wrapped(to, ux),
        Extsi => wrapped(to, sx),
        Trunci => wrapped(to, ux),
        _ => Range::any(to),
    }
}

/// Returns the range of a bitwise operation, from the bits that all numbers of a range share.
///
/// Those are the bits above the highest one in which its ends differ.
fn bitwise(opcode: Opcode, ty: ScalarType, x: Range, y: Range) -> Range {
    let known = |range: Range| {
        let (first, last) = range.numbers.unwrap_or((0, ty.mask()));
        let open = match first ^ last {
            0 => 0,
            differ => u64::MAX >> differ.leading_zeros(),
        };
        (first & !open, open)
    };
    let ((x, x_open), (y, y_open)) = (known(x), known(y));
    // A bit of the result is open if a deciding bit is.
    let (least, greatest) = match opcode {
        Opcode::Andi => (x & y, (x | x_open) & (y | y_open)),
        Opcode::Ori => (x | y, x | x_open | y | y_open),
        _ => {
            let open = x_open | y_open;
            ((x ^ y) & !open, (x ^ y) | open)
        }
    };
    Range::between(least & ty.mask(), greatest & ty.mask())
}

fn shifted(
    opcode: Opcode,
    ty: ScalarType,
    (unsigned, signed): ((i128, i128), (i128, i128)),
    by: i128,
) -> Range {
    let shift = |bits: i128| {
        let operands = [bits as u64 & ty.mask(), by as u64, 0];
        i128::from(apply(opcode, ty, ty, operands))
    };
    match opcode {
        Opcode::Shli if by < i128::from(ty.bits()) => {
            wrapped(ty, (unsigned.0 << by, unsigned.1 << by))
        }
        Opcode::Shrsi => {
            let read = |bits: i128| i128::from(ty.signed(bits as u64));
            wrapped(ty, (read(shift(signed.0)), read(shift(signed.1))))
        }
        _ => Range::between(shift(unsigned.0) as u64, shift(unsigned.1) as u64),
    }
}
