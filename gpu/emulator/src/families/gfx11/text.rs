//! LLVM's assembly of gfx11: the shared formats, and gfx11's own syntax.

use std::fmt;

use super::decode::{self, Gfx11Format};
use super::memory;
use crate::families::encoding::{DualFields, bit, bits};
use crate::families::tables::Semantics;
use crate::families::text::{AssemblyText, depctr, program, scalar_operand};
use crate::instruction::Words;
use crate::isa::Isa;

/// The messages, including those with an answer.
const MESSAGES: &[(u32, &str)] = &[
    (1, "MSG_INTERRUPT"),
    (2, "MSG_HS_TESSFACTOR"),
    (3, "MSG_DEALLOC_VGPRS"),
    (5, "MSG_STALL_WAVE_GEN"),
    (6, "MSG_HALT_WAVES"),
    (9, "MSG_GS_ALLOC_REQ"),
    (0x80, "MSG_RTN_GET_DOORBELL"),
    (0x81, "MSG_RTN_GET_DDID"),
    (0x82, "MSG_RTN_GET_TMA"),
    (0x83, "MSG_RTN_GET_REALTIME"),
    (0x84, "MSG_RTN_SAVE_WAVE"),
    (0x85, "MSG_RTN_GET_TBA"),
    (0x86, "MSG_RTN_GET_TBA_TO_PC"),
];

/// Returns the text of a valid instruction.
pub(in crate::families) fn text(isa: Isa, lanes: u8, words: Words) -> AssemblyText {
    let (format, line) = decode::find(isa, words[0]).ok_or(fmt::Error)?;
    let (word, facts) = (words[0], decode::facts(lanes));
    match (format, &line.entry) {
        (_, Semantics::Refused) => Ok(line.name.to_owned()),
        (_, Semantics::Wait) if line.name == "s_waitcnt" => Ok(waits(word)),
        (_, Semantics::Wait) if line.name == "s_wait_idle" => Ok(line.name.to_owned()),
        (_, Semantics::Wait) => {
            let register = scalar_operand(facts, bits(word, 22, 16), 1);
            Ok(format!(
                "{} {register}, {:#x}",
                line.name,
                bits(word, 15, 0)
            ))
        }
        (_, Semantics::Message { .. }) => {
            let to = scalar_operand(
                facts,
                bits(word, 22, 16),
                if line.name.ends_with("b64") { 2 } else { 1 },
            );
            Ok(format!("{} {to}, {}", line.name, message(bits(word, 7, 0))))
        }
        (_, Semantics::Nothing) if line.name == "s_sendmsg" => {
            Ok(format!("{} {}", line.name, message(bits(word, 15, 0))))
        }
        (_, Semantics::Nothing) if line.name == "s_waitcnt_depctr" => {
            Ok(format!("{} {}", line.name, depctr(bits(word, 15, 0))))
        }
        (Gfx11Format::Common(common), _) => match program(line, bits(word, 15, 0)) {
            Some(text) => Ok(text),
            None => common.text(facts, line, words),
        },
        (Gfx11Format::Dual, _) => {
            let lines = decode::dual_lines(isa, word).ok_or(fmt::Error)?;
            Ok(DualFields::of(words).text(facts, lines))
        }
        (Gfx11Format::Smem, _) => {
            let text = memory::scalar_memory(words).text(facts, line)?;
            let policy = |index: u32, name: &'static str| if bit(word, index) { name } else { "" };
            Ok(text + policy(14, " glc") + policy(13, " dlc"))
        }
        (Gfx11Format::Ds, _) => memory::lds(words).text(line),
        (Gfx11Format::Flat, _) => memory::flat(words).ok_or(fmt::Error)?.text(facts, line),
        (Gfx11Format::Mubuf, Semantics::Nothing) => Ok(line.name.to_owned()),
        (Gfx11Format::Mubuf, _) => memory::buffer(words).text(facts, line),
        _ => Ok(line.name.to_owned()),
    }
}

/// Returns the waited-for counters; LLVM omits those at their maximum.
fn waits(word: u32) -> String {
    let (vector, export, lds) = decode::wait_fields(word);
    let all = vector == 63 && export == 7 && lds == 63;
    let counters = [
        ("vmcnt", vector, 63),
        ("expcnt", export, 7),
        ("lgkmcnt", lds, 63),
    ];
    let parts: Vec<String> = counters
        .iter()
        .filter(|(_, value, most)| all || value != most)
        .map(|(name, value, _)| format!("{name}({value})"))
        .collect();
    format!("s_waitcnt {}", parts.join(" "))
}

/// Returns a message by its low 8 bits; the other bits are ignored.
fn message(value: u32) -> String {
    let low = value & 0xff;
    match MESSAGES.iter().find(|(number, _)| *number == low) {
        Some((_, name)) => format!("sendmsg({name})"),
        None if value == low => format!("sendmsg({value}, 0, 0)"),
        None => value.to_string(),
    }
}
