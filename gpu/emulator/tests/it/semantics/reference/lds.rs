//! LDS ("Data Share" of the manuals): loads and stores.

use std::rc::Rc;

use emulator::Isa;

use super::atomics::atomics;
use crate::semantics::values::Kind;

/// The state of an item: 16 bytes of LDS, its data, its destination registers.
pub(crate) struct Memory {
    pub(crate) bytes: u128,
    pub(crate) data: [u128; 2],
    pub(crate) to: u128,
}

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
    /// The offset of the second half of the bytes from the item's address.
    pub(crate) second: u32,
    pub(crate) value: Rc<dyn Fn(&mut Memory)>,
}

impl Access {
    /// Creates an access: name before and from gfx11 on, data, destination, effect.
    pub(super) fn new(
        old: &str,
        new: &str,
        data: &'static [u32],
        returns: u32,
        value: impl Fn(&mut Memory) + 'static,
    ) -> Access {
        let mut names = vec![format!("ds_{old}"), format!("ds_{new}")];
        names.dedup();
        Access {
            names,
            kind: Kind::B64,
            data,
            returns,
            offset: "",
            second: 8,
            value: Rc::new(value),
        }
    }

    fn at(self, offset: &'static str) -> Access {
        Access { offset, ..self }
    }
}

/// Sets the low `bits` bits.
pub(super) fn set(place: &mut u128, bits: u32, value: u128) {
    let mask = if bits == 128 {
        u128::MAX
    } else {
        (1 << bits) - 1
    };
    *place = (*place & !mask) | (value & mask);
}

pub(super) fn low(value: u128, bits: u32) -> u128 {
    if bits == 128 {
        value
    } else {
        value & ((1 << bits) - 1)
    }
}

/// Returns every tested access.
pub(crate) fn accesses(isa: Isa) -> Vec<Access> {
    let mut all = atomics(isa);
    all.extend(whole());
    all.extend(parts(isa));
    all.extend(pairs());
    if isa < Isa::Gfx1100 {
        // Equal offsets write only the first datum (Vega and RDNA 2 manuals, 2-address
        // instructions).
        let write = |m: &mut Memory| set(&mut m.bytes, 32, m.data[0]);
        all.push(Access::new("write2_b32", "write2_b32", &[1, 1], 0, write));
        let write = |m: &mut Memory| set(&mut m.bytes, 64, m.data[0]);
        all.push(Access::new("write2_b64", "write2_b64", &[2, 2], 0, write));
    }
    all
}

/// Returns the accesses of whole registers.
fn whole() -> Vec<Access> {
    let mut all = Vec::new();
    let all_data: [&'static [u32]; 4] = [&[1], &[2], &[3], &[4]];
    for (data, bits) in all_data.into_iter().zip([32u32, 64, 96, 128]) {
        let write = move |m: &mut Memory| set(&mut m.bytes, bits, m.data[0]);
        let read = move |m: &mut Memory| set(&mut m.to, bits, m.bytes);
        let [write_name, store, read_name, load] =
            ["write", "store", "read", "load"].map(|verb| format!("{verb}_b{bits}"));
        all.push(Access::new(&write_name, &store, data, 0, write));
        all.push(Access::new(&read_name, &load, &[], bits / 32, read));
    }
    all
}

/// Returns the accesses of bytes and halves of a register.
fn parts(isa: Isa) -> Vec<Access> {
    // With error correction of registers, a load of a half clears the other one (LLVM,
    // `d16PreservesUnusedBits`).
    let zeroes = isa < Isa::Gfx1030;
    let mut all = Vec::new();
    for bits in [8u32, 16] {
        let store = |high: &str, shift: u32| {
            let [old, new] = ["write", "store"].map(|verb| format!("{verb}_b{bits}{high}"));
            Access::new(&old, &new, &[1], 0, move |m| {
                set(&mut m.bytes, bits, m.data[0] >> shift);
            })
        };
        all.push(store("", 0));
        all.push(store("_d16_hi", 16));
        for sign in [false, true] {
            let extend = move |value: u128| {
                let value = low(value, bits) as u64;
                let unused = 64 - bits;
                u128::from(if sign {
                    ((value << unused) as i64 >> unused) as u64
                } else {
                    value
                })
            };
            let letter = if sign { 'i' } else { 'u' };
            let names =
                |half: &str| ["read", "load"].map(|verb| format!("{verb}_{letter}{bits}{half}"));
            let [old, new] = names("");
            let load = move |m: &mut Memory| set(&mut m.to, 32, extend(m.bytes >> 24));
            all.push(Access::new(&old, &new, &[], 1, load).at(" offset:3"));
            if bits == 16 && sign {
                continue;
            }
            let [old, new] = names("_d16");
            all.push(Access::new(&old, &new, &[], 1, move |m| {
                let kept = if zeroes { 0 } else { low(m.to, 32) >> 16 };
                set(&mut m.to, 32, low(extend(m.bytes), 16) | (kept << 16));
            }));
            let [old, new] = names("_d16_hi");
            all.push(Access::new(&old, &new, &[], 1, move |m| {
                let kept = if zeroes { 0 } else { low(m.to, 16) };
                set(&mut m.to, 32, kept | (extend(m.bytes) << 16));
            }));
        }
    }
    all
}

/// Returns the accesses of two places. The first datum goes to the higher one, at bit 64, which
/// also gives the first result.
fn pairs() -> Vec<Access> {
    let mut all = Vec::new();
    // Offsets count values, or 64 of them.
    for (old, new, second, bits, offset, lower) in [
        ("2", "2addr", 8, 32, " offset0:2 offset1:1", 32),
        ("2", "2addr", 8, 64, " offset0:1", 0),
        ("2st64", "2addr_stride64", 2048, 32, " offset0:8", 0),
        ("2st64", "2addr_stride64", 2048, 64, " offset0:4", 0),
    ] {
        let data: &'static [u32] = if bits == 32 { &[1, 1] } else { &[2, 2] };
        let load = move |m: &mut Memory| {
            let value = low(m.bytes >> 64, bits) | (low(m.bytes >> lower, bits) << bits);
            set(&mut m.to, 2 * bits, value);
        };
        let store = move |m: &mut Memory| {
            for (data, at) in [(m.data[0], 64), (m.data[1], lower)] {
                let mut place = m.bytes.rotate_right(at);
                set(&mut place, bits, data);
                m.bytes = place.rotate_left(at);
            }
        };
        let exchange = move |m: &mut Memory| {
            load(m);
            store(m);
        };
        let mut add = |names: [String; 2], data, returns, value: Rc<dyn Fn(&mut Memory)>| {
            let access = Access::new(&names[0], &names[1], data, returns, move |m| value(m));
            all.push(Access {
                second,
                ..access.at(offset)
            });
        };
        let names = |old: String, new: String| [old, new].map(|name| format!("{name}_b{bits}"));
        add(
            names(format!("read{old}"), format!("load_{new}")),
            &[],
            bits / 16,
            Rc::new(load),
        );
        add(
            names(format!("write{old}"), format!("store_{new}")),
            data,
            0,
            Rc::new(store),
        );
        let exchange_names = names(format!("wrxchg{old}_rtn"), format!("storexchg_{new}_rtn"));
        add(exchange_names, data, bits / 16, Rc::new(exchange));
    }
    all
}
