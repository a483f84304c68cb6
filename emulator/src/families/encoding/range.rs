//! Registers that the file does not have: runs may not pass the last one.
//!
//! LLVM's disassembler names such registers (`v[255:256]`), so they are refused by the instruction's name and not as
//! operands that there are none.

use super::memory::{atomic_registers, data_registers, has_second};
use super::vector::is_compare;
use crate::families::tables::Line;
use crate::instruction::*;

/// `action`, or its refusal where a run of vector registers passes the last one.
pub(super) fn within(line: &Line, action: Action) -> Action {
    let beyond = match &action {
        Action::Vector(action) => vector(action),
        Action::Dual(actions) => actions.iter().any(vector),
        Action::Memory(action) => memory(action),
        Action::Share(action) => share(action),
        _ => false,
    };
    if beyond {
        let reason = format!(
            "{} with a register beyond the last is not emulated",
            line.name
        );
        return Action::Refused(reason);
    }
    action
}

/// Whether one of the runs, first register and count, passes the last of its 256 registers.
fn passes(runs: &[(u16, u32)]) -> bool {
    runs.iter()
        .any(|&(first, count)| u32::from(first & 255) + count > 256)
}

fn vector(action: &VectorAction) -> bool {
    let sources = action.from.iter().zip(action.operation.from);
    let of_source = |(operand, kind): (&Operand, &crate::operation::Type)| match operand {
        Operand::Vector(register) => passes(&[(*register, kind.registers().into())]),
        _ => false,
    };
    let result = (action.to, u32::from(action.operation.to.registers()));
    sources.into_iter().any(of_source) || (!is_compare(&action.operation.body) && passes(&[result]))
}

fn memory(action: &MemoryAction) -> bool {
    let address = match action.space {
        Space::Flat | Space::Global => 2,
        Space::GlobalScalar { .. } => 1,
        Space::Scratch { vector, .. } => u32::from(vector),
        Space::Buffer { index, offset, .. } => u32::from(index) + u32::from(offset),
    };
    let (from, into) = atomic_registers(action.operation);
    let runs = [
        (action.address, address),
        (action.data, from.max(into)),
        (action.returns.unwrap_or(0), into),
    ];
    passes(&runs)
}

fn share(action: &ShareAction) -> bool {
    let (from, more, to) = share_registers(action.operation);
    passes(&[
        (action.data[0], from),
        (action.data[1], more),
        (action.to, to),
    ])
}

/// Registers of the first and second data operand and of the result of an LDS instruction; 0 where there is none.
pub(in crate::families) fn share_registers(operation: ShareOperation) -> (u32, u32, u32) {
    match operation {
        ShareOperation::Access(operation) => {
            let (from, to) = data_registers(operation);
            (from, if has_second(operation) { from } else { 0 }, to)
        }
        ShareOperation::Return(operation) => {
            let (from, _) = data_registers(operation);
            (from, if has_second(operation) { from } else { 0 }, from)
        }
        ShareOperation::ReadTwo { registers } => (0, 0, 2 * u32::from(registers)),
        ShareOperation::WriteTwo { registers } => (registers.into(), registers.into(), 0),
        ShareOperation::ExchangeTwo { registers } => {
            let one = u32::from(registers);
            (one, one, 2 * one)
        }
        ShareOperation::Permute
        | ShareOperation::PermuteBackward
        | ShareOperation::PermuteBackwardInactive => (1, 0, 1),
        ShareOperation::Swizzle
        | ShareOperation::ReadLaneAddress
        | ShareOperation::Append { .. } => (0, 0, 1),
        ShareOperation::WriteLaneAddress => (1, 0, 0),
    }
}
