//! What gfx942 can do across lanes, and how it addresses memory.
//!
//! Encodings and meanings: AMD Instinct MI300 ISA manual, sections "Data Parallel Processing (DPP)" and "DS_SWIZZLE";
//! LLVM's "User Guide for AMDGPU Backend". Note that row_half_mirror is lane^7 and row_mirror lane^15.

use super::cross_lane::{CrossLane, Exchange, Move, Row};
use super::isa::Isa;

const fn dpp(name: &'static str, control: u16) -> Move {
    Move::Dpp {
        name,
        control,
        row_mask: 0xf,
    }
}

const XOR1: Exchange = &[dpp("quad_perm:[1,0,3,2]", 0xb1)];
const XOR2: Exchange = &[dpp("quad_perm:[2,3,0,1]", 0x4e)];
const XOR3: Move = dpp("quad_perm:[3,2,1,0]", 0x1b);
const XOR7: Move = dpp("row_half_mirror", 0x141);
const ROTATE4: Exchange = &[dpp("row_ror:4", 0x124)];
const XOR8: Exchange = &[dpp("row_ror:8", 0x128)];
const XOR16: Exchange = &[Move::Swizzle { offset: 0x401f }];
const XOR32: Exchange = &[Move::Permute { xor: 32 }];

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

/// The instruction set.
pub static GFX942: Isa = Isa {
    name: "gfx942",
    load_bytes: 16,
    // 13 bits, signed.
    offsets: -4096..=4095,
    cross_lane: CROSS_LANE,
};

const CROSS_LANE: CrossLane = CrossLane {
    // Bit 3 before bit 2: a rotation by 4 then reduces bit 2 whatever the state of bits 0 and 1.
    order: &[0, 1, 3, 2, 4, 5],
    rows: &[
        row(0, 0, XOR1),
        row(1, 0, XOR2),
        row(2, 0b0011, &[XOR7]),
        row(2, 0b1000, ROTATE4),
        // lane^3^7; two DPP moves cost less than one through LDS.
        row(2, 0, &[XOR3, XOR7]),
        row(3, 0, XOR8),
        row(4, 0, XOR16),
        row(5, 0, XOR32),
    ],
    whole: (&[XOR1, XOR2, &[XOR7], XOR8, BROADCAST15, BROADCAST31], 63),
};

const fn row(bit: u32, after: u32, exchange: Exchange) -> Row {
    Row {
        bit,
        after,
        exchange,
    }
}
