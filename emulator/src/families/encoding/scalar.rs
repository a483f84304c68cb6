//! The scalar formats.

use super::operands::{Kind, scalar_source, source};
use super::{Common, Facts, bits};
use crate::families::flags::Flag;
use crate::families::tables::{Entry, ImmediateRole, Line};
use crate::instruction::{Action, JumpKind, NULL, Operand, RegisterAccess, Words};

/// What an instruction of SOP1, SOP2, SOPK, SOPC or SOPP does. Waits are the family's matter.
pub(in crate::families) fn scalar(
    format: Common,
    facts: &Facts,
    line: &Line,
    words: Words,
) -> Option<Action> {
    let (word, literal) = (words[0], words[1]);
    let immediate = word as u16 as i16;
    let to = bits(word, 22, 16);
    let first = |kind: Kind| source(facts, bits(word, 7, 0), kind, literal);
    // Some instructions read registers only.
    let register = |kind: Kind| {
        let code = bits(word, 7, 0);
        first(kind).filter(|source| code < 128 || !matches!(source, Operand::Constant(_)))
    };
    Some(match &line.entry {
        Entry::Scalar(operation) => {
            let kind =
                |index: usize| Kind::scalar(operation.from.get(index).copied().unwrap_or(32));
            let mut from = [Operand::None; 3];
            if format == Common::Sopk {
                let value = if line.is(Flag::UnsignedImmediate) {
                    u32::from(immediate as u16)
                } else {
                    immediate as u32
                };
                from[1] = Operand::Constant(u64::from(value));
                if operation.to == 0 {
                    from[0] = scalar_source(facts, to, 1)?;
                }
            } else {
                from[0] = first(kind(0))?;
                if format != Common::Sop1 {
                    from[1] = source(facts, bits(word, 15, 8), kind(1), literal)?;
                }
                let immediate = Operand::Constant(u64::from(literal));
                match line.immediate {
                    Some(ImmediateRole::Addend) => from[2] = immediate,
                    Some(ImmediateRole::Factor) => from = [from[0], immediate, from[1]],
                    None => {}
                }
            }
            if from
                .iter()
                .any(|operand| matches!(operand, Operand::Vector(_)))
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
        Entry::Exec(operation) => Action::Exec {
            operation,
            to: facts.register(to, 2)?,
            from: first(Kind::Bits64)?,
            wide: true,
        },
        Entry::ExecLow(operation) => Action::Exec {
            operation,
            to: facts.register(to, 1)?,
            from: first(Kind::Bits32)?,
            wide: false,
        },
        Entry::Jump(JumpKind::Here) => Action::Jump {
            kind: JumpKind::Here,
            to: facts.register(to, 2)?,
            from: Operand::None,
        },
        Entry::Jump(JumpKind::Call(_)) => Action::Jump {
            kind: JumpKind::Call(immediate),
            to: facts.register(to, 2)?,
            from: Operand::None,
        },
        Entry::Jump(JumpKind::Set) => Action::Jump {
            kind: JumpKind::Set,
            to: NULL,
            from: register(Kind::Bits64)?,
        },
        Entry::Jump(kind) => Action::Jump {
            kind: *kind,
            to: facts.register(to, 2)?,
            from: first(Kind::Bits64)?,
        },
        Entry::Branch(condition) => Action::Branch {
            condition: *condition,
            words: immediate,
        },
        Entry::MoveRelative {
            wide,
            relative_source,
        } => Action::MoveRelative {
            to: facts.register(to, if *wide { 2 } else { 1 })?,
            from: {
                let kind = Kind::scalar(if *wide { 64 } else { 32 });
                if *relative_source {
                    register(kind)?
                } else {
                    first(kind)?
                }
            },
            wide: *wide,
            relative_source: *relative_source,
        },
        Entry::IndexOn => Action::IndexOn {
            // The value in LDS is a source of the vector unit only.
            by: first(Kind::Bits32).filter(|_| bits(word, 7, 0) != 254)?,
            uses: bits(word, 11, 8) as u8,
        },
        Entry::IndexOff if immediate == 0 => Action::IndexOff,
        Entry::HardwareRegister {
            write,
            literal_source,
        } => {
            let field = immediate as u16;
            let access = match (write, literal_source) {
                (false, _) => RegisterAccess::Read {
                    to: facts.register(to, 1)?,
                },
                (true, true) => RegisterAccess::Write {
                    from: Operand::Constant(u64::from(literal)),
                },
                (true, false) => RegisterAccess::Write {
                    from: scalar_source(facts, to, 1)?,
                },
            };
            Action::HardwareRegister {
                number: (field & 0x3f) as u8,
                offset: ((field >> 6) & 0x1f) as u8,
                bits: (field >> 11) as u8 + 1,
                access,
            }
        }
        Entry::Mode { offset } => Action::HardwareRegister {
            number: 1,
            offset: *offset,
            bits: 4,
            access: RegisterAccess::Write {
                from: Operand::Constant(u64::from(immediate as u16)),
            },
        },
        Entry::Message { wide } => Action::Message {
            to: facts.register(to, if *wide { 2 } else { 1 })?,
            wide: *wide,
            number: word as u8,
        },
        Entry::End => Action::End,
        Entry::Barrier => Action::Barrier,
        Entry::Trap => Action::Trap {
            id: immediate as u8,
        },
        _ => return None,
    })
}
