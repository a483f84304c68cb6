//! Inputs: edge values of each type, and random bits.

use crate::semantics::support::Random;

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A 16-bit integer.
    B16,
    F16,
    /// The upper half of a single.
    BF16,
    B32,
    F32,
    B64,
    F64,
    /// Two 16-bit integers, or halves or bfloat16.
    P16,
    PF16,
    PBF16,
    /// Two 32-bit values, or two singles.
    P32,
    PF32,
}

impl Kind {
    /// Returns the number of vector registers.
    pub(crate) fn registers(self) -> u32 {
        match self {
            Kind::B64 | Kind::F64 | Kind::P32 | Kind::PF32 => 2,
            _ => 1,
        }
    }

    /// Returns the significant bits.
    pub(crate) fn mask(self) -> u64 {
        match self {
            Kind::B16 | Kind::F16 | Kind::BF16 => 0xffff,
            kind if kind.registers() == 1 => 0xffff_ffff,
            _ => u64::MAX,
        }
    }

    pub(crate) fn is_16(self) -> bool {
        matches!(self, Kind::B16 | Kind::F16 | Kind::BF16)
    }

    /// Returns a value, mostly an edge.
    pub(crate) fn value(self, random: &mut Random) -> u64 {
        let bits = random.next();
        let pick = |list: &[u64]| list[(bits >> 32) as usize % list.len()];
        let choice = bits % 8;
        match self {
            Kind::PF16 => (Kind::F16.value(random) & 0xffff) | (Kind::F16.value(random) << 16),
            Kind::PBF16 => Kind::BF16.value(random) | (Kind::BF16.value(random) << 16),
            Kind::BF16 => (Kind::F32.value(random) >> 16) & 0xffff,
            Kind::P16 => Kind::B16.value(random) | (Kind::B16.value(random) << 16),
            Kind::PF32 => Kind::F32.value(random) | (Kind::F32.value(random) << 32),
            Kind::P32 => Kind::B32.value(random) | (Kind::B32.value(random) << 32),
            _ if choice < 2 => random.next(),
            Kind::F32 if choice == 2 => {
                u64::from((random.next() as i32 as f32 / 65536.0).to_bits())
            }
            Kind::F32 if choice == 3 => u64::from(((random.next() % 129) as f32 - 64.0).to_bits()),
            Kind::F64 if choice == 2 => (random.next() as i64 as f64 / 4294967296.0).to_bits(),
            Kind::F64 if choice == 3 => ((random.next() % 129) as f64 - 64.0).to_bits(),
            Kind::F16 => pick(&HALVES),
            Kind::F32 => pick(&SINGLES),
            Kind::F64 => pick(&DOUBLES),
            _ if choice == 3 => random.next() % 70,
            _ => pick(&INTEGERS),
        }
    }
}

const INTEGERS: [u64; 22] = [
    0,
    1,
    2,
    3,
    31,
    32,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// Zeros, denormals, the smallest and largest normals, ones and neighbours, halves of odd
/// integers, limits of integer types, infinities, quiet and signalling NaN.
const SINGLES: [u64; 34] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f7f_ffff,
    0x3f80_0001,
    0x3f00_0000,
    0xbf00_0000,
    0x3fc0_0000,
    0xbfc0_0000,
    0x4020_0000,
    0x4b7f_ffff,
    0x4b00_0001,
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x4f7f_ffff,
    0x4f80_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_1234,
    0x7f80_0001,
    0xff81_2345,
    0x7f00_0000,
    0x0100_0000,
];

const DOUBLES: [u64; 26] = [
    0,
    1 << 63,
    1,
    (1 << 63) | 1,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x8010_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0x3fef_ffff_ffff_ffff,
    0x3fe0_0000_0000_0000,
    0xbff8_0000_0000_0000,
    0x4004_0000_0000_0000,
    0x41df_ffff_ffc0_0000,
    0x41e0_0000_0000_0000,
    0xc1e0_0000_0000_0000,
    0x41ef_ffff_ffe0_0000,
    0x4340_0000_0000_0001,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff8_0000_0000_1234,
    0x7ff0_0000_0000_0001,
];

const HALVES: [u64; 28] = [
    0, 0x8000, 1, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3bff, 0x3c01, 0x3800,
    0xb800, 0x3e00, 0xbe00, 0x4100, 0x6400, 0x67ff, 0x77ff, 0x7800, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
    0x7e00, 0xfe12, 0x7c01,
];
