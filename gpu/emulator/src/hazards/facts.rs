//! The facts about an instruction that the rules ask for.

use crate::effects::SCALAR;
use crate::execute::InstructionCost;
use crate::instruction::{
    Action, AddressingMode, Instruction, MatrixAction, MemoryAction, RegisterAccess, Sdwa,
    Selection, SourceOperand, VectorAction,
};
use crate::isa::Isa;
use crate::operation::matrix::MatrixElement;
use crate::operation::{MemoryOperation, OperationLoop};

/// An instruction of a program.
pub(super) struct InstructionFacts<'a> {
    pub(super) isa: Isa,
    pub(super) instruction: &'a Instruction,
    pub(super) cost: InstructionCost,
    pub(super) reads: &'a [u16],
    pub(super) writes: &'a [u16],
}

impl<'a> InstructionFacts<'a> {
    /// Returns true for an instruction of the vector unit, matrix products included.
    pub(super) fn is_vector(&self) -> bool {
        matches!(
            self.instruction.action,
            Action::Vector(_)
                | Action::Dual(_)
                | Action::Uniform(_)
                | Action::Matrix(_)
                | Action::MatrixScale { .. }
                | Action::Lane { .. }
        )
    }

    pub(super) fn matrix(&self) -> Option<&'a MatrixAction> {
        match &self.instruction.action {
            Action::Matrix(action) => Some(action),
            _ => None,
        }
    }

    /// Returns the action of a vector instruction, except moves between lanes and products.
    pub(super) fn vector(&self) -> Option<&'a VectorAction> {
        match &self.instruction.action {
            Action::Vector(action) => Some(action),
            _ => None,
        }
    }

    /// Returns true for an access to memory through vector registers.
    pub(super) fn is_vector_memory(&self) -> bool {
        matches!(
            self.instruction.action,
            Action::Memory(_) | Action::LoadLds(_)
        )
    }

    pub(super) fn is_lds(&self) -> bool {
        matches!(self.instruction.action, Action::Lds(_))
    }

    /// Returns true for an instruction of the scalar unit that computes.
    pub(super) fn is_scalar(&self) -> bool {
        matches!(
            self.instruction.action,
            Action::Scalar { .. } | Action::Exec { .. } | Action::HardwareRegister { .. }
        )
    }

    pub(super) fn is_dot(&self) -> bool {
        self.instruction.is_dot()
    }

    /// Returns true for a transcendental function, which has its own pipe.
    pub(super) fn is_transcendental(&self) -> bool {
        self.vector().is_some_and(|it| it.operation.approximate) && !self.is_dot()
    }

    /// Returns true if a vector instruction writes a part of a register only, chosen by `dst_sel`
    /// or `op_sel`.
    pub(super) fn selects_destination(&self) -> bool {
        self.vector().is_some_and(|action| {
            let modifiers = &action.modifiers;
            let is_part = |sdwa: &Sdwa| sdwa.to != Selection::Whole;
            // A comparison writes a mask, whatever its modifiers are.
            let compares = matches!(
                action.operation.body,
                OperationLoop::Compare(_) | OperationLoop::WideCompare(_)
            );
            !compares
                && (modifiers.sdwa.as_ref().is_some_and(is_part)
                    || !modifiers.packed && !modifiers.mixed && modifiers.select & 8 != 0)
        })
    }

    /// Returns the number of the hardware register that the instruction writes.
    pub(super) fn set_register(&self) -> Option<u8> {
        match self.instruction.action {
            Action::HardwareRegister {
                number,
                access: RegisterAccess::Write { .. },
                ..
            } => Some(number),
            _ => None,
        }
    }

    /// Returns the number of the hardware register that the instruction reads or writes.
    pub(super) fn hardware_register(&self) -> Option<u8> {
        match self.instruction.action {
            Action::HardwareRegister { number, .. } => Some(number),
            _ => None,
        }
    }

    /// Returns the data registers of a store of more than 64 bits. The store reads them after
    /// later instructions have issued.
    pub(super) fn late_stored(&self) -> Vec<u16> {
        let Action::Memory(action) = &self.instruction.action else {
            return Vec::new();
        };
        let MemoryAction { space, data, .. } = **action;
        let registers = match action.operation {
            MemoryOperation::Store { registers } => u16::from(registers),
            MemoryOperation::Atomic { operation, wide } => {
                (1 + u16::from(wide)) * (1 + u16::from(operation.has_second()))
            }
            _ => 0,
        };
        // A buffer's offset in a scalar register costs the cycle that would be missing.
        let has_time = matches!(
            space,
            AddressingMode::Buffer {
                scalar: SourceOperand::Scalar(_),
                ..
            }
        );
        match registers > 2 && !has_time {
            true => (data..data + registers).collect(),
            false => Vec::new(),
        }
    }

    pub(super) fn scalar_reads(&self) -> Vec<u16> {
        scalars(self.reads)
    }

    pub(super) fn scalar_writes(&self) -> Vec<u16> {
        scalars(self.writes)
    }

    /// Returns the passes of a matrix product, of four cycles each.
    pub(super) fn passes(&self) -> u8 {
        match self.cost {
            InstructionCost::Matrix { cycles, .. } => (cycles / 4) as u8,
            _ => 0,
        }
    }
}

fn scalars(registers: &[u16]) -> Vec<u16> {
    let scalars = registers.iter().copied();
    scalars.filter(|&register| register >= SCALAR).collect()
}

/// Returns true for a product of doubles.
pub(super) fn is_double(action: &MatrixAction) -> bool {
    action.operation.shape.to == MatrixElement::F64
}
