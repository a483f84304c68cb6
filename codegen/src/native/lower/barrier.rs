//! Barriers, with the fences that make them one for memory too.

use crate::native::ir::{Builder, FenceOrder, FenceScope, IrOperation};

/// All threads of the workgroup have written what others will read.
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
