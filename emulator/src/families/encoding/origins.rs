//! Where the sources of operations across lanes may come from.

use crate::instruction::LaneOperation;

/// Where a source may come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Vector,
    /// Scalar registers and constants.
    Scalar,
    Any,
}

/// Where each source of an operation across lanes may come from.
pub(super) fn origins(operation: LaneOperation) -> &'static [Origin] {
    use Origin::*;
    match operation {
        LaneOperation::ReadLane => &[Vector, Scalar],
        LaneOperation::WriteLane => &[Scalar, Scalar],
        LaneOperation::PermLane16 | LaneOperation::PermLaneX16 => &[Vector, Scalar, Scalar],
        LaneOperation::PermLane16Var | LaneOperation::PermLaneX16Var => &[Vector, Vector],
        LaneOperation::MoveRelativeDestination => &[Any],
        _ => &[Vector],
    }
}

/// The number of sources of an operation across lanes.
pub(in crate::families) fn lane_sources(operation: LaneOperation) -> usize {
    origins(operation).len()
}
