//! Instructions of the vector unit, and the modifiers of their sources and results.

use super::SourceOperand;
use crate::operation::VectorOperation;

/// An instruction of the vector unit.
#[derive(Clone)]
pub(crate) struct VectorAction {
    pub(crate) operation: &'static VectorOperation,
    /// Destination register, if the operation has one.
    pub(crate) to: u16,
    /// Scalar register pair with one bit per lane: the result of a comparison, or a carry out.
    pub(crate) to_mask: u8,
    /// Scalar register pair with one bit per lane, which the operation reads.
    pub(crate) from_mask: u8,
    pub(crate) from: [SourceOperand; 3],
    /// True for the complement of the comparison.
    pub(crate) negated: bool,
    /// True if the comparison also sets EXEC.
    pub(crate) sets_exec: bool,
    pub(crate) modifiers: Modifiers,
}

/// The modifiers of sources and result. Masks have one bit for each source, the first source
/// lowest.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Modifiers {
    pub(crate) negate: u8,
    pub(crate) absolute: u8,
    /// Selects the high half of a 16-bit source (bit 3: writes the high half); for packed
    /// sources, for the low result.
    pub(crate) select: u8,
    /// Selects the high half of a packed source for the high result.
    pub(crate) select_high: u8,
    /// Negates the packed source for the high result.
    pub(crate) negate_high: u8,
    /// True if packed selection is in effect.
    pub(crate) packed: bool,
    /// True if `select_high` marks each source as half or single (mixed precision).
    pub(crate) mixed: bool,
    /// True if the result saturates.
    pub(crate) clamp: bool,
    /// The output factor. 0: none, 1: times 2, 2: times 4, 3: times 1/2.
    pub(crate) output: u8,
    pub(crate) dpp: Option<Dpp>,
    pub(crate) sdwa: Option<Sdwa>,
}

/// The modifier that reads the first source from another lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dpp {
    pub(crate) pattern: LanePattern,
    /// The mask of written rows (16 lanes).
    pub(crate) row_mask: u8,
    /// The mask of written banks (4 lanes of each row).
    pub(crate) bank_mask: u8,
    /// True if an absent source lane gives 0; otherwise the destination keeps its value.
    pub(crate) bound_zero: bool,
    /// True if inactive lanes are read too.
    pub(crate) fetch_inactive: bool,
}

/// The source lane of each lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LanePattern {
    /// Two bits for each lane of a quad.
    Quad(u8),
    /// The lane at this distance in the row (negative: lower); outside is absent.
    RowShift(i8),
    /// The lane at this distance below in the row, cyclically.
    RowRotate(u8),
    /// The next lane of the wave (`-1`: the previous one), cyclically or not.
    WaveShift {
        by: i8,
        cyclic: bool,
    },
    RowMirror,
    RowHalfMirror,
    /// The last lane of the previous row.
    RowBroadcast15,
    /// Lane 31, for lanes 32 to 63.
    RowBroadcast31,
    /// This lane of the row (`row_newbcast`, `row_share`).
    RowLane(u8),
    /// The lane of the row with these bits of its number inverted.
    RowXmask(u8),
    /// These lanes of each group of eight (DPP8).
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

/// The treatment of the rest of the destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnusedBits {
    Zero,
    SignExtend,
    Preserve,
}

/// An exchange between lanes and scalar registers, or a move of registers that M0 selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaneOperation {
    ReadFirstLane,
    ReadLane,
    WriteLane,
    /// An exchange of two registers.
    Swap,
    /// An exchange of two register halves.
    SwapHalf,
    /// A permutation in each row, by 16 selects of 4 bits in two scalar registers.
    PermLane16,
    /// The same from the other row of the pair.
    PermLaneX16,
    /// A permutation in each row, by the low 4 bits of a vector register.
    PermLane16Var,
    /// The same from the other row of the pair.
    PermLaneX16Var,
    /// A read from the other half of the wave.
    PermLane64,
    /// An exchange of the odd rows of the first register with the even rows of the second.
    PermLane16Swap,
    /// An exchange of the upper half of the first register with the lower half of the second.
    PermLane32Swap,
    /// A move from the register at distance M0 after the source.
    MoveRelativeSource,
    /// A move to the register at distance M0 after the destination.
    MoveRelativeDestination,
    /// A move with both distances.
    MoveRelativeBoth,
    /// A move with two distances: bits 9:0 of M0 for the source, bits 25:16 for the destination.
    MoveRelativeTwo,
    /// An exchange of two registers with the distances of [`LaneOperation::MoveRelativeTwo`].
    SwapRelative,
}
