//! LLVM's assembly of gfx10: the shared formats, and what only gfx10 writes.

use std::fmt;

use super::decode::{self, Format};
use super::memory;
use crate::families::encoding::{Common, Facts, bit, bits};
use crate::families::tables::{Entry, Line};
use crate::families::text::{Text, depctr, message, program, scalar_operand};
use crate::instruction::Words;
use crate::isa::Isa;

/// The last message without operations, `MSG_GET_DDID`.
const LAST_MESSAGE: u32 = 11;

/// The text of an instruction that exists.
pub(in crate::families) fn text(isa: Isa, lanes: u8, words: Words) -> Text {
    let (format, line) = decode::find(isa, words).ok_or(fmt::Error)?;
    let facts = decode::facts(lanes);
    match (format, &line.entry) {
        (_, Entry::Refused) => Ok(line.name.to_owned()),
        (_, Entry::Wait) if line.name == "s_wait_idle" => Ok(line.name.to_owned()),
        (_, Entry::Wait) => Ok(waits(facts, line, words[0])),
        (Format::Common(Common::Sopp), Entry::Nothing) if line.name == "s_waitcnt_depctr" => {
            let waits = depctr(words[0] & 0xffff);
            Ok(format!("{} {waits}", line.name))
        }
        (Format::Common(_), Entry::Nothing) if line.name == "s_sendmsg" => {
            let message = message(words[0] & 0xffff, LAST_MESSAGE);
            Ok(format!("{} {message}", line.name))
        }
        (Format::Common(Common::Sopp | Common::Sopk), _)
            if let Some(text) = program(line, words[0] & 0xffff) =>
        {
            Ok(text)
        }
        (Format::Common(common), _) => common.text(facts, line, words),
        (Format::Smem, _) => {
            let text = memory::scalar_memory(words).text(facts, line)?;
            Ok(text + scalar_policy(line, words[0]))
        }
        (Format::Ds, _) => memory::lds(words).text(line),
        (Format::Flat, _) => memory::flat(line, words)
            .ok_or(fmt::Error)?
            .text(facts, line),
        (Format::Mubuf, Entry::Nothing) => Ok(line.name.to_owned()),
        (Format::Mubuf, _) => memory::buffer(words).text(facts, line),
        _ => Ok(line.name.to_owned()),
    }
}

/// The words of the cache policy of scalar loads.
fn scalar_policy(line: &Line, word: u32) -> &'static str {
    match (&line.entry, bit(word, 16), bit(word, 14)) {
        (Entry::ScalarLoad { .. }, true, false) => " glc",
        (Entry::ScalarLoad { .. }, false, true) => " dlc",
        (Entry::ScalarLoad { .. }, true, true) => " glc dlc",
        _ => "",
    }
}

/// The counters that are waited for; those at their maximum are not written.
fn waits(facts: &Facts, line: &Line, word: u32) -> String {
    if line.name != "s_waitcnt" {
        let register = scalar_operand(facts, bits(word, 22, 16), 1);
        return format!("{} {register}, {:#x}", line.name, word & 0xffff);
    }
    let (vector, export, lds) = decode::wait_fields(word);
    let mut parts = Vec::new();
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
