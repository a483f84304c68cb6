//! The cross-lane operations of GCN 5 and CDNA: DPP within a row of 16 lanes and to the rows
//! above, LDS hardware between rows, and swaps on CDNA 4.

use super::moves::dpp;
use super::{CrossLane, Exchange, LaneBitExchange, Move, row};

const XOR1: Exchange = &[dpp("quad_perm:[1,0,3,2]", 0xb1)];
const XOR2: Exchange = &[dpp("quad_perm:[2,3,0,1]", 0x4e)];
const XOR3: Move = dpp("quad_perm:[3,2,1,0]", 0x1b);
const XOR7: Move = dpp("row_half_mirror", 0x141);
const ROTATE4: Exchange = &[dpp("row_ror:4", 0x124)];
const XOR8: Exchange = &[dpp("row_ror:8", 0x128)];

/// Lanes 16 to 31 and 48 to 63 receive the last lane of the row before.
const BROADCAST15: Exchange = &[Move::Dpp {
    name: "row_bcast:15",
    control: 0x142,
    row_mask: 0xa,
}];

/// Lanes 32 to 63 receive lane 31.
const BROADCAST31: Exchange = &[Move::Dpp {
    name: "row_bcast:31",
    control: 0x143,
    row_mask: 0xc,
}];

/// The table of gfx906, gfx90a and gfx942.
pub(in crate::native) const GFX9: CrossLane = CrossLane {
    subgroup_size: 64,
    // Bit 3 comes before bit 2. A rotation by 4 then reduces bit 2 for any state of bits 0 and 1.
    order: &[0, 1, 3, 2, 4, 5],
    rows: &within_and(
        &[Move::Swizzle { offset: 0x401f }],
        &[Move::Permute { xor: 32 }],
    ),
    whole: (&[XOR1, XOR2, &[XOR7], XOR8, BROADCAST15, BROADCAST31], 63),
};

/// The table of gfx950. A swap between rows replaces the exchange through LDS hardware. If one
/// lane suffices, row_bcast stays, because LLVM folds it into the combining instruction.
pub(in crate::native) const GFX950: CrossLane = CrossLane {
    rows: &within_and(&[Move::Swap { xor: 16 }], &[Move::Swap { xor: 32 }]),
    ..GFX9
};

/// Returns the exchanges within rows of 16 lanes, and the given ones for bits 4 and 5.
const fn within_and(xor16: Exchange, xor32: Exchange) -> [LaneBitExchange; 8] {
    [
        row(0, 0, XOR1),
        row(1, 0, XOR2),
        row(2, 0b0011, &[XOR7]),
        row(2, 0b1000, ROTATE4),
        // lane^3^7; two DPP moves cost less than one through LDS.
        row(2, 0, &[XOR3, XOR7]),
        row(3, 0, XOR8),
        row(4, 0, xor16),
        row(5, 0, xor32),
    ]
}
