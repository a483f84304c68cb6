//! Workgroup barriers, with the fences that order memory accesses.

use crate::native::ir::{Builder, FenceOrder, FenceScope, IrOperation};

/// Builds a barrier after which all threads of the workgroup see the others' earlier writes.
pub(super) fn barrier(ir: &mut Builder) {
    ir.act(IrOperation::Fence(
        FenceScope::Workgroup,
        FenceOrder::Release,
    ));
    ir.act(IrOperation::Barrier);
    ir.act(IrOperation::Fence(
        FenceScope::Workgroup,
        FenceOrder::Acquire,
    ));
}
