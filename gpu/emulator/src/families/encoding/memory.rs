//! The actions of memory instructions, from the fields that a family extracts.

use super::data_registers::{atomic_registers, lds_registers};
use super::operands::{ConstantType, source};
use super::register_range::within;
use super::{EncodingFacts, LITERAL, bit, bits};
use crate::families::flags::Flag;
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::instruction::*;
use crate::operation::MemoryOperation;

/// The fields of a scalar memory instruction.
pub(in crate::families) struct ScalarMemoryFields {
    /// Code of the first loaded register.
    pub(in crate::families) to: u32,
    /// Code of the first register of the address or resource.
    pub(in crate::families) base: u32,
    /// Offset in bytes; None if the encoding has none.
    pub(in crate::families) offset: Option<i32>,
    /// Code of a register to add.
    pub(in crate::families) offset_register: Option<u32>,
}

/// The fields of an LDS instruction.
pub(in crate::families) struct LdsFields {
    /// Byte offset; two-address operations have one byte for each, in units of an element.
    pub(in crate::families) offset: u32,
    /// True for the global data share, which is not emulated.
    pub(in crate::families) global: bool,
    /// True if the data are in accumulation registers.
    pub(in crate::families) accumulation: bool,
    pub(in crate::families) address: u32,
    pub(in crate::families) data: [u32; 2],
    pub(in crate::families) to: u32,
}

/// The segment that a FLAT instruction's address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::families) enum Segment {
    Flat,
    Scratch,
    Global,
}

impl Segment {
    /// Returns the segment of a two-bit field.
    pub(in crate::families) fn of(field: u32) -> Option<Segment> {
        Some(match field {
            0 => Segment::Flat,
            1 => Segment::Scratch,
            2 => Segment::Global,
            _ => return None,
        })
    }
}

/// The fields of a FLAT, GLOBAL or SCRATCH instruction.
pub(in crate::families) struct FlatFields {
    pub(in crate::families) segment: Segment,
    pub(in crate::families) offset: i32,
    pub(in crate::families) address: u32,
    /// True if a scratch address has a vector register.
    pub(in crate::families) has_address: bool,
    pub(in crate::families) data: u32,
    /// Code of the scalar address; None if the encoding declares that there is none.
    pub(in crate::families) scalar: Option<u32>,
    pub(in crate::families) to: u32,
    /// True if the data are in accumulation registers.
    pub(in crate::families) accumulation: bool,
    /// True if loads go to LDS.
    pub(in crate::families) to_lds: bool,
    /// True if an atomic returns the old value.
    pub(in crate::families) returns: bool,
    /// Cache policy in LLVM's syntax, with a space before each word.
    pub(in crate::families) policy: String,
}

/// The fields of an instruction with a buffer resource.
pub(in crate::families) struct BufferFields {
    pub(in crate::families) offset: u32,
    pub(in crate::families) index: bool,
    pub(in crate::families) has_offset: bool,
    pub(in crate::families) address: u32,
    pub(in crate::families) data: u32,
    /// Code of the first register of the resource.
    pub(in crate::families) resource: u32,
    /// Code of the scalar offset.
    pub(in crate::families) scalar: u32,
    /// True if the data are in accumulation registers.
    pub(in crate::families) accumulation: bool,
    /// True if loads go to LDS.
    pub(in crate::families) to_lds: bool,
    /// True if an atomic returns the old value.
    pub(in crate::families) returns: bool,
    /// Cache policy in LLVM's syntax, with a space before each word.
    pub(in crate::families) policy: String,
}

/// Returns a vector register by its code.
fn vector(code: u32, accumulation: bool) -> u16 {
    code as u16 + if accumulation { ACCUMULATION } else { 0 }
}

fn is_atomic(operation: MemoryOperation) -> bool {
    matches!(operation, MemoryOperation::Atomic { .. })
}

fn memory_action(to_lds: bool, action: MemoryAction) -> Action {
    if to_lds {
        Action::LoadLds(Box::new(action))
    } else {
        Action::Memory(Box::new(action))
    }
}

impl ScalarMemoryFields {
    pub(in crate::families) fn action(
        &self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
    ) -> Option<Action> {
        let (registers, buffer, part) = match line.entry {
            Semantics::ScalarLoad { registers, buffer } => (registers, buffer, None),
            Semantics::ScalarLoadPart {
                bytes,
                signed,
                buffer,
            } => (1, buffer, Some((bytes, signed))),
            Semantics::Time => {
                let to = facts.register(self.to, 2)?;
                return Some(Action::Time { to });
            }
            _ => return None,
        };
        let offset_register = match self.offset_register {
            Some(code) => Some(facts.register(code, 1)?).filter(|&register| register != NULL),
            None => None,
        };
        Some(Action::ScalarMemory(ScalarMemory {
            registers,
            to: facts.register(self.to, registers.into())?,
            // A buffer resource has four registers, and a plain base address two.
            base: facts.base(self.base, if buffer { 4 } else { 2 })?,
            part,
            buffer,
            offset: self.offset.unwrap_or(0),
            offset_register,
        }))
    }
}

impl LdsFields {
    pub(in crate::families) fn action(&self, line: &OpcodeEntry) -> Option<Action> {
        let Semantics::Lds(operation) = line.entry else {
            return None;
        };
        if self.global {
            let reason = format!("{} on the global data share is not emulated", line.name);
            return Some(Action::Refused(reason));
        }
        let offsets = match operation {
            LdsOperation::ReadTwo { registers }
            | LdsOperation::WriteTwo { registers }
            | LdsOperation::ExchangeTwo { registers } => {
                // `ds_*st64_*` count offsets in 64 elements.
                let stride = if line.is(Flag::Strided) { 64 } else { 1 };
                let unit = 4 * u32::from(registers) * stride;
                [(self.offset & 255) * unit, (self.offset >> 8) * unit]
            }
            _ => [self.offset, 0],
        };
        self.check(operation)?;
        let action = Action::Lds(Box::new(LdsAction {
            operation,
            address: self.address as u16,
            data: self.data.map(|code| vector(code, self.accumulation)),
            to: vector(self.to, self.accumulation),
            offsets,
        }));
        Some(within(line, action))
    }

    /// Returns the action of `ds_nop`; all its fields must be 0.
    pub(in crate::families) fn nothing(&self) -> Option<Action> {
        let fields = self.offset | self.address | self.data[0] | self.data[1] | self.to;
        (fields == 0).then_some(Action::Nothing)
    }

    /// Returns Some if all fields without a meaning are zero.
    fn check(&self, operation: LdsOperation) -> Option<()> {
        let (from, more, to) = lds_registers(operation);
        let addressed = !matches!(
            operation,
            LdsOperation::ReadLaneAddress
                | LdsOperation::WriteLaneAddress
                | LdsOperation::Append { .. }
        );
        let unused = [
            (self.address, addressed),
            (self.data[0], from > 0),
            (self.data[1], more > 0),
            (self.to, to > 0),
        ];
        let zero = unused.iter().all(|&(field, used)| used || field == 0);
        zero.then_some(())
    }
}

impl FlatFields {
    /// Returns the number of registers of the vector address; 0 if there is none.
    pub(in crate::families) fn address_registers(&self) -> u32 {
        match (self.segment, self.scalar) {
            (Segment::Scratch, _) => u32::from(self.has_address),
            (Segment::Global, Some(_)) => 1,
            _ => 2,
        }
    }

    pub(in crate::families) fn action(
        &self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
    ) -> Option<Action> {
        let (operation, to_lds) = match line.entry {
            Semantics::Memory(operation) => (operation, self.to_lds),
            Semantics::LoadLds(operation) => (operation, true),
            _ => return None,
        };
        let space = match (self.segment, self.scalar) {
            (Segment::Flat, _) => AddressingMode::Flat,
            (Segment::Scratch, scalar) => AddressingMode::Scratch {
                vector: self.has_address,
                scalar: match scalar {
                    Some(code) => Some(facts.base(code, 1)?),
                    None => None,
                },
            },
            (Segment::Global, None) => AddressingMode::Global,
            // EXEC is no valid address.
            (Segment::Global, Some(126)) => return None,
            (Segment::Global, Some(code)) => AddressingMode::GlobalScalar {
                base: facts.base(code, 2)?,
            },
        };
        facts.has_vectors(self.address, self.address_registers())?;
        let (from, into) = atomic_registers(operation);
        let atomic = is_atomic(operation);
        let returns = atomic && self.returns;
        facts.has_vectors(self.data, from)?;
        // A load to LDS and an atomic without a result have no destination registers.
        if !to_lds && (returns || !atomic) {
            facts.has_vectors(self.to, into)?;
        }
        let loads = !atomic && into > 0;
        let to = vector(self.to, self.accumulation);
        let from = vector(self.data, self.accumulation);
        Some(within(
            line,
            memory_action(
                to_lds,
                MemoryAction {
                    operation,
                    space,
                    address: self.address as u16,
                    data: if loads { to } else { from },
                    returns: returns.then_some(to),
                    offset: self.offset,
                },
            ),
        ))
    }
}

impl BufferFields {
    /// Extracts the fields from the layout that gfx9 and gfx10 share, without accumulation
    /// registers.
    pub(in crate::families) fn of_two_words(words: Words, policy: String) -> BufferFields {
        let (word, second) = (words[0], words[1]);
        BufferFields {
            offset: bits(word, 11, 0),
            index: bit(word, 13),
            has_offset: bit(word, 12),
            address: bits(second, 7, 0),
            data: bits(second, 15, 8),
            resource: bits(second, 20, 16) << 2,
            scalar: bits(second, 31, 24),
            accumulation: false,
            to_lds: bit(word, 16),
            returns: bit(word, 14),
            policy,
        }
    }

    pub(in crate::families) fn action(
        &self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
    ) -> Option<Action> {
        let Semantics::Memory(operation) = line.entry else {
            return None;
        };
        // A literal offset would need a third word.
        if self.scalar == LITERAL {
            return None;
        }
        let scalar = source(facts, self.scalar, ConstantType::Bits32, 0)?;
        let (from, into) = atomic_registers(operation);
        if !self.to_lds {
            facts.has_vectors(self.data, from.max(into))?;
        }
        let addresses = u32::from(self.index) + u32::from(self.has_offset);
        facts.has_vectors(self.address, addresses)?;
        let data = vector(self.data, self.accumulation);
        Some(within(
            line,
            memory_action(
                self.to_lds,
                MemoryAction {
                    operation,
                    space: AddressingMode::Buffer {
                        resource: facts.base(self.resource, 4)?,
                        scalar,
                        index: self.index,
                        offset: self.has_offset,
                    },
                    address: self.address as u16,
                    data,
                    returns: (is_atomic(operation) && self.returns).then_some(data),
                    offset: self.offset as i32,
                },
            ),
        ))
    }
}
