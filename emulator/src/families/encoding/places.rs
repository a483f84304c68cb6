//! What the sources of operations across lanes may be.

use crate::instruction::LaneOperation;

/// What a source may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Vector,
    /// Scalar registers and constants.
    Scalar,
    Any,
}

/// The sources of an operation across lanes.
pub(super) fn places(operation: LaneOperation) -> &'static [Place] {
    use Place::*;
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
    places(operation).len()
}
