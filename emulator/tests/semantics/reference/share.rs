//! LDS ("Data Share" of the manuals): atomics, and loads and stores of parts.

use emulator::Isa;

use super::half;
use crate::values::Kind;

/// What an item sees: 16 bytes of LDS, its data, its destination registers.
pub(crate) struct Memory {
    pub(crate) bytes: u128,
    pub(crate) data: [u128; 2],
    pub(crate) to: u128,
}

/// Whether two outcomes are the same: memory and destination.
type Equal = fn((u128, u128), (u128, u128)) -> bool;

/// An instruction.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) names: Vec<String>,
    /// Type of the values in LDS.
    pub(crate) kind: Kind,
    /// Registers of each datum, and of the destination.
    pub(crate) data: &'static [u32],
    pub(crate) returns: u32,
    pub(crate) offset: &'static str,
    pub(crate) value: std::rc::Rc<dyn Fn(&mut Memory)>,
    pub(crate) equal: Equal,
}

fn exactly(found: (u128, u128), expected: (u128, u128)) -> bool {
    found == expected
}

/// Sets the low `bits` bits.
fn set(place: &mut u128, bits: u32, value: u128) {
    let mask = if bits == 128 {
        u128::MAX
    } else {
        (1 << bits) - 1
    };
    *place = (*place & !mask) | (value & mask);
}

fn low(value: u128, bits: u32) -> u128 {
    if bits == 128 {
        value
    } else {
        value & ((1 << bits) - 1)
    }
}

/// An atomic on a number: new memory from memory and data.
type Atomic = fn(u64, u64, u64, u32) -> u64;

fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}
fn single(value: u64) -> f32 {
    f32::from_bits(value as u32)
}

/// Name (before and from gfx11 on), type suffix of 32 and of 64 bits, number of data, function.
const ATOMICS: &[(&str, &str, [&str; 2], usize, Atomic)] = &[
    ("add", "add", ["u32", "u64"], 1, |m, a, _, _| {
        m.wrapping_add(a)
    }),
    ("sub", "sub", ["u32", "u64"], 1, |m, a, _, _| {
        m.wrapping_sub(a)
    }),
    ("rsub", "rsub", ["u32", "u64"], 1, |m, a, _, _| {
        a.wrapping_sub(m)
    }),
    ("inc", "inc", ["u32", "u64"], 1, |m, a, _, _| {
        if m >= a { 0 } else { m + 1 }
    }),
    ("dec", "dec", ["u32", "u64"], 1, |m, a, _, _| {
        if m == 0 || m > a { a } else { m - 1 }
    }),
    ("min", "min", ["i32", "i64"], 1, |m, a, _, bits| {
        if signed(a, bits) < signed(m, bits) {
            a
        } else {
            m
        }
    }),
    ("max", "max", ["i32", "i64"], 1, |m, a, _, bits| {
        if signed(a, bits) > signed(m, bits) {
            a
        } else {
            m
        }
    }),
    ("min", "min", ["u32", "u64"], 1, |m, a, _, _| m.min(a)),
    ("max", "max", ["u32", "u64"], 1, |m, a, _, _| m.max(a)),
    ("and", "and", ["b32", "b64"], 1, |m, a, _, _| m & a),
    ("or", "or", ["b32", "b64"], 1, |m, a, _, _| m | a),
    ("xor", "xor", ["b32", "b64"], 1, |m, a, _, _| m ^ a),
    ("mskor", "mskor", ["b32", "b64"], 2, |m, a, b, _| {
        (m & !a) | b
    }),
    ("wrxchg", "storexchg", ["b32", "b64"], 1, |_, a, _, _| a),
    ("wrap", "wrap", ["b32", "none"], 2, |m, a, b, _| {
        if m >= a {
            m.wrapping_sub(a)
        } else {
            m.wrapping_add(b)
        }
    }),
    (
        "sub_clamp",
        "sub_clamp",
        ["u32", "none"],
        1,
        |m, a, _, _| m.saturating_sub(a),
    ),
    ("cond_sub", "cond_sub", ["u32", "none"], 1, |m, a, _, _| {
        if m >= a { m - a } else { m }
    }),
    ("csub", "csub", ["u32", "none"], 1, |m, a, _, _| {
        m.saturating_sub(a)
    }),
];

fn atomic(
    old: &str,
    new: &str,
    suffix: &str,
    kind: Kind,
    data: usize,
    function: impl Fn(u64, u64, u64, u32) -> u64 + Clone + 'static,
    equal: Equal,
) -> [Access; 2] {
    let registers = kind.registers();
    let data: &'static [u32] = match (registers, data) {
        (1, 1) => &[1],
        (1, _) => &[1, 1],
        (_, 1) => &[2],
        _ => &[2, 2],
    };
    let bits = 32 * registers;
    let names = |rtn: &str| {
        vec![
            format!("ds_{old}{rtn}_{suffix}"),
            format!("ds_{new}{rtn}_{suffix}"),
        ]
    };
    let make = |returns: u32, rtn: &str| {
        let mut names = names(rtn);
        names.dedup();
        let function = function.clone();
        Access {
            names,
            kind,
            data,
            returns,
            offset: "",
            value: std::rc::Rc::new(move |memory| {
                let part = |value: u128| low(value, bits) as u64;
                let old = part(memory.bytes);
                let new = function(old, part(memory.data[0]), part(memory.data[1]), bits);
                set(&mut memory.bytes, bits, new.into());
                if returns > 0 {
                    set(&mut memory.to, bits, old.into());
                }
            }),
            equal,
        }
    };
    [make(0, ""), make(registers, "_rtn")]
}

/// A load or store: name before and from gfx11 on, data, destination, what it does.
fn plain(
    old: &str,
    new: &str,
    data: &'static [u32],
    returns: u32,
    offset: &'static str,
    value: impl Fn(&mut Memory) + 'static,
) -> Access {
    let mut names = vec![format!("ds_{old}"), format!("ds_{new}")];
    names.dedup();
    Access {
        names,
        kind: Kind::B64,
        data,
        returns,
        offset,
        value: std::rc::Rc::new(value),
        equal: exactly,
    }
}

/// Every access that is tested.
pub(crate) fn accesses(isa: Isa) -> Vec<Access> {
    let mut all = Vec::new();
    // With error correction of registers, a load of a half clears the other one (LLVM, `d16PreservesUnusedBits`).
    let zeroes = isa < Isa::Gfx1030;
    for (old, new, suffixes, data, function) in ATOMICS {
        for (suffix, kind) in suffixes.iter().zip([Kind::B32, Kind::B64]) {
            all.extend(atomic(old, new, suffix, kind, *data, *function, exactly));
        }
    }
    // The comparison comes first before gfx11, and second since.
    for (suffix, kind) in [("b32", Kind::B32), ("b64", Kind::B64)] {
        if isa < Isa::Gfx1100 {
            all.extend(atomic(
                "cmpst",
                "cmpst",
                suffix,
                kind,
                2,
                |m, a, b, _| if m == a { b } else { m },
                exactly,
            ));
        } else {
            all.extend(atomic(
                "cmpstore",
                "cmpstore",
                suffix,
                kind,
                2,
                |m, a, b, _| if m == b { a } else { m },
                exactly,
            ));
        }
    }
    all.extend(atomic(
        "add",
        "add",
        "f32",
        Kind::F32,
        1,
        |m, a, _, _| u64::from((single(m) + single(a)).to_bits()),
        same_single,
    ));
    all.extend(atomic(
        "add",
        "add",
        "f64",
        Kind::F64,
        1,
        |m, a, _, _| (f64::from_bits(m) + f64::from_bits(a)).to_bits(),
        same_double,
    ));
    let each = |m: u64, a: u64, add: fn(u64, u64) -> u64| {
        add(m & 0xffff, a & 0xffff) | (add((m >> 16) & 0xffff, (a >> 16) & 0xffff) << 16)
    };
    all.extend(atomic(
        "pk_add",
        "pk_add",
        "f16",
        Kind::PF16,
        1,
        move |m, a, _, _| each(m, a, |m, a| half::b(half::f(m) + half::f(a))),
        same_halves,
    ));

    for (name, bits) in [("b32", 32u32), ("b64", 64), ("b96", 96), ("b128", 128)] {
        let data: &'static [u32] = match bits {
            32 => &[1],
            64 => &[2],
            96 => &[3],
            _ => &[4],
        };
        all.push(plain(
            &format!("write_{name}"),
            &format!("store_{name}"),
            data,
            0,
            "",
            move |m| set(&mut m.bytes, bits, m.data[0]),
        ));
        all.push(plain(
            &format!("read_{name}"),
            &format!("load_{name}"),
            &[],
            bits / 32,
            "",
            move |m| set(&mut m.to, bits, m.bytes),
        ));
    }
    for (bits, name) in [(8u32, "b8"), (16, "b16")] {
        all.push(plain(
            &format!("write_{name}"),
            &format!("store_{name}"),
            &[1],
            0,
            "",
            move |m| set(&mut m.bytes, bits, m.data[0]),
        ));
        all.push(plain(
            &format!("write_{name}_d16_hi"),
            &format!("store_{name}_d16_hi"),
            &[1],
            0,
            "",
            move |m| {
                set(&mut m.bytes, bits, m.data[0] >> 16);
            },
        ));
        for sign in [false, true] {
            let kind = format!("{}{bits}", if sign { 'i' } else { 'u' });
            let extend = move |value: u128| {
                let value = low(value, bits) as u64;
                u128::from(if sign {
                    signed(value, bits) as u64
                } else {
                    value
                })
            };
            all.push(plain(
                &format!("read_{kind}"),
                &format!("load_{kind}"),
                &[],
                1,
                " offset:3",
                move |m| set(&mut m.to, 32, extend(m.bytes >> 24)),
            ));
            if bits == 8 || !sign {
                all.push(plain(
                    &format!("read_{kind}_d16"),
                    &format!("load_{kind}_d16"),
                    &[],
                    1,
                    "",
                    move |m| {
                        let kept = if zeroes { 0 } else { low(m.to, 32) >> 16 };
                        set(&mut m.to, 32, low(extend(m.bytes), 16) | (kept << 16));
                    },
                ));
                all.push(plain(
                    &format!("read_{kind}_d16_hi"),
                    &format!("load_{kind}_d16_hi"),
                    &[],
                    1,
                    "",
                    move |m| {
                        let kept = if zeroes { 0 } else { low(m.to, 16) };
                        set(&mut m.to, 32, kept | (extend(m.bytes) << 16));
                    },
                ));
            }
        }
    }
    // Two places: bytes 0 and 8 or 16; the slot's third word is its second.
    all.push(plain(
        "write2_b32",
        "store_2addr_b32",
        &[1, 1],
        0,
        " offset0:2 offset1:1",
        |m| {
            let (a, b) = (low(m.data[0], 32), low(m.data[1], 32));
            m.bytes = low(m.bytes, 32) | (b << 32) | (a << 64) | (m.bytes >> 96 << 96);
        },
    ));
    all.push(plain(
        "write2_b64",
        "store_2addr_b64",
        &[2, 2],
        0,
        " offset0:1",
        |m| {
            m.bytes = low(m.data[1], 64) | (low(m.data[0], 64) << 64);
        },
    ));
    all.push(plain(
        "read2_b32",
        "load_2addr_b32",
        &[],
        2,
        " offset0:3 offset1:1",
        |m| {
            let value = (m.bytes >> 96) | (low(m.bytes >> 32, 32) << 32);
            set(&mut m.to, 64, value);
        },
    ));
    all.push(plain(
        "read2_b64",
        "load_2addr_b64",
        &[],
        4,
        " offset0:1 offset1:0",
        |m| m.to = m.bytes.rotate_left(64),
    ));
    all
}

fn same_single(found: (u128, u128), expected: (u128, u128)) -> bool {
    let nan = |value: u128| single(value as u64).is_nan();
    nan(found.0) && nan(expected.0) && found.0 >> 32 == expected.0 >> 32 && found.1 == expected.1
}
fn same_double(found: (u128, u128), expected: (u128, u128)) -> bool {
    let nan = |value: u128| f64::from_bits(value as u64).is_nan();
    nan(found.0) && nan(expected.0) && found.0 >> 64 == expected.0 >> 64 && found.1 == expected.1
}
fn same_halves(found: (u128, u128), expected: (u128, u128)) -> bool {
    let same = |shift: u32| {
        let (a, b) = (
            half::f((found.0 >> shift) as u64),
            half::f((expected.0 >> shift) as u64),
        );
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
    };
    same(0) && same(16) && found.0 >> 32 == expected.0 >> 32 && found.1 == expected.1
}
