//! Register ranges that pass the end of the file.
//!
//! LLVM's disassembler prints such ranges (`v[255:256]`). The emulator therefore refuses them by
//! the instruction's name, not as invalid operands.

use super::EncodingFacts;
use super::data_registers::{atomic_registers, lds_registers};
use super::vector::is_compare;
use crate::families::tables::OpcodeEntry;
use crate::instruction::*;

/// Returns `action`, or its refusal if a range of vector registers passes the last one.
pub(super) fn within(line: &OpcodeEntry, action: Action) -> Action {
    let beyond = match &action {
        Action::Vector(action) => vector(action),
        Action::Dual(actions) => actions.iter().any(vector),
        Action::Memory(action) => memory(action),
        Action::Lds(action) => lds(action),
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

/// Returns true if one of the ranges, first register and count, passes the last of its 256
/// registers.
fn passes(runs: &[(u16, u32)]) -> bool {
    runs.iter().any(|&(first, count)| {
        usize::from(first) % PLAIN_REGISTERS + count as usize > PLAIN_REGISTERS
    })
}

fn vector(action: &VectorAction) -> bool {
    let sources = action.from.iter().zip(action.operation.from);
    let of_source = |(operand, kind): (&SourceOperand, &crate::operation::Type)| match operand {
        SourceOperand::Vector(register) => passes(&[(*register, kind.registers().into())]),
        _ => false,
    };
    let result = (action.to, u32::from(action.operation.to.registers()));
    // A comparison writes a scalar register pair, so its vector destination means nothing.
    sources.into_iter().any(of_source) || (!is_compare(&action.operation.body) && passes(&[result]))
}

fn memory(action: &MemoryAction) -> bool {
    let address = match action.space {
        AddressingMode::Flat | AddressingMode::Global => 2,
        AddressingMode::GlobalScalar { .. } => 1,
        AddressingMode::Scratch { vector, .. } => u32::from(vector),
        AddressingMode::Buffer { index, offset, .. } => u32::from(index) + u32::from(offset),
    };
    let (from, into) = atomic_registers(action.operation);
    let runs = [
        (action.address, address),
        (action.data, from.max(into)),
        (action.returns.unwrap_or(0), into),
    ];
    passes(&runs)
}

fn lds(action: &LdsAction) -> bool {
    let (from, more, to) = lds_registers(action.operation);
    passes(&[
        (action.data[0], from),
        (action.data[1], more),
        (action.to, to),
    ])
}

/// Returns the action, refused if a range passes the end; None for invalid registers.
pub(super) fn finish(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    action: VectorAction,
) -> Option<Action> {
    let action = Action::Vector(Box::new(checked(facts, action)?));
    Some(within(line, action))
}

/// Returns the action if its registers exist.
pub(super) fn checked(facts: &EncodingFacts, action: VectorAction) -> Option<VectorAction> {
    let exists =
        |register: u16, count: u16| facts.has_vectors(register.into(), count.into()).is_some();
    let sources = &action.from[..action.operation.from.len()];
    for (operand, from) in sources.iter().zip(action.operation.from) {
        match operand {
            SourceOperand::Vector(register) if !exists(*register, from.registers()) => return None,
            _ => {}
        }
    }
    let writes = !is_compare(&action.operation.body);
    if writes && !exists(action.to, action.operation.to.registers()) {
        return None;
    }
    Some(action)
}
