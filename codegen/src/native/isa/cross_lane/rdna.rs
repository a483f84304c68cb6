//! The cross-lane operations of RDNA: row_xmask within a row of 16 lanes and permlanex16 between
//! the rows of 32 lanes. From RDNA 3 on, permlane64 works between the halves of 64 lanes. There
//! is no row_bcast, so a butterfly reduces a whole subgroup.

use super::moves::dpp;
use super::{CrossLane, Exchange, Move, row};

const XOR1: Exchange = &[dpp("row_xmask:1", 0x161)];
const XOR2: Exchange = &[dpp("row_xmask:2", 0x162)];
const XOR4: Exchange = &[dpp("row_xmask:4", 0x164)];
const XOR8: Exchange = &[dpp("row_xmask:8", 0x168)];
const XOR16: Exchange = &[Move::OtherRow];
const XOR32: Exchange = &[Move::OtherHalf];

/// The table of subgroups of 32 lanes.
pub(in crate::native) const WAVE32: CrossLane = CrossLane {
    subgroup_size: 32,
    order: &[0, 1, 2, 3, 4],
    rows: &[
        row(0, 0, XOR1),
        row(1, 0, XOR2),
        row(2, 0, XOR4),
        row(3, 0, XOR8),
        row(4, 0, XOR16),
    ],
    whole: (&[XOR1, XOR2, XOR4, XOR8, XOR16], 0),
};

/// The table of subgroups of 64 lanes on gfx1030. DPP, swizzles and permutations stay within 32
/// lanes there. The halves exchange through LDS, or through a scalar register if one lane
/// suffices.
pub(in crate::native) const GFX10_WAVE64: CrossLane = CrossLane {
    subgroup_size: 64,
    order: &[0, 1, 2, 3, 4, 5],
    rows: &[
        row(0, 0, XOR1),
        row(1, 0, XOR2),
        row(2, 0, XOR4),
        row(3, 0, XOR8),
        row(4, 0, XOR16),
        row(5, 0, &[Move::Lds { xor: 32 }]),
    ],
    // One lane needs the result, so v_readlane replaces the exchange through LDS.
    whole: (
        &[XOR1, XOR2, XOR4, XOR8, XOR16, &[Move::Read { lane: 32 }]],
        0,
    ),
};

/// The table of subgroups of 64 lanes on gfx1100, gfx1151 and gfx1201.
pub(in crate::native) const WAVE64: CrossLane = CrossLane {
    subgroup_size: 64,
    order: &[0, 1, 2, 3, 4, 5],
    rows: &[
        row(0, 0, XOR1),
        row(1, 0, XOR2),
        row(2, 0, XOR4),
        row(3, 0, XOR8),
        row(4, 0, XOR16),
        row(5, 0, XOR32),
    ],
    whole: (&[XOR1, XOR2, XOR4, XOR8, XOR16, XOR32], 0),
};
