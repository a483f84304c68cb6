//! The result of each operation, to the last bit.
//!
//! Every operation has a defined result for all operands, so a kernel is never undefined.
//! Evaluation, constant folding and the code generators follow these rules. The first five define
//! cases that MLIR leaves open:
//!
//! 1. Integers wrap around. A shift by at least the type's bits gives 0, and `shrsi` gives the
//!    sign in every bit. Shift amounts are unsigned. Flags (`overflow<…>`, `exact`, `nneg`)
//!    promise nothing, and the parser drops them.
//! 2. Division by zero gives all ones (−1) as quotient in every rounding, and the dividend as
//!    remainder. The smallest integer divided by −1 is itself, with remainder 0. (These are the
//!    rules of RISC-V.) `absi` of the smallest integer is itself. `ctlz` and `cttz` of zero count
//!    all bits.
//! 3. `fptosi` and `fptoui` round towards zero and saturate; a NaN gives 0. (LLVM's
//!    `llvm.fptosi.sat`.)
//! 4. `maxnumf` and `minnumf` ignore a NaN operand, signalling or not. `maximumf` and `minimumf`
//!    return NaN if an operand is NaN. For all four, −0 is less than +0. (IEEE 754-2019's
//!    maximumNumber and maximum.)
//! 5. A NaN that an operation *computes* is the canonical one ([`ScalarType::canonical_nan`]).
//!    `negf`, `absf` and `copysign` compute nothing; they change the sign, of a NaN too.
//!    `bitcast` and `select` pass every bit. Only `bitcast` and the sign of `copysign` can
//!    therefore observe a NaN's bits, and only there must generators preserve them.
//! 6. On f16, bf16 and the 8-bit floats, every operation extends to f32, computes there, and
//!    rounds to nearest even. Except for `fma`, that is the exactly rounded result if f32 does
//!    not underflow. f16's `fma` computes in f64 and is exactly rounded. An overflow becomes
//!    infinity, or NaN in types without infinity.
//! 7. `truncf` rounds once, to nearest even; from f64 to an 8-bit float it rounds to f32 first.
//!    `sitofp` and `uitofp` to a type of 8 or 16 bits round to f32 first.
//! 8. In the FNUZ types, which have one zero and one NaN, the sign operations keep these two. As
//!    `copysign`'s sign the NaN is negative, because its sign bit is set.

use super::opcode::Opcode;
use super::predicate::{EQUAL, GREATER, LESS, UNORDERED};
use super::region::{Region, Value};
use super::scalar::ScalarType;

/// Returns the values with a NaN that must be canonical, because something reads its bits.
///
/// An operation computes such a value, and it reaches a `bitcast` or the sign of a `copysign`
/// through operations that compute nothing (rule 5). Most comparators have none, and generators
/// may then keep the hardware's NaN.
pub fn seen_nans(region: &Region) -> Vec<Value> {
    reaching(region, vec![false; region.values()])
}

/// Returns the same values, if the bits of the result are also read.
pub fn seen_nans_of_result(region: &Region) -> Vec<Value> {
    let mut seen = vec![false; region.values()];
    seen[region.result().index()] = true;
    reaching(region, seen)
}

/// Returns the computed values that reach an observed one.
fn reaching(region: &Region, mut seen: Vec<bool>) -> Vec<Value> {
    use Opcode::*;
    let mut seen_nans = Vec::new();
    let definitions: Vec<_> = region.definitions().collect();
    for (value, operation) in definitions.into_iter().rev() {
        let operands = &operation.operands;
        let is_seen = seen[value.index()];
        match operation.opcode {
            Bitcast => seen[operands[0].index()] = true,
            Negf | Absf => seen[operands[0].index()] |= is_seen,
            Copysign => {
                seen[operands[0].index()] |= is_seen;
                seen[operands[1].index()] = true;
            }
            Select => {
                seen[operands[1].index()] |= is_seen;
                seen[operands[2].index()] |= is_seen;
            }
            Constant(_) => {}
            _ if is_seen && operation.result.is_float() => seen_nans.push(value),
            _ => {}
        }
    }
    seen_nans.reverse();
    seen_nans
}

/// Returns the bits of an operation's result.
///
/// `from` is the type of its operands (any for `select`), and `to` that of its result. Entries of
/// `operands` beyond the operation's arity may be anything.
#[inline]
pub(crate) fn apply(opcode: Opcode, from: ScalarType, to: ScalarType, operands: [u64; 3]) -> u64 {
    use Opcode::*;
    let [x, y, z] = operands;
    match opcode {
        Constant(bits) => bits,
        Cmpf(predicate) => u64::from(predicate.outcomes() & compare_floats(from, x, y) != 0),
        Cmpi(predicate) => {
            let outcome = match predicate.signed() == Some(true) {
                true => outcome(from.signed(x).cmp(&from.signed(y))),
                false => outcome(x.cmp(&y)),
            };
            u64::from(predicate.outcomes() & outcome != 0)
        }
        Select => match x {
            0 => z,
            _ => y,
        },
        Addf => arithmetic(to, x, y, |x, y| x + y, |x, y| x + y),
        Subf => arithmetic(to, x, y, |x, y| x - y, |x, y| x - y),
        Mulf => arithmetic(to, x, y, |x, y| x * y, |x, y| x * y),
        Divf => arithmetic(to, x, y, |x, y| x / y, |x, y| x / y),
        // The remainder of a truncated division has the sign of x. It is exact, also in a
        // narrower type.
        Remf => arithmetic(to, x, y, |x, y| x % y, |x, y| x % y),
        Sqrt => arithmetic(to, x, 0, |x, _| x.sqrt(), |x, _| x.sqrt()),
        // One value near the exact one; kernels do not promise these bits.
        Exp | Exp2 | Expm1 | Log | Log2 | Log1p | Rsqrt | Tanh | Erf | Sin | Cos => {
            let value = |x: f64| opcode.rounded().map_or(f64::NAN, |it| (it.value)(x));
            let (single, double) = (|x: f32, _| value(x.into()) as f32, |x, _| value(x));
            arithmetic(to, x, 0, single, double)
        }
        // Every type represents the neighbouring integers of its numbers, so only the sign of a
        // zero needs care.
        Floor => arithmetic(to, x, 0, |x, _| x.floor(), |x, _| x.floor()),
        Ceil => arithmetic(to, x, 0, |x, _| x.ceil(), |x, _| x.ceil()),
        Trunc => arithmetic(to, x, 0, |x, _| x.trunc(), |x, _| x.trunc()),
        Round => arithmetic(to, x, 0, |x, _| x.round(), |x, _| x.round()),
        Roundeven => {
            let (single, double) = (f32::round_ties_even, f64::round_ties_even);
            arithmetic(to, x, 0, |x, _| single(x), |x, _| double(x))
        }
        Fma => fused(to, x, y, z),
        Maximumf | Minimumf if to.is_nan(x) || to.is_nan(y) => to.canonical_nan(),
        Maxnumf | Minnumf if to.is_nan(x) && to.is_nan(y) => to.canonical_nan(),
        Maxnumf | Minnumf if to.is_nan(x) => y,
        Maxnumf | Minnumf if to.is_nan(y) => x,
        Maximumf | Maxnumf => match compare_floats(to, x, y) {
            // Two zeros of different sign are the only equal values with different bits.
            EQUAL => x & y,
            LESS => y,
            _ => x,
        },
        Minimumf | Minnumf => match compare_floats(to, x, y) {
            EQUAL => x | y,
            LESS => x,
            _ => y,
        },
        Negf => with_sign(to, x, x & to.sign_bit() == 0),
        Absf => with_sign(to, x, false),
        Copysign => with_sign(to, x, is_negative(to, y)),
        Extf | Truncf => convert(from, to, x),
        Sitofp => from_integer(to, from.signed(x) as f32, from.signed(x) as f64),
        Uitofp => from_integer(to, x as f32, x as f64),
        Fptosi => {
            // A magnitude beyond the target's range saturates after the conversion to 64 bits.
            let limit = (to.mask() >> 1) as i64;
            // `as` saturates at 64 bits and turns a NaN into 0.
            (from.to_f64(x) as i64).clamp(-limit - 1, limit) as u64 & to.mask()
        }
        Fptoui => (from.to_f64(x) as u64).min(to.mask()),
        Extui | Bitcast => x,
        Extsi => from.signed(x) as u64 & to.mask(),
        Trunci => x & to.mask(),
        _ => integer(opcode, to, x, y) & to.mask(),
    }
}

/// Returns the result of an integer operation; the caller wraps it to `ty`.
#[inline]
fn integer(opcode: Opcode, ty: ScalarType, x: u64, y: u64) -> u64 {
    use Opcode::*;
    let (sx, sy) = (ty.signed(x), ty.signed(y));
    let in_range = y < u64::from(ty.bits());
    match opcode {
        Addi => x.wrapping_add(y),
        Subi => x.wrapping_sub(y),
        Muli => x.wrapping_mul(y),
        Divui => x.checked_div(y).unwrap_or(u64::MAX),
        Remui => x.checked_rem(y).unwrap_or(x),
        Divsi | Ceildivsi | Floordivsi | Ceildivui if y == 0 => u64::MAX,
        Divsi => sx.wrapping_div(sy) as u64,
        // `div_ceil` avoids the overflow of `(x + y - 1) / y`.
        Ceildivui => x.div_ceil(y),
        // A remainder has the dividend's sign. The quotient was rounded up if the divisor has the
        // other sign.
        Ceildivsi | Floordivsi => {
            let (quotient, remainder) = (sx.wrapping_div(sy), sx.wrapping_rem(sy));
            let is_up = (remainder < 0) != (sy < 0);
            let by = match (opcode, is_up) {
                _ if remainder == 0 => 0,
                (Ceildivsi, false) => 1,
                (Floordivsi, true) => -1,
                _ => 0,
            };
            quotient.wrapping_add(by) as u64
        }
        Ctpop => u64::from(x.count_ones()),
        Ctlz => u64::from(x.leading_zeros()) - u64::from(64 - ty.bits()),
        Cttz => u64::from(x.trailing_zeros().min(ty.bits())),
        Remsi if y == 0 => x,
        Remsi => sx.wrapping_rem(sy) as u64,
        Maxsi => sx.max(sy) as u64,
        Minsi => sx.min(sy) as u64,
        Maxui => x.max(y),
        Minui => x.min(y),
        Andi => x & y,
        Ori => x | y,
        Xori => x ^ y,
        Shli if in_range => x << y,
        Shrui if in_range => x >> y,
        Shrsi => (sx >> y.min(63)) as u64,
        Absi => sx.unsigned_abs(),
        // Shifts out of range.
        _ => 0,
    }
}

fn outcome(order: std::cmp::Ordering) -> u8 {
    match order {
        std::cmp::Ordering::Equal => EQUAL,
        std::cmp::Ordering::Greater => GREATER,
        std::cmp::Ordering::Less => LESS,
    }
}

#[inline]
fn compare_floats(ty: ScalarType, x: u64, y: u64) -> u8 {
    let order = match ty {
        ScalarType::F32 => f32::from_bits(x as u32).partial_cmp(&f32::from_bits(y as u32)),
        _ => ty.to_f64(x).partial_cmp(&ty.to_f64(y)),
    };
    order.map_or(UNORDERED, outcome)
}

/// Computes an operation of two operands: in f64 for f64, and in f32 for everything else.
#[inline]
fn arithmetic(
    ty: ScalarType,
    x: u64,
    y: u64,
    single: impl Fn(f32, f32) -> f32,
    double: impl Fn(f64, f64) -> f64,
) -> u64 {
    let (x, y) = (ty.to_f64(x), ty.to_f64(y));
    match ty {
        ScalarType::F64 => ty.round(double(x, y)),
        _ => ty.round(f64::from(single(x as f32, y as f32))),
    }
}

fn fused(ty: ScalarType, x: u64, y: u64, z: u64) -> u64 {
    let (x, y, z) = (ty.to_f64(x), ty.to_f64(y), ty.to_f64(z));
    ty.round(match ty {
        ScalarType::F64 => x.mul_add(y, z),
        // The product is exact in f64. The sum loses less there than can decide f16's rounding.
        ScalarType::F16 => x * y + z,
        _ => f64::from((x as f32).mul_add(y as f32, z as f32)),
    })
}

/// Returns whether the sign of a float is negative, also of a NaN. An FNUZ type's NaN is
/// negative.
pub(super) fn is_negative(ty: ScalarType, bits: u64) -> bool {
    bits & ty.sign_bit() != 0
}

fn with_sign(ty: ScalarType, bits: u64, negative: bool) -> u64 {
    let magnitude = bits & !ty.sign_bit();
    match negative {
        // An FNUZ type's NaN and zero are its two values without magnitude, and they have no
        // sign.
        _ if magnitude == 0 && !ty.has_negative_zero() => bits,
        true => magnitude | ty.sign_bit(),
        false => magnitude,
    }
}

fn convert(from: ScalarType, to: ScalarType, bits: u64) -> u64 {
    let value = from.to_f64(bits);
    // Rule 7: this conversion rounds twice.
    match from == ScalarType::F64 && to.bits() == 8 {
        true => to.round(f64::from(value as f32)),
        false => to.round(value),
    }
}

/// Returns an integer, given as the nearest f32 and the nearest f64, as a float.
fn from_integer(to: ScalarType, single: f32, double: f64) -> u64 {
    match to {
        ScalarType::F64 => to.round(double),
        _ => to.round(f64::from(single)),
    }
}
