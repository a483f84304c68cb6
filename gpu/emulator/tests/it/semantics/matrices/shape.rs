//! The shape of a product and the formats of its elements, from the instruction's name.

/// A product, as its name describes it.
#[derive(Clone, Debug)]
pub(crate) struct ProductShape {
    /// `mfma`, `smfmac`, `wmma` or `swmmac`.
    pub(crate) kind: String,
    pub(crate) to: Format,
    pub(crate) from: [Format; 2],
    pub(crate) rows: usize,
    pub(crate) inner: usize,
    pub(crate) blocks: usize,
}

/// The format of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Exponent bits, fraction bits, bias.
    Float(u32, u32, i32),
    /// Bits.
    Integer(u32),
}

const F32: Format = Format::Float(8, 23, 127);
pub(crate) const HALF: Format = Format::Float(5, 10, 15);

impl Format {
    pub(crate) fn bits(self) -> usize {
        match self {
            Format::Float(exponent, fraction, _) => 1 + (exponent + fraction) as usize,
            Format::Integer(bits) => bits as usize,
        }
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Format::Integer(_))
    }

    /// Returns the bits of a number that the format has.
    pub(crate) fn encode(self, value: f64) -> u64 {
        match self {
            Format::Integer(bits) => (value as i64 as u64) & (u64::MAX >> (64 - bits)),
            Format::Float(..) if value == 0.0 => 0,
            Format::Float(exponent, fraction, bias) => {
                let magnitude = value.abs();
                let power = magnitude.log2().floor() as i32;
                let units = magnitude / 2f64.powi(power - fraction as i32);
                assert!(units.fract() == 0.0 && power + bias > 0, "{value}");
                let rest = units as u64 - (1 << fraction);
                let sign = u64::from(value < 0.0) << (exponent + fraction);
                sign | (((power + bias) as u64) << fraction) | rest
            }
        }
    }

    /// Returns the number of these bits, which are a normal number or 0.
    pub(crate) fn decode(self, bits: u64, signed: bool) -> f64 {
        match self {
            Format::Integer(width) if signed => {
                ((bits << (64 - width)) as i64 >> (64 - width)) as f64
            }
            Format::Integer(_) => bits as f64,
            Format::Float(exponent, fraction, bias) => {
                let sign = if bits >> (exponent + fraction) & 1 == 0 {
                    1.0
                } else {
                    -1.0
                };
                let power = (bits >> fraction) & ((1 << exponent) - 1);
                let rest = bits & ((1 << fraction) - 1);
                if power == 0 {
                    assert_eq!(rest, 0, "a denormal");
                    return 0.0;
                }
                let units = (rest + (1 << fraction)) as f64;
                sign * units * 2f64.powi(power as i32 - bias - fraction as i32)
            }
        }
    }

    fn of(name: &str, unsigned_zero: bool) -> Format {
        let more = i32::from(unsigned_zero);
        match name {
            "f64" => Format::Float(11, 52, 1023),
            "f32" | "xf32" => F32,
            "f16" => HALF,
            "bf16" | "bf16_1k" => Format::Float(8, 7, 127),
            "fp8" => Format::Float(4, 3, 7 + more),
            // The modifiers name others.
            "f8f6f4" => Format::Float(4, 3, 7),
            "bf8" => Format::Float(5, 2, 15 + more),
            "i32" => Format::Integer(32),
            "i8" | "iu8" => Format::Integer(8),
            "iu4" => Format::Integer(4),
            _ => panic!("{name}"),
        }
    }
}

impl ProductShape {
    /// Reads a name such as `v_mfma_f32_16x16x4_4b_f16`. FNUZ formats have an unsigned zero.
    pub(crate) fn of(name: &str, unsigned_zero: bool) -> ProductShape {
        let words: Vec<&str> = name.splitn(4, '_').collect();
        let [_, kind, to, rest] = words[..] else {
            panic!("{name}")
        };
        let mut numbers = rest.splitn(3, 'x');
        let rows: usize = numbers.next().unwrap().parse().unwrap();
        let last = numbers.nth(1).unwrap();
        let digits = last.find(|letter: char| !letter.is_ascii_digit()).unwrap();
        let inner: usize = last[..digits].parse().unwrap();
        let old_name = !last[digits..].starts_with('_');
        let kinds = last[digits..].trim_start_matches('_');
        let (blocks, kinds) = match kinds.split_once("b_") {
            Some((blocks, kinds)) if blocks.parse::<usize>().is_ok() => {
                (blocks.parse().unwrap(), kinds)
            }
            // A lane holds this many elements of A.
            _ if old_name => {
                let held = match kinds {
                    "f64" | "f32" => 1,
                    "bf16" => 2,
                    _ => 4,
                };
                (64 * held / (rows * inner), kinds)
            }
            _ => (1, kinds),
        };
        let pair = match kinds.split_once('_') {
            Some((first, second)) if second != "1k" => [first, second],
            _ => [kinds; 2],
        };
        ProductShape {
            kind: kind.into(),
            to: Format::of(to, false),
            from: pair.map(|one| Format::of(one, unsigned_zero)),
            rows,
            inner,
            blocks,
        }
    }

    pub(crate) fn is_sparse(&self) -> bool {
        self.kind.starts_with('s')
    }

    /// Returns the elements of A or B along k that registers hold.
    pub(crate) fn stored(&self, side: usize) -> usize {
        if self.is_sparse() && side == 0 {
            self.inner / 2
        } else {
            self.inner
        }
    }
}

/// The formats of `f8f6f4`, by their codes in the modifiers.
pub(crate) const FORMATS: [Format; 5] = [
    Format::Float(4, 3, 7),
    Format::Float(5, 2, 15),
    Format::Float(2, 3, 1),
    Format::Float(3, 2, 3),
    Format::Float(2, 1, 1),
];

/// Every product of matrices of any instruction set.
pub(crate) fn names() -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |kind: &str, list: &[&str]| {
        names.extend(list.iter().map(|one| format!("v_{kind}_{one}")));
    };
    // gfx90a.
    add(
        "mfma",
        &[
            "f32_32x32x1f32",
            "f32_16x16x1f32",
            "f32_4x4x1f32",
            "f32_32x32x2f32",
            "f32_16x16x4f32",
            "f32_32x32x4f16",
            "f32_16x16x4f16",
            "f32_4x4x4f16",
            "f32_32x32x8f16",
            "f32_16x16x16f16",
            "i32_32x32x4i8",
            "i32_16x16x4i8",
            "i32_4x4x4i8",
            "i32_32x32x8i8",
            "i32_16x16x16i8",
            "f32_32x32x4bf16_1k",
            "f32_16x16x4bf16_1k",
            "f32_4x4x4bf16_1k",
            "f32_32x32x8bf16_1k",
            "f32_16x16x16bf16_1k",
            "f32_32x32x2bf16",
            "f32_16x16x2bf16",
            "f32_4x4x2bf16",
            "f32_32x32x4bf16",
            "f32_16x16x8bf16",
            "f64_16x16x4f64",
            "f64_4x4x4f64",
        ],
    );
    // gfx942 and gfx950.
    add(
        "mfma",
        &[
            "f32_16x16x8_xf32",
            "f32_32x32x4_xf32",
            "f32_32x32x1_2b_f32",
            "f32_16x16x1_4b_f32",
            "f32_4x4x1_16b_f32",
            "f32_32x32x2_f32",
            "f32_16x16x4_f32",
            "f32_32x32x4_2b_f16",
            "f32_16x16x4_4b_f16",
            "f32_4x4x4_16b_f16",
            "f32_32x32x8_f16",
            "f32_16x16x16_f16",
            "i32_32x32x4_2b_i8",
            "i32_16x16x4_4b_i8",
            "i32_4x4x4_16b_i8",
            "i32_32x32x16_i8",
            "i32_16x16x32_i8",
            "f32_32x32x4_2b_bf16",
            "f32_16x16x4_4b_bf16",
            "f32_4x4x4_16b_bf16",
            "f32_32x32x8_bf16",
            "f32_16x16x16_bf16",
            "f64_16x16x4_f64",
            "f64_4x4x4_4b_f64",
            "f32_16x16x32_bf16",
            "i32_16x16x64_i8",
            "f32_32x32x16_bf16",
            "i32_32x32x32_i8",
            "f32_16x16x128_f8f6f4",
            "f32_32x32x64_f8f6f4",
            "f32_16x16x32_f16",
            "f32_32x32x16_f16",
        ],
    );
    add(
        "smfmac",
        &[
            "f32_16x16x32_f16",
            "f32_32x32x16_f16",
            "f32_16x16x32_bf16",
            "f32_32x32x16_bf16",
            "i32_16x16x64_i8",
            "i32_32x32x32_i8",
            "f32_16x16x64_bf16",
            "i32_16x16x128_i8",
            "f32_32x32x32_bf16",
            "i32_32x32x64_i8",
            "f32_16x16x64_f16",
            "f32_32x32x32_f16",
        ],
    );
    // gfx11 and gfx12.
    add(
        "wmma",
        &[
            "f32_16x16x16_f16",
            "f32_16x16x16_bf16",
            "f16_16x16x16_f16",
            "bf16_16x16x16_bf16",
            "i32_16x16x16_iu8",
            "i32_16x16x16_iu4",
            "i32_16x16x32_iu4",
        ],
    );
    add(
        "swmmac",
        &[
            "f32_16x16x32_f16",
            "f32_16x16x32_bf16",
            "f16_16x16x32_f16",
            "bf16_16x16x32_bf16",
            "i32_16x16x32_iu8",
            "i32_16x16x32_iu4",
            "i32_16x16x64_iu4",
        ],
    );
    for first in ["fp8", "bf8"] {
        for second in ["fp8", "bf8"] {
            for shape in [
                "mfma_f32_16x16x32",
                "mfma_f32_32x32x16",
                "smfmac_f32_16x16x64",
                "smfmac_f32_32x32x32",
                "smfmac_f32_16x16x128",
                "smfmac_f32_32x32x64",
                "wmma_f32_16x16x16",
                "swmmac_f32_16x16x32",
            ] {
                names.push(format!("v_{shape}_{first}_{second}"));
            }
        }
    }
    names
}
