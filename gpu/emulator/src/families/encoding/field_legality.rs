//! The legal fields of vector instructions. An encoding that sets a field which the instruction
//! lacks is invalid.
//!
//! The rules are those of LLVM's disassembler. A field may also be *ignored*: it may be set
//! without a meaning.

use super::modifiers::{
    Signs, compares_halves, has_clamp, has_halves, has_output, has_signs, selections, selects_byte,
    signs,
};
use super::vector::{Extension, VectorFields, encoded_sources, is_compare};
use super::{CommonFormat, EncodingFacts, LITERAL, bits};
use crate::families::flags::Flag;
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::instruction::{Action, Words};
use crate::operation::{Type, VectorOperation};

impl VectorFields {
    /// Returns Some if the instruction has all fields that are set.
    pub(super) fn legal(
        &self,
        format: CommonFormat,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        words: Words,
    ) -> Option<()> {
        let Some((operation, ..)) = line.vector() else {
            return match line.entry {
                Semantics::Lane(operation) => self.legal_lane(format, operation),
                Semantics::Uniform(_) => {
                    let one = (self.negate | self.absolute) & !1 == 0;
                    one.then_some(())
                }
                _ => Some(()),
            };
        };
        if line.is(Flag::BetweenAccumulation) {
            // The move copies between accumulation registers, so vector codes are the only real
            // sources.
            let plain = self.extension == Extension::None && self.sources[0] >= 256;
            let phantom = facts.null == Some(self.sources[0])
                || facts.unavailable.contains(&self.sources[0])
                || facts.specials.contains(&self.sources[0]);
            return (plain || phantom).then_some(());
        }
        let legal = match (format, self.extension) {
            (CommonFormat::Vop3p, Extension::Dpp16(_) | Extension::Dpp8 { .. }) => {
                let mixed = line.is(Flag::Mixed);
                let lanes = (mixed && self.sources[1] >= 256) || line.is(Flag::Dot2);
                lanes && self.legal_packed(line, operation)
            }
            (CommonFormat::Vop3p, _) => self.legal_packed(line, operation),
            (CommonFormat::Vop3, _) => self.legal_long(facts, line, operation, words[0]),
            (_, Extension::Sdwa(word)) => self.legal_sdwa(format, facts, line, operation, word),
            (_, Extension::Dpp16(word)) => {
                let of_row = (0x150..0x160).contains(&bits(word, 16, 8));
                has_lanes(facts, line, operation, of_row)
                    && (0..3).all(|index| self.signs_fit(facts, line, operation, index))
            }
            (_, Extension::Dpp8 { .. }) => has_lanes(facts, line, operation, false),
            _ => true,
        };
        legal.then_some(())
    }

    /// Returns true for modifiers that LLVM accepts but that have no meaning.
    pub(super) fn is_beyond(&self, facts: &EncodingFacts, line: &OpcodeEntry) -> bool {
        let signs = self.negate | self.absolute;
        match line {
            _ if line.is(Flag::DotToHalf) => signs != 0 || self.select & 3 != 0,
            _ if line.is(Flag::Narrows8) => self.select & 3 != 0,
            _ if line.is(Flag::Widens8ToTwo) => self.select & 8 != 0,
            _ if line.is(Flag::ClassOfHalf) && signs & 2 != 0 => true,
            // On gfx11 the shift amount is in one half of a register.
            _ if line.is(Flag::Alignment) => {
                let amount = if facts.true16 { 4 } else { 0 };
                self.select & !amount != 0 || self.clamp
            }
            // With these bits, LLVM prints whole registers as operands.
            _ if compares_halves(facts, line) => self.select & 12 != 0,
            _ if facts.true16 && has_halves(line) => {
                line.vector().is_some_and(|(operation, ..)| {
                    (self.select & 7) >> encoded_sources(operation) != 0
                })
            }
            _ => false,
        }
    }

    /// Returns true if the source may have the sign modifiers that are set.
    fn signs_fit(
        &self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        operation: &VectorOperation,
        index: usize,
    ) -> bool {
        let set = ((self.negate | self.absolute) >> index) & 1 != 0;
        !set || signs(facts, line, operation, index) != Signs::Absent
    }

    /// Returns the action of an instruction without operands. It must write no register and have
    /// no modifiers.
    pub(super) fn nothing(
        &self,
        format: CommonFormat,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
    ) -> Option<Action> {
        let long = self.negate | self.absolute | self.output != 0 || self.clamp;
        if self.to != 0 || (format == CommonFormat::Vop3 && long) {
            return None;
        }
        let lanes = match self.extension {
            // With sign bits, the word belongs to the next instruction.
            Extension::Dpp16(_) => self.negate | self.absolute == 0,
            Extension::Dpp8 { .. } => true,
            _ => false,
        };
        if !lanes || facts.long_dpp || !line.is(Flag::NothingOfLanes) {
            return Some(Action::Nothing);
        }
        self.dpp(facts)?;
        let reason = format!("{} of lanes is not emulated", line.name);
        Some(Action::Refused(reason))
    }

    fn legal_long(
        &self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        operation: &VectorOperation,
        word: u32,
    ) -> bool {
        if line.is(Flag::TruthTable) {
            return !self.clamp && (operation.to.is_half() || self.select == 0);
        }
        let encoded = encoded_sources(operation);
        let number = CommonFormat::Vop3.number(word);
        let selects = selections(facts, line, number) != 0;
        // For instructions with a short form, LLVM accepts all selections (see `is_beyond`).
        let short = facts.true16
            && (facts.is_short_in_long(number) || line.is(Flag::Whole16))
            && !line.is(Flag::Widens8);
        let signs = (0..3).all(|index| {
            let set = ((self.negate | self.absolute) >> index) & 1 != 0;
            !set || (index < encoded && self.signs_fit(facts, line, operation, index))
        });
        let byte = selects_byte(facts, line);
        // A byte selection uses the first two bits, so only the other two must be clear.
        let unselected = if byte { 12 } else { 7 & !((1 << encoded) - 1) };
        let selectable = selects || byte || line.is(Flag::NarrowsToBfloat);
        let select = !selectable || self.select & unselected == 0 || short;
        let half = operation.from.iter().any(|from| from.is_half()) || line.is(Flag::Alignment);
        let converts_8 = line.is(Flag::Narrows8) || line.is(Flag::Widens8ToSingle);
        let never = line.is(Flag::DotToHalf) || (facts.byte_selections && converts_8);
        let saturates = !never && ((selects && half && !short) || has_clamp(line, operation));
        let clamp = !self.clamp || saturates;
        let lanes = match self.extension {
            Extension::Dpp16(_) | Extension::Dpp8 { .. } => {
                has_lanes(facts, line, operation, false)
            }
            _ => true,
        };
        // Only before gfx12, conversions of 8-bit floats have an output modifier.
        let plain = facts.byte_selections && line.is(Flag::Widens8);
        let output = self.output == 0 || (has_output(line, operation) && !plain);
        signs && select && clamp && output && lanes
    }

    fn legal_packed(&self, line: &OpcodeEntry, operation: &VectorOperation) -> bool {
        let count = operation.from.len();
        let beyond = |mask: u8| mask >> count != 0;
        if line.is(Flag::Accumulation) {
            return self.negate | self.negate_high | self.select == 0;
        }
        let crosses = matches!(self.extension, Extension::Dpp16(_) | Extension::Dpp8 { .. });
        if crosses && !(line.is(Flag::Dot2ToSingle) || line.is(Flag::Mixed)) {
            return false;
        }
        // Bytes have no halves to select.
        let bytes = line.is(Flag::DotOfBytes);
        let select = if bytes {
            self.select == 0
        } else {
            !beyond(self.select)
        };
        select && !beyond(self.negate) && !beyond(self.negate_high)
    }

    fn legal_sdwa(
        &self,
        format: CommonFormat,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        operation: &VectorOperation,
        word: u32,
    ) -> bool {
        let sources = if format == CommonFormat::Vop1 { 1 } else { 2 };
        let wide = operation.to.registers() > 1 && !is_compare(&operation.body)
            || operation.from.iter().any(|from| from.registers() > 1);
        // It accumulates, but gfx9 has this SDWA form anyway.
        let packed = line.is(Flag::PackedMultiplyAdd) && !facts.dpp8;
        let accumulates = operation.accumulates && !packed;
        let wide = wide && !line.is(Flag::Widens8);
        let literal = self.sources[..sources].contains(&LITERAL);
        if wide || accumulates || literal || line.immediate.is_some() {
            return false;
        }
        /// The selection of the whole destination.
        const WHOLE: u32 = 6;
        if line.is(Flag::Widens8) && bits(word, 10, 8) != WHOLE {
            return false;
        }
        // A float source has signs, and an integer source has sign extension.
        let parts = (0..sources).all(|index| {
            let signs = ((self.negate | self.absolute) >> index) & 1 != 0;
            let extend = (self.extend >> index) & 1 != 0;
            if line.is(Flag::PackedMultiplyAdd) {
                !((self.negate | self.absolute) != 0 && self.extend != 0)
            } else if has_signs(facts, line, operation, index) {
                !extend
            } else {
                !signs
            }
        });
        // The fields of the absent second source must be 0, except one bit.
        let unused = format == CommonFormat::Vop1 && bits(word, 31, 24) & !0x40 != 0;
        let float = operation.to.is_float() && !matches!(operation.to, Type::M32 | Type::M16);
        let output = self.output == 0 || float || line.is(Flag::NarrowsToHalves);
        let sets_exec = line.vector().is_some_and(|(_, _, sets_exec)| sets_exec);
        let mask = self.mask.is_none() || !(sets_exec && facts.cmpx_sets_exec_only);
        parts && !unused && output && mask
    }
}

/// Returns true if a short instruction may have a DPP word, with a lane of the row or another
/// pattern.
fn has_lanes(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    operation: &VectorOperation,
    lane_of_row: bool,
) -> bool {
    let compare = is_compare(&operation.body);
    // Two-register operands need two passes, which DPP lacks.
    let wide = operation.to.registers() > 1 && !compare
        || operation.from.iter().any(|from| from.registers() > 1);
    let legacy = line.is(Flag::NeverLanes);
    let wide = wide && !(facts.lanes_of_pairs && lane_of_row);
    let known = !legacy && (!facts.long_dpp || !line.is(Flag::NoLanes));
    !wide && known && line.immediate.is_none() && (!compare || facts.long_dpp)
}
