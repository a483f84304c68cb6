//! LLVM's assembly of gfx12: the shared formats, and gfx12's own syntax.

use std::fmt;

use super::decode::{self, Gfx12Format};
use super::memory;
use crate::families::encoding::{CommonFormat, DualFields, EncodingFacts, bits};
use crate::families::flags::Flag;
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::families::text::{
    AssemblyText, depctr, hexadecimal, program, scalar_operand, short_number,
};
use crate::instruction::Words;
use crate::isa::Isa;

/// Returns the text of a valid instruction.
pub(in crate::families) fn text(isa: Isa, lanes: u8, words: Words) -> AssemblyText {
    let (format, line) = decode::find(isa, words[0]).ok_or(fmt::Error)?;
    let facts = decode::facts(lanes);
    Ok(match (format, &line.entry) {
        (_, Semantics::Refused) => line.name.to_owned(),
        (Gfx12Format::Common(CommonFormat::Vop3), Semantics::Nothing) => line.name.to_owned(),
        (Gfx12Format::Common(CommonFormat::Sopp), _) => match scheduling(line, words[0]) {
            Some(text) => text,
            None => CommonFormat::Sopp.text(facts, line, words)?,
        },
        (Gfx12Format::Common(common), entry) => {
            let to = bits(words[0], 22, 16);
            match entry {
                Semantics::Signal { .. } => format!("{} -1", line.name),
                Semantics::BarrierState => {
                    format!("{} {}, -1", line.name, scalar_operand(facts, to, 1))
                }
                Semantics::Message { wide } => format!(
                    "{} {}, {}",
                    line.name,
                    scalar_operand(facts, to, if *wide { 2 } else { 1 }),
                    message(bits(words[0], 7, 0))
                ),
                Semantics::Nothing if common == CommonFormat::Sopk => {
                    program(line, bits(words[0], 15, 0)).ok_or(fmt::Error)?
                }
                _ if common == CommonFormat::Vop2 && line.name == "v_cndmask_b32" => {
                    // LLVM prints the mask inside the modifiers of the second source.
                    let text = common.text(facts, line, words)?;
                    text.replace("|, vcc ", ", vcc| ")
                        .replace("|, vcc_lo ", ", vcc_lo| ")
                }
                _ => common.text(facts, line, words)?,
            }
        }
        (Gfx12Format::Smem, Semantics::Nothing) if line.name == "s_dcache_inv" => {
            line.name.to_owned()
        }
        (Gfx12Format::Smem, Semantics::Nothing) => prefetch(facts, line, words),
        (Gfx12Format::Smem, _) => {
            memory::scalar(words).text(facts, line)? + &memory::scalar_policy(words[0])
        }
        (Gfx12Format::Dual, _) => {
            let lines = decode::dual_lines(isa, words[0]).ok_or(fmt::Error)?;
            DualFields::of(words).text(facts, lines)
        }
        (Gfx12Format::Ds, _) => memory::lds(words).text(line)?,
        (Gfx12Format::Flat, Semantics::Nothing) => {
            format!("{}{}", line.name, memory::vector_policy(line, words[1]))
        }
        (Gfx12Format::Flat, _) => memory::flat(line, words)
            .ok_or(fmt::Error)?
            .text(facts, line)?,
        (Gfx12Format::Buffer, _) => memory::buffer(line, words)
            .ok_or(fmt::Error)?
            .text(facts, line)?,
        _ => line.name.to_owned(),
    })
}

/// Returns the text of a prefetch: address (unless it is the program's), offset, register offset,
/// length.
fn prefetch(facts: &EncodingFacts, line: &OpcodeEntry, words: Words) -> String {
    let fields = memory::scalar(words);
    let mut text = format!("{} ", line.name);
    if !line.name.ends_with("pc_rel") {
        let count = if line.name.contains("buffer") { 4 } else { 2 };
        text += &scalar_operand(facts, fields.base, count);
        text += ", ";
    }
    let register = scalar_operand(facts, bits(words[1], 31, 25), 1);
    let offset = hexadecimal(fields.offset.unwrap_or(0));
    text + &format!("{offset}, {register}, {}", fields.to)
}

/// Returns the text of waits and schedule hints.
fn scheduling(line: &OpcodeEntry, word: u32) -> Option<String> {
    let immediate = bits(word, 15, 0);
    let operand = match (&line.entry, line.name) {
        (_, "s_wait_alu") => depctr(immediate),
        (_, "s_sendmsg") => message(immediate),
        (_, name) if line.is(Flag::ZeroImmediate) => return Some(name.to_owned()),
        (Semantics::Wait, _) => format!("{immediate:#x}"),
        (Semantics::Nothing | Semantics::Barrier | Semantics::Mode { .. }, _) => {
            match program(line, immediate) {
                Some(text) => return Some(text),
                None => short_number(immediate),
            }
        }
        _ => return None,
    };
    Some(format!("{} {operand}", line.name))
}

/// Returns a message by its number of 8 bits, from gfx11 on. With other bits set, an unnamed
/// message is a plain number.
pub(super) fn message(field: u32) -> String {
    const NAMES: [(u32, &str); 12] = [
        (1, "MSG_INTERRUPT"),
        (2, "MSG_HS_TESSFACTOR"),
        (3, "MSG_DEALLOC_VGPRS"),
        (9, "MSG_GS_ALLOC_REQ"),
        (128, "MSG_RTN_GET_DOORBELL"),
        (129, "MSG_RTN_GET_DDID"),
        (130, "MSG_RTN_GET_TMA"),
        (131, "MSG_RTN_GET_REALTIME"),
        (132, "MSG_RTN_SAVE_WAVE"),
        (133, "MSG_RTN_GET_TBA"),
        (134, "MSG_RTN_GET_TBA_TO_PC"),
        (135, "MSG_RTN_GET_SE_AID_ID"),
    ];
    match NAMES.iter().find(|(number, _)| *number == field & 255) {
        Some((_, name)) => format!("sendmsg({name})"),
        None if field < 256 => format!("sendmsg({field}, 0, 0)"),
        None => field.to_string(),
    }
}
