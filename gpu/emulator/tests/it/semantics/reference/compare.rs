//! Comparisons.

use std::convert::identity;

use super::float::{F16, F32, F64, Format};
use super::{Form, Left, Vector};
use crate::semantics::values::Kind;

pub(super) fn number(format: Format, bits: u64) -> f64 {
    match format.bits {
        16 => half::f16::from_bits(bits as u16).to_f64(),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}
/// Returns true if a relation of two floats holds, by its name in comparisons.
#[expect(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::double_comparisons,
    reason = "a NaN is neither less nor greater, nor equal"
)]
pub(super) fn related(relation: &str, x: f64, y: f64) -> bool {
    match relation {
        "lt" => x < y,
        "eq" => x == y,
        "le" => x <= y,
        "gt" => x > y,
        "lg" => x < y || x > y,
        "ge" => x >= y,
        "o" => !x.is_nan() && !y.is_nan(),
        "u" => x.is_nan() || y.is_nan(),
        "nge" => !(x >= y),
        "nlg" => !(x < y || x > y),
        "ngt" => !(x > y),
        "nle" => !(x <= y),
        "neq" => x != y,
        "nlt" => !(x < y),
        "f" => false,
        "tru" | "t" => true,
        _ => unreachable!("no relation {relation}"),
    }
}

/// Returns one bit for each class: signalling and quiet NaN, -infinity, -normal, -denormal, -0,
/// +0, +denormal, +normal, +infinity.
fn class(format: Format, bits: u64) -> u64 {
    let (magnitude, negative) = (format.magnitude(bits), bits & format.sign() != 0);
    let infinity = (format.sign() - 1) & !((1u64 << format.fraction) - 1);
    let index = if magnitude > infinity {
        return if bits & (1 << (format.fraction - 1)) == 0 {
            1
        } else {
            2
        };
    } else if magnitude == infinity {
        2
    } else if magnitude >= 1 << format.fraction {
        3
    } else if magnitude > 0 {
        4
    } else {
        5
    };
    1 << if negative { index } else { 11 - index }
}

/// Defines `v_cmp_X_T` and `v_cmpx_X_T` of a type T, for each X: `"X" = truth`.
macro_rules! relations {
    ($type:literal $from:tt |$x:ident, $y:ident| { $($relation:literal = $truth:expr;)+ }) => {
        &[$(
            relations!(@one Compare, "v_cmp_", $type, $relation, $from, |$x, $y| $truth),
            relations!(@one CompareExec, "v_cmpx_", $type, $relation, $from, |$x, $y| $truth),
        )+]
    };
    (@one $form:ident, $begin:literal, $type:literal, $relation:literal, $from:tt, |$x:ident, $y:ident| $truth:expr) => {
        Vector {
            names: &[concat!($begin, $relation, "_", $type)],
            form: Form::$form,
            to: Kind::B32,
            from: relations!(@kinds $from),
            with: "",
            accuracy: super::Match::Exact,
            value: |lane| {
                let [$x, $y, _] = lane.from;
                let _ = ($x, $y);
                Left { to: lane.old, vcc: $truth }
            },
        }
    };
    (@kinds [$($from:ident),+]) => { &[$(Kind::$from),+] };
}

/// Defines the relations of an integer type; `$value` converts to a number.
macro_rules! integers {
    ($type:literal $kind:ident $value:expr) => {
        relations! { $type [$kind, $kind] |x, y| {
            "lt" = $value(x) < $value(y);
            "eq" = $value(x) == $value(y);
            "le" = $value(x) <= $value(y);
            "gt" = $value(x) > $value(y);
            "ne" = $value(x) != $value(y);
            "ge" = $value(x) >= $value(y);
            "f" = false;
            "t" = true;
        } }
    };
}

/// Defines the relations of a float type.
macro_rules! floats {
    ($type:literal $kind:ident) => {
        floats! { $type $kind: "lt" "eq" "le" "gt" "lg" "ge" "o" "u" "nge" "nlg" "ngt" "nle" "neq" "nlt" "f" "tru" "t" }
    };
    ($type:literal $kind:ident: $($relation:literal)+) => {
        relations! { $type [$kind, $kind] |x, y| {
            $($relation = related($relation, number($kind, x), number($kind, y));)+
        } }
    };
}

/// Defines the class test of a float type, with the type of its mask.
macro_rules! classes {
    ($type:literal $kind:ident $mask:ident) => {
        relations! { $type [$kind, $mask] |x, y| {
            "class" = class($kind, x) & y != 0;
        } }
    };
}

fn i16_of(value: u64) -> i16 {
    value as u16 as i16
}
fn i32_of(value: u64) -> i32 {
    value as u32 as i32
}
fn i64_of(value: u64) -> i64 {
    value as i64
}

/// The relations of each type.
pub(crate) static OPERATIONS: [&[Vector]; 12] = [
    integers!("i16" B16 i16_of),
    integers!("u16" B16 identity),
    integers!("i32" B32 i32_of),
    integers!("u32" B32 identity),
    integers!("i64" B64 i64_of),
    integers!("u64" B64 identity),
    floats!("f16" F16),
    floats!("f32" F32),
    floats!("f64" F64),
    classes!("f16" F16 B16),
    classes!("f32" F32 B32),
    classes!("f64" F64 B32),
];
