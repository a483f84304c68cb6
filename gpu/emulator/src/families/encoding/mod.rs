//! The shared parts of all families' encodings: the layouts of the scalar and vector formats, the
//! following words, and the actions of memory instructions.
//!
//! Decoding first extracts *fields* ([`VectorFields`], [`FlatFields`] ...): the numbers in the
//! words. This module converts the fields to an action, and [`super::text`] to text.
//! [`EncodingFacts`] describes the differences between instruction sets; this folder knows no
//! family by name.

mod compute;
mod cross_lane;
mod data_registers;
mod dual;
mod facts;
mod field_legality;
mod matrix;
mod memory;
mod modifiers;
mod null_register;
mod operands;
mod origins;
mod register_range;
mod scalar;
mod sdwa_dpp;
mod vector;
mod vop3p;

pub(in crate::families) use cross_lane::{has_selection, has_suffix};
pub(in crate::families) use data_registers::{atomic_registers, data_registers, lds_registers};
pub(in crate::families) use dual::DualFields;
pub(in crate::families) use facts::{EncodingFacts, LanePatterns, aligned};
pub(in crate::families) use matrix::{MatrixFacts, MatrixFields, scale, scale_fields};
pub(in crate::families) use memory::{
    BufferFields, FlatFields, LdsFields, ScalarMemoryFields, Segment,
};
pub(in crate::families) use modifiers::{has_output, has_signs, selections, selects_byte};
pub(in crate::families) use origins::lane_sources;
pub(in crate::families) use scalar::scalar;
pub(in crate::families) use vector::{Extension, VectorFields, encoded_sources, is_compare, masks};

use crate::families::flags::Flag;
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::instruction::{Action, JumpKind, SourceOperand, SpecialSource, Words};

/// Returns the bits `low..=high` of a word.
pub(in crate::families) fn bits(word: u32, high: u32, low: u32) -> u32 {
    (word >> low) & (((1u64 << (high - low + 1)) - 1) as u32)
}

/// Returns one bit of a word.
pub(in crate::families) fn bit(word: u32, index: u32) -> bool {
    bits(word, index, index) != 0
}

/// Returns the `count` lowest bits of `value` as a signed number.
pub(in crate::families) fn signed(value: u32, count: u32) -> i32 {
    ((value << (32 - count)) as i32) >> (32 - count)
}

/// The source code that announces a literal in the next word.
pub(in crate::families) const LITERAL: u32 = 255;

/// A format with the same layout in every family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::families) enum CommonFormat {
    Sop1,
    Sop2,
    Sopk,
    Sopc,
    Sopp,
    Vop1,
    Vop2,
    Vopc,
    /// The long encoding; its leading bits differ between families.
    Vop3,
    /// Packed values; the leading bits differ between families.
    Vop3p,
}

impl CommonFormat {
    /// Returns the format of a word by its leading bits; VOP3 and VOP3P are excluded.
    pub(in crate::families) fn of(word: u32) -> Option<CommonFormat> {
        Some(match word >> 23 {
            0b1_0111_1101 => CommonFormat::Sop1,
            0b1_0111_1110 => CommonFormat::Sopc,
            0b1_0111_1111 => CommonFormat::Sopp,
            lead if lead >> 5 == 0b1011 => CommonFormat::Sopk,
            lead if lead >> 7 == 0b10 => CommonFormat::Sop2,
            lead if lead >> 2 == 0b011_1111 => CommonFormat::Vop1,
            lead if lead >> 2 == 0b011_1110 => CommonFormat::Vopc,
            lead if lead >> 8 == 0 => CommonFormat::Vop2,
            _ => return None,
        })
    }

    /// Returns the instruction's number in its format.
    pub(in crate::families) fn number(self, word: u32) -> u32 {
        match self {
            CommonFormat::Sop1 => bits(word, 15, 8),
            CommonFormat::Sop2 => bits(word, 29, 23),
            CommonFormat::Sopk => bits(word, 27, 23),
            CommonFormat::Sopc | CommonFormat::Sopp | CommonFormat::Vop3p => bits(word, 22, 16),
            CommonFormat::Vop1 => bits(word, 16, 9),
            CommonFormat::Vop2 => bits(word, 30, 25),
            CommonFormat::Vopc => bits(word, 24, 17),
            CommonFormat::Vop3 => bits(word, 25, 16),
        }
    }

    /// Returns the number of words of an instruction.
    pub(in crate::families) fn length(
        self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        words: Words,
    ) -> u8 {
        let word = words[0];
        let literal = |high: u32, low: u32| bits(word, high, low) == LITERAL;
        let announces = |code: u32| facts.announces(code);
        match self {
            // These instructions have no source, so nothing can announce a literal.
            CommonFormat::Sop1
                if matches!(
                    line.entry,
                    Semantics::Jump(JumpKind::Here) | Semantics::Message { .. }
                ) =>
            {
                1
            }
            CommonFormat::Sop1 => 1 + u8::from(literal(7, 0)),
            CommonFormat::Sop2 | CommonFormat::Sopc => {
                // The second field of `s_set_gpr_idx_on` holds the index uses, not a source.
                let second = literal(15, 8) && !matches!(line.entry, Semantics::IndexOn);
                1 + u8::from(line.immediate.is_some() || literal(7, 0) || second)
            }
            CommonFormat::Sopk => 1 + u8::from(line.is(Flag::LongImmediate)),
            CommonFormat::Sopp => 1,
            CommonFormat::Vop1 if line.is(Flag::NoOperands) => {
                1 + u8::from(line.is(Flag::NothingOfLanes) && takes_lane_pattern(facts, words))
            }
            CommonFormat::Vop1 | CommonFormat::Vop2 | CommonFormat::Vopc => {
                1 + u8::from(line.immediate.is_some() || announces(bits(word, 8, 0)))
            }
            CommonFormat::Vop3 | CommonFormat::Vop3p => {
                // Unused source fields announce no literal, so only the used ones count.
                let sources = vector::long_sources(words[1]);
                let used = vector::long_count(line);
                let literal = facts.long_literal && sources[..used].contains(&LITERAL);
                let lanes = used > 0 && facts.long_dpp && facts.is_lane_pattern(sources[0]);
                2 + u8::from(literal) + u8::from(lanes)
            }
        }
    }

    /// Returns the action of an instruction of this format; None for invalid words.
    pub(in crate::families) fn action(
        self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        words: Words,
    ) -> Option<Action> {
        if self == CommonFormat::Sopp && line.is(Flag::ZeroImmediate) && words[0] & 0xffff != 0 {
            return None;
        }
        match (self, &line.entry) {
            (_, Semantics::Refused) => {
                return Some(Action::Refused(format!("{} is not emulated", line.name)));
            }
            (_, Semantics::Nothing) if line.is(Flag::NoOperands) => {
                return VectorFields::of(self, facts, line, words)?.nothing(self, facts, line);
            }
            (_, Semantics::Nothing) => return Some(Action::Nothing),
            (_, Semantics::Matrix(shape)) => return matrix::action(facts, line, shape, words),
            _ => {}
        }
        let action = match self {
            CommonFormat::Sop1
            | CommonFormat::Sop2
            | CommonFormat::Sopk
            | CommonFormat::Sopc
            | CommonFormat::Sopp => scalar(self, facts, line, words)?,
            _ => {
                let fields = VectorFields::of(self, facts, line, words)?;
                fields.legal(self, facts, line, words)?;
                let action = fields.action(self, facts, line)?;
                // Words hold three words at most; a DPP word with a literal would need a fourth.
                if self.length(facts, line, words) > 3 {
                    let reason = format!("{} of other lanes with a literal", line.name);
                    return Some(Action::Refused(reason));
                }
                action
            }
        };
        Some(available(line, null_register::refused(facts, line, action)))
    }
}

/// Returns the action, or its refusal if a source is not emulated.
pub(in crate::families) fn available(line: &OpcodeEntry, action: Action) -> Action {
    const UNAVAILABLE: SourceOperand = SourceOperand::Special(SpecialSource::Unavailable);
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

/// Returns true if `v_nop` consumes a lane pattern in the next word. Only gfx10's does.
fn takes_lane_pattern(facts: &EncodingFacts, words: Words) -> bool {
    if facts.long_dpp {
        return false;
    }
    match bits(words[0], 8, 0) {
        EncodingFacts::DPP16 => {
            sdwa_dpp::dpp16(facts, words[1]).is_some() && bits(words[1], 23, 20) == 0
        }
        code => facts.is_lane_pattern(code),
    }
}
