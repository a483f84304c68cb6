//! Inputs of kernels: edge cases and random values.

use super::support::Random;

/// The content of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    U8,
    U16,
    U32,
    U64,
    /// Floating point with zeros, denormals, infinities, NaN and the ends of the range.
    F16,
    Bf16,
    F32,
    F64,
    /// Floating point of moderate size.
    Half,
    Single,
    /// Words, spaces and apostrophes.
    Text,
    /// UTF-8 with some invalid sequences.
    Utf8,
}

impl Kind {
    pub(crate) fn size(self) -> usize {
        match self {
            Kind::U8 | Kind::Text | Kind::Utf8 => 1,
            Kind::U16 | Kind::F16 | Kind::Bf16 | Kind::Half => 2,
            Kind::U32 | Kind::F32 | Kind::Single => 4,
            Kind::U64 | Kind::F64 => 8,
        }
    }

    fn value(self, random: &mut Random) -> u64 {
        match self {
            Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64 => integer(random),
            Kind::F16 => edge_or(random, &HALVES, |random| 0x3000 + random.below(0x2000)),
            Kind::Bf16 => edge_or(random, &BRAINS, |random| 0x3e80 + random.below(0x300)),
            Kind::F32 => edge_or(random, &SINGLES, single),
            Kind::F64 => edge_or(random, &DOUBLES, |random| {
                ((random.below(2_000_000) as f64) / 7.0 - 140_000.0).to_bits()
            }),
            Kind::Half => 0x3000 + random.below(0x1000) + 0x8000 * random.below(2),
            Kind::Single => single(random),
            Kind::Text => pick(random, b"  ''.,aeiounstrdlAEIOUNSTRDL0"),
            Kind::Utf8 => pick(random, b"\x00aZ~\x80\x8f\x90\xbf\xc0\xc3\xdf\xe0\xe2\xed\xf0\xf4\xf5\xff\x9f\xa0\x80\x80\x80"),
        }
    }

    /// Returns `count` values, in bytes; a seed always gives the same ones.
    pub(crate) fn values(self, count: usize, seed: u64) -> Vec<u8> {
        let mut random = Random(seed);
        let size = self.size();
        let mut bytes = Vec::with_capacity(count * size);
        for _ in 0..count {
            bytes.extend_from_slice(&self.value(&mut random).to_le_bytes()[..size]);
        }
        bytes
    }
}

const HALVES: [u64; 13] = [
    0, 0x8000, 1, 0x83ff, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x0400, 0x4000, 0x3555,
];
const BRAINS: [u64; 8] = [0, 0x8000, 0x3f80, 0xbf80, 0x7f7f, 0x7f80, 0x7fc0, 0x0080];
const SINGLES: [u64; 18] = [
    0,
    0x8000_0000,
    1,
    0x3f80_0000,
    0xbf80_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x0080_0000,
    0x007f_ffff,
    0x4b00_0001,
    0xcf00_0000,
    0x3f00_0000,
    0x0000_1234,
    0x7000_0000,
    0x5f00_0000,
    0xc020_0000,
];
const DOUBLES: [u64; 14] = [
    0,
    1 << 63,
    1,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x0010_0000_0000_0000,
    0x3fe0_0000_0000_0000,
    0x0000_0123_4567_89ab,
    0x41df_ffff_ffc0_0000,
    0x3690_0000_0000_0000,
];

fn edge_or(random: &mut Random, edges: &[u64], usual: fn(&mut Random) -> u64) -> u64 {
    match random.below(5) {
        0 => edges[random.below(edges.len() as u64) as usize],
        _ => usual(random),
    }
}

fn single(random: &mut Random) -> u64 {
    u64::from(((random.below(2000) as f32) / 7.0 - 140.0).to_bits())
}

fn pick(random: &mut Random, letters: &[u8]) -> u64 {
    u64::from(letters[random.below(letters.len() as u64) as usize])
}

/// Returns an integer: an end of a range of any width, a number near a power of two, a small or
/// any number.
fn integer(random: &mut Random) -> u64 {
    match random.below(6) {
        0 => [
            0,
            1,
            u64::MAX,
            0x7fff_ffff,
            1 << 31,
            1 << 63,
            u64::MAX >> 1,
            0x80,
            0x8000,
        ][random.below(9) as usize],
        1 => (1u64 << random.below(64)).wrapping_sub(random.below(3)),
        2 => random.below(300),
        3 => (random.next() as i64 >> random.below(64)) as u64,
        _ => random.next(),
    }
}
