//! The numbers in which a product is computed, and the elements in registers.

use super::layout::MatrixPlace;
use super::{MatrixElement, MatrixOperation};
use crate::operation::float::f32_bits;
use crate::operation::{Lanes, bfloat, float6, float8, half};

/// A number of a product's sums.
pub(super) trait MatrixNumber: Copy {
    const ZERO: Self;
    /// True if sums start at 0, and C joins them at the end.
    const ADDS_LAST: bool;

    /// Returns `a * b + sum`.
    fn multiply_add(a: Self, b: Self, sum: Self) -> Self;

    /// Returns the consecutive elements at a place.
    fn read<const N: usize>(
        element: ElementForm,
        registers: &[Lanes],
        place: MatrixPlace,
    ) -> [Self; N];

    /// Writes consecutive elements to a place.
    fn write<const N: usize>(
        element: ElementForm,
        registers: &mut [Lanes],
        place: MatrixPlace,
        values: &[Self; N],
    );

    /// Returns a sum with C, which joins it at the end.
    fn add_last(sum: Self, c: Self, clamp: bool) -> Self;

    fn negate(self) -> Self;

    fn magnitude(self) -> Self;

    /// Returns the product with a power of two, as its exponent with a bias of 127. Only products
    /// of floats of 4 to 8 bits have factors.
    #[inline(always)]
    fn scale(self, _exponent: u32) -> Self {
        self
    }
}

/// The type of an element, with the modifiers that change its meaning.
#[derive(Clone, Copy)]
pub(super) struct ElementForm {
    pub(super) element: MatrixElement,
    /// True if denormals are flushed.
    pub(super) flushes: bool,
    /// True for a signed integer, if a modifier decides.
    pub(super) signed: bool,
}

impl ElementForm {
    /// Returns the form of C and D.
    pub(super) fn of_result(operation: &MatrixOperation) -> ElementForm {
        let half =
            |element: &MatrixElement| matches!(element, MatrixElement::F16 | MatrixElement::Bf16);
        ElementForm {
            element: operation.shape.to,
            // gfx90a keeps the denormals of products of singles.
            flushes: operation.flushes && half(&operation.shape.from[0]),
            // C and D of integers have 32 bits, so no modifier decides their sign.
            signed: true,
        }
    }
}

/// Returns consecutive lanes of a register.
#[inline(always)]
fn words<const N: usize>(registers: &[Lanes], place: MatrixPlace) -> [u32; N] {
    let lanes = &registers[place.register as usize].0;
    let first = place.lane as usize;
    let mut words = [0; N];
    // One check of the bounds serves the whole run of lanes.
    words.copy_from_slice(&lanes[first..first + N]);
    words
}

/// Returns consecutive elements of 6 bits, which may span two registers.
#[inline(always)]
fn six_bits<const N: usize>(registers: &[Lanes], place: MatrixPlace) -> [u32; N] {
    const MASK: u32 = 0x3f;
    let low = words::<N>(registers, place);
    if place.bit <= 32 - 6 {
        return low.map(|word| (word >> place.bit) & MASK);
    }
    let high = words::<N>(registers, place.next());
    std::array::from_fn(|index| {
        ((low[index] >> place.bit) | (high[index] << (32 - place.bit))) & MASK
    })
}

/// Writes `values` to the bits in `mask` of consecutive lanes.
#[inline(always)]
fn put<const N: usize>(
    registers: &mut [Lanes],
    place: MatrixPlace,
    mask: u32,
    value: impl Fn(usize) -> u32,
) {
    let first = place.lane as usize;
    let lanes = &mut registers[place.register as usize].0[first..first + N];
    // A result of 16 bits may be in the upper half of its register.
    let mask = mask << place.bit;
    for (index, lane) in lanes.iter_mut().enumerate() {
        *lane = (*lane & !mask) | (value(index) << place.bit);
    }
}

/// Returns the nearest number with 10 bits of fraction, ties to even.
#[inline(always)]
fn to_xf32(a: u32) -> u32 {
    // A single has 23 bits of fraction, and xf32 has 10.
    const BITS: u32 = 13;
    // This addition may wrap for a NaN; the branch below then discards it.
    let rounded = a.wrapping_add((1 << (BITS - 1)) - 1 + ((a >> BITS) & 1)) & !((1 << BITS) - 1);
    if f32_bits::is_nan(a) {
        a | f32_bits::QUIET
    } else {
        rounded
    }
}

impl MatrixNumber for f32 {
    const ZERO: f32 = 0.0;
    const ADDS_LAST: bool = false;

    #[inline(always)]
    fn multiply_add(a: f32, b: f32, sum: f32) -> f32 {
        // The bound of 2 K units assumes one rounding for each product.
        a.mul_add(b, sum)
    }

    #[inline(always)]
    fn read<const N: usize>(
        form: ElementForm,
        registers: &[Lanes],
        place: MatrixPlace,
    ) -> [f32; N] {
        let words = words::<N>(registers, place);
        let bit = place.bit;
        let byte = |word: u32| (word >> bit) & 0xff;
        let half_bits = |word: u32| (word >> bit) & 0xffff;
        // Each arm is a loop without branches, so that it uses the host's vectors.
        let bits: [u32; N] = match (form.element, form.flushes) {
            (MatrixElement::F16, false) => words.map(|word| half::to_single(half_bits(word))),
            (MatrixElement::F16, true) => {
                words.map(|word| half::to_single(half::flush(half_bits(word))))
            }
            // bfloat16 is the upper half of a single.
            (MatrixElement::Bf16, false) => words.map(|word| half_bits(word) << 16),
            (MatrixElement::Bf16, true) => words.map(|word| f32_bits::flush(half_bits(word) << 16)),
            (MatrixElement::Xf32, _) => words.map(to_xf32),
            (MatrixElement::Fp8, _) => words.map(|word| float8::widen(false, false, byte(word))),
            (MatrixElement::Bf8, _) => words.map(|word| float8::widen(true, false, byte(word))),
            (MatrixElement::Fp8Fnuz, _) => words.map(|word| float8::widen(false, true, byte(word))),
            (MatrixElement::Bf8Fnuz, _) => words.map(|word| float8::widen(true, true, byte(word))),
            (MatrixElement::Fp6, _) => six_bits(registers, place).map(float6::widen_fp6),
            (MatrixElement::Bf6, _) => six_bits(registers, place).map(float6::widen_bf6),
            (MatrixElement::Fp4, _) => words.map(|word| float6::widen_fp4((word >> bit) & 0xf)),
            _ => words,
        };
        bits.map(f32::from_bits)
    }

    #[inline(always)]
    fn write<const N: usize>(
        form: ElementForm,
        registers: &mut [Lanes],
        place: MatrixPlace,
        values: &[f32; N],
    ) {
        match form.element {
            // The sum is a single, so this is the only rounding to 16 bits.
            MatrixElement::F16 => put::<N>(registers, place, 0xffff, |index| {
                half::from_single(values[index].to_bits())
            }),
            MatrixElement::Bf16 => put::<N>(registers, place, 0xffff, |index| {
                bfloat::from_single(values[index].to_bits())
            }),
            // gfx90a flushes denormal sums of halves too, although they are singles.
            _ if form.flushes => put::<N>(registers, place, u32::MAX, |index| {
                f32_bits::flush(values[index].to_bits())
            }),
            _ => put::<N>(registers, place, u32::MAX, |index| values[index].to_bits()),
        }
    }

    #[inline(always)]
    fn add_last(sum: f32, _: f32, _: bool) -> f32 {
        sum
    }

    #[inline(always)]
    fn negate(self) -> f32 {
        -self
    }

    #[inline(always)]
    fn magnitude(self) -> f32 {
        self.abs()
    }

    #[inline(always)]
    fn scale(self, exponent: u32) -> f32 {
        // The format E8M0 has no zero: its first number is a denormal single, and its last is NaN.
        let factor = match exponent {
            0 => f32::MIN_POSITIVE / 2.0,
            255 => f32::NAN,
            _ => f32::from_bits(exponent << 23),
        };
        self * factor
    }
}

impl MatrixNumber for f64 {
    const ZERO: f64 = 0.0;
    const ADDS_LAST: bool = false;

    #[inline(always)]
    fn multiply_add(a: f64, b: f64, sum: f64) -> f64 {
        a.mul_add(b, sum)
    }

    #[inline(always)]
    fn read<const N: usize>(_: ElementForm, registers: &[Lanes], place: MatrixPlace) -> [f64; N] {
        // A double is in two registers, with its low word in the first.
        let low = words::<N>(registers, place);
        let high = words::<N>(registers, place.next());
        std::array::from_fn(|index| {
            f64::from_bits(u64::from(low[index]) | (u64::from(high[index]) << 32))
        })
    }

    #[inline(always)]
    fn write<const N: usize>(
        _: ElementForm,
        registers: &mut [Lanes],
        place: MatrixPlace,
        values: &[f64; N],
    ) {
        put::<N>(registers, place, u32::MAX, |index| {
            values[index].to_bits() as u32
        });
        put::<N>(registers, place.next(), u32::MAX, |index| {
            (values[index].to_bits() >> 32) as u32
        });
    }

    #[inline(always)]
    fn add_last(sum: f64, _: f64, _: bool) -> f64 {
        sum
    }

    #[inline(always)]
    fn negate(self) -> f64 {
        -self
    }

    #[inline(always)]
    fn magnitude(self) -> f64 {
        self.abs()
    }
}

impl MatrixNumber for i32 {
    const ZERO: i32 = 0;
    // A product saturates once, as the whole sum with C.
    const ADDS_LAST: bool = true;

    #[inline(always)]
    fn multiply_add(a: i32, b: i32, sum: i32) -> i32 {
        // No sum of bytes' products leaves 32 bits before C joins it.
        sum.wrapping_add(a.wrapping_mul(b))
    }

    #[inline(always)]
    fn read<const N: usize>(
        form: ElementForm,
        registers: &[Lanes],
        place: MatrixPlace,
    ) -> [i32; N] {
        let words = words::<N>(registers, place);
        let bits = form.element.bits();
        // gfx9 has no modifier for the sign of bytes: I8 is always signed.
        let signed = form.signed || form.element == MatrixElement::I8;
        // The element moves to the top of the word, and back with copies of its sign or zeros.
        let (up, down) = (32 - bits - place.bit, 32 - bits);
        if signed {
            words.map(|word| ((word << up) as i32) >> down)
        } else {
            words.map(|word| ((word << up) >> down) as i32)
        }
    }

    #[inline(always)]
    fn write<const N: usize>(
        _: ElementForm,
        registers: &mut [Lanes],
        place: MatrixPlace,
        values: &[i32; N],
    ) {
        put::<N>(registers, place, u32::MAX, |index| values[index] as u32);
    }

    #[inline(always)]
    fn add_last(sum: i32, c: i32, clamp: bool) -> i32 {
        if clamp {
            sum.saturating_add(c)
        } else {
            sum.wrapping_add(c)
        }
    }

    // No instruction negates an integer: the bits mark signed sources.
    #[inline(always)]
    fn negate(self) -> i32 {
        self
    }

    #[inline(always)]
    fn magnitude(self) -> i32 {
        self
    }
}
