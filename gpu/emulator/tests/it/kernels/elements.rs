//! The functions of `source/elements.hip`: one kernel each, called with triples of values.

use super::case::Argument::{self, In, Out};
use super::case::Case;
use super::values::Kind::{F16, F32, F64, U8, U16, U32, U64};

pub(crate) const SOURCE: &str = "source/elements.hip";

/// Returns the arguments of the functions of a type: the output and three inputs.
fn arguments(kind: &str) -> Option<&'static [Argument]> {
    Some(match kind {
        "i8" | "u8" => &[Out(64), In(U8, 64), In(U8, 64), In(U8, 64)],
        "i16" | "u16" => &[Out(128), In(U16, 64), In(U16, 64), In(U16, 64)],
        "i32" | "u32" => &[Out(256), In(U32, 64), In(U32, 64), In(U32, 64)],
        "i64" | "u64" => &[Out(512), In(U64, 64), In(U64, 64), In(U64, 64)],
        "f16" => &[Out(128), In(F16, 64), In(F16, 64), In(F16, 64)],
        "f32" => &[Out(256), In(F32, 64), In(F32, 64), In(F32, 64)],
        "f64" => &[Out(512), In(F64, 64), In(F64, 64), In(F64, 64)],
        _ => return None,
    })
}

/// Returns a case for each entry `E(name, type, expression)` of the source's list.
pub(crate) fn cases() -> Vec<Case> {
    let text = include_str!("source/elements.hip");
    let entries = text.split("E(").skip(1).filter_map(|entry| {
        let (kernel, rest) = entry.split_once(", ")?;
        let (kind, _) = rest.split_once(", ")?;
        Some(Case {
            kernel,
            groups: [8, 1, 1],
            size: [64, 1, 1],
            lds: 0,
            arguments: arguments(kind)?,
        })
    });
    entries.collect()
}
