//! Atomics on LDS.

use emulator::Isa;

use super::dot::bfloat_bits;
use super::float::{F32, F64};
use super::half;
use super::lds::{Access, low, set};
use super::packed::each;
use crate::semantics::values::Kind;

/// The new memory from the old memory, the data and the number of bits.
type Atomic = fn(u64, u64, u64, u32) -> u64;
/// The same for floats, from memory and a datum.
type Float = fn(u64, u64) -> u64;
/// Returns true for equal values.
type Same = fn(u64, u64) -> bool;

fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}
fn single(value: u64) -> f32 {
    f32::from_bits(value as u32)
}
fn bfloat(value: u64) -> f32 {
    single(value << 16)
}
fn double(value: u64) -> f64 {
    f64::from_bits(value)
}

/// Name (before and from gfx11 on), type of 32 and of 64 bits, number of data, function.
#[rustfmt::skip]
const INTEGERS: &[(&str, &str, [&str; 2], usize, Atomic)] = &[
    ("add", "add", ["u32", "u64"], 1, |m, a, _, _| m.wrapping_add(a)),
    ("sub", "sub", ["u32", "u64"], 1, |m, a, _, _| m.wrapping_sub(a)),
    ("rsub", "rsub", ["u32", "u64"], 1, |m, a, _, _| a.wrapping_sub(m)),
    ("inc", "inc", ["u32", "u64"], 1, |m, a, _, _| if m >= a { 0 } else { m + 1 }),
    ("dec", "dec", ["u32", "u64"], 1, |m, a, _, _| if m == 0 || m > a { a } else { m - 1 }),
    ("min", "min", ["i32", "i64"], 1, |m, a, _, bits| if signed(a, bits) < signed(m, bits) { a } else { m }),
    ("max", "max", ["i32", "i64"], 1, |m, a, _, bits| if signed(a, bits) > signed(m, bits) { a } else { m }),
    ("min", "min", ["u32", "u64"], 1, |m, a, _, _| m.min(a)),
    ("max", "max", ["u32", "u64"], 1, |m, a, _, _| m.max(a)),
    ("and", "and", ["b32", "b64"], 1, |m, a, _, _| m & a),
    ("or", "or", ["b32", "b64"], 1, |m, a, _, _| m | a),
    ("xor", "xor", ["b32", "b64"], 1, |m, a, _, _| m ^ a),
    ("mskor", "mskor", ["b32", "b64"], 2, |m, a, b, _| (m & !a) | b),
    ("wrxchg", "storexchg", ["b32", "b64"], 1, |_, a, _, _| a),
    ("wrap", "wrap", ["b32", "none"], 2, |m, a, b, _| if m >= a { m.wrapping_sub(a) } else { m.wrapping_add(b) }),
    ("sub_clamp", "sub_clamp", ["u32", "none"], 1, |m, a, _, _| m.saturating_sub(a)),
    ("cond_sub", "cond_sub", ["u32", "none"], 1, |m, a, _, _| if m >= a { m - a } else { m }),
    ("csub", "csub", ["u32", "none"], 1, |m, a, _, _| m.saturating_sub(a)),
];

/// Name, type, function of memory and datum. NaN follows the manuals' "FP Max Selection Rules".
#[rustfmt::skip]
const FLOATS: &[(&str, &str, Kind, Float)] = &[
    ("add", "f32", Kind::F32, |m, a| u64::from((single(m) + single(a)).to_bits())),
    ("add", "f64", Kind::F64, |m, a| (double(m) + double(a)).to_bits()),
    ("min", "f32", Kind::F32, |m, a| F32.extreme(m, a, false)),
    ("max", "f32", Kind::F32, |m, a| F32.extreme(m, a, true)),
    ("min", "f64", Kind::F64, |m, a| F64.extreme(m, a, false)),
    ("max", "f64", Kind::F64, |m, a| F64.extreme(m, a, true)),
    ("min_num", "f32", Kind::F32, |m, a| F32.number(m, a, false)),
    ("max_num", "f32", Kind::F32, |m, a| F32.number(m, a, true)),
    ("min_num", "f64", Kind::F64, |m, a| F64.number(m, a, false)),
    ("max_num", "f64", Kind::F64, |m, a| F64.number(m, a, true)),
    ("pk_add", "f16", Kind::PF16, |m, a| each(m, a, |m, a| half::b(half::f(m) + half::f(a)))),
    ("pk_add", "bf16", Kind::PBF16, |m, a| each(m, a, |m, a| bfloat_bits(bfloat(m) + bfloat(a)))),
];

/// The comparison of a compare and swap, by type.
#[rustfmt::skip]
const COMPARISONS: &[(&str, Kind, Same)] = &[
    ("b32", Kind::B32, |x, y| x == y),
    ("b64", Kind::B64, |x, y| x == y),
    ("f32", Kind::F32, |x, y| single(x) == single(y)),
    ("f64", Kind::F64, |x, y| double(x) == double(y)),
];

/// Returns the variants without and with the old value as the result.
fn atomic(
    [old, new]: [&str; 2],
    suffix: &str,
    kind: Kind,
    data: usize,
    function: impl Fn(u64, u64, u64, u32) -> u64 + Clone + 'static,
) -> [Access; 2] {
    let registers = kind.registers();
    let data: &'static [u32] = match (registers, data) {
        (1, 1) => &[1],
        (1, _) => &[1, 1],
        (_, 1) => &[2],
        _ => &[2, 2],
    };
    let bits = 32 * registers;
    [(0, ""), (registers, "_rtn")].map(|(returns, rtn)| {
        let function = function.clone();
        let names = [old, new].map(|name| format!("{name}{rtn}_{suffix}"));
        let value = move |memory: &mut super::lds::Memory| {
            let part = |value: u128| low(value, bits) as u64;
            let old = part(memory.bytes);
            let new = function(old, part(memory.data[0]), part(memory.data[1]), bits);
            set(&mut memory.bytes, bits, new.into());
            if returns > 0 {
                set(&mut memory.to, bits, old.into());
            }
        };
        Access {
            kind,
            ..Access::new(&names[0], &names[1], data, returns, value)
        }
    })
}

/// Returns the atomics of an instruction set, by their common names.
pub(super) fn atomics(isa: Isa) -> Vec<Access> {
    let mut all = Vec::new();
    for &(old, new, suffixes, data, function) in INTEGERS {
        for (suffix, kind) in suffixes.into_iter().zip([Kind::B32, Kind::B64]) {
            all.extend(atomic([old, new], suffix, kind, data, function));
        }
    }
    for &(name, suffix, kind, function) in FLOATS {
        all.extend(atomic([name; 2], suffix, kind, 1, move |m, a, _, _| {
            function(m, a)
        }));
    }
    // The comparison value is the first datum before gfx11, and the second one since.
    for &(suffix, kind, found) in COMPARISONS {
        all.extend(if isa < Isa::Gfx1100 {
            atomic(["cmpst"; 2], suffix, kind, 2, move |m, a, b, _| {
                if found(m, a) { b } else { m }
            })
        } else {
            atomic(["cmpstore"; 2], suffix, kind, 2, move |m, a, b, _| {
                if found(m, b) { a } else { m }
            })
        });
    }
    all
}
