//! What instructions of the vector unit do, and what modifies their sources and results.

use super::SourceOperand;
use crate::operation::VectorOperation;

/// An instruction of the vector unit.
#[derive(Clone)]
pub(crate) struct VectorAction {
    pub(crate) operation: &'static VectorOperation,
    /// Destination register, where the operation has one.
    pub(crate) to: u16,
    /// Scalar register pair for a bit of each lane: the result of a comparison, or a carry out.
    pub(crate) to_mask: u8,
    /// Scalar register pair with a bit for each lane that the operation reads.
    pub(crate) from_mask: u8,
    pub(crate) from: [SourceOperand; 3],
    /// Complement of the comparison.
    pub(crate) negated: bool,
    /// The comparison also sets EXEC.
    pub(crate) sets_exec: bool,
    pub(crate) modifiers: Modifiers,
}

/// What modifies sources and result. A bit for each source, first source lowest.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Modifiers {
    pub(crate) negate: u8,
    pub(crate) absolute: u8,
    /// Takes the high half of a 16-bit source (bit 3: writes the high half); of packed sources, for the low result.
    pub(crate) select: u8,
    /// Takes the high half of a packed source for the high result.
    pub(crate) select_high: u8,
    /// Negates the packed source for the high result.
    pub(crate) negate_high: u8,
    /// Packed selection is in effect.
    pub(crate) packed: bool,
    /// Sources are singles or halves as `select_high` says (mixed precision).
    pub(crate) mixed: bool,
    /// Saturates.
    pub(crate) clamp: bool,
    /// 0: none, 1: times 2, 2: times 4, 3: times 1/2.
    pub(crate) output: u8,
    pub(crate) dpp: Option<Dpp>,
    pub(crate) sdwa: Option<Sdwa>,
}

/// The first source comes from another lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dpp {
    pub(crate) pattern: LanePattern,
    /// Rows (16 lanes) that are written.
    pub(crate) row_mask: u8,
    /// Banks (4 lanes of each row) that are written.
    pub(crate) bank_mask: u8,
    /// An absent source lane gives 0; otherwise the destination is left as it was.
    pub(crate) bound_zero: bool,
    /// Inactive lanes are read too.
    pub(crate) fetch_inactive: bool,
}

/// Which lane a lane reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LanePattern {
    /// Two bits for each lane of a quad.
    Quad(u8),
    /// From the lane that is so much higher (negative: lower) in the row; outside is absent.
    RowShift(i8),
    /// From the lane that is so much lower in the row, cyclically.
    RowRotate(u8),
    /// From the next lane of the wave (`-1`: the previous one), cyclically or not.
    WaveShift {
        by: i8,
        cyclic: bool,
    },
    RowMirror,
    RowHalfMirror,
    /// From the last lane of the row before.
    RowBroadcast15,
    /// Lanes 32 to 63 from lane 31.
    RowBroadcast31,
    /// From this lane of the row (`row_newbcast`, `row_share`).
    RowLane(u8),
    /// From the lane of the row whose number differs by these bits.
    RowXmask(u8),
    /// From these lanes of each group of eight (DPP8).
    Eight([u8; 8]),
}

/// Parts of 32-bit words as sources and result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sdwa {
    pub(crate) from: [Selection; 2],
    /// Sign extension of each source.
    pub(crate) sign_extend: [bool; 2],
    pub(crate) to: Selection,
    pub(crate) unused: UnusedBits,
}

/// A part of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Selection {
    Byte(u8),
    Half(u8),
    Whole,
}

/// What happens to the rest of the destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnusedBits {
    Zero,
    SignExtend,
    Preserve,
}

/// Values that cross lanes through scalar registers, or that lie in registers of which M0 tells the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaneOperation {
    ReadFirstLane,
    ReadLane,
    WriteLane,
    /// Two registers exchange their values.
    Swap,
    /// Two halves of registers do.
    SwapHalf,
    /// In each row, by 16 selects of 4 bits in two scalar registers.
    PermLane16,
    /// From the other row of the pair, likewise.
    PermLaneX16,
    /// In each row, by the low 4 bits of a vector register.
    PermLane16Var,
    /// From the other row of the pair, likewise.
    PermLaneX16Var,
    /// From the other half of the wave.
    PermLane64,
    /// The odd rows of the first register and the even rows of the second exchange their values.
    PermLane16Swap,
    /// The upper half of the first register and the lower half of the second exchange their values.
    PermLane32Swap,
    /// From the register that is M0 after the source.
    MoveRelativeSource,
    /// To the register that is M0 after the destination.
    MoveRelativeDestination,
    /// Both.
    MoveRelativeBoth,
    /// Both: the source by bits 9:0 of M0, the destination by bits 25:16.
    MoveRelativeTwo,
    /// Two registers exchange their values, moved as in [`LaneOperation::MoveRelativeTwo`].
    SwapRelative,
}
