//! Comparisons: a relation of two values, with one result bit for each lane. Negated relations
//! are the complement.

use super::float::{f32_bits, f64_bits};
use super::half;
use super::host::versions;
use super::integer::sext16;
use super::lanes::{OperationLoop, VectorOperation, WideSources, test, test_wide};
use super::{BitDependence, Lanes, Mode, Type};

/// Defines the comparisons of one type: `NAME = |a, b| truth`.
macro_rules! narrow_tests {
    ($from:ident, $second:ident, $($name:ident = |$a:ident, $b:ident| $value:expr;)*) => {$(
        pub(crate) static $name: VectorOperation = {
            #[inline(always)]
            fn lane(_: Mode, $a: u32, $b: u32) -> bool {
                $value
            }
            VectorOperation {
                to: Type::B64,
                from: &[Type::$from, Type::$second],
                body: OperationLoop::Compare(versions!(
                    fn(from: &[&Lanes; 3], mode: Mode) -> u64,
                    test(from, mode, |mode, a, b| lane(mode, a, b))
                )),
                accumulates: false,
                keeps_half: false,
                approximate: false,
                pattern: BitDependence::Any,
            }
        };
    )*};
}

macro_rules! wide_tests {
    ($from:ident, $second:ident, $($name:ident = |$a:ident, $b:ident| $value:expr;)*) => {$(
        pub(crate) static $name: VectorOperation = {
            #[inline(always)]
            fn lane(_: Mode, $a: u64, $b: u64) -> bool {
                $value
            }
            VectorOperation {
                to: Type::B64,
                from: &[Type::$from, Type::$second],
                body: OperationLoop::WideCompare(versions!(
                    fn(from: &WideSources<'_>, mode: Mode) -> u64,
                    test_wide(from, mode, |mode, a, b| lane(mode, a, b))
                )),
                accumulates: false,
                keeps_half: false,
                approximate: false,
                pattern: BitDependence::Any,
            }
        };
    )*};
}

#[inline(always)]
fn h(a: u32) -> f32 {
    f32::from_bits(half::to_single(a))
}
#[inline(always)]
fn i16_of(a: u32) -> i16 {
    sext16(a) as i16
}

narrow_tests! { F32, F32,
    // The complement of `NEVER` is the comparison that is always true.
    NEVER_F32 = |_a, _b| false;
    LT_F32 = |a, b| f32_bits::value(a) < f32_bits::value(b);
    EQ_F32 = |a, b| f32_bits::value(a) == f32_bits::value(b);
    LE_F32 = |a, b| f32_bits::value(a) <= f32_bits::value(b);
    GT_F32 = |a, b| f32_bits::value(a) > f32_bits::value(b);
    // `a != b` would be true for a NaN; this relation is false for it.
    LG_F32 = |a, b| (f32_bits::value(a) < f32_bits::value(b)) | (f32_bits::value(a) > f32_bits::value(b));
    GE_F32 = |a, b| f32_bits::value(a) >= f32_bits::value(b);
    O_F32 = |a, b| !f32_bits::is_nan(a) & !f32_bits::is_nan(b);
}
narrow_tests! { F16, F16,
    NEVER_F16 = |_a, _b| false;
    LT_F16 = |a, b| h(a) < h(b);
    EQ_F16 = |a, b| h(a) == h(b);
    LE_F16 = |a, b| h(a) <= h(b);
    GT_F16 = |a, b| h(a) > h(b);
    LG_F16 = |a, b| (h(a) < h(b)) | (h(a) > h(b));
    GE_F16 = |a, b| h(a) >= h(b);
    O_F16 = |a, b| !half::is_nan(a & 0xffff) & !half::is_nan(b & 0xffff);
}
wide_tests! { F64, F64,
    NEVER_F64 = |_a, _b| false;
    LT_F64 = |a, b| f64_bits::value(a) < f64_bits::value(b);
    EQ_F64 = |a, b| f64_bits::value(a) == f64_bits::value(b);
    LE_F64 = |a, b| f64_bits::value(a) <= f64_bits::value(b);
    GT_F64 = |a, b| f64_bits::value(a) > f64_bits::value(b);
    LG_F64 = |a, b| (f64_bits::value(a) < f64_bits::value(b)) | (f64_bits::value(a) > f64_bits::value(b));
    GE_F64 = |a, b| f64_bits::value(a) >= f64_bits::value(b);
    O_F64 = |a, b| !f64_bits::is_nan(a) & !f64_bits::is_nan(b);
}
narrow_tests! { B16, B16,
    NEVER_B16 = |_a, _b| false;
    EQ_B16 = |a, b| (a ^ b) & 0xffff == 0;
    LT_I16 = |a, b| i16_of(a) < i16_of(b);
    LE_I16 = |a, b| i16_of(a) <= i16_of(b);
    LT_U16 = |a, b| (a & 0xffff) < (b & 0xffff);
    LE_U16 = |a, b| (a & 0xffff) <= (b & 0xffff);
}
narrow_tests! { B32, B32,
    NEVER_B32 = |_a, _b| false;
    EQ_B32 = |a, b| a == b;
    LT_I32 = |a, b| (a as i32) < (b as i32);
    LE_I32 = |a, b| (a as i32) <= (b as i32);
    LT_U32 = |a, b| a < b;
    LE_U32 = |a, b| a <= b;
}
wide_tests! { B64, B64,
    NEVER_U64 = |_a, _b| false;
    EQ_U64 = |a, b| a == b;
    LT_U64 = |a, b| a < b;
    LE_U64 = |a, b| a <= b;
}
wide_tests! { I64, I64,
    NEVER_I64 = |_a, _b| false;
    EQ_I64 = |a, b| a == b;
    LT_I64 = |a, b| (a as i64) < (b as i64);
    LE_I64 = |a, b| (a as i64) <= (b as i64);
}
narrow_tests! { M32, B32, CLASS_F32 = |a, b| f32_bits::class(a, b); }
narrow_tests! { F16, B16, CLASS_F16_B16 = |a, b| half::class(a, b); }
narrow_tests! { F16, B32, CLASS_F16 = |a, b| half::class(a, b); }
wide_tests! { F64, B32, CLASS_F64 = |a, b| f64_bits::class(a, b as u32); }
