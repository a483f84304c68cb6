//! Operations across lanes and on single values: their sources must be registers of one kind.

use super::operands::{ConstantType, VCC, source};
use super::origins::{Origin, origins};
use super::vector::{Extension, VectorFields};
use super::{CommonFormat, EncodingFacts};
use crate::families::tables::OpcodeEntry;
use crate::instruction::*;
use crate::operation::VectorOperation;

/// The source code of LDS, on parts that have it.
const LDS_DIRECT: u32 = 254;

/// Returns true if LLVM gives the instruction the suffixes of other vector instructions.
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

/// Returns true if the selection of halves determines the lanes that a permutation reads.
pub(in crate::families) fn has_selection(operation: LaneOperation) -> bool {
    use LaneOperation::*;
    matches!(
        operation,
        PermLane16 | PermLaneX16 | PermLane16Var | PermLaneX16Var
    )
}

/// Returns a source of one kind. LLVM accepts conditions and apertures as vector registers; the
/// emulator refuses them by name.
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
        // Constants are valid scalar sources; only vector registers are not.
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
            // LDS is valid only in a read or write of one lane.
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
            // LLVM's tables exclude M0 there.
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

    /// Refuses a destination that is no register. LLVM also names conditions and apertures there;
    /// nothing is written.
    pub(super) fn beyond_registers(
        &self,
        facts: &EncodingFacts,
        line: &OpcodeEntry,
        bits: u8,
    ) -> Option<Action> {
        let named = source(facts, self.to, ConstantType::scalar(bits), 0)?;
        matches!(named, SourceOperand::Special(_)).then(|| {
            Action::Refused(format!(
                "{} to a destination that is not a register",
                line.name
            ))
        })
    }

    /// Returns the action of an operation on one value from scalar sources.
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
            // All registers except EXEC are valid.
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

    /// Returns Some if the modifiers are valid. Operations across lanes have only the selection
    /// of permutations.
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
