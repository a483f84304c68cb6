//! LLVM's assembly of the scalar and vector formats.

use std::fmt;

use super::decode::{Format, bits, format, line};
use super::operands::{DPP, SDWA, VCC, aligned};
use super::{text_long, text_memory, text_scalar};
use crate::families::tables::{Entry, ImmediateRole, Line};
use crate::instruction::{Action, Instruction, LaneOperation};
use crate::operation::{Body, Type};

/// Writes an instruction.
pub(crate) fn write_text(instruction: &Instruction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let words = instruction.words;
    let format = format(words[0]);
    let Some(line) = line(instruction.isa, format, words) else {
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
            text_scalar::scalar(format, line, words)
        }
        Format::Vop1 | Format::Vop2 | Format::Vopc => short(format, line, words),
        Format::Vop3 => text_long::long(line, words),
        Format::Vop3p => text_long::packed(line, words),
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
        // Halves whose low 16 bits an inline constant could give are written in full.
        255 if kind.is_half() && literal > 0xffff && is_inline_half(literal as u16) => {
            format!("lit({literal:#x})")
        }
        255 if kind.is_half() => format!("{:#x}", literal & 0xffff),
        255 => format!("{literal:#x}"),
        256..=511 => vector(code - 256, count, false),
        _ => format!("?{code}"),
    }
}

/// Whether an inline constant has these 16 bits.
fn is_inline_half(value: u16) -> bool {
    const FLOATS: [u16; 9] = [
        0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
    ];
    (-16..=64).contains(&(value as i16)) || FLOATS.contains(&value)
}

pub(super) fn join(name: &str, operands: &[String]) -> String {
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

/// A source with its modifiers: `-|v1|`, `sext(v1)`.
pub(super) fn modified(text: String, negate: bool, absolute: bool, extend: bool) -> String {
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

pub(super) fn bit(word: u32, index: u32) -> bool {
    bits(word, index, index) != 0
}

/// The mask operand of a short instruction, before and after the sources.
pub(super) fn short_masks(body: &Body) -> (bool, bool) {
    match body {
        Body::Carry { reads, writes, .. } | Body::WideCarry { reads, writes, .. } => {
            (*writes, *reads)
        }
        Body::Compare(_) | Body::WideCompare(_) => (true, false),
        _ => (false, false),
    }
}

pub(super) fn is_compare(body: &Body) -> bool {
    matches!(body, Body::Compare(_) | Body::WideCompare(_))
}

fn short(format: Format, line: &Line, words: [u32; 3]) -> Text {
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
                let signs = line.name != "v_pk_fmac_f16";
                let extend = signs && bit(extra, low);
                modified(
                    text,
                    signs && bit(extra, low + 1),
                    signs && bit(extra, low + 2),
                    extend,
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
            // Integer dot products and exponents have no modifiers.
            let signs = |index: usize| match line.name {
                "v_ldexp_f16" => index == 0,
                name => !(name.starts_with("v_dot") && name.contains("_i32_")),
            };
            let source = |code: u32, index: usize, low: u32| {
                let text = vector(code, count(index), false);
                modified(
                    text,
                    signs(index) && bit(extra, low),
                    signs(index) && bit(extra, low + 1),
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
pub(super) fn result_modifiers(clamp: bool, output: u32) -> String {
    let output = ["", " mul:2", " mul:4", " div:2"][output as usize & 3];
    format!("{}{output}", if clamp { " clamp" } else { "" })
}
