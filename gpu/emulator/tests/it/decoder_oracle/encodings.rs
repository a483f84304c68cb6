//! The encodings to compare: every number of every format, with operands similar to those that
//! LLVM accepts.

use emulator::Isa;

use crate::decoder_oracle::oracle::{Answer, Oracle};
use crate::decoder_oracle::support::Random;

/// An encoding format: the fixed bits of the first word, and the field that numbers its
/// instructions.
pub(crate) struct Format {
    pub(crate) name: &'static str,
    fixed: u32,
    number_bit: u32,
    number_bits: u32,
    /// Operand bits of the first word above the number.
    high: u32,
    /// The least number of words.
    words: usize,
}

const fn format(
    name: &'static str,
    fixed: u32,
    number: (u32, u32),
    high: u32,
    words: usize,
) -> Format {
    Format {
        name,
        fixed,
        number_bit: number.0,
        number_bits: number.1,
        high,
        words,
    }
}

/// The formats with the same encoding in all families.
const SCALAR_AND_SHORT: [Format; 8] = [
    format("sop1", 0xbe80_0000, (8, 8), 0x007f_0000, 1),
    format("sopc", 0xbf00_0000, (16, 7), 0, 1),
    format("sopp", 0xbf80_0000, (16, 7), 0, 1),
    format("sopk", 0xb000_0000, (23, 5), 0, 1),
    format("sop2", 0x8000_0000, (23, 7), 0, 1),
    format("vop1", 0x7e00_0000, (9, 8), 0x01fe_0000, 1),
    format("vopc", 0x7c00_0000, (17, 8), 0, 1),
    format("vop2", 0x0000_0000, (25, 6), 0, 1),
];

const GFX9: [Format; 8] = [
    format("smem", 0xc000_0000, (18, 8), 0, 2),
    format("vop3", 0xd000_0000, (16, 10), 0, 2),
    format("vop3p", 0xd380_0000, (16, 7), 0, 2),
    format("ds", 0xd800_0000, (17, 8), 0x0200_0000, 2),
    format("flat", 0xdc00_0000, (18, 7), 0x0200_0000, 2),
    format("mubuf", 0xe000_0000, (18, 7), 0x0200_0000, 2),
    format("mtbuf", 0xe800_0000, (15, 4), 0x03f8_0000, 2),
    format("mimg", 0xf000_0000, (18, 7), 0x0200_0000, 2),
];

const GFX10: [Format; 8] = [
    format("smem", 0xf400_0000, (18, 8), 0, 2),
    format("vop3", 0xd400_0000, (16, 10), 0, 2),
    format("vop3p", 0xcc00_0000, (16, 10), 0, 2),
    format("ds", 0xd800_0000, (18, 8), 0, 2),
    format("flat", 0xdc00_0000, (18, 7), 0x0200_0000, 2),
    format("mubuf", 0xe000_0000, (18, 8), 0, 2),
    format("mtbuf", 0xe800_0000, (16, 3), 0x03f8_0000, 2),
    format("mimg", 0xf000_0000, (18, 7), 0x0200_0000, 2),
];

const GFX11: [Format; 9] = [
    format("smem", 0xf400_0000, (18, 8), 0, 2),
    format("vop3", 0xd400_0000, (16, 10), 0, 2),
    format("vop3p", 0xcc00_0000, (16, 10), 0, 2),
    format("vopd", 0xc800_0000, (17, 9), 0, 2),
    format("ds", 0xd800_0000, (18, 8), 0, 2),
    format("flat", 0xdc00_0000, (18, 7), 0x0200_0000, 2),
    format("mubuf", 0xe000_0000, (18, 8), 0, 2),
    format("mtbuf", 0xe800_0000, (15, 4), 0x03f8_0000, 2),
    format("mimg", 0xf000_0000, (18, 8), 0, 2),
];

const GFX12: [Format; 9] = [
    format("smem", 0xf400_0000, (13, 6), 0x03f8_0000, 2),
    format("vop3", 0xd400_0000, (16, 10), 0, 2),
    format("vop3p", 0xcc00_0000, (16, 10), 0, 2),
    format("vopd", 0xc800_0000, (17, 9), 0, 2),
    format("ds", 0xd800_0000, (18, 8), 0, 2),
    format("vflat", 0xec00_0000, (14, 7), 0x03e0_0000, 3),
    format("vbuffer", 0xc400_0000, (14, 8), 0x03c0_0000, 3),
    format("vimage", 0xd000_0000, (14, 8), 0x03c0_0000, 3),
    format("vsample", 0xe400_0000, (14, 8), 0x03c0_0000, 3),
];

/// Returns the formats of an instruction set.
pub(crate) fn formats(isa: Isa) -> Vec<&'static Format> {
    let own: &[Format] = match isa {
        Isa::Gfx906 | Isa::Gfx90a | Isa::Gfx942 | Isa::Gfx950 => &GFX9,
        Isa::Gfx1030 => &GFX10,
        Isa::Gfx1100 | Isa::Gfx1151 => &GFX11,
        _ => &GFX12,
    };
    SCALAR_AND_SHORT.iter().chain(own).collect()
}

/// Source codes at the boundaries of special ranges.
const CODES: [u32; 24] = [
    0, 2, 102, 104, 106, 107, 108, 124, 125, 126, 127, 128, 192, 193, 208, 235, 236, 240, 248, 251,
    253, 255, 256, 511,
];
/// Source codes that announce an SDWA, DPP8 or DPP word.
const WORDS: [u32; 4] = [233, 234, 249, 250];
/// DPP words: quad permutation, rotation, mirror, broadcast and sharing in a row.
const DPP: [u32; 8] = [
    0xff00_1b00,
    0xff01_2100,
    0xff01_4000,
    0xff01_4200,
    0xff01_5300,
    0xff01_6100,
    0xaf09_0100,
    0xff0d_1f00,
];

/// Returns encodings of one number: some that LLVM accepts, and mutations of a few bits or
/// fields.
pub(crate) fn of_number(
    format: &Format,
    number: u32,
    count: usize,
    llvm: &mut Oracle,
    random: &mut Random,
) -> Result<Vec<[u32; 3]>, String> {
    let tried: Vec<[u32; 3]> = (0..24)
        .map(|attempt| seed(format, number, attempt, random))
        .collect();
    let answers = llvm.decode(&tried)?;
    let accepted = tried
        .iter()
        .zip(answers)
        .filter_map(|(words, answer)| matches!(answer, Answer::Accepted { .. }).then_some(*words));
    let seeds: Vec<[u32; 3]> = accepted.take(4).collect();
    if seeds.is_empty() {
        // Both refuse it with any operands, so two encodings suffice.
        return Ok(tried[22..].to_vec());
    }
    let one = |index: usize| match seeds.get(index) {
        Some(words) => *words,
        None => {
            let near = seeds[random.below(seeds.len() as u64) as usize];
            changed(format, near, random)
        }
    };
    Ok((0..count).map(one).collect())
}

/// Returns the number of opcodes of a format.
pub(crate) fn numbers(format: &Format) -> u32 {
    1 << format.number_bits
}

/// Returns the bits of the first word that operands use.
fn free(format: &Format) -> u32 {
    ((1 << format.number_bit) - 1) | format.high
}

/// Returns operands, from the simplest to random ones by `attempt`.
fn seed(format: &Format, number: u32, attempt: usize, random: &mut Random) -> [u32; 3] {
    let base = format.fixed | (number << format.number_bit);
    let bits = random.next();
    let (first, second) = (bits as u32 & free(format), (bits >> 32) as u32);
    let third = random.next() as u32;
    match attempt {
        0 => [base, 0, 0],
        // The sources are vector registers.
        1 => [base | (0x100 & free(format)), 0x0402_0100 & 0x07ff_ffff, 0],
        2 => [base, 0x0404_0902, 0x0008_0000],
        // There is no scalar base.
        3 => [base | 0x8000 & free(format), 0x007f_0000, 0],
        4 => [base | 0x4000 & free(format), 0x007d_0000, 0],
        5 => [base | (0x0002_8000 & free(format)), 0x007c_0204, 0],
        6 => [base | 124, 0x0404_0902, 0],
        7..10 => [base | first, second & 0x0606_0606, third & 0x0606_0606],
        10..14 => [base | (first & 0x1fe), second & 0xfefe_fefe, third & 0xfefe],
        14..18 => [base | (first & 0x00ff), second & 0x07fb_f5fa, third],
        18..20 => [base | 0x100 & free(format), second | 0x0402_0100, 0],
        _ => [base | first, second, third],
    }
}

/// Changes a few bits or a field.
fn changed(format: &Format, mut words: [u32; 3], random: &mut Random) -> [u32; 3] {
    let pick = |list: &[u32], random: &mut Random| list[random.below(list.len() as u64) as usize];
    let free = [free(format), u32::MAX, u32::MAX];
    let used = format.words.max(if random.below(4) == 0 { 2 } else { 1 });
    match random.below(8) {
        // A source of a short or long vector instruction, or of a scalar one.
        0 | 1 if format.words == 1 => {
            let field = if format.name.starts_with('v') {
                0x1ff
            } else {
                0xff
            };
            words[0] = (words[0] & !(field & free[0])) | (pick(&CODES, random) & field & free[0]);
            words[1] = random.next() as u32;
        }
        2 if format.words == 1 && format.name.starts_with('v') => {
            words[0] = (words[0] & !0x1ff) | pick(&WORDS, random);
            words[1] = (random.next() as u32 & 0x00f0_00ff) | pick(&DPP, random);
            if random.below(2) == 0 {
                words[1] = random.next() as u32;
            }
            if random.below(3) == 0 {
                // The usual SDWA word selects whole words.
                words[1] = (words[1] & 0xff) | 0x0606_0600;
            }
        }
        0 | 1 if format.name.starts_with("vop") => {
            let shift = 9 * random.below(3) as u32;
            words[1] = (words[1] & !(0x1ff << shift)) | (pick(&CODES, random) << shift);
            words[2] = random.next() as u32;
        }
        2 if format.name.starts_with("vop") => {
            words[1] = (words[1] & !0x1ff) | pick(&WORDS, random);
            words[2] = (random.next() as u32 & 0x0000_00ff) | pick(&DPP, random);
        }
        3 | 4 => {
            // Another byte, usually even.
            let (word, byte) = (
                random.below(used as u64) as usize,
                8 * random.below(4) as u32,
            );
            let value = random.next() as u32 & if random.below(4) == 0 { 0xff } else { 0xfe };
            let mask = (0xff << byte) & free[word];
            words[word] = (words[word] & !mask) | ((value << byte) & mask);
        }
        5 => {
            let word = random.below(used as u64) as usize;
            words[word] = (words[word] & !free[word]) | (random.next() as u32 & free[word]);
        }
        _ => {
            for _ in 0..=random.below(4) {
                let word = random.below(used as u64) as usize;
                words[word] ^= (1 << random.below(32)) & free[word];
            }
        }
    }
    words
}
