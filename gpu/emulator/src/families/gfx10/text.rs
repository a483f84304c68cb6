//! LLVM's assembly of gfx10: the shared formats, and gfx10's own syntax.

use std::fmt;

use super::decode::{self, Gfx10Format};
use super::memory;
use crate::families::encoding::{CommonFormat, EncodingFacts, bit, bits};
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::families::text::{AssemblyText, depctr, message, program, scalar_operand};
use crate::instruction::Words;
use crate::isa::Isa;

/// The last message without operations, `MSG_GET_DDID`.
const LAST_MESSAGE: u32 = 11;

/// Returns the text of a valid instruction.
pub(in crate::families) fn text(isa: Isa, lanes: u8, words: Words) -> AssemblyText {
    let (format, line) = decode::find(isa, words).ok_or(fmt::Error)?;
    let facts = decode::facts(lanes);
    match (format, &line.entry) {
        (_, Semantics::Refused) => Ok(line.name.to_owned()),
        (_, Semantics::Wait) if line.name == "s_wait_idle" => Ok(line.name.to_owned()),
        (_, Semantics::Wait) => Ok(waits(facts, line, words[0])),
        (Gfx10Format::Common(CommonFormat::Sopp), Semantics::Nothing)
            if line.name == "s_waitcnt_depctr" =>
        {
            let waits = depctr(words[0] & 0xffff);
            Ok(format!("{} {waits}", line.name))
        }
        (Gfx10Format::Common(_), Semantics::Nothing) if line.name == "s_sendmsg" => {
            let message = message(words[0] & 0xffff, LAST_MESSAGE);
            Ok(format!("{} {message}", line.name))
        }
        (Gfx10Format::Common(CommonFormat::Sopp | CommonFormat::Sopk), _)
            if let Some(text) = program(line, words[0] & 0xffff) =>
        {
            Ok(text)
        }
        (Gfx10Format::Common(common), _) => common.text(facts, line, words),
        (Gfx10Format::Smem, _) => {
            let text = memory::scalar_memory(words).text(facts, line)?;
            Ok(text + scalar_policy(line, words[0]))
        }
        (Gfx10Format::Ds, _) => memory::lds(words).text(line),
        (Gfx10Format::Flat, _) => memory::flat(line, words)
            .ok_or(fmt::Error)?
            .text(facts, line),
        (Gfx10Format::Mubuf, Semantics::Nothing) => Ok(line.name.to_owned()),
        (Gfx10Format::Mubuf, _) => memory::buffer(words).text(facts, line),
        _ => Ok(line.name.to_owned()),
    }
}

/// Returns the cache policy of a scalar load.
fn scalar_policy(line: &OpcodeEntry, word: u32) -> &'static str {
    match (&line.entry, bit(word, 16), bit(word, 14)) {
        (Semantics::ScalarLoad { .. }, true, false) => " glc",
        (Semantics::ScalarLoad { .. }, false, true) => " dlc",
        (Semantics::ScalarLoad { .. }, true, true) => " glc dlc",
        _ => "",
    }
}

/// Returns the waited-for counters; LLVM omits those at their maximum.
fn waits(facts: &EncodingFacts, line: &OpcodeEntry, word: u32) -> String {
    if line.name != "s_waitcnt" {
        let register = scalar_operand(facts, bits(word, 22, 16), 1);
        return format!("{} {register}, {:#x}", line.name, word & 0xffff);
    }
    let (vector, export, lds) = decode::wait_fields(word);
    let mut parts = Vec::new();
    // If all counters are at their maximum, LLVM prints all of them.
    let all = vector == 63 && export == 7 && lds == 63;
    for (name, value, most) in [
        ("vmcnt", vector, 63),
        ("expcnt", export, 7),
        ("lgkmcnt", lds, 63),
    ] {
        if value != most || all {
            parts.push(format!("{name}({value})"));
        }
    }
    format!("{} {}", line.name, parts.join(" "))
}
