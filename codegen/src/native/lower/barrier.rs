//! Barriers, with the fences that make them one for memory too.

use crate::native::ir::{Builder, Operation, Order, Scope};

/// All threads of the workgroup have written what others will read.
pub(super) fn barrier(ir: &mut Builder) {
    ir.act(Operation::Fence(Scope::Workgroup, Order::Release));
    ir.act(Operation::Barrier);
    ir.act(Operation::Fence(Scope::Workgroup, Order::Acquire));
}
