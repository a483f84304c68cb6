//! LLVM's assembly of gfx9: the shared formats, and what only gfx9 writes.

use std::fmt;

use super::decode::{self, Format};
use super::memory;
use crate::families::encoding::bit;
use crate::families::tables::{Entry, Line};
use crate::families::text::Text;
use crate::instruction::{Action, Instruction};

/// Writes an instruction.
pub(crate) fn write_text(instruction: &Instruction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let words = instruction.words;
    let found = Format::of(words[0])
        .and_then(|format| Some((format, format.line(instruction.isa, words[0])?)));
    let Some((format, line)) = found else {
        return write!(f, ".long {:#010x}", words[0]);
    };
    let valid = format.action(instruction.isa, line, words).is_some();
    match (&instruction.action, &line.entry) {
        (Action::Refused(_), Entry::Refused) => f.write_str(line.name),
        (Action::Refused(_), _) if !valid => write!(f, "{} (operands not valid)", line.name),
        _ => f.write_str(&text(instruction, format, line)?),
    }
}

fn text(instruction: &Instruction, format: Format, line: &Line) -> Text {
    let (isa, words) = (instruction.isa, instruction.words);
    let facts = decode::facts(isa);
    match (format, &line.entry) {
        (_, Entry::Wait) => Ok(waits(line, words[0])),
        (Format::Common(common), _) => common.text(facts, line, words),
        (Format::Smem, _) => {
            let text = memory::scalar(words).text(facts, line)?;
            let glc = matches!(line.entry, Entry::ScalarLoad { .. }) && bit(words[0], 16);
            Ok(text + if glc { " glc" } else { "" })
        }
        (Format::Ds, _) => memory::share(isa, words).ok_or(fmt::Error)?.text(line),
        (Format::Flat, _) => {
            let fields = memory::flat(isa, line, words).ok_or(fmt::Error)?;
            fields.text(facts, line)
        }
        (Format::Mubuf, Entry::Nothing) => {
            Ok(format!("{}{}", line.name, memory::cache_policy(isa, words)))
        }
        (Format::Mubuf, _) => memory::buffer(isa, words).text(facts, line),
        (Format::Mtbuf | Format::Mimg | Format::Vintrp | Format::Export, _) => {
            Ok(line.name.to_owned())
        }
    }
}

/// The counters that are waited for; those at their maximum are not written.
fn waits(line: &Line, word: u32) -> String {
    let (vector, export, share) = decode::wait_fields(word);
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
