//! LLVM's assembly of the shared parts: operands, modifiers and the scalar and vector formats.
//!
//! Text comes from the same fields as actions ([`super::encoding`]), and only for instructions
//! with an action. Each family writes its own words, such as waits and cache policies.

mod dual;
mod matrix;
mod memory;
mod message;
mod scalar;
mod sdwa_dpp;
mod sequencer;
mod vector;
mod vop3p;

use std::fmt;

use super::encoding::{CommonFormat, EncodingFacts, VectorFields, aligned};
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::instruction::Words;
use crate::operation::Type;

pub(in crate::families) use memory::{hexadecimal, policy};
pub(in crate::families) use message::message;
pub(in crate::families) use scalar::short_number;
pub(in crate::families) use sequencer::{delay, depctr, program};

pub(in crate::families) type AssemblyText = Result<String, fmt::Error>;

impl CommonFormat {
    /// Returns the text of an instruction of this format.
    pub(in crate::families) fn text(
        self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        words: Words,
    ) -> AssemblyText {
        match &line.entry {
            Semantics::Refused => return Ok(line.name.to_owned()),
            Semantics::Matrix(shape) => return matrix::product(facts, line, shape, words),
            Semantics::MatrixScale => return Ok(matrix::scale(facts, line, words)),
            _ => {}
        }
        match self {
            CommonFormat::Sop1
            | CommonFormat::Sop2
            | CommonFormat::Sopk
            | CommonFormat::Sopc
            | CommonFormat::Sopp => Ok(scalar::scalar(self, facts, line, words)),
            _ => {
                let fields = VectorFields::of(self, facts, line, words).ok_or(fmt::Error)?;
                match self {
                    CommonFormat::Vop3 => vector::long(facts, line, words, &fields),
                    CommonFormat::Vop3p => vop3p::packed(facts, line, &fields),
                    _ => Ok(vector::short(self, facts, line, &fields)),
                }
            }
        }
    }
}

/// Returns a range of registers: `v3` or `v[2:3]`.
fn registers(prefix: &str, first: u32, count: u32) -> String {
    if count == 1 {
        format!("{prefix}{first}")
    } else {
        format!("{prefix}[{first}:{}]", first + count - 1)
    }
}

/// Returns a vector or accumulation register.
pub(in crate::families) fn vector(first: u32, count: u32, accumulation: bool) -> String {
    registers(if accumulation { "a" } else { "v" }, first, count)
}

/// Returns a scalar register or constant by its code.
pub(in crate::families) fn scalar_operand(facts: &EncodingFacts, code: u32, count: u32) -> String {
    operand(facts, code, count, Type::B32, 0)
}

/// Returns the register of a lane mask.
fn mask_operand(facts: &EncodingFacts, code: u32) -> String {
    scalar_operand(facts, code, facts.mask_registers())
}

fn named(pair: &str, count: u32, high: bool) -> String {
    match (count, high) {
        (1, false) => format!("{pair}_lo"),
        (1, true) => format!("{pair}_hi"),
        _ => pair.to_owned(),
    }
}

/// The inline constants from code 240 on.
const FLOATS: [&str; 9] = [
    "0.5",
    "-0.5",
    "1.0",
    "-1.0",
    "2.0",
    "-2.0",
    "4.0",
    "-4.0",
    "0.15915494",
];
const HALVES: [u16; 9] = [
    0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
];
const SINGLES: [u32; 9] = [
    0x3f00_0000,
    0xbf00_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0xc000_0000,
    0x4080_0000,
    0xc080_0000,
    0x3e22_f983,
];
/// The upper halves of doubles. The last constant is missing, because its lower half is not 0.
const DOUBLES: [u32; 8] = [
    0x3fe0_0000,
    0xbfe0_0000,
    0x3ff0_0000,
    0xbff0_0000,
    0x4000_0000,
    0xc000_0000,
    0x4010_0000,
    0xc010_0000,
];

/// Returns any source by its code. Ranges of scalar registers start at a multiple of their
/// length, at most 4.
fn operand(facts: &EncodingFacts, code: u32, count: u32, kind: Type, literal: u32) -> String {
    let code = if code < 128 && Some(code) != facts.null {
        aligned(code, count)
    } else {
        code
    };
    match code {
        _ if Some(code) == facts.null => "null".into(),
        _ if code == facts.m0 => "m0".into(),
        _ if code < facts.general => registers("s", code, count),
        102 | 103 => named("flat_scratch", count, code == 103),
        104 | 105 => named("xnack_mask", count, code == 105),
        106 | 107 => named("vcc", count, code == 107),
        108..=123 => registers("ttmp", code - 108, count),
        126 | 127 => named("exec", count, code == 127),
        128..=192 => (code - 128).to_string(),
        193..=208 => (192 - i64::from(code)).to_string(),
        230 => "src_flat_scratch_base_lo".into(),
        231 => "src_flat_scratch_base_hi".into(),
        235 => "src_shared_base".into(),
        236 => "src_shared_limit".into(),
        237 => "src_private_base".into(),
        238 => "src_private_limit".into(),
        240..=248 if kind == Type::B16 => {
            // Integers use the half-precision pattern.
            format!("{:#x}", HALVES[code as usize - 240])
        }
        240..=247 => FLOATS[code as usize - 240].into(),
        248 => match kind {
            Type::F64 | Type::B64 | Type::I64 => "0.15915494309189532".into(),
            _ => "0.15915494".into(),
        },
        239 => "src_pops_exiting_wave_id".into(),
        251 => "src_vccz".into(),
        252 => "src_execz".into(),
        253 => "src_scc".into(),
        254 => "src_lds_direct".into(),
        255 => literal_text(kind, literal),
        256..=511 => vector(code - 256, count, false),
        _ => format!("?{code}"),
    }
}

/// Returns a literal. LLVM marks a literal that equals an inline constant, but prints a double
/// like the constant.
fn literal_text(kind: Type, literal: u32) -> String {
    let integer = (-16..=64).contains(&(literal as i32));
    let single = || SINGLES.contains(&literal);
    let marked = match kind {
        Type::F64 if literal == 0 => return "0".into(),
        Type::F64 => match DOUBLES.iter().position(|&double| double == literal) {
            Some(index) => return FLOATS[index].into(),
            None => false,
        },
        Type::B64 | Type::I64 => literal <= 64,
        Type::F16 | Type::M16 => is_inline_half(literal as u16),
        Type::PF16 => integer || (literal <= 0xffff && HALVES.contains(&(literal as u16))),
        _ => integer || single(),
    };
    match (marked, kind.is_half()) {
        (true, _) => format!("lit({literal:#x})"),
        (false, true) => format!("{:#x}", literal & 0xffff),
        (false, false) => format!("{literal:#x}"),
    }
}

/// Returns a literal of 32 bits as an inline constant if it is one.
fn literal_value(literal: u32) -> String {
    match literal as i32 {
        integer @ -16..=64 => integer.to_string(),
        _ => match SINGLES.iter().position(|&single| single == literal) {
            Some(index) => FLOATS[index].into(),
            None => format!("{literal:#x}"),
        },
    }
}

/// Returns true if an inline constant has these 16 bits.
fn is_inline_half(value: u16) -> bool {
    (-16..=64).contains(&(value as i16)) || HALVES.contains(&value)
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

/// Returns a source with its modifiers: `-|v1|`, `sext(v1)`.
fn modified(text: String, negate: bool, absolute: bool, extend: bool) -> String {
    let text = if absolute { format!("|{text}|") } else { text };
    let text = if extend {
        format!("sext({text})")
    } else {
        text
    };
    // A minus sign before a number would become part of the number.
    let number = text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    match (negate, number) {
        (false, _) => text,
        (true, false) => format!("-{text}"),
        (true, true) => format!("neg({text})"),
    }
}

/// Returns ` clamp` and ` mul:2`.
fn result_modifiers(clamp: bool, output: u8) -> String {
    let output = ["", " mul:2", " mul:4", " div:2"][output as usize & 3];
    format!("{}{output}", if clamp { " clamp" } else { "" })
}
