//! The numbers of data registers of memory instructions.

use crate::instruction::LdsOperation;
use crate::operation::MemoryOperation;

/// Returns the numbers of registers of the data operand and of the loaded value.
pub(in crate::families) fn data_registers(operation: MemoryOperation) -> (u32, u32) {
    match operation {
        MemoryOperation::Load { registers } => (0, registers.into()),
        MemoryOperation::LoadPart { .. } => (0, 1),
        MemoryOperation::Store { registers } => (registers.into(), 0),
        MemoryOperation::StorePart { .. } => (1, 0),
        MemoryOperation::Atomic { wide, .. } => (if wide { 2 } else { 1 }, 0),
    }
}

/// Returns the numbers of data registers of an atomic in the vector memory formats. A compare and
/// swap has both values in one operand.
pub(in crate::families) fn atomic_registers(operation: MemoryOperation) -> (u32, u32) {
    match operation {
        MemoryOperation::Atomic { operation, wide } => {
            let one = if wide { 2 } else { 1 };
            (if operation.has_second() { 2 * one } else { one }, one)
        }
        other => data_registers(other),
    }
}

/// Returns true if the operation has a second data operand.
pub(super) fn has_second(operation: MemoryOperation) -> bool {
    matches!(operation, MemoryOperation::Atomic { operation, .. } if operation.has_second())
}

/// Returns the numbers of registers of the two data operands and of the result of an LDS
/// instruction; 0 for absent ones.
pub(in crate::families) fn lds_registers(operation: LdsOperation) -> (u32, u32, u32) {
    match operation {
        LdsOperation::Access(operation) => {
            let (from, to) = data_registers(operation);
            (from, if has_second(operation) { from } else { 0 }, to)
        }
        LdsOperation::Return(operation) => {
            let (from, _) = data_registers(operation);
            (from, if has_second(operation) { from } else { 0 }, from)
        }
        LdsOperation::ReadTransposed { registers, .. } => (0, 0, registers.into()),
        LdsOperation::ReadTwo { registers } => (0, 0, 2 * u32::from(registers)),
        LdsOperation::WriteTwo { registers } => (registers.into(), registers.into(), 0),
        LdsOperation::ExchangeTwo { registers } => {
            let one = u32::from(registers);
            (one, one, 2 * one)
        }
        LdsOperation::Permute
        | LdsOperation::PermuteBackward
        | LdsOperation::PermuteBackwardInactive => (1, 0, 1),
        LdsOperation::Swizzle | LdsOperation::ReadLaneAddress | LdsOperation::Append { .. } => {
            (0, 0, 1)
        }
        LdsOperation::WriteLaneAddress => (1, 0, 0),
    }
}
