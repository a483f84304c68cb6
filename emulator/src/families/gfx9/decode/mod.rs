//! From words to instructions: the encodings of gfx9.

mod memory;
mod scalar;
mod vector;

use super::operands::{DPP, LITERAL, SDWA};
use super::tables;
use crate::families::tables::{Entry, Line};
use crate::instruction::{Action, Instruction};
use crate::isa::Isa;

/// Bits `low..=high` of a word.
pub(in crate::families::gfx9) fn bits(word: u32, high: u32, low: u32) -> u32 {
    (word >> low) & (((1u64 << (high - low + 1)) - 1) as u32)
}

/// The encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::families::gfx9) enum Format {
    Sop1,
    Sop2,
    Sopk,
    Sopc,
    Sopp,
    Smem,
    Vop1,
    Vop2,
    Vopc,
    Vop3,
    Vop3p,
    Ds,
    Flat,
    Mubuf,
    Mtbuf,
    Unknown,
}

/// The encoding of a word.
pub(in crate::families::gfx9) fn format(word: u32) -> Format {
    match word >> 23 {
        0b1_0111_1101 => return Format::Sop1,
        0b1_0111_1110 => return Format::Sopc,
        0b1_0111_1111 => return Format::Sopp,
        0b1_1010_0111 => return Format::Vop3p,
        _ => {}
    }
    if word >> 31 == 0 {
        return match word >> 25 {
            0b011_1111 => Format::Vop1,
            0b011_1110 => Format::Vopc,
            _ => Format::Vop2,
        };
    }
    match word >> 26 {
        0b110000 => Format::Smem,
        0b110100 => Format::Vop3,
        0b110110 => Format::Ds,
        0b110111 => Format::Flat,
        0b111000 => Format::Mubuf,
        0b111010 => Format::Mtbuf,
        _ if word >> 28 == 0b1011 => Format::Sopk,
        _ if word >> 30 == 0b10 => Format::Sop2,
        _ => Format::Unknown,
    }
}

/// The table line of an instruction, and the number that it has in its format.
pub(in crate::families::gfx9) fn line(
    isa: Isa,
    format: Format,
    words: [u32; 3],
) -> Option<&'static Line> {
    let word = words[0];
    match format {
        Format::Sop1 => tables::sop1(isa, bits(word, 15, 8)),
        Format::Sop2 => tables::sop2(isa, bits(word, 29, 23)),
        Format::Sopk => tables::sopk(isa, bits(word, 27, 23)),
        Format::Sopc => tables::sopc(isa, bits(word, 22, 16)),
        Format::Sopp => tables::sopp(isa, bits(word, 22, 16)),
        Format::Smem => tables::smem(isa, bits(word, 25, 18)),
        Format::Vop1 => tables::vop1(isa, bits(word, 16, 9)),
        Format::Vop2 => tables::vop2(isa, bits(word, 30, 25)),
        Format::Vopc => tables::vopc(isa, bits(word, 24, 17)),
        Format::Vop3 => tables::vop3(isa, bits(word, 25, 16)),
        Format::Vop3p => tables::vop3p(isa, bits(word, 22, 16)),
        Format::Ds => tables::ds(isa, bits(word, 24, 17)),
        Format::Flat => tables::flat(isa, bits(word, 15, 14), bits(word, 24, 18)),
        Format::Mubuf => tables::mubuf(isa, bits(word, 24, 18)),
        Format::Mtbuf => tables::mtbuf(isa, bits(word, 18, 15)),
        Format::Unknown => None,
    }
}

/// Words of an instruction.
fn length(format: Format, line: &Line, word: u32) -> u8 {
    let extra = |code: u32| code == LITERAL;
    let vector_extra = |code: u32| matches!(code, SDWA | DPP | LITERAL);
    let long = match format {
        Format::Sop1 => extra(bits(word, 7, 0)),
        Format::Sop2 | Format::Sopc => extra(bits(word, 7, 0)) || extra(bits(word, 15, 8)),
        Format::Sopk => line.name == "s_setreg_imm32_b32",
        Format::Sopp => false,
        Format::Vop1 => {
            line.name != "v_nop" && line.name != "v_clrexcp" && vector_extra(bits(word, 8, 0))
        }
        Format::Vopc => vector_extra(bits(word, 8, 0)),
        Format::Vop2 => line.immediate.is_some() || vector_extra(bits(word, 8, 0)),
        _ => true,
    };
    1 + u8::from(long)
}

/// See [`crate::families::decode`].
pub(crate) fn decode(isa: Isa, address: u64, words: [u32; 3]) -> Instruction {
    let format = format(words[0]);
    let make = |words: [u32; 3], length: u8, name: &'static str, action: Action| Instruction {
        address,
        isa,
        words: if length == 2 {
            [words[0], words[1], 0]
        } else {
            [words[0], 0, 0]
        },
        length,
        name,
        action,
    };
    let Some(line) = line(isa, format, words) else {
        return crate::families::unknown(isa, address, words);
    };
    let length = length(format, line, words[0]);
    let action = action(format, line, words).unwrap_or_else(|| {
        Action::Refused(format!("{} with operands that are not valid", line.name))
    });
    make(words, length, line.name, action)
}

fn action(format: Format, line: &Line, words: [u32; 3]) -> Option<Action> {
    match &line.entry {
        Entry::Refused => {
            return Some(Action::Refused(format!("{} is not emulated", line.name)));
        }
        Entry::Nothing => return Some(Action::Nothing),
        _ => {}
    }
    match format {
        Format::Sop1 | Format::Sop2 | Format::Sopk | Format::Sopc | Format::Sopp => {
            scalar::scalar(format, line, words)
        }
        Format::Smem => memory::scalar_memory(line, words),
        Format::Vop1 | Format::Vop2 | Format::Vopc => vector::short_vector(format, line, words),
        Format::Vop3 => vector::long_vector(line, words),
        Format::Vop3p => vector::packed_vector(line, words),
        Format::Ds => memory::share(line, words),
        Format::Flat => memory::flat(line, words),
        Format::Mubuf => memory::buffer(line, words),
        Format::Mtbuf | Format::Unknown => None,
    }
}
