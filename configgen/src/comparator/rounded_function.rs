//! Rounded functions: the functions of `math` that implementations round differently, with the
//! errors that row programs allow.
//!
//! AMD's instruction set manuals state 1 ULP for `v_exp_f32`, `v_log_f32` and `v_rsq_f32`. The
//! errors of `exp`, `exp2`, `log`, `log2` and `rsqrt` follow from that and from the factors that
//! change a base. The others are errors of formulas that use these instructions.

use super::opcode::Opcode;

/// The distance from 1 to the next f32, and the largest relative distance of neighbours.
const ULP: f64 = 1.0 / 8_388_608.0;

/// The largest argument of `sin` and `cos` with a bound.
pub(crate) const MAX_ANGLE: f64 = 131_072.0;

/// A function with an error.
#[derive(Debug, Clone, Copy)]
pub struct RoundedFunction {
    /// The operation.
    pub opcode: Opcode,
    /// The exact function, as closely as an f64 has it.
    pub value: fn(f64) -> f64,
    /// True if the function never decreases.
    pub rises: bool,
    /// Returns the largest error in f32 at `x`, for the exact value `y`.
    pub error: fn(x: f64, y: f64) -> f64,
}

/// The rounded functions that are operations.
const ROUNDED: [RoundedFunction; 11] = {
    use Opcode::{Cos, Erf, Exp, Exp2, Expm1, Log, Log1p, Log2, Rsqrt, Sin, Tanh};
    type RealFunction = fn(f64) -> f64;
    type ErrorBound = fn(f64, f64) -> f64;
    const fn function(
        opcode: Opcode,
        value: RealFunction,
        rises: bool,
        error: ErrorBound,
    ) -> RoundedFunction {
        RoundedFunction {
            opcode,
            value,
            rises,
            error,
        }
    }
    [
        // The factor log2(e) and the product with it are rounded: errors of 2^-24 and a quarter of
        // that, which the power multiplies by |x|.
        function(Exp, f64::exp, true, |x, y| (x.abs() + 2.0) * ULP * y),
        function(Exp2, f64::exp2, true, |_, y| 2.0 * ULP * y),
        function(Expm1, f64::exp_m1, true, |x, y| {
            (x.max(0.0) + 4.0) * ULP * y.abs()
        }),
        // For results near 0, the error is absolute: 1 ULP of numbers near 1.
        function(Log, f64::ln, true, |_, y| 2.0 * ULP * y.abs() + ULP),
        function(Log2, f64::log2, true, |_, y| ULP * y.abs() + ULP),
        function(Log1p, f64::ln_1p, true, |_, y| 4.0 * ULP * y.abs()),
        function(Rsqrt, |x| x.sqrt().recip(), false, |_, y| ULP * y),
        function(Tanh, f64::tanh, true, |_, y| 3.0 * ULP * y.abs()),
        function(Erf, libm::erf, true, |_, y| 3.0 * ULP * y.abs()),
        // Beyond the largest angle, a kernel reduces the angle with an error. Only the range of
        // the function is certain.
        function(Sin, f64::sin, false, angular),
        function(Cos, f64::cos, false, angular),
    ]
};

fn angular(x: f64, _: f64) -> f64 {
    match x.abs() <= MAX_ANGLE {
        true => 2.0 * ULP,
        false => 2.0,
    }
}

impl Opcode {
    /// Returns the function and its errors, or `None` if the operation is exact.
    pub fn rounded(self) -> Option<&'static RoundedFunction> {
        ROUNDED.iter().find(|it| it.opcode == self)
    }
}
