//! The scalar formats.

use super::operands::{ConstantType, scalar_source, source};
use super::{CommonFormat, EncodingFacts, bits};
use crate::families::flags::Flag;
use crate::families::tables::{ImmediateRole, OpcodeEntry, Semantics};
use crate::instruction::{Action, JumpKind, NULL, RegisterAccess, SourceOperand, Words};

/// Returns the action of an instruction of SOP1, SOP2, SOPK, SOPC or SOPP. The family decodes
/// waits.
pub(in crate::families) fn scalar(
    format: CommonFormat,
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    words: Words,
) -> Option<Action> {
    let (word, literal) = (words[0], words[1]);
    let immediate = word as u16 as i16;
    let to = bits(word, 22, 16);
    let first = |kind: ConstantType| source(facts, bits(word, 7, 0), kind, literal);
    // Some instructions read only registers, no constants.
    let register = |kind: ConstantType| {
        let code = bits(word, 7, 0);
        first(kind).filter(|source| code < 128 || !matches!(source, SourceOperand::Constant(_)))
    };
    Some(match &line.entry {
        Semantics::Scalar(operation) => {
            let kind = |index: usize| {
                ConstantType::scalar(operation.from.get(index).copied().unwrap_or(32))
            };
            let mut from = [SourceOperand::None; 3];
            if format == CommonFormat::Sopk {
                let value = if line.is(Flag::UnsignedImmediate) {
                    u32::from(immediate as u16)
                } else {
                    immediate as u32
                };
                from[1] = SourceOperand::Constant(u64::from(value));
                // A comparison of SOPK reads its destination field as the first source.
                if operation.to == 0 {
                    from[0] = scalar_source(facts, to, 1)?;
                }
            } else {
                from[0] = first(kind(0))?;
                if format != CommonFormat::Sop1 {
                    from[1] = source(facts, bits(word, 15, 8), kind(1), literal)?;
                }
                // The literal is not an encoded source, so it must be inserted at its place.
                let immediate = SourceOperand::Constant(u64::from(literal));
                match line.immediate {
                    Some(ImmediateRole::Addend) => from[2] = immediate,
                    Some(ImmediateRole::Factor) => from = [from[0], immediate, from[1]],
                    None => {}
                }
            }
            if from
                .iter()
                .any(|operand| matches!(operand, SourceOperand::Vector(_)))
            {
                return None;
            }
            let to = match operation.to {
                0 => 0,
                64 => facts.register(to, 2)?,
                _ => facts.register(to, 1)?,
            };
            Action::Scalar {
                operation,
                to,
                from,
            }
        }
        Semantics::Exec(operation) => Action::Exec {
            operation,
            to: facts.register(to, 2)?,
            from: first(ConstantType::Bits64)?,
            wide: true,
        },
        Semantics::ExecLow(operation) => Action::Exec {
            operation,
            to: facts.register(to, 1)?,
            from: first(ConstantType::Bits32)?,
            wide: false,
        },
        Semantics::Jump(JumpKind::Here) => Action::Jump {
            kind: JumpKind::Here,
            to: facts.register(to, 2)?,
            from: SourceOperand::None,
        },
        Semantics::Jump(JumpKind::Call(_)) => Action::Jump {
            kind: JumpKind::Call(immediate),
            to: facts.register(to, 2)?,
            from: SourceOperand::None,
        },
        Semantics::Jump(JumpKind::Set) => Action::Jump {
            kind: JumpKind::Set,
            to: NULL,
            from: register(ConstantType::Bits64)?,
        },
        Semantics::Jump(kind) => Action::Jump {
            kind: *kind,
            to: facts.register(to, 2)?,
            from: first(ConstantType::Bits64)?,
        },
        Semantics::Branch(condition) => Action::Branch {
            condition: *condition,
            words: immediate,
        },
        Semantics::MoveRelative {
            wide,
            relative_source,
        } => Action::MoveRelative {
            to: facts.register(to, if *wide { 2 } else { 1 })?,
            from: {
                let kind = ConstantType::scalar(if *wide { 64 } else { 32 });
                if *relative_source {
                    register(kind)?
                } else {
                    first(kind)?
                }
            },
            wide: *wide,
            relative_source: *relative_source,
        },
        Semantics::IndexOn => Action::IndexOn {
            // Only the vector unit reads the value in LDS (code 254).
            by: first(ConstantType::Bits32).filter(|_| bits(word, 7, 0) != 254)?,
            uses: bits(word, 11, 8) as u8,
        },
        Semantics::IndexOff if immediate == 0 => Action::IndexOff,
        Semantics::HardwareRegister {
            write,
            literal_source,
        } => {
            let field = immediate as u16;
            let access = match (write, literal_source) {
                (false, _) => RegisterAccess::Read {
                    to: facts.register(to, 1)?,
                },
                (true, true) => RegisterAccess::Write {
                    from: SourceOperand::Constant(u64::from(literal)),
                },
                (true, false) => RegisterAccess::Write {
                    from: scalar_source(facts, to, 1)?,
                },
            };
            // The immediate packs number, offset and size minus one.
            Action::HardwareRegister {
                number: (field & 0x3f) as u8,
                offset: ((field >> 6) & 0x1f) as u8,
                bits: (field >> 11) as u8 + 1,
                access,
            }
        }
        Semantics::Mode { offset } => Action::HardwareRegister {
            number: 1,
            offset: *offset,
            bits: 4,
            access: RegisterAccess::Write {
                from: SourceOperand::Constant(u64::from(immediate as u16)),
            },
        },
        Semantics::Message { wide } => Action::Message {
            to: facts.register(to, if *wide { 2 } else { 1 })?,
            wide: *wide,
            number: word as u8,
        },
        Semantics::End => Action::End,
        Semantics::Barrier => Action::Barrier,
        Semantics::Trap => Action::Trap {
            id: immediate as u8,
        },
        _ => return None,
    })
}
