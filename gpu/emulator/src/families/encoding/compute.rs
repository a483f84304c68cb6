//! The actions of vector instructions, from the fields of VOP1, VOP2, VOPC and VOP3.

use super::modifiers::selects_byte;
use super::operands::{ConstantType, VCC, source};
use super::register_range::finish;
use super::sdwa_dpp::{dpp8, dpp16, sdwa};
use super::vector::{Extension, VectorFields, encoded_sources, is_compare, masks};
use super::{CommonFormat, EncodingFacts, LITERAL, vop3p};
use crate::families::flags::Flag;
use crate::families::tables::{ImmediateRole, OpcodeEntry, Semantics};
use crate::instruction::*;
use crate::operation::{VectorOperation, float8, integer};

impl VectorFields {
    /// Returns the action of the instruction; None for an invalid operand.
    pub(in crate::families) fn action(
        &self,
        format: CommonFormat,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
    ) -> Option<Action> {
        if let Semantics::Lane(operation) = line.entry {
            return self.lane_action(facts, line, operation);
        }
        if let Semantics::Uniform(operation) = line.entry {
            return self.uniform_action(facts, line, operation);
        }
        if format == CommonFormat::Vop3p {
            return vop3p::action(self, facts, line);
        }
        let (operation, negated, sets_exec) = line.vector()?;
        let mut from = self.vector_sources(format, facts, line, operation)?;
        // An empty truth table would be indistinguishable from MODE's own bits, so it becomes a
        // move.
        if line.is(Flag::TruthTable) && self.truth_table() == 0 && !operation.to.is_half() {
            return Some(self.zero());
        }
        let mut to = self.to as u16;
        if operation.accumulates {
            from[2] = SourceOperand::Vector(to);
        }
        if self.is_beyond(facts, line) {
            let reason = format!("{} with undocumented modifiers", line.name);
            return Some(Action::Refused(reason));
        }
        let operation = if selects_byte(facts, line) {
            float8::of_byte(operation, self.select & 3)
        } else {
            operation
        };
        let (writes, reads) = masks(&operation.body);
        let compare = is_compare(&operation.body);
        let mut to_mask = VCC;
        if let Some(code) = self.mask {
            to_mask = facts.mask(code)?;
        } else if compare && format == CommonFormat::Vop3 {
            // Short comparisons always write VCC; the long encoding names the register pair.
            to_mask = match facts.mask(self.to) {
                Some(mask) => mask,
                None => return self.beyond_registers(facts, line, facts.lanes),
            };
        }
        if sets_exec && facts.cmpx_sets_exec_only {
            // The long encoding must name EXEC.
            if format == CommonFormat::Vop3 && self.to != 126 {
                return None;
            }
            to_mask = NULL;
        }
        let mut from_mask = VCC;
        // In an operation on two values, the third source is the carry. `v_div_fmas` reads VCC.
        if format == CommonFormat::Vop3 && reads && encoded_sources(operation) == 2 {
            let code = self.sources[2];
            from_mask = match facts.mask(code).filter(|&mask| mask != NULL) {
                Some(mask) => mask,
                None => {
                    source(facts, code, ConstantType::scalar(facts.lanes), 0)?;
                    let reason = format!("{} with a carry that is not a register", line.name);
                    return Some(Action::Refused(reason));
                }
            };
        }
        // The encoding has the plain register numbers, but both operands are accumulation
        // registers.
        if line.is(Flag::BetweenAccumulation) {
            to += ACCUMULATION;
            if let SourceOperand::Vector(register) = &mut from[0] {
                *register += ACCUMULATION;
            }
        }
        let parts = match self.extension {
            Extension::Sdwa(word) => {
                let Some(parts) = sdwa(word, compare) else {
                    // LLVM's decoder does not check these fields.
                    let reason = format!("{} of a part that does not exist", line.name);
                    return Some(Action::Refused(reason));
                };
                Some(parts)
            }
            _ => None,
        };
        // Masks use the bits of the selection, except with true16.
        let plain = compare || (writes && !facts.true16);
        let mut select = match plain && !facts.true16 {
            true => 0,
            false => self.select,
        };
        // The literal is the second source, before the encoded one.
        if line.immediate == Some(ImmediateRole::Factor) {
            select = select & !2 | (select & 2) << 1;
        }
        // The accumulator is in the same half as the result.
        if operation.accumulates && select & 8 != 0 {
            select |= 4;
        }
        let modifiers = Modifiers {
            negate: self.negate,
            absolute: self.absolute,
            select,
            clamp: self.clamp,
            output: self.output,
            sdwa: parts,
            dpp: self.dpp(facts)?,
            ..Modifiers::default()
        };
        finish(
            facts,
            line,
            VectorAction {
                operation,
                to,
                to_mask,
                from_mask,
                from,
                negated,
                sets_exec,
                modifiers,
            },
        )
    }

    fn vector_sources(
        &self,
        format: CommonFormat,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        operation: &VectorOperation,
    ) -> Option<[SourceOperand; 3]> {
        let literal = self.extension.literal();
        let kind = |index: usize| operation.from.get(index).copied().map(ConstantType::from);
        let get = |code: u32, index: usize| {
            source(
                facts,
                code,
                kind(index).unwrap_or(ConstantType::Bits32),
                literal,
            )
        };
        let mut from = [SourceOperand::None; 3];
        let count = match format {
            CommonFormat::Vop1 => 1,
            CommonFormat::Vop3 => encoded_sources(operation),
            _ => 2,
        };
        for (index, operand) in from.iter_mut().enumerate().take(count) {
            *operand = get(self.sources[index], index)?;
        }
        // The literal is not an encoded source, so it must be inserted at its place.
        match line.immediate {
            Some(ImmediateRole::Addend) => from[2] = get(LITERAL, 2)?,
            Some(ImmediateRole::Factor) => {
                from[2] = from[1];
                from[1] = get(LITERAL, 1)?;
            }
            None => {}
        }
        Some(from)
    }

    /// Returns the action of an empty truth table. Without modifiers, MODE's own bits would count
    /// as the table.
    fn zero(&self) -> Action {
        Action::Vector(Box::new(VectorAction {
            operation: &integer::MOV,
            to: self.to as u16,
            to_mask: VCC,
            from_mask: VCC,
            from: [
                SourceOperand::Constant(0),
                SourceOperand::None,
                SourceOperand::None,
            ],
            negated: false,
            sets_exec: false,
            modifiers: Modifiers::default(),
        }))
    }

    /// Returns the lane pattern of the first source; None for an invalid control.
    pub(super) fn dpp(&self, facts: &EncodingFacts) -> Option<Option<Dpp>> {
        Some(match self.extension {
            Extension::Dpp16(word) => Some(dpp16(facts, word)?),
            Extension::Dpp8 {
                word,
                fetch_inactive,
            } => Some(dpp8(word, fetch_inactive)),
            _ => None,
        })
    }
}
