//! What the encodings of all families share: the layouts of the scalar and vector formats, the words that follow
//! them, and what a memory instruction does once its family has found its fields.
//!
//! An encoding is read once into *fields* ([`VectorFields`], [`FlatFields`] ...): numbers as the words have them. The
//! fields become an action here, and text in [`super::text`]. What differs between instruction sets is [`Facts`]; this
//! folder knows no family by name.

mod across;
mod compute;
mod data;
mod dual;
mod facts;
mod lane;
mod legal;
mod memory;
mod modifiers;
mod operands;
mod origins;
mod packed;
mod phantom;
mod range;
mod scalar;
mod vector;

pub(in crate::families) use across::{has_selection, has_suffix};
pub(in crate::families) use data::{atomic_registers, data_registers, lds_registers};
pub(in crate::families) use dual::DualFields;
pub(in crate::families) use facts::{Facts, LanePatterns, aligned};
pub(in crate::families) use memory::{
    BufferFields, FlatFields, LdsFields, ScalarMemoryFields, Segment,
};
pub(in crate::families) use modifiers::{has_output, has_signs, selections, selects_byte};
pub(in crate::families) use origins::lane_sources;
pub(in crate::families) use scalar::scalar;
pub(in crate::families) use vector::{Extension, VectorFields, encoded_sources, is_compare, masks};

use crate::families::flags::Flag;
use crate::families::tables::{Entry, Line};
use crate::instruction::{Action, JumpKind, Operand, Special, Words};

/// Bits `low..=high` of a word.
pub(in crate::families) fn bits(word: u32, high: u32, low: u32) -> u32 {
    (word >> low) & (((1u64 << (high - low + 1)) - 1) as u32)
}

/// One bit of a word.
pub(in crate::families) fn bit(word: u32, index: u32) -> bool {
    bits(word, index, index) != 0
}

/// The `count` lowest bits of `value` as a signed number.
pub(in crate::families) fn signed(value: u32, count: u32) -> i32 {
    ((value << (32 - count)) as i32) >> (32 - count)
}

/// The source code that announces a literal in the next word.
pub(in crate::families) const LITERAL: u32 = 255;

/// The formats whose layout is the same in every family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::families) enum Common {
    Sop1,
    Sop2,
    Sopk,
    Sopc,
    Sopp,
    Vop1,
    Vop2,
    Vopc,
    /// The long encoding; its leading bits differ.
    Vop3,
    /// Packed values; its leading bits differ.
    Vop3p,
}

impl Common {
    /// The format of a word by its leading bits; VOP3 and VOP3P are not found here.
    pub(in crate::families) fn of(word: u32) -> Option<Common> {
        Some(match word >> 23 {
            0b1_0111_1101 => Common::Sop1,
            0b1_0111_1110 => Common::Sopc,
            0b1_0111_1111 => Common::Sopp,
            lead if lead >> 5 == 0b1011 => Common::Sopk,
            lead if lead >> 7 == 0b10 => Common::Sop2,
            lead if lead >> 2 == 0b011_1111 => Common::Vop1,
            lead if lead >> 2 == 0b011_1110 => Common::Vopc,
            lead if lead >> 8 == 0 => Common::Vop2,
            _ => return None,
        })
    }

    /// The instruction's number in its format.
    pub(in crate::families) fn number(self, word: u32) -> u32 {
        match self {
            Common::Sop1 => bits(word, 15, 8),
            Common::Sop2 => bits(word, 29, 23),
            Common::Sopk => bits(word, 27, 23),
            Common::Sopc | Common::Sopp | Common::Vop3p => bits(word, 22, 16),
            Common::Vop1 => bits(word, 16, 9),
            Common::Vop2 => bits(word, 30, 25),
            Common::Vopc => bits(word, 24, 17),
            Common::Vop3 => bits(word, 25, 16),
        }
    }

    /// Words of an instruction.
    pub(in crate::families) fn length(self, facts: &Facts, line: &Line, words: Words) -> u8 {
        let word = words[0];
        let literal = |high: u32, low: u32| bits(word, high, low) == LITERAL;
        let announces = |code: u32| facts.announces(code);
        match self {
            // These have no source.
            Common::Sop1
                if matches!(
                    line.entry,
                    Entry::Jump(JumpKind::Here) | Entry::Message { .. }
                ) =>
            {
                1
            }
            Common::Sop1 => 1 + u8::from(literal(7, 0)),
            Common::Sop2 | Common::Sopc => {
                // The uses of an index are no source.
                let second = literal(15, 8) && !matches!(line.entry, Entry::IndexOn);
                1 + u8::from(line.immediate.is_some() || literal(7, 0) || second)
            }
            Common::Sopk => 1 + u8::from(line.is(Flag::LongImmediate)),
            Common::Sopp => 1,
            Common::Vop1 if line.is(Flag::NoOperands) => {
                1 + u8::from(line.is(Flag::NothingOfLanes) && takes_lane_pattern(facts, words))
            }
            Common::Vop1 | Common::Vop2 | Common::Vopc => {
                1 + u8::from(line.immediate.is_some() || announces(bits(word, 8, 0)))
            }
            Common::Vop3 | Common::Vop3p => {
                let sources = vector::long_sources(words[1]);
                let used = vector::long_count(line);
                let literal = facts.long_literal && sources[..used].contains(&LITERAL);
                let lanes = used > 0 && facts.long_dpp && facts.is_lane_pattern(sources[0]);
                2 + u8::from(literal) + u8::from(lanes)
            }
        }
    }

    /// What an instruction of this format does; None where the words are none.
    pub(in crate::families) fn action(
        self,
        facts: &Facts,
        line: &Line,
        words: Words,
    ) -> Option<Action> {
        if self == Common::Sopp && line.is(Flag::ZeroImmediate) && words[0] & 0xffff != 0 {
            return None;
        }
        match (self, &line.entry) {
            (_, Entry::Refused) => {
                return Some(Action::Refused(format!("{} is not emulated", line.name)));
            }
            (_, Entry::Nothing) if line.is(Flag::NoOperands) => {
                return VectorFields::of(self, facts, line, words)?.nothing(self, facts, line);
            }
            (_, Entry::Nothing) => return Some(Action::Nothing),
            _ => {}
        }
        let action = match self {
            Common::Sop1 | Common::Sop2 | Common::Sopk | Common::Sopc | Common::Sopp => {
                scalar(self, facts, line, words)?
            }
            _ => {
                let fields = VectorFields::of(self, facts, line, words)?;
                fields.legal(self, facts, line, words)?;
                let action = fields.action(self, facts, line)?;
                if self.length(facts, line, words) > 3 {
                    let reason = format!("{} of other lanes with a literal", line.name);
                    return Some(Action::Refused(reason));
                }
                action
            }
        };
        Some(available(line, phantom::refused(facts, line, action)))
    }
}

/// The action, or why not if one of its sources is not emulated.
pub(in crate::families) fn available(line: &Line, action: Action) -> Action {
    const UNAVAILABLE: Operand = Operand::Special(Special::Unavailable);
    let absent = match &action {
        Action::Scalar { from, .. } | Action::Lane { from, .. } => from.contains(&UNAVAILABLE),
        Action::Exec { from, .. }
        | Action::Jump { from, .. }
        | Action::MoveRelative { from, .. } => *from == UNAVAILABLE,
        Action::Vector(action) | Action::Uniform(action) => action.from.contains(&UNAVAILABLE),
        Action::Dual(actions) => actions
            .iter()
            .any(|action| action.from.contains(&UNAVAILABLE)),
        _ => false,
    };
    if absent {
        Action::Refused(format!("{} of a source that is not emulated", line.name))
    } else {
        action
    }
}

/// Whether `v_nop` takes the next word for a pattern of lanes, as only gfx10's does.
fn takes_lane_pattern(facts: &Facts, words: Words) -> bool {
    if facts.long_dpp {
        return false;
    }
    match bits(words[0], 8, 0) {
        Facts::DPP16 => lane::dpp16(facts, words[1]).is_some() && bits(words[1], 23, 20) == 0,
        code => facts.is_lane_pattern(code),
    }
}
