//! Moves: the instructions that give each lane a register of another lane.
//!
//! Sources of encodings and semantics: AMD's ISA manuals, sections "Data Parallel Processing
//! (DPP)" and "DS_SWIZZLE" and the descriptions of v_permlane*; LLVM's "User Guide for AMDGPU
//! Backend". A row is 16 lanes. Note that row_half_mirror is lane^7 and row_mirror lane^15.

use std::fmt;

/// An instruction that gives each lane a register of another lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Move {
    /// Data-parallel primitives, with the control field and the rows of 16 lanes that receive.
    Dpp {
        /// The assembly name of the control.
        name: &'static str,
        /// The encoding of the control.
        control: u16,
        /// The mask of receiving rows: bit r stands for row r, lanes 16 r to 16 r + 15.
        row_mask: u8,
    },
    /// `ds_swizzle_b32` with this offset.
    Swizzle {
        /// `xor << 10 | or << 5 | and`, on the lower five bits of the lane.
        offset: u16,
    },
    /// `ds_bpermute_b32` from lane^xor.
    Permute {
        /// The exclusive or.
        xor: u32,
    },
    /// `v_permlanex16_b32` with selects that keep the place in the row: from lane^16.
    OtherRow,
    /// `v_permlane64_b32`: from lane^32.
    OtherHalf,
    /// `v_permlane16_swap_b32` or `v_permlane32_swap_b32` of the register and its copy. Lanes
    /// that differ by this exclusive or both end with both registers, in the same order. Only as
    /// the last move of an exchange.
    Swap {
        /// 16 or 32.
        xor: u32,
    },
    /// An exchange through LDS, from lane^xor, if no instruction does it.
    Lds {
        /// The exclusive or.
        xor: u32,
    },
    /// `v_readlane_b32`: every lane receives this lane's register.
    Read {
        /// The lane.
        lane: u32,
    },
}

impl Move {
    /// Returns the lane that `lane` receives from, or `None` if it keeps its own register.
    /// Follows the pseudo code of the ISA manuals. After a swap, both lanes have both registers;
    /// this returns the other lane.
    pub(crate) fn source(&self, lane: u32) -> Option<u32> {
        let (row, n) = (lane / 16, lane % 16);
        match *self {
            // The offset's three 5-bit fields are and, or, xor, from bit 0 on; a swizzle stays
            // within 32 lanes.
            Move::Swizzle { offset } => {
                let [and, or, xor] = [0, 5, 10].map(|low| u32::from(offset >> low & 31));
                Some(lane & 32 | ((lane & and | or) ^ xor) & 31)
            }
            Move::Permute { xor } | Move::Lds { xor } | Move::Swap { xor } => Some(lane ^ xor),
            Move::OtherRow => Some(lane ^ 16),
            Move::OtherHalf => Some(lane ^ 32),
            Move::Read { lane } => Some(lane),
            Move::Dpp { row_mask, .. } if row_mask >> row & 1 == 0 => None,
            // Controls: quad_perm, row_ror, row_mirror, row_half_mirror, row_bcast15,
            // row_bcast31, row_xmask.
            Move::Dpp { control, .. } => match control {
                0..=0xff => Some(lane & !3 | u32::from(control >> (2 * (lane & 3)) & 3)),
                0x121..=0x12f => Some(row * 16 + (n + 16 - u32::from(control & 15)) % 16),
                0x140 => Some(row * 16 + (15 - n)),
                0x141 => Some(lane & !7 | (7 - n % 8)),
                0x142 => (row > 0).then(|| row * 16 - 1),
                0x143 => (lane >= 32).then_some(31),
                0x160..=0x16f => Some(lane ^ u32::from(control & 15)),
                _ => unreachable!("the tables have no control {control:#x}"),
            },
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Dpp {
                name,
                row_mask: 0xf,
                ..
            } => write!(f, "dpp {name}"),
            Move::Dpp { name, row_mask, .. } => write!(f, "dpp {name} row_mask:{row_mask:#x}"),
            Move::Swizzle { offset } => write!(f, "ds_swizzle {offset:#x}"),
            Move::Permute { xor } => write!(f, "ds_bpermute lane^{xor}"),
            Move::OtherRow => f.write_str("permlanex16"),
            Move::OtherHalf => f.write_str("permlane64"),
            Move::Swap { xor } => write!(f, "permlane{xor}_swap"),
            Move::Lds { xor } => write!(f, "lds lane^{xor}"),
            Move::Read { lane } => write!(f, "readlane {lane}"),
        }
    }
}

/// Returns a DPP move in which all rows receive.
pub(super) const fn dpp(name: &'static str, control: u16) -> Move {
    Move::Dpp {
        name,
        control,
        row_mask: 0xf,
    }
}
