//! The registers of instructions that access memory or LDS.

use super::class::Class;
use super::usage::RegisterUsage;
use crate::instruction::{AddressingMode, LdsAction, LdsOperation, M0, MemoryAction};
use crate::operation::MemoryOperation;

impl RegisterUsage {
    pub(super) fn memory(&mut self, action: &MemoryAction) {
        match action.space {
            AddressingMode::Flat | AddressingMode::Global => self.read_vectors(action.address, 2),
            AddressingMode::GlobalScalar { base } => {
                self.read_vectors(action.address, 1);
                self.read_scalars(base, 2);
            }
            AddressingMode::Scratch { vector, scalar } => {
                self.read_vectors(action.address, u16::from(vector));
                if let Some(register) = scalar {
                    self.read_scalars(register, 1);
                }
            }
            AddressingMode::Buffer {
                resource,
                scalar,
                index,
                offset,
            } => {
                self.read_vectors(action.address, u16::from(index) + u16::from(offset));
                self.read_scalars(resource, 4);
                self.read(scalar, 1);
            }
        }
        // The data registers of an atomic are sources even if it returns the old value.
        let (loaded, stored) = transferred(action.operation);
        self.read_vectors(action.data, stored);
        match action.operation {
            MemoryOperation::Atomic { wide, .. } => {
                if let Some(to) = action.returns {
                    self.write_vectors(to, 1 + u16::from(wide));
                }
            }
            _ => self.write_vectors(action.data, loaded),
        }
    }

    pub(super) fn lds(&mut self, action: &LdsAction) -> Class {
        match action.operation {
            LdsOperation::Access(operation) | LdsOperation::Return(operation) => {
                self.read_vectors(action.address, 1);
                let (loaded, stored) = transferred(operation);
                match operation {
                    MemoryOperation::Atomic { operation, wide } => {
                        self.read_vectors(action.data[0], 1 + u16::from(wide));
                        // Compare and swap has its second value in a separate operand here.
                        if operation.has_second() {
                            self.read_vectors(action.data[1], 1 + u16::from(wide));
                        }
                        if matches!(action.operation, LdsOperation::Return(_)) {
                            self.write_vectors(action.to, 1 + u16::from(wide));
                        }
                    }
                    _ => {
                        self.read_vectors(action.data[0], stored);
                        self.write_vectors(action.to, loaded);
                    }
                }
            }
            LdsOperation::ReadTransposed { registers, .. } => {
                self.read_vectors(action.address, 1);
                self.write_vectors(action.to, registers.into());
            }
            LdsOperation::ReadTwo { registers } => {
                self.read_vectors(action.address, 1);
                self.write_vectors(action.to, 2 * u16::from(registers));
            }
            LdsOperation::WriteTwo { registers } | LdsOperation::ExchangeTwo { registers } => {
                self.read_vectors(action.address, 1);
                self.read_vectors(action.data[0], registers.into());
                self.read_vectors(action.data[1], registers.into());
                if matches!(action.operation, LdsOperation::ExchangeTwo { .. }) {
                    self.write_vectors(action.to, 2 * u16::from(registers));
                }
            }
            LdsOperation::Permute
            | LdsOperation::PermuteBackward
            | LdsOperation::PermuteBackwardInactive => {
                self.read_vectors(action.address, 1);
                self.read_vectors(action.data[0], 1);
                self.write_vectors(action.to, 1);
                return Class::Permute;
            }
            LdsOperation::Swizzle => {
                self.read_vectors(action.address, 1);
                self.write_vectors(action.to, 1);
                return Class::Permute;
            }
            LdsOperation::ReadLaneAddress => {
                self.read_scalars(M0, 1);
                self.write_vectors(action.to, 1);
            }
            LdsOperation::WriteLaneAddress => {
                self.read_scalars(M0, 1);
                self.read_vectors(action.data[0], 1);
            }
            // An append takes its address from the instruction and its operand from EXEC.
            LdsOperation::Append { .. } => self.write_vectors(action.to, 1),
        }
        Class::Lds
    }
}

/// Returns the numbers of registers that an operation loads and stores.
fn transferred(operation: MemoryOperation) -> (u16, u16) {
    match operation {
        MemoryOperation::Load { registers } => (registers.into(), 0),
        MemoryOperation::LoadPart { .. } => (1, 0),
        MemoryOperation::Store { registers } => (0, registers.into()),
        MemoryOperation::StorePart { .. } => (0, 1),
        MemoryOperation::Atomic { operation, wide } => (
            0,
            (1 + u16::from(wide)) * (1 + u16::from(operation.has_second())),
        ),
    }
}
