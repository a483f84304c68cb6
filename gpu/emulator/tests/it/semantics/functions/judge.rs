//! The comparison of a result with the true value.

use super::forms::{Form, Output};

/// The operands of an item, as bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sources {
    pub(super) first: u32,
    pub(super) second: u32,
    pub(super) third: u32,
    pub(super) integer: i32,
}

/// Returns true for equal bits, or two NaN.
pub(super) fn same(one: u32, other: u32) -> bool {
    one == other || (f32::from_bits(one).is_nan() && f32::from_bits(other).is_nan())
}

/// Flushes a denormal to a zero of its sign.
fn flushed(value: f32) -> f32 {
    match value.is_subnormal() {
        true => 0f32.copysign(value),
        false => value,
    }
}

/// Returns the distance of single-precision numbers near a value; denormals do not occur.
fn unit(value: f64) -> f64 {
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    2f64.powi(exponent.max(-126) - 23)
}

impl Form {
    /// Compares the result.
    ///
    /// # Errors
    /// Returns the expected result.
    pub(super) fn judge(&self, item: Sources, found: u32) -> Result<(), String> {
        let inexact = self.function.inexact;
        let read = |(bits, sign): (u32, fn(u32) -> u32)| {
            let value = f32::from_bits(sign(bits));
            if inexact { flushed(value) } else { value }
        };
        let [one, two] = self.signs;
        let plain: fn(u32) -> u32 = |bits| bits;
        let values = [(item.first, one), (item.second, two), (item.third, plain)].map(read);
        let value = (self.function.value)(values, item.integer);
        let value = match self.output {
            Output::Plain => value,
            // NaN becomes 0, because MODE.DX10_CLAMP is set.
            Output::Clamped if value > 0.0 => value.min(1.0),
            Output::Clamped => 0.0,
            // The modifier doubles the flushed result; a zero loses its sign.
            Output::Doubled => match flushed(value as f32) {
                0.0 => 0.0,
                _ => 2.0 * value,
            },
        };
        let nearest = match inexact {
            true => flushed(value as f32),
            false => value as f32,
        };
        let found_value = f64::from(f32::from_bits(found));
        let is_near = inexact
            && nearest.is_finite()
            && nearest != 0.0
            && (found_value - value).abs() <= unit(value);
        match same(found, nearest.to_bits()) || is_near {
            true => Ok(()),
            false => Err(format!("{:#x} ({value:e})", nearest.to_bits())),
        }
    }
}
