//! LLVM's assembly of the scalar and vector formats.

use std::fmt::{self, Write};

use super::decode::{Format, bits, format, line};
use super::operands::{DPP, SDWA, VCC, aligned};
use super::tables::{Entry, ImmediateRole, Line};
use super::text_memory;
use crate::instruction::{Action, Instruction, JumpKind, LaneOperation};
use crate::operation::{Body, Type};

/// Writes an instruction.
pub(crate) fn write_text(instruction: &Instruction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let words = instruction.words;
    let format = format(words[0]);
    let Some(line) = line(format, words) else {
        return write!(f, ".long {:#010x}", words[0]);
    };
    if let (Action::Refused(_), Entry::Refused) = (&instruction.action, &line.entry) {
        return f.write_str(line.name);
    }
    if let Action::Refused(_) = &instruction.action {
        return write!(f, "{} (operands not valid)", line.name);
    }
    let text = match format {
        Format::Sop1 | Format::Sop2 | Format::Sopk | Format::Sopc | Format::Sopp => {
            scalar(format, line, words, instruction)
        }
        Format::Vop1 | Format::Vop2 | Format::Vopc => short(format, line, words),
        Format::Vop3 => long(line, words),
        Format::Vop3p => packed(line, words),
        Format::Smem => text_memory::scalar(line, words),
        Format::Ds => text_memory::share(line, words),
        Format::Flat => text_memory::flat(line, words),
        Format::Mubuf => text_memory::buffer(line, words),
        Format::Mtbuf | Format::Unknown => Ok(line.name.to_owned()),
    };
    f.write_str(&text?)
}

pub(super) type Text = Result<String, fmt::Error>;

/// A run of registers: `v3` or `v[2:3]`.
pub(super) fn registers(prefix: &str, first: u32, count: u32) -> String {
    if count == 1 {
        format!("{prefix}{first}")
    } else {
        format!("{prefix}[{first}:{}]", first + count - 1)
    }
}

/// A vector register, or an accumulation register.
pub(super) fn vector(first: u32, count: u32, accumulation: bool) -> String {
    registers(if accumulation { "a" } else { "v" }, first, count)
}

/// A scalar register or constant by its code.
pub(super) fn scalar_operand(code: u32, count: u32) -> String {
    operand(code, count, Type::B32, 0)
}

fn named(pair: &str, count: u32, high: bool) -> String {
    match (count, high) {
        (1, false) => format!("{pair}_lo"),
        (1, true) => format!("{pair}_hi"),
        _ => pair.to_owned(),
    }
}

/// Any source by its code. Runs of scalar registers start at a multiple of their length, at most of 4.
pub(super) fn operand(code: u32, count: u32, kind: Type, literal: u32) -> String {
    let code = if code < 128 {
        aligned(code, count)
    } else {
        code
    };
    match code {
        0..=101 => registers("s", code, count),
        102 | 103 => named("flat_scratch", count, code == 103),
        104 | 105 => named("xnack_mask", count, code == 105),
        106 | 107 => named("vcc", count, code == 107),
        108..=123 => registers("ttmp", code - 108, count),
        124 => "m0".into(),
        126 | 127 => named("exec", count, code == 127),
        128..=192 => (code - 128).to_string(),
        193..=208 => (192 - i64::from(code)).to_string(),
        235 => "src_shared_base".into(),
        236 => "src_shared_limit".into(),
        237 => "src_private_base".into(),
        238 => "src_private_limit".into(),
        240..=248 if kind == Type::B16 => {
            // Integers take the half-precision pattern.
            let halves = [
                0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
            ];
            format!("{:#x}", halves[code as usize - 240])
        }
        240..=247 => {
            ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"][code as usize - 240].into()
        }
        248 => match kind {
            Type::F64 | Type::B64 | Type::I64 => "0.15915494309189532".into(),
            _ => "0.15915494".into(),
        },
        251 => "src_vccz".into(),
        252 => "src_execz".into(),
        253 => "src_scc".into(),
        255 if kind.is_half() => format!("{:#x}", literal & 0xffff),
        255 => format!("{literal:#x}"),
        256..=511 => vector(code - 256, count, false),
        _ => format!("?{code}"),
    }
}

fn join(name: &str, operands: &[String]) -> String {
    let shown: Vec<&str> = operands
        .iter()
        .filter(|text| !text.is_empty())
        .map(String::as_str)
        .collect();
    if shown.is_empty() {
        name.to_owned()
    } else {
        format!("{name} {}", shown.join(", "))
    }
}

fn scalar(format: Format, line: &Line, words: [u32; 2], instruction: &Instruction) -> Text {
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
        _ => {
            debug_assert!(matches!(instruction.action, Action::End | Action::Barrier));
            line.name.to_owned()
        }
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

/// A source with its modifiers: `-|v1|`, `sext(v1)`.
fn modified(text: String, negate: bool, absolute: bool, extend: bool) -> String {
    let text = if absolute { format!("|{text}|") } else { text };
    let text = if extend {
        format!("sext({text})")
    } else {
        text
    };
    // A minus sign before a number would be part of the number.
    let number = text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    match (negate, number) {
        (false, _) => text,
        (true, false) => format!("-{text}"),
        (true, true) => format!("neg({text})"),
    }
}

fn bit(word: u32, index: u32) -> bool {
    bits(word, index, index) != 0
}

/// The mask operand of a short instruction, before and after the sources.
fn short_masks(body: &Body) -> (bool, bool) {
    match body {
        Body::Carry { reads, writes, .. } | Body::WideCarry { reads, writes, .. } => {
            (*writes, *reads)
        }
        Body::Compare(_) | Body::WideCompare(_) => (true, false),
        _ => (false, false),
    }
}

fn is_compare(body: &Body) -> bool {
    matches!(body, Body::Compare(_) | Body::WideCompare(_))
}

fn short(format: Format, line: &Line, words: [u32; 2]) -> Text {
    let (word, extra) = (words[0], words[1]);
    let (first, second) = (bits(word, 8, 0), bits(word, 16, 9));
    let to = bits(word, 24, 17);
    let Some((operation, ..)) = line.vector() else {
        return Ok(match line.entry {
            Entry::Lane(LaneOperation::ReadFirstLane) => join(
                line.name,
                &[scalar_operand(to, 1), operand(first, 1, Type::B32, extra)],
            ),
            Entry::Lane(_) => join(
                line.name,
                &[vector(to, 1, false), operand(first, 1, Type::B32, extra)],
            ),
            _ => line.name.to_owned(),
        });
    };
    let kind = |index: usize| operation.from.get(index).copied().unwrap_or(Type::B32);
    let count = |index: usize| u32::from(kind(index).registers());
    let (mask_before, mask_after) = short_masks(&operation.body);
    let vcc = || scalar_operand(u32::from(VCC), 2);
    let mut operands = Vec::new();
    let accumulation = line.name == "v_accvgpr_mov_b32";
    if !is_compare(&operation.body) {
        operands.push(vector(
            to,
            u32::from(operation.to.registers()),
            accumulation,
        ));
    }
    let (suffix, tail) = match first {
        SDWA => {
            if format == Format::Vopc {
                let scalar = if bit(extra, 15) {
                    bits(extra, 14, 8)
                } else {
                    u32::from(VCC)
                };
                operands.push(scalar_operand(scalar, 2));
            } else if mask_before {
                operands.push(vcc());
            }
            let source = |code: u32, scalar: bool, index: usize, low: u32| {
                let code = if scalar { code } else { code + 256 };
                let text = operand(code, count(index), kind(index), 0);
                modified(
                    text,
                    bit(extra, low + 1),
                    bit(extra, low + 2),
                    bit(extra, low),
                )
            };
            operands.push(source(bits(extra, 7, 0), bit(extra, 23), 0, 19));
            if format != Format::Vop1 {
                operands.push(source(second, bit(extra, 31), 1, 27));
            }
            ("_sdwa", sdwa(format, extra))
        }
        DPP => {
            if mask_before {
                operands.push(vcc());
            }
            // Integer dot products have no modifiers.
            let signs = !(line.name.starts_with("v_dot") && line.name.contains("_i32_"));
            let source = |code: u32, index: usize, low: u32| {
                let text = vector(code, count(index), false);
                modified(
                    text,
                    signs && bit(extra, low),
                    signs && bit(extra, low + 1),
                    false,
                )
            };
            operands.push(source(bits(extra, 7, 0), 0, 20));
            if format != Format::Vop1 {
                operands.push(source(second, 1, 22));
            }
            ("_dpp", dpp(extra))
        }
        _ => {
            if mask_before {
                operands.push(vcc());
            }
            let text = operand(first, count(0), kind(0), extra);
            operands.push(if accumulation {
                text.replacen('v', "a", 1)
            } else {
                text
            });
            if line.immediate == Some(ImmediateRole::Factor) {
                operands.push(format!("{extra:#x}"));
            }
            if format != Format::Vop1 {
                operands.push(vector(second, count(1), false));
            }
            if line.immediate == Some(ImmediateRole::Addend) {
                operands.push(format!("{extra:#x}"));
            }
            let plain = line.immediate.is_some() || accumulation;
            (if plain { "" } else { "_e32" }, String::new())
        }
    };
    if mask_after {
        operands.push(vcc());
    }
    Ok(format!(
        "{}{tail}",
        join(&format!("{}{suffix}", line.name), &operands)
    ))
}

fn sdwa(format: Format, word: u32) -> String {
    const PARTS: [&str; 7] = [
        "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD",
    ];
    const UNUSED: [&str; 3] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];
    let part = |high: u32, low: u32| {
        PARTS
            .get(bits(word, high, low) as usize)
            .copied()
            .unwrap_or("?")
    };
    let mut text = String::new();
    if format != Format::Vopc {
        text += &result_modifiers(bit(word, 13), bits(word, 15, 14));
        let unused = UNUSED
            .get(bits(word, 12, 11) as usize)
            .copied()
            .unwrap_or("?");
        text += &format!(" dst_sel:{} dst_unused:{unused}", part(10, 8));
    }
    text += &format!(" src0_sel:{}", part(18, 16));
    if format != Format::Vop1 {
        text += &format!(" src1_sel:{}", part(26, 24));
    }
    text
}

fn dpp(word: u32) -> String {
    let control = bits(word, 16, 8);
    let low = control & 15;
    let pattern = match control {
        0..=0xff => {
            let lane = |index: u32| (control >> (2 * index)) & 3;
            format!(
                "quad_perm:[{},{},{},{}]",
                lane(0),
                lane(1),
                lane(2),
                lane(3)
            )
        }
        0x101..=0x10f => format!("row_shl:{low}"),
        0x111..=0x11f => format!("row_shr:{low}"),
        0x121..=0x12f => format!("row_ror:{low}"),
        0x130 => "wave_shl:1".into(),
        0x134 => "wave_rol:1".into(),
        0x138 => "wave_shr:1".into(),
        0x13c => "wave_ror:1".into(),
        0x140 => "row_mirror".into(),
        0x141 => "row_half_mirror".into(),
        0x142 => "row_bcast:15".into(),
        0x143 => "row_bcast:31".into(),
        _ => format!("row_newbcast:{low}"),
    };
    let bound = if bit(word, 19) { " bound_ctrl:1" } else { "" };
    format!(
        " {pattern} row_mask:{:#x} bank_mask:{:#x}{bound}",
        bits(word, 31, 28),
        bits(word, 27, 24)
    )
}

/// ` clamp` and ` mul:2`.
fn result_modifiers(clamp: bool, output: u32) -> String {
    let output = ["", " mul:2", " mul:4", " div:2"][output as usize & 3];
    format!("{}{output}", if clamp { " clamp" } else { "" })
}

fn long(line: &Line, words: [u32; 2]) -> Text {
    let (word, second) = (words[0], words[1]);
    let to = bits(word, 7, 0);
    let codes = [
        bits(second, 8, 0),
        bits(second, 17, 9),
        bits(second, 26, 18),
    ];
    if let Entry::Lane(operation) = line.entry {
        let target = match operation {
            LaneOperation::ReadLane => scalar_operand(to, 1),
            _ => vector(to, 1, false),
        };
        let sources = codes[..2]
            .iter()
            .map(|&code| operand(code, 1, Type::B32, 0));
        let operands: Vec<String> = std::iter::once(target).chain(sources).collect();
        return Ok(join(line.name, &operands));
    }
    let Some((operation, ..)) = line.vector() else {
        return Ok(format!("{}_e64", line.name));
    };
    let number = bits(word, 25, 16);
    let name = if number < 0x1c0 {
        format!("{}_e64", line.name)
    } else {
        line.name.to_owned()
    };
    let mut operands = Vec::new();
    let (mask_before, mask_after) = short_masks(&operation.body);
    let carries = matches!(operation.body, Body::Carry { .. } | Body::WideCarry { .. });
    let has_absolute = !(carries && mask_before);
    if is_compare(&operation.body) {
        operands.push(scalar_operand(to, 2));
    } else {
        operands.push(vector(to, u32::from(operation.to.registers()), false));
        if mask_before {
            operands.push(scalar_operand(bits(word, 14, 8), 2));
        }
    }
    let encoded = operation.from.len() - usize::from(operation.accumulates);
    for (index, &kind) in operation.from[..encoded].iter().enumerate() {
        let text = operand(codes[index], u32::from(kind.registers()), kind, 0);
        let float = kind.is_float() || line.name == "v_dot2c_f32_f16" && kind == Type::P16;
        let absolute = has_absolute && bit(word, 8 + index as u32);
        operands.push(modified(
            text,
            float && bit(second, 29 + index as u32),
            float && absolute,
            false,
        ));
    }
    if mask_after && encoded == 2 {
        operands.push(scalar_operand(codes[2], 2));
    }
    let mut text = join(&name, &operands);
    if selects_halves(line) {
        let select = bits(word, 14, 11);
        let shown = (1 << encoded) - 1;
        if select & (shown | 8) != 0 {
            let list: Vec<String> = (0..encoded)
                .map(|index| (select >> index) & 1)
                .chain(std::iter::once(select >> 3))
                .map(|one| one.to_string())
                .collect();
            write!(text, " op_sel:[{}]", list.join(","))?;
        }
    }
    let clamp = bit(word, 15);
    let output = if has_output_modifier(line, operation.to) {
        bits(second, 28, 27)
    } else {
        0
    };
    text += &result_modifiers(clamp, output);
    Ok(text)
}

/// The instructions whose 16-bit sources and result can be high halves.
fn selects_halves(line: &Line) -> bool {
    let Some((operation, ..)) = line.vector() else {
        return false;
    };
    let long_only = line.number >= 0x1c0;
    let legacy = line.name.contains("legacy");
    long_only && !legacy && operation.from.iter().any(|from| from.is_half())
}

/// Whether LLVM writes the output modifier: of float results, and of these instructions by its own rules.
fn has_output_modifier(line: &Line, to: Type) -> bool {
    let integers = [
        "v_cvt_u32_f64",
        "v_cvt_i32_f64",
        "v_frexp_exp_i32_f64",
        "v_frexp_exp_i32_f32",
        "v_frexp_exp_i16_f16",
    ];
    (to.is_float() && to != Type::M32) || integers.contains(&line.name)
}

fn packed(line: &Line, words: [u32; 2]) -> Text {
    let (word, second) = (words[0], words[1]);
    let Some((operation, ..)) = line.vector() else {
        return Ok(line.name.to_owned());
    };
    let to = bits(word, 7, 0);
    let codes = [
        bits(second, 8, 0),
        bits(second, 17, 9),
        bits(second, 26, 18),
    ];
    match line.name {
        "v_accvgpr_read_b32" => {
            return Ok(join(
                line.name,
                &[vector(to, 1, false), vector(codes[0] & 255, 1, true)],
            ));
        }
        "v_accvgpr_write_b32" => {
            return Ok(join(
                line.name,
                &[vector(to, 1, true), operand(codes[0], 1, Type::B32, 0)],
            ));
        }
        _ => {}
    }
    let count = operation.from.len();
    let mixed = line.name.starts_with("v_fma_mix");
    let negate = bits(second, 31, 29);
    let negate_high = bits(word, 10, 8);
    let mut operands = vec![vector(to, u32::from(operation.to.registers()), false)];
    for (index, &kind) in operation.from.iter().enumerate() {
        let text = operand(codes[index], u32::from(kind.registers()), kind, 0);
        let text = if mixed {
            modified(
                text,
                (negate >> index) & 1 != 0,
                (negate_high >> index) & 1 != 0,
                false,
            )
        } else {
            text
        };
        operands.push(text);
    }
    let mut text = join(line.name, &operands);
    let list = |mask: u32| {
        let items: Vec<String> = (0..count)
            .map(|index| ((mask >> index) & 1).to_string())
            .collect();
        items.join(",")
    };
    let shown = (1 << count) - 1;
    let select = bits(word, 13, 11) & shown;
    let select_high = (bits(second, 28, 27) | (bits(word, 14, 14) << 2)) & shown;
    if select != 0 {
        write!(text, " op_sel:[{}]", list(select))?;
    }
    let usual_high = if mixed { 0 } else { shown };
    if select_high != usual_high {
        write!(text, " op_sel_hi:[{}]", list(select_high))?;
    }
    if !mixed {
        for (name, mask) in [("neg_lo", negate & shown), ("neg_hi", negate_high & shown)] {
            if mask != 0 {
                write!(text, " {name}:[{}]", list(mask))?;
            }
        }
    }
    text += &result_modifiers(bit(word, 15), 0);
    Ok(text)
}
