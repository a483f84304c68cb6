//! The cases: each product with the modifiers that it has.

use emulator::Isa;

use crate::semantics::dialect::Dialect;
use crate::semantics::matrices::place::{
    ElementPlace, index_sets, result, result_registers, source_bits,
};
use crate::semantics::matrices::shape::{FORMATS, Format, ProductShape, names};
use crate::semantics::matrices::{A, B, C, D, INDEX, Numbers};
use crate::semantics::support::Random;

/// An instruction with its modifiers.
#[derive(Clone, Debug)]
pub(crate) struct ProductCase {
    pub(crate) text: String,
    pub(crate) shape: ProductShape,
    /// The first register of D.
    pub(crate) to: usize,
    /// True if A, C and D are accumulation registers.
    pub(crate) accumulation: bool,
    /// C, if it is a constant.
    constant: Option<f64>,
    pub(crate) broadcast: usize,
    pub(crate) broadcast_block: usize,
    pattern: usize,
    /// The negation bits of A, B and C; for bytes and nibbles, the signs of A and B.
    pub(crate) negate: u32,
    negate_high: u32,
    upper_half: bool,
    clamp: bool,
    pub(crate) index_set: usize,
    /// The codes of the formats of A and B.
    formats: [usize; 2],
}

fn range(prefix: char, first: usize, count: usize) -> String {
    match count {
        1 => format!("{prefix}{first}"),
        _ => format!("{prefix}[{first}:{}]", first + count - 1),
    }
}

impl ProductCase {
    fn plain(shape: &ProductShape) -> ProductCase {
        ProductCase {
            text: String::new(),
            shape: shape.clone(),
            to: if shape.is_sparse() { C } else { D },
            accumulation: false,
            constant: None,
            broadcast: 0,
            broadcast_block: 0,
            pattern: 0,
            negate: if shape.kind.contains("mfma") && shape.to.is_integer() {
                3
            } else {
                0
            },
            negate_high: 0,
            upper_half: false,
            clamp: false,
            index_set: 0,
            formats: [0; 2],
        }
    }

    /// Writes the assembly.
    fn written(mut self, dialect: Dialect, name: &str) -> ProductCase {
        let shape = &self.shape;
        let prefix = if self.accumulation { 'a' } else { 'v' };
        let results = result_registers(dialect, shape);
        let c = match self.constant {
            _ if shape.is_sparse() => range('v', INDEX, 1),
            Some(value) if shape.to.is_integer() => format!("{}", value as i32),
            Some(0.0) => "0".to_owned(),
            Some(value) => format!("{value:.1}"),
            None => range(prefix, C, results),
        };
        let mut text = format!(
            "{name} {}, {}, {}, {c}",
            range(prefix, self.to, results),
            range(prefix, A, source_bits(dialect, shape, 0) / 32),
            range('v', B, source_bits(dialect, shape, 1) / 32),
        );
        let list = |mask: u32| format!("[{},{},{}]", mask & 1, mask >> 1 & 1, mask >> 2 & 1);
        let old = dialect.isa < Isa::Gfx1030;
        let mut add = |present: bool, word: String| {
            if present {
                text += " ";
                text += &word;
            }
        };
        if old {
            add(self.broadcast != 0, format!("cbsz:{}", self.broadcast));
            let block = if shape.is_sparse() {
                self.index_set
            } else {
                self.broadcast_block
            };
            add(block != 0, format!("abid:{block}"));
            add(self.pattern != 0, format!("blgp:{}", self.pattern));
            add(self.formats[0] != 0, format!("cbsz:{}", self.formats[0]));
            add(self.formats[1] != 0, format!("blgp:{}", self.formats[1]));
            let floats = !shape.to.is_integer();
            add(
                floats && self.negate != 0,
                format!("neg:{}", list(self.negate)),
            );
        } else {
            add(self.upper_half, "op_sel:[0,0,1]".into());
            add(self.index_set != 0, format!("index_key:{}", self.index_set));
            add(self.negate != 0, format!("neg_lo:{}", list(self.negate)));
            add(
                self.negate_high != 0,
                format!("neg_hi:{}", list(self.negate_high)),
            );
            add(self.clamp, "clamp".into());
        }
        self.text = text;
        self
    }

    /// Returns the bits of a source's element.
    pub(crate) fn value(&self, format: Format, numbers: Numbers, random: &mut Random) -> u64 {
        match (format, numbers) {
            (Format::Integer(_), _) => random.next(),
            (_, Numbers::Small) => format.encode(random.below(5) as f64 - 2.0),
            (Format::Float(_, fraction, _), Numbers::Random) => {
                // The fraction of an xf32 has 10 bits.
                let fraction = if self.text.contains("xf32") {
                    10
                } else {
                    fraction
                };
                let units = (1u64 << fraction) + random.below(1 << fraction);
                // The smallest formats have only these powers.
                let power = match format.bits() {
                    0..8 => random.below(3) as i32,
                    _ => random.below(7) as i32 - 3,
                };
                let power = power - fraction as i32;
                let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
                format.encode(sign * units as f64 * 2f64.powi(power))
            }
        }
    }

    /// Returns the bits of an element of C.
    pub(crate) fn addend(&self, numbers: Numbers, random: &mut Random) -> u64 {
        match self.shape.to {
            // Half of the sums of a saturating product leave the range.
            Format::Integer(_) if self.clamp => {
                let near = random.below(100) as u32;
                let edge = if random.below(2) == 0 {
                    0x7fff_ffff - near
                } else {
                    0x8000_0000 + near
                };
                u64::from(edge)
            }
            format => self.value(format, numbers, random),
        }
    }

    /// Returns the value of C with these bits, or the constant, with its signs.
    pub(crate) fn addend_value(&self, bits: u64) -> f64 {
        let value = self
            .constant
            .unwrap_or_else(|| self.shape.to.decode(bits, true));
        let value = if self.negate_high & 4 != 0 {
            value.abs()
        } else {
            value
        };
        if self.negate & 4 != 0 { -value } else { value }
    }

    /// Returns an element of a source at a bit of its registers, with its sign.
    pub(crate) fn signed(&self, side: usize, bit: usize, value: f64) -> f64 {
        let high = bit % 32 >= 16;
        let mask = if high { self.negate_high } else { self.negate };
        let negated = !self.shape.to.is_integer() && mask >> side & 1 != 0;
        if negated { -value } else { value }
    }

    /// Returns the bits of a sum.
    pub(crate) fn bits_of(&self, sum: f64) -> u64 {
        match self.shape.to {
            Format::Integer(_) if self.clamp => {
                let limited = sum.clamp(f64::from(i32::MIN), f64::from(i32::MAX));
                u64::from(limited as i32 as u32)
            }
            format => format.encode(sum),
        }
    }

    /// Returns the place of an element of C or D.
    pub(crate) fn result_place(&self, dialect: Dialect, [i, j, block]: [usize; 3]) -> ElementPlace {
        let place = result(dialect, &self.shape, [i, j, block]);
        ElementPlace {
            bit: place.bit + if self.upper_half { 16 } else { 0 },
            ..place
        }
    }

    /// Returns the lane that a lane of B reads (CDNA 3 manual, BLGP).
    pub(crate) fn lane_of_b(&self, lane: usize) -> usize {
        match self.pattern {
            0 => lane,
            1 => lane & 31,
            2 => lane | 32,
            3 => (lane + 16) & 63,
            pattern => (pattern - 4) * 16 + (lane & 15),
        }
    }
}

/// Returns the cases of an instruction set; llvm-mc knows which of them exist.
pub(crate) fn cases(dialect: Dialect) -> Vec<ProductCase> {
    let old = dialect.isa < Isa::Gfx1030;
    if matches!(dialect.isa, Isa::Gfx906 | Isa::Gfx1030) {
        return Vec::new();
    }
    let mut cases = Vec::new();
    for name in names() {
        let shape = ProductShape::of(&name, dialect.isa == Isa::Gfx942);
        if shape.kind.contains("mfma") != old {
            continue;
        }
        // Halves of registers keep the other half only in place.
        let halves = matches!(dialect.isa, Isa::Gfx1100 | Isa::Gfx1151) && shape.to.bits() == 16;
        let plain = ProductCase {
            to: if halves {
                C
            } else {
                ProductCase::plain(&shape).to
            },
            ..ProductCase::plain(&shape)
        };
        let mut add = |change: &dyn Fn(&mut ProductCase)| {
            let mut case = plain.clone();
            change(&mut case);
            cases.push(case.written(dialect, &name));
        };
        add(&|_| {});
        if !shape.is_sparse() {
            add(&|case| case.to = C);
            let constant = match shape.to.bits() {
                16 => 0.0,
                _ if shape.to.is_integer() => 5.0,
                _ => -4.0,
            };
            add(&|case| case.constant = Some(constant));
        }
        if old {
            // A sparse product's C and D are one operand, in plain registers here.
            add(&|case| {
                case.accumulation = true;
                case.to = C;
            });
            if name.ends_with("f8f6f4") {
                for codes in 1..FORMATS.len() * FORMATS.len() {
                    add(&|case| {
                        case.formats = [codes % FORMATS.len(), codes / FORMATS.len()];
                        case.shape.from = case.formats.map(|code| FORMATS[code]);
                    });
                }
            }
            if shape.to.bits() == 64 && dialect.isa > Isa::Gfx90a {
                add(&|case| case.negate = 1);
                add(&|case| case.negate = 6);
            }
            if shape.blocks > 1 && shape.to.bits() < 64 {
                for broadcast in 1..=shape.blocks.ilog2() as usize {
                    add(&|case| {
                        case.broadcast = broadcast;
                        case.broadcast_block = (1 << broadcast) - 1;
                    });
                }
                for pattern in 1..8 {
                    add(&|case| case.pattern = pattern);
                }
            }
        } else if shape.to.is_integer() {
            for signs in 1..4 {
                add(&|case| case.negate = signs);
            }
            add(&|case| {
                case.negate = 3;
                case.clamp = true;
            });
        } else if shape.from[0].bits() == 16 {
            add(&|case| case.negate = 3);
            add(&|case| case.negate_high = 1);
            add(&|case| case.negate_high = 2);
            if !shape.is_sparse() {
                add(&|case| case.negate = 4);
                add(&|case| case.negate_high = 4);
                add(&|case| {
                    case.negate = 4;
                    case.negate_high = 4;
                });
            }
            if halves {
                add(&|case| case.upper_half = true);
            }
        }
        if shape.is_sparse() {
            for set in 1..index_sets(dialect, &shape) {
                add(&|case| case.index_set = set);
            }
        }
    }
    cases
}
