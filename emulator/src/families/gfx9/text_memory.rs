//! LLVM's assembly of the memory formats.

use std::fmt::Write;

use super::decode::bits;
use super::text::{Text, scalar_operand, vector};
use crate::families::tables::{Entry, Line};
use crate::instruction::ShareOperation;
use crate::operation::MemoryOperation;

fn bit(word: u32, index: u32) -> bool {
    bits(word, index, index) != 0
}

/// Scalar loads: `s_load_dword s8, s[4:5], 0x10`.
pub(super) fn scalar(line: &Line, words: [u32; 3]) -> Text {
    let (word, second) = (words[0], words[1]);
    let to = bits(word, 12, 6);
    let (registers, base) = match line.entry {
        Entry::ScalarLoad { registers, buffer } => {
            (u32::from(registers), if buffer { 4 } else { 2 })
        }
        Entry::Time => return Ok(format!("{} {}", line.name, scalar_operand(to, 2))),
        _ if line.name.starts_with("s_dcache_discard") => (0, 2),
        _ => return Ok(line.name.to_owned()),
    };
    let mut text = line.name.to_owned();
    if registers > 0 {
        write!(text, " {},", scalar_operand(to, registers))?;
    }
    write!(text, " {}, ", scalar_operand(bits(word, 5, 0) << 1, base))?;
    let offset = ((bits(second, 20, 0) << 11) as i32) >> 11;
    let hex = if offset < 0 {
        format!("-{:#x}", -offset)
    } else {
        format!("{offset:#x}")
    };
    match (bit(word, 17), bit(word, 14)) {
        (true, false) => text += &hex,
        (false, false) => text += &scalar_operand(bits(second, 6, 0), 1),
        (true, true) => write!(
            text,
            "{} offset:{hex}",
            scalar_operand(bits(second, 31, 25), 1)
        )?,
        (false, true) => text += &scalar_operand(bits(second, 31, 25), 1),
    }
    if bit(word, 16) && registers > 0 {
        text += " glc";
    }
    Ok(text)
}

/// Registers of the data operand and of the loaded value.
fn data_registers(operation: MemoryOperation) -> (u32, u32) {
    match operation {
        MemoryOperation::Load { registers } => (0, registers.into()),
        MemoryOperation::LoadPart { .. } => (0, 1),
        MemoryOperation::Store { registers } => (registers.into(), 0),
        MemoryOperation::StorePart { .. } => (1, 0),
        MemoryOperation::Atomic { wide, .. } => (if wide { 2 } else { 1 }, 0),
    }
}

/// Data registers of an atomic in the vector memory formats: a compare and swap has both values in one operand.
fn atomic_registers(operation: MemoryOperation) -> (u32, u32) {
    match operation {
        MemoryOperation::Atomic { operation, wide } => {
            let one = if wide { 2 } else { 1 };
            (if operation.has_second() { 2 * one } else { one }, one)
        }
        other => data_registers(other),
    }
}

/// LDS: `ds_write_b32 v2, v4 offset:16`.
pub(super) fn share(line: &Line, words: [u32; 3]) -> Text {
    let (word, second) = (words[0], words[1]);
    let Entry::Share(operation) = line.entry else {
        return Ok(line.name.to_owned());
    };
    let accumulation = bit(word, 25);
    let [address, first, other, to] = [
        bits(second, 7, 0),
        bits(second, 15, 8),
        bits(second, 23, 16),
        bits(second, 31, 24),
    ];
    let address = vector(address, 1, false);
    let data = |count: u32| vector(first, count, accumulation);
    let more = |count: u32| vector(other, count, accumulation);
    let result = |count: u32| vector(to, count, accumulation);
    let (operands, two) = match operation {
        ShareOperation::Access(operation) => {
            let (from, into) = data_registers(operation);
            let second = matches!(operation, MemoryOperation::Atomic { operation, .. } if operation.has_second());
            let list = match (from, into) {
                (0, _) => vec![result(into), address],
                _ if second => vec![address, data(from), more(from)],
                _ => vec![address, data(from)],
            };
            (list, false)
        }
        ShareOperation::Return(operation) => {
            let (from, _) = data_registers(operation);
            let second = matches!(operation, MemoryOperation::Atomic { operation, .. } if operation.has_second());
            let mut list = vec![result(from), address, data(from)];
            if second {
                list.push(more(from));
            }
            (list, false)
        }
        ShareOperation::ReadTwo { registers } => {
            (vec![result(2 * u32::from(registers)), address], true)
        }
        ShareOperation::WriteTwo { registers } => (
            vec![address, data(registers.into()), more(registers.into())],
            true,
        ),
        ShareOperation::ExchangeTwo { registers } => {
            let one = u32::from(registers);
            (vec![result(2 * one), address, data(one), more(one)], true)
        }
        ShareOperation::Permute
        | ShareOperation::PermuteBackward
        | ShareOperation::PermuteBackwardInactive => (vec![result(1), address, data(1)], false),
        ShareOperation::Swizzle => (vec![result(1), address], false),
        ShareOperation::ReadLaneAddress | ShareOperation::Append { .. } => (vec![result(1)], false),
        ShareOperation::WriteLaneAddress => (vec![data(1)], false),
    };
    let mut text = format!("{} {}", line.name, operands.join(", "));
    let (low, high) = (bits(word, 7, 0), bits(word, 15, 8));
    if two {
        for (name, value) in [("offset0", low), ("offset1", high)] {
            if value != 0 {
                write!(text, " {name}:{value}")?;
            }
        }
    } else if operation == ShareOperation::Swizzle {
        text += &swizzle(bits(word, 15, 0));
    } else if low | high != 0 {
        write!(text, " offset:{}", bits(word, 15, 0))?;
    }
    Ok(text)
}

/// The pattern of `ds_swizzle_b32` as LLVM's macro.
fn swizzle(offset: u32) -> String {
    let (and, or, xor) = (offset & 31, (offset >> 5) & 31, (offset >> 10) & 31);
    if offset == 0 {
        return String::new();
    }
    if offset & 0x8000 != 0 && offset & 0x7f00 == 0 {
        let lane = |index: u32| (offset >> (2 * index)) & 3;
        return format!(
            " offset:swizzle(QUAD_PERM,{},{},{},{})",
            lane(0),
            lane(1),
            lane(2),
            lane(3)
        );
    }
    if (0xc000..0xe000).contains(&offset) {
        return format!(" offset:swizzle(ROTATE,{},{})", (offset >> 10) & 1, or);
    }
    if offset >= 0xe000 {
        return format!(" offset:swizzle(FFT,{and})");
    }
    if offset & 0x8000 != 0 {
        return format!(" offset:{offset}");
    }
    let text = if and == 31 && or == 0 && xor.count_ones() == 1 {
        format!("SWAP,{xor}")
    } else if and == 31 && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
        format!("REVERSE,{}", xor + 1)
    } else if xor == 0 && (32 - and).is_power_of_two() && and != 31 && or < 32 - and {
        format!("BROADCAST,{},{or}", 32 - and)
    } else {
        let mut mask = String::from("BITMASK_PERM,\"");
        for bit in (0..5).rev() {
            let one = |value: u32| (value >> bit) & 1;
            mask.push(match (one(and), one(or), one(xor)) {
                (0, 0, 0) => '0',
                (0, 0, 1) | (0, 1, 0) => '1',
                (1, 0, 0) => 'p',
                (1, 0, 1) => 'i',
                (0, 1, 1) => '0',
                (_, 1, x) => {
                    if x == 1 {
                        '0'
                    } else {
                        '1'
                    }
                }
                _ => unreachable!("bits are 0 or 1"),
            });
        }
        mask + "\""
    };
    format!(" offset:swizzle({text})")
}

/// Flat, global and scratch: `global_load_dword v8, v[2:3], off offset:16`.
pub(super) fn flat(line: &Line, words: [u32; 3]) -> Text {
    let (word, second) = (words[0], words[1]);
    let Entry::Memory(operation) = line.entry else {
        return Ok(line.name.to_owned());
    };
    let accumulation = bit(second, 23);
    let (from, into) = atomic_registers(operation);
    let atomic = matches!(operation, MemoryOperation::Atomic { .. });
    let returns = !atomic || bit(word, 16);
    let scalar = bits(second, 22, 16);
    let segment = bits(word, 15, 14);
    let base = bits(second, 7, 0);
    let mut operands = Vec::new();
    let off = || "off".to_owned();
    if into > 0 && returns {
        operands.push(vector(bits(second, 31, 24), into, accumulation));
    }
    operands.push(match segment {
        1 if !bit(word, 13) => off(),
        1 => vector(base, 1, false),
        2 if scalar != 0x7f => vector(base, 1, false),
        _ => vector(base, 2, false),
    });
    if from > 0 {
        operands.push(vector(bits(second, 15, 8), from, accumulation));
    }
    match segment {
        0 => {}
        _ if scalar == 0x7f => operands.push(off()),
        1 => operands.push(scalar_operand(scalar, 1)),
        _ => operands.push(scalar_operand(scalar, 2)),
    }
    let mut text = format!("{} {}", line.name, operands.join(", "));
    let offset = if segment == 0 {
        bits(word, 11, 0) as i32
    } else {
        ((bits(word, 12, 0) << 19) as i32) >> 19
    };
    if offset != 0 {
        write!(text, " offset:{offset}")?;
    }
    text += &scope(bit(word, 16), bit(word, 17), bit(word, 25));
    Ok(text)
}

fn scope(sc0: bool, nt: bool, sc1: bool) -> String {
    let parts = [(sc0, " sc0"), (nt, " nt"), (sc1, " sc1")];
    parts
        .into_iter()
        .filter(|(set, _)| *set)
        .map(|(_, text)| text)
        .collect()
}

/// Through a resource: `buffer_load_dword v8, v2, s[8:11], 0 offen offset:4`.
pub(super) fn buffer(line: &Line, words: [u32; 3]) -> Text {
    let (word, second) = (words[0], words[1]);
    let operation = match line.entry {
        Entry::Memory(operation) => operation,
        _ => {
            let scope = scope(bit(word, 14), false, bit(word, 15));
            return Ok(format!("{}{scope}", line.name));
        }
    };
    let (from, into) = atomic_registers(operation);
    let (index, offset) = (bit(word, 13), bit(word, 12));
    let address = match (index, offset) {
        (false, false) => "off".to_owned(),
        (true, true) => vector(bits(second, 7, 0), 2, false),
        _ => vector(bits(second, 7, 0), 1, false),
    };
    let mut text = format!(
        "{} {}, {address}, {}, {}",
        line.name,
        vector(bits(second, 15, 8), from.max(into), bit(second, 23)),
        scalar_operand(bits(second, 20, 16) << 2, 4),
        scalar_operand(bits(second, 31, 24), 1),
    );
    if index {
        text += " idxen";
    }
    if offset {
        text += " offen";
    }
    if bits(word, 11, 0) != 0 {
        write!(text, " offset:{}", bits(word, 11, 0))?;
    }
    text += &scope(bit(word, 14), bit(word, 17), bit(word, 15));
    Ok(text)
}
