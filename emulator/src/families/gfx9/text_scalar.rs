//! LLVM's assembly of the scalar formats.

use super::decode::{Format, bits};
use super::text::{Text, join, operand, scalar_operand};
use crate::families::tables::{Entry, Line};
use crate::instruction::JumpKind;
use crate::operation::Type;

pub(super) fn scalar(format: Format, line: &Line, words: [u32; 3]) -> Text {
    let (word, literal) = (words[0], words[1]);
    let to = bits(word, 22, 16);
    let immediate = word & 0xffff;
    let source = |code: u32, size: u8| {
        let kind = if size == 64 { Type::B64 } else { Type::B32 };
        operand(code, u32::from(size) / 32, kind, literal)
    };
    let first = |size: u8| source(bits(word, 7, 0), size);
    Ok(match &line.entry {
        Entry::Scalar(operation) => {
            let size = |index: usize| operation.from.get(index).copied().unwrap_or(32);
            if format == Format::Sopk {
                return Ok(join(
                    line.name,
                    &[scalar_operand(to, 1), format!("{immediate:#x}")],
                ));
            }
            let mut operands = Vec::new();
            if operation.to > 0 {
                operands.push(scalar_operand(to, u32::from(operation.to) / 32));
            }
            operands.push(first(size(0)));
            if format != Format::Sop1 {
                operands.push(source(bits(word, 15, 8), size(1)));
            }
            join(line.name, &operands)
        }
        Entry::Exec(_) => join(line.name, &[scalar_operand(to, 2), first(64)]),
        Entry::Jump(JumpKind::Here) => join(line.name, &[scalar_operand(to, 2)]),
        Entry::Jump(JumpKind::Set) => join(line.name, &[first(64)]),
        Entry::Jump(JumpKind::Swap) => join(line.name, &[scalar_operand(to, 2), first(64)]),
        Entry::Jump(JumpKind::Call(_)) => {
            join(line.name, &[scalar_operand(to, 2), immediate.to_string()])
        }
        Entry::MoveRelative { wide, .. } => {
            let count = if *wide { 2 } else { 1 };
            join(
                line.name,
                &[scalar_operand(to, count), first(32 * count as u8)],
            )
        }
        Entry::Branch(_) => format!("{} {immediate}", line.name),
        Entry::Trap => format!("{} {}", line.name, short_number(immediate)),
        Entry::End if immediate != 0 => format!("{} {immediate}", line.name),
        Entry::Wait => waits(line, immediate),
        Entry::HardwareRegister {
            write,
            literal_source,
        } => {
            let register = hardware_register(immediate);
            match (write, literal_source) {
                (false, _) => join(line.name, &[scalar_operand(to, 1), register]),
                (true, false) => join(line.name, &[register, scalar_operand(to, 1)]),
                (true, true) => join(line.name, &[register, format!("{literal:#x}")]),
            }
        }
        Entry::Nothing => match line.name {
            "s_nop" | "s_sleep" | "s_setprio" | "s_incperflevel" | "s_decperflevel" => {
                format!("{} {}", line.name, short_number(immediate))
            }
            "s_sendmsg" => format!("{} {immediate}", line.name),
            _ => line.name.to_owned(),
        },
        _ => line.name.to_owned(),
    })
}

/// Small numbers in decimal, others in hexadecimal.
fn short_number(value: u32) -> String {
    if value <= 64 {
        value.to_string()
    } else {
        format!("{value:#x}")
    }
}

/// The counters that are waited for; those at their maximum are not written.
fn waits(line: &Line, field: u32) -> String {
    let vector = bits(field, 3, 0) | (bits(field, 15, 14) << 4);
    let (export, share) = (bits(field, 6, 4), bits(field, 11, 8));
    let mut parts = Vec::new();
    let all = vector == 63 && export == 7 && share == 15;
    for (name, value, most) in [
        ("vmcnt", vector, 63),
        ("expcnt", export, 7),
        ("lgkmcnt", share, 15),
    ] {
        if value != most || all {
            parts.push(format!("{name}({value})"));
        }
    }
    format!("{} {}", line.name, parts.join(" "))
}

fn hardware_register(field: u32) -> String {
    const NAMES: [(u32, &str); 17] = [
        (1, "HW_REG_MODE"),
        (2, "HW_REG_STATUS"),
        (3, "HW_REG_TRAPSTS"),
        (4, "HW_REG_HW_ID"),
        (5, "HW_REG_GPR_ALLOC"),
        (6, "HW_REG_LDS_ALLOC"),
        (7, "HW_REG_IB_STS"),
        (15, "HW_REG_SH_MEM_BASES"),
        (16, "HW_REG_TBA_LO"),
        (17, "HW_REG_TBA_HI"),
        (18, "HW_REG_TMA_LO"),
        (19, "HW_REG_TMA_HI"),
        (20, "HW_REG_XCC_ID"),
        (21, "HW_REG_SQ_PERF_SNAPSHOT_DATA"),
        (22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1"),
        (23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO"),
        (24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"),
    ];
    let number = bits(field, 5, 0);
    let name = NAMES.iter().find(|(known, _)| *known == number);
    let name = name.map_or_else(|| number.to_string(), |(_, name)| (*name).to_owned());
    let (offset, size) = (bits(field, 10, 6), bits(field, 15, 11) + 1);
    if offset == 0 && size == 32 {
        format!("hwreg({name})")
    } else {
        format!("hwreg({name}, {offset}, {size})")
    }
}
