//! LLVM's assembly of gfx9: the shared formats, and gfx9's own syntax.

use std::fmt;

use super::decode::{self, Gfx9Format};
use super::memory;
use crate::families::encoding::bit;
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::families::text::{AssemblyText, message};
use crate::instruction::Words;
use crate::isa::Isa;

/// The last message without operations, `MSG_GET_DOORBELL`.
const LAST_MESSAGE: u32 = 10;

/// Returns the text of a valid instruction.
pub(in crate::families) fn text(isa: Isa, _lanes: u8, words: Words) -> AssemblyText {
    let (format, line) = decode::find(isa, words[0]).ok_or(fmt::Error)?;
    let facts = decode::facts(isa);
    match (format, &line.entry) {
        (_, Semantics::Refused) => Ok(line.name.to_owned()),
        (_, Semantics::Wait) => Ok(waits(line, words[0])),
        (Gfx9Format::Common(_), Semantics::Nothing) if line.name == "s_sendmsg" => {
            let message = message(words[0] & 0xffff, LAST_MESSAGE);
            Ok(format!("{} {message}", line.name))
        }
        (Gfx9Format::Common(common), _) => common.text(facts, line, words),
        (Gfx9Format::Smem, _) => {
            let text = memory::scalar(words).text(facts, line)?;
            // LLVM prints the policy bit of loads only.
            let glc = matches!(line.entry, Semantics::ScalarLoad { .. }) && bit(words[0], 16);
            Ok(text + if glc { " glc" } else { "" })
        }
        (Gfx9Format::Ds, _) => memory::lds(isa, words).ok_or(fmt::Error)?.text(line),
        (Gfx9Format::Flat, _) => {
            let fields = memory::flat(isa, line, words).ok_or(fmt::Error)?;
            fields.text(facts, line)
        }
        (Gfx9Format::Mubuf, Semantics::Nothing) => {
            Ok(format!("{}{}", line.name, memory::cache_policy(isa, words)))
        }
        (Gfx9Format::Mubuf, _) => memory::buffer(isa, words).text(facts, line),
        (Gfx9Format::Mtbuf | Gfx9Format::Mimg | Gfx9Format::Vintrp | Gfx9Format::Export, _) => {
            Ok(line.name.to_owned())
        }
    }
}

/// Returns the waited-for counters; LLVM omits those at their maximum.
fn waits(line: &OpcodeEntry, word: u32) -> String {
    let (vector, export, lds) = decode::wait_fields(word);
    let mut parts = Vec::new();
    // If all counters are at their maximum, LLVM prints all of them.
    let all = vector == 63 && export == 7 && lds == 15;
    for (name, value, most) in [
        ("vmcnt", vector, 63),
        ("expcnt", export, 7),
        ("lgkmcnt", lds, 15),
    ] {
        if value != most || all {
            parts.push(format!("{name}({value})"));
        }
    }
    format!("{} {}", line.name, parts.join(" "))
}
