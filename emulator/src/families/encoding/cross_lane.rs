//! Operations across lanes, and those on one value: their sources have to be registers of one kind.

use super::operands::{ConstantType, VCC, source};
use super::origins::{Origin, origins};
use super::vector::{Extension, VectorFields};
use super::{CommonFormat, EncodingFacts};
use crate::families::tables::OpcodeEntry;
use crate::instruction::*;
use crate::operation::VectorOperation;

/// LDS as a source, of parts that had it.
const LDS_DIRECT: u32 = 254;

/// Whether LLVM gives the instruction the suffixes of other vector instructions.
pub(in crate::families) fn has_suffix(operation: LaneOperation) -> bool {
    use LaneOperation::*;
    matches!(
        operation,
        MoveRelativeDestination
            | MoveRelativeSource
            | MoveRelativeBoth
            | MoveRelativeTwo
            | PermLane16Swap
            | PermLane32Swap
    )
}

/// Whether the selection of halves tells which lanes a permutation reads.
pub(in crate::families) fn has_selection(operation: LaneOperation) -> bool {
    use LaneOperation::*;
    matches!(
        operation,
        PermLane16 | PermLaneX16 | PermLane16Var | PermLaneX16Var
    )
}

/// A source of one kind. LLVM takes conditions and apertures for vector registers; they are refused by name.
fn source_of(
    facts: &EncodingFacts,
    origin: Origin,
    code: u32,
    literal: u32,
) -> Option<SourceOperand> {
    let operand = source(facts, code, ConstantType::Bits32, literal)?;
    let special = matches!(operand, SourceOperand::Special(_)) || Some(code) == facts.null;
    match (origin, operand) {
        (Origin::Any, _) | (Origin::Vector, SourceOperand::Vector(_)) => Some(operand),
        (Origin::Scalar, SourceOperand::Vector(_)) => None,
        (Origin::Scalar, _) => Some(operand),
        (Origin::Vector, _) if special => Some(SourceOperand::Special(SpecialSource::Unavailable)),
        (Origin::Vector, _) => None,
    }
}

impl VectorFields {
    pub(super) fn lane_action(
        &self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        operation: LaneOperation,
    ) -> Option<Action> {
        match self.extension {
            Extension::None => {}
            Extension::Literal(_) if facts.long_literal => {}
            Extension::Dpp16(_) | Extension::Dpp8 { .. } | Extension::Sdwa(_)
                if has_suffix(operation) =>
            {
                self.dpp(facts)?;
                let reason = format!("{} of another lane or a part is not emulated", line.name);
                return Some(Action::Refused(reason));
            }
            _ => return None,
        }
        let mut from = [SourceOperand::None; 3];
        let literal = self.extension.literal();
        for (index, &origin) in origins(operation).iter().enumerate() {
            // LDS is only what one lane may be read from or written with.
            let single = matches!(
                operation,
                LaneOperation::ReadLane | LaneOperation::ReadFirstLane | LaneOperation::WriteLane
            );
            if self.sources[index] == LDS_DIRECT && origin != Origin::Any && (!single || index > 0)
            {
                return None;
            }
            from[index] = source_of(facts, origin, self.sources[index], literal)?;
        }
        let reads = matches!(
            operation,
            LaneOperation::ReadLane | LaneOperation::ReadFirstLane
        );
        let to = match facts.register(self.to, 1) {
            _ if !reads => self.to as u16,
            // LLVM's tables do not have M0 there.
            Some(124) => return None,
            Some(register) => u16::from(register),
            None => return self.beyond_registers(facts, line, 32),
        };
        Some(Action::Lane {
            operation,
            to,
            from,
            select: self.select,
        })
    }

    /// LLVM names conditions and apertures as scalar destinations too; nothing is written there.
    pub(super) fn beyond_registers(
        &self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        bits: u8,
    ) -> Option<Action> {
        let named = source(facts, self.to, ConstantType::scalar(bits), 0)?;
        matches!(named, SourceOperand::Special(_))
            .then(|| Action::Refused(format!("{} to what is no register", line.name)))
    }

    /// One value from scalar sources.
    pub(super) fn uniform_action(
        &self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        operation: &'static VectorOperation,
    ) -> Option<Action> {
        let kind = ConstantType::from(operation.from[0]);
        let from = source(facts, self.sources[0], kind, self.extension.literal())?;
        if matches!(from, SourceOperand::Vector(_)) {
            return None;
        }
        let to = match facts.register(self.to, 1) {
            // All registers but EXEC.
            Some(126 | 127) => return None,
            Some(register) => u16::from(register),
            None => return self.beyond_registers(facts, line, 32),
        };
        Some(Action::Uniform(Box::new(VectorAction {
            operation,
            to,
            to_mask: VCC,
            from_mask: VCC,
            from: [from, SourceOperand::None, SourceOperand::None],
            negated: false,
            sets_exec: false,
            modifiers: Modifiers {
                negate: self.negate & 1,
                absolute: self.absolute & 1,
                clamp: self.clamp,
                output: self.output,
                ..Modifiers::default()
            },
        })))
    }

    /// Operations across lanes have no modifiers but the selection of permutations.
    pub(super) fn legal_lane(&self, format: CommonFormat, operation: LaneOperation) -> Option<()> {
        let modified = self.negate | self.absolute | self.output != 0 || self.clamp;
        let variable = matches!(
            operation,
            LaneOperation::PermLane16Var | LaneOperation::PermLaneX16Var
        );
        let beyond = variable && self.select & 4 != 0;
        (format != CommonFormat::Vop3 || !modified && !beyond).then_some(())
    }
}
