//! The valid origins of the sources of operations across lanes.

use crate::instruction::LaneOperation;

/// The valid origin of a source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Vector,
    /// Scalar registers and constants.
    Scalar,
    Any,
}

/// Returns the valid origin of each source of an operation across lanes.
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

/// Returns the number of sources of an operation across lanes.
pub(in crate::families) fn lane_sources(operation: LaneOperation) -> usize {
    origins(operation).len()
}
