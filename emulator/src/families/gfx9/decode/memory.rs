//! The memory formats.

use super::super::operands::{Kind, LITERAL, aligned, source};
use super::bits;
use super::scalar::{scalar_destination, scalar_pair};
use crate::families::tables::{Entry, Line};
use crate::instruction::*;
use crate::operation::MemoryOperation;

pub(super) fn scalar_memory(line: &Line, words: [u32; 3]) -> Option<Action> {
    let (word, second) = (words[0], words[1]);
    let to = bits(word, 12, 6);
    let (registers, is_buffer) = match line.entry {
        Entry::ScalarLoad { registers, buffer } => (registers, buffer),
        Entry::Time => {
            return Some(Action::Time {
                to: scalar_pair(to)?,
            });
        }
        _ => return None,
    };
    let (immediate, with_register) = (bits(word, 17, 17) != 0, bits(word, 14, 14) != 0);
    let signed = ((bits(second, 20, 0) << 11) as i32) >> 11;
    let offset_register = match (immediate, with_register) {
        (_, true) => Some(bits(second, 31, 25)),
        (false, false) => Some(bits(second, 6, 0)),
        (true, false) => None,
    };
    // The registers end within the general registers and VCC, or within the trap handler's.
    let to = aligned(to, u32::from(registers));
    let end = to + u32::from(registers);
    if (to < 108 && end > 108) || end > 125 {
        return None;
    }
    Some(Action::ScalarMemory(ScalarMemory {
        registers,
        to: to as u8,
        base: aligned(bits(word, 5, 0) << 1, if is_buffer { 4 } else { 2 }) as u8,
        part: None,
        buffer: is_buffer,
        offset: if immediate { signed } else { 0 },
        offset_register: offset_register
            .map(|code| code as u8)
            .filter(|&code| code != 125),
    }))
}

pub(super) fn share(line: &Line, words: [u32; 3]) -> Option<Action> {
    let (word, second) = (words[0], words[1]);
    let Entry::Share(operation) = line.entry else {
        return None;
    };
    if bits(word, 16, 16) != 0 {
        // Global data share: not on this part.
        return None;
    }
    let accumulation = if bits(word, 25, 25) != 0 { 256 } else { 0 };
    let (low, high) = (bits(word, 7, 0), bits(word, 15, 8));
    let offsets = match operation {
        ShareOperation::ReadTwo { registers }
        | ShareOperation::WriteTwo { registers }
        | ShareOperation::ExchangeTwo { registers } => {
            let unit = 4 * u32::from(registers) * if line.name.contains("st64") { 64 } else { 1 };
            [low * unit, high * unit]
        }
        _ => [bits(word, 15, 0), 0],
    };
    Some(Action::Share(Box::new(ShareAction {
        operation,
        address: bits(second, 7, 0) as u16,
        data: [bits(second, 15, 8), bits(second, 23, 16)].map(|code| code as u16 + accumulation),
        to: bits(second, 31, 24) as u16 + accumulation,
        offsets,
    })))
}

pub(super) fn flat(line: &Line, words: [u32; 3]) -> Option<Action> {
    let (word, second) = (words[0], words[1]);
    let Entry::Memory(operation) = line.entry else {
        return None;
    };
    let accumulation = if bits(second, 23, 23) != 0 { 256 } else { 0 };
    let scalar = bits(second, 22, 16);
    let offset = ((bits(word, 12, 0) << 19) as i32) >> 19;
    let (space, offset) = match bits(word, 15, 14) {
        0 => (Space::Flat, bits(word, 11, 0) as i32),
        1 => {
            let scalar = if scalar == 0x7f {
                None
            } else {
                Some(scalar_destination(scalar)?)
            };
            (
                Space::Scratch {
                    vector: bits(word, 13, 13) != 0,
                    scalar,
                },
                offset,
            )
        }
        2 if scalar == 0x7f => (Space::Global, offset),
        2 => (
            Space::GlobalScalar {
                base: scalar_pair(scalar)?,
            },
            offset,
        ),
        _ => return None,
    };
    let wide = matches!(space, Space::Flat | Space::Global);
    let address = bits(second, 7, 0) as u16;
    if wide && address % 2 == 1 {
        return None;
    }
    let loads = matches!(
        operation,
        MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. }
    );
    let to = bits(second, 31, 24) as u16 + accumulation;
    let from = bits(second, 15, 8) as u16 + accumulation;
    let atomic = matches!(operation, MemoryOperation::Atomic { .. });
    let returns = (atomic && bits(word, 16, 16) != 0).then_some(to);
    Some(Action::Memory(Box::new(MemoryAction {
        operation,
        space,
        address,
        data: if loads { to } else { from },
        returns,
        offset,
    })))
}

pub(super) fn buffer(line: &Line, words: [u32; 3]) -> Option<Action> {
    let (word, second) = (words[0], words[1]);
    let Entry::Memory(operation) = line.entry else {
        return None;
    };
    if bits(word, 16, 16) != 0 {
        // Loads to LDS.
        return None;
    }
    let accumulation = if bits(second, 23, 23) != 0 { 256 } else { 0 };
    let data = bits(second, 15, 8) as u16 + accumulation;
    let atomic = matches!(operation, MemoryOperation::Atomic { .. });
    let scalar = source(bits(second, 31, 24), Kind::Bits32, 0)
        .filter(|_| bits(second, 31, 24) != LITERAL)?;
    let resource = (bits(second, 20, 16) << 2) as u8;
    if resource > 120 {
        return None;
    }
    Some(Action::Memory(Box::new(MemoryAction {
        operation,
        space: Space::Buffer {
            resource,
            scalar,
            index: bits(word, 13, 13) != 0,
            offset: bits(word, 12, 12) != 0,
        },
        address: bits(second, 7, 0) as u16,
        data,
        returns: (atomic && bits(word, 14, 14) != 0).then_some(data),
        offset: bits(word, 11, 0) as i32,
    })))
}
