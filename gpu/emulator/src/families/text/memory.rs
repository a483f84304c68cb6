//! LLVM's assembly of the memory formats.

use std::fmt::Write;

use super::{AssemblyText, scalar_operand, vector};
use crate::families::encoding::{
    BufferFields, EncodingFacts, FlatFields, LdsFields, ScalarMemoryFields, Segment,
    atomic_registers, data_registers,
};
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::instruction::LdsOperation;
use crate::operation::MemoryOperation;

/// Returns the words of a cache policy that are set.
pub(in crate::families) fn policy(words: [&'static str; 3], set: [bool; 3]) -> String {
    let shown = words.into_iter().zip(set).filter(|(_, set)| *set);
    shown.map(|(word, _)| word).collect()
}

/// Returns a signed number in hexadecimal.
pub(in crate::families) fn hexadecimal(value: i32) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{:#x}", value.unsigned_abs())
}

impl ScalarMemoryFields {
    /// Returns the text, such as `s_load_dword s8, s[4:5], 0x10`, without the cache policy.
    pub(in crate::families) fn text(
        &self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
    ) -> AssemblyText {
        let scalar_operand = |code: u32, count: u32| scalar_operand(facts, code, count);
        let (registers, base) = match line.entry {
            Semantics::ScalarLoad { registers, buffer } => {
                (u32::from(registers), if buffer { 4 } else { 2 })
            }
            Semantics::ScalarLoadPart { buffer, .. } => (1, if buffer { 4 } else { 2 }),
            Semantics::Time => return Ok(format!("{} {}", line.name, scalar_operand(self.to, 2))),
            _ if line.name.starts_with("s_dcache_discard") => (0, 2),
            _ => return Ok(line.name.to_owned()),
        };
        let mut text = line.name.to_owned();
        if registers > 0 {
            write!(text, " {},", scalar_operand(self.to, registers))?;
        }
        write!(text, " {}, ", scalar_operand(self.base, base))?;
        match (self.offset_register, self.offset) {
            (None, offset) => text += &hexadecimal(offset.unwrap_or(0)),
            (Some(code), None) => text += &scalar_operand(code, 1),
            (Some(code), Some(offset)) => write!(
                text,
                "{} offset:{}",
                scalar_operand(code, 1),
                hexadecimal(offset)
            )?,
        }
        Ok(text)
    }
}

impl LdsFields {
    /// Returns the text, such as `ds_write_b32 v2, v4 offset:16`.
    pub(in crate::families) fn text(&self, line: &OpcodeEntry) -> AssemblyText {
        let Semantics::Lds(operation) = line.entry else {
            return Ok(line.name.to_owned());
        };
        let (operands, two) = self.operands(operation);
        let mut text = format!("{} {}", line.name, operands.join(", "));
        let (low, high) = (self.offset & 255, self.offset >> 8);
        if two {
            for (name, value) in [("offset0", low), ("offset1", high)] {
                if value != 0 {
                    write!(text, " {name}:{value}")?;
                }
            }
        } else if operation == LdsOperation::Swizzle {
            text += &swizzle(self.offset);
        } else if self.offset != 0 {
            write!(text, " offset:{}", self.offset)?;
        }
        if self.global {
            text += " gds";
        }
        Ok(text)
    }

    /// Returns the operands, and true if there are two offsets.
    fn operands(&self, operation: LdsOperation) -> (Vec<String>, bool) {
        let address = vector(self.address, 1, false);
        let data = |count: u32| vector(self.data[0], count, self.accumulation);
        let more = |count: u32| vector(self.data[1], count, self.accumulation);
        let result = |count: u32| vector(self.to, count, self.accumulation);
        match operation {
            LdsOperation::Access(operation) => {
                let (from, into) = data_registers(operation);
                let second = matches!(operation, MemoryOperation::Atomic { operation, .. } if operation.has_second());
                let list = match (from, into) {
                    // A load has no data operand.
                    (0, _) => vec![result(into), address],
                    _ if second => vec![address, data(from), more(from)],
                    _ => vec![address, data(from)],
                };
                (list, false)
            }
            LdsOperation::Return(operation) => {
                let (from, _) = data_registers(operation);
                let second = matches!(operation, MemoryOperation::Atomic { operation, .. } if operation.has_second());
                let mut list = vec![result(from), address, data(from)];
                if second {
                    list.push(more(from));
                }
                (list, false)
            }
            LdsOperation::ReadTwo { registers } => {
                (vec![result(2 * u32::from(registers)), address], true)
            }
            LdsOperation::WriteTwo { registers } => (
                vec![address, data(registers.into()), more(registers.into())],
                true,
            ),
            LdsOperation::ExchangeTwo { registers } => {
                let one = u32::from(registers);
                (vec![result(2 * one), address, data(one), more(one)], true)
            }
            LdsOperation::Permute
            | LdsOperation::PermuteBackward
            | LdsOperation::PermuteBackwardInactive => (vec![result(1), address, data(1)], false),
            LdsOperation::ReadTransposed { registers, .. } => {
                (vec![result(registers.into()), address], false)
            }
            LdsOperation::Swizzle => (vec![result(1), address], false),
            LdsOperation::ReadLaneAddress | LdsOperation::Append { .. } => (vec![result(1)], false),
            LdsOperation::WriteLaneAddress => (vec![data(1)], false),
        }
    }
}

/// Returns the pattern of `ds_swizzle_b32` as LLVM's macro.
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
    // LLVM prefers the named macros to the general bit mask.
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

impl FlatFields {
    /// Returns the text, such as `global_load_dword v8, v[2:3], off offset:16`.
    pub(in crate::families) fn text(
        &self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
    ) -> AssemblyText {
        let (Semantics::Memory(operation) | Semantics::LoadLds(operation)) = line.entry else {
            return Ok(line.name.to_owned());
        };
        let to_lds = self.to_lds || matches!(line.entry, Semantics::LoadLds(_));
        let (from, into) = atomic_registers(operation);
        let atomic = matches!(operation, MemoryOperation::Atomic { .. });
        let mut operands = Vec::new();
        if into > 0 && !to_lds && (!atomic || self.returns) {
            operands.push(vector(self.to, into, self.accumulation));
        }
        operands.push(match self.address_registers() {
            // LLVM prints `off` for an absent register.
            0 => "off".to_owned(),
            count => vector(self.address, count, false),
        });
        if from > 0 {
            operands.push(vector(self.data, from, self.accumulation));
        }
        match (self.segment, self.scalar) {
            (Segment::Flat, _) => {}
            (_, None) => operands.push("off".to_owned()),
            (Segment::Scratch, Some(code)) => operands.push(scalar_operand(facts, code, 1)),
            (Segment::Global, Some(code)) => operands.push(scalar_operand(facts, code, 2)),
        }
        let mut text = format!("{} {}", line.name, operands.join(", "));
        if self.offset != 0 {
            write!(text, " offset:{}", self.offset)?;
        }
        text += &self.policy;
        Ok(text + if self.to_lds { " lds" } else { "" })
    }
}

impl BufferFields {
    /// Returns the text, such as `buffer_load_dword v8, v2, s[8:11], 0 offen offset:4`.
    pub(in crate::families) fn text(
        &self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
    ) -> AssemblyText {
        let Semantics::Memory(operation) = line.entry else {
            return Ok(format!("{}{}", line.name, self.policy));
        };
        let (from, into) = atomic_registers(operation);
        let address = match u32::from(self.index) + u32::from(self.has_offset) {
            // LLVM prints `off` for an absent register.
            0 => "off".to_owned(),
            count => vector(self.address, count, false),
        };
        let data = vector(self.data, from.max(into), self.accumulation);
        let mut text = format!(
            "{} {}{address}, {}, {}",
            line.name,
            if self.to_lds {
                String::new()
            } else {
                data + ", "
            },
            scalar_operand(facts, self.resource, 4),
            scalar_operand(facts, self.scalar, 1),
        );
        for (set, word) in [(self.index, " idxen"), (self.has_offset, " offen")] {
            if set {
                text += word;
            }
        }
        if self.offset != 0 {
            write!(text, " offset:{}", self.offset)?;
        }
        text += &self.policy;
        Ok(text + if self.to_lds { " lds" } else { "" })
    }
}
