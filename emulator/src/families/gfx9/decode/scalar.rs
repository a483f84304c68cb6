//! The scalar formats.

use super::super::operands::{Kind, aligned, source};
use super::{Format, bits};
use crate::families::tables::{Entry, Line};
use crate::instruction::{Action, JumpKind, Operand, RegisterAccess, Wait};

/// A scalar destination: any register that exists.
pub(super) fn scalar_destination(code: u32) -> Option<u8> {
    matches!(code, 0..=124 | 126 | 127).then_some(code as u8)
}

/// A pair of scalar registers.
pub(super) fn scalar_pair(code: u32) -> Option<u8> {
    scalar_destination(aligned(code, 2))
}

pub(super) fn scalar(format: Format, line: &Line, words: [u32; 3]) -> Option<Action> {
    let (word, literal) = (words[0], words[1]);
    let immediate = word as u16 as i16;
    let to = bits(word, 22, 16);
    let first = |kind: Kind| source(bits(word, 7, 0), kind, literal);
    Some(match &line.entry {
        Entry::Scalar(operation) => {
            let kind =
                |index: usize| Kind::scalar(operation.from.get(index).copied().unwrap_or(32));
            let mut from = [Operand::None; 3];
            if format == Format::Sopk {
                let value = if line.unsigned_immediate() {
                    u32::from(immediate as u16)
                } else {
                    immediate as u32
                };
                from[1] = Operand::Constant(u64::from(value));
                if operation.to == 0 {
                    from[0] = Operand::Scalar(scalar_destination(to)?);
                }
            } else {
                from[0] = first(kind(0))?;
                if format != Format::Sop1 {
                    from[1] = source(bits(word, 15, 8), kind(1), literal)?;
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
                64 => scalar_pair(to)?,
                _ => scalar_destination(to)?,
            };
            Action::Scalar {
                operation,
                to,
                from,
            }
        }
        Entry::Exec(operation) => Action::Exec {
            operation,
            to: scalar_pair(to)?,
            from: first(Kind::Bits64)?,
            wide: true,
        },
        Entry::Jump(JumpKind::Here) => Action::Jump {
            kind: JumpKind::Here,
            to: scalar_pair(to)?,
            from: Operand::None,
        },
        Entry::Jump(JumpKind::Call(_)) => Action::Jump {
            kind: JumpKind::Call(immediate),
            to: scalar_pair(to)?,
            from: Operand::None,
        },
        Entry::Jump(kind) => Action::Jump {
            kind: *kind,
            to: aligned(to, 2) as u8 & 0x7f,
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
            to: scalar_destination(to)?,
            from: first(Kind::scalar(if *wide { 64 } else { 32 }))?,
            wide: *wide,
            relative_source: *relative_source,
        },
        Entry::HardwareRegister {
            write,
            literal_source,
        } => {
            let field = immediate as u16;
            let access = match (write, literal_source) {
                (false, _) => RegisterAccess::Read {
                    to: scalar_destination(to)?,
                },
                (true, true) => RegisterAccess::Write {
                    from: Operand::Constant(u64::from(literal)),
                },
                (true, false) => RegisterAccess::Write {
                    from: Operand::Scalar(scalar_destination(to)?),
                },
            };
            Action::HardwareRegister {
                number: (field & 0x3f) as u8,
                offset: ((field >> 6) & 0x1f) as u8,
                bits: (field >> 11) as u8 + 1,
                access,
            }
        }
        Entry::End => Action::End,
        Entry::Barrier => Action::Barrier,
        Entry::Trap => Action::Trap {
            id: immediate as u8,
        },
        Entry::Wait => {
            let field = u32::from(immediate as u16);
            // The largest value of a counter means that it is not waited for.
            let remaining = |value: u32, most: u32| {
                if value == most {
                    Wait::ANY
                } else {
                    value as u8
                }
            };
            let vector = remaining(bits(field, 3, 0) | (bits(field, 15, 14) << 4), 63);
            let other = remaining(bits(field, 11, 8), 15);
            Action::Wait(Wait {
                load: vector,
                store: vector,
                share: other,
                scalar: other,
            })
        }
        _ => return None,
    })
}
