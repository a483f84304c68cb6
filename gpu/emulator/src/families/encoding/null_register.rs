//! The null register, which LLVM's disassembler accepts in every instruction set although gfx9
//! lacks it.

use super::EncodingFacts;
use crate::families::flags::Flag;
use crate::families::tables::OpcodeEntry;
use crate::instruction::{Action, JumpKind, NULL, RegisterAccess};

/// Returns the action, or its refusal if it writes a missing null register.
pub(super) fn refused(facts: &EncodingFacts, line: &OpcodeEntry, action: Action) -> Action {
    let discards = match &action {
        Action::Scalar { operation, to, .. } => operation.to > 0 && *to == NULL,
        Action::Exec { to, .. } | Action::MoveRelative { to, .. } => *to == NULL,
        Action::Jump { kind, to, .. } => *kind != JumpKind::Set && *to == NULL,
        Action::HardwareRegister {
            access: RegisterAccess::Read { to },
            ..
        } => *to == NULL,
        Action::Vector(action) => action.to_mask == NULL,
        Action::Lane { to, .. } => *to == u16::from(NULL) && line.is(Flag::ReadsLane),
        _ => false,
    };
    if facts.phantom_null && discards {
        return Action::Refused(format!(
            "{} to a null register, which gfx9 lacks",
            line.name
        ));
    }
    action
}
