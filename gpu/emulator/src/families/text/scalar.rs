//! LLVM's assembly of the scalar formats.

use super::{join, literal_value, operand};
use crate::families::encoding::{CommonFormat, EncodingFacts, LITERAL, bits};
use crate::families::tables::{ImmediateRole, OpcodeEntry, Semantics};
use crate::instruction::{JumpKind, Words};
use crate::operation::Type;

pub(super) fn scalar(
    format: CommonFormat,
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    words: Words,
) -> String {
    let scalar_operand = |code: u32, count: u32| super::scalar_operand(facts, code, count);
    let (word, literal) = (words[0], words[1]);
    let to = bits(word, 22, 16);
    let immediate = word & 0xffff;
    let source = |code: u32, size: u8| {
        let (kind, count) = match size {
            64 => (Type::B64, 2),
            // LLVM prints the halves of comparisons as integers, and a literal with one source as
            // 32 bits.
            16 if format == CommonFormat::Sopc => (Type::B16, 1),
            16 if format == CommonFormat::Sop1 && code == LITERAL => (Type::B32, 1),
            16 => (Type::F16, 1),
            _ => (Type::B32, 1),
        };
        operand(facts, code, count, kind, literal)
    };
    let first = |size: u8| source(bits(word, 7, 0), size);
    match &line.entry {
        Semantics::Scalar(operation) => {
            let size = |index: usize| operation.from.get(index).copied().unwrap_or(32);
            if format == CommonFormat::Sopk {
                return join(
                    line.name,
                    &[scalar_operand(to, 1), format!("{immediate:#x}")],
                );
            }
            let mut operands = Vec::new();
            if operation.to > 0 {
                operands.push(scalar_operand(to, u32::from(operation.to) / 32));
            }
            operands.push(first(size(0)));
            if format != CommonFormat::Sop1 {
                let second = source(bits(word, 15, 8), size(1));
                let immediate = format!("{literal:#x}");
                match line.immediate {
                    None => operands.push(second),
                    Some(ImmediateRole::Factor) => operands.extend([immediate, second]),
                    Some(ImmediateRole::Addend) => operands.extend([second, immediate]),
                }
            }
            join(line.name, &operands)
        }
        Semantics::Exec(_) => join(line.name, &[scalar_operand(to, 2), first(64)]),
        Semantics::ExecLow(_) => join(line.name, &[scalar_operand(to, 1), first(32)]),
        Semantics::Jump(JumpKind::Here) => join(line.name, &[scalar_operand(to, 2)]),
        Semantics::Jump(JumpKind::Set) => join(line.name, &[first(64)]),
        Semantics::Jump(JumpKind::Swap) => join(line.name, &[scalar_operand(to, 2), first(64)]),
        Semantics::Jump(JumpKind::Call(_)) => {
            join(line.name, &[scalar_operand(to, 2), immediate.to_string()])
        }
        Semantics::MoveRelative { wide, .. } => {
            let count = if *wide { 2 } else { 1 };
            join(
                line.name,
                &[scalar_operand(to, count), first(32 * count as u8)],
            )
        }
        Semantics::IndexOn => join(line.name, &[first(32), index_uses(bits(word, 15, 8))]),
        Semantics::Branch(_) => format!("{} {immediate}", line.name),
        Semantics::Trap => format!("{} {}", line.name, short_number(immediate)),
        Semantics::End if immediate != 0 => format!("{} {immediate}", line.name),
        Semantics::HardwareRegister {
            write,
            literal_source,
        } => {
            let register = hardware_register(facts, immediate);
            match (write, literal_source) {
                (false, _) => join(line.name, &[scalar_operand(to, 1), register]),
                (true, false) => join(line.name, &[register, scalar_operand(to, 1)]),
                (true, true) => {
                    let value = literal_value(literal);
                    join(line.name, &[register, value])
                }
            }
        }
        Semantics::Nothing => match line.name {
            "s_nop" | "s_sleep" | "s_setprio" | "s_incperflevel" | "s_decperflevel" => {
                format!("{} {}", line.name, short_number(immediate))
            }
            _ => line.name.to_owned(),
        },
        _ => line.name.to_owned(),
    }
}

/// Returns the operands that an index applies to.
fn index_uses(uses: u32) -> String {
    if uses > 15 {
        return format!("{uses:#x}");
    }
    let names = ["SRC0", "SRC1", "SRC2", "DST"].into_iter().enumerate();
    let used: Vec<&str> = names
        .filter(|(bit, _)| (uses >> bit) & 1 != 0)
        .map(|(_, name)| name)
        .collect();
    format!("gpr_idx({})", used.join(","))
}

/// Returns small numbers in decimal, others in hexadecimal.
pub(in crate::families) fn short_number(value: u32) -> String {
    if value <= 64 {
        value.to_string()
    } else {
        format!("{value:#x}")
    }
}

fn hardware_register(facts: &EncodingFacts, field: u32) -> String {
    let number = bits(field, 5, 0);
    let mut names = facts.hardware_registers.iter();
    let name = names.find(|(known, _)| *known == number);
    let name = name.map_or_else(|| number.to_string(), |(_, name)| (*name).to_owned());
    let (offset, size) = (bits(field, 10, 6), bits(field, 15, 11) + 1);
    // LLVM omits offset and size for the whole register.
    if offset == 0 && size == 32 {
        format!("hwreg({name})")
    } else {
        format!("hwreg({name}, {offset}, {size})")
    }
}
