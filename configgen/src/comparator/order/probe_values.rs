//! Probe values: the values on which the code tries a comparator.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::super::opcode::Opcode;
use super::super::region::Region;
use super::super::scalar::ScalarType;
use super::constant_images;

/// The number of tried values: all values of an 8-bit type.
const COUNT: usize = 256;

/// The limit of special values, so that small and random ones follow for every comparator.
const MAX_SPECIAL: usize = 160;

/// Returns the probe values, each once.
///
/// They are `first`, every edge of the type, the comparator's constants and images with their
/// neighbours, small numbers without a gap, and random values. For a type of at most 8 bits, they
/// are all values.
pub(super) fn of(region: &Region, first: Option<u64>) -> Vec<u64> {
    let element = region.element();
    let mut values = ProbeValues {
        element,
        list: Vec::new(),
        most: MAX_SPECIAL,
    };
    values.list.extend(first);
    if element.bits() <= 8 {
        values.most = COUNT;
        values.add_all(0..=255);
        return values.list;
    }
    match element.is_float() {
        true => values.add_float_edges(),
        false => values.add_integer_edges(),
    }
    for bits in near_constants(region) {
        values.add(bits);
    }
    values.most = COUNT;
    values.add_small();
    values.fill();
    values.list
}

/// Returns the constants of a region as elements, their images, and the neighbours of both.
pub(super) fn near_constants(region: &Region) -> Vec<u64> {
    let mut values = ProbeValues {
        element: region.element(),
        list: Vec::new(),
        most: MAX_SPECIAL,
    };
    for (constant, scalar) in constants(region) {
        values.add_constant(constant, scalar);
    }
    for image in constant_images::of(region) {
        values.add_all([image, image.wrapping_add(1), image.wrapping_sub(1)]);
    }
    values.list
}

/// Returns the constants of a region that are not `i1`, with their types.
fn constants(region: &Region) -> impl Iterator<Item = (u64, ScalarType)> {
    region
        .operations()
        .iter()
        .filter_map(|operation| match operation.opcode {
            Opcode::Constant(bits) if operation.result != ScalarType::I1 => {
                Some((bits, operation.result))
            }
            _ => None,
        })
}

struct ProbeValues {
    element: ScalarType,
    list: Vec<u64>,
    most: usize,
}

impl ProbeValues {
    fn add(&mut self, bits: u64) {
        let bits = bits & self.element.mask();
        if self.list.len() < self.most && !self.list.contains(&bits) {
            self.list.push(bits);
        }
    }

    fn add_all(&mut self, values: impl IntoIterator<Item = u64>) {
        for value in values {
            self.add(value);
        }
    }

    /// Adds both signs of a float.
    fn add_signed(&mut self, magnitude: u64) {
        self.add_all([magnitude, magnitude | self.element.sign_bit()]);
    }

    fn add_float_edges(&mut self) {
        let element = self.element;
        for number in [1.0, 0.5, 2.0, 3.0, 100.0] {
            self.add_signed(element.round(number));
        }
        let one = element.round(1.0);
        let nan = element.canonical_nan();
        for magnitude in [
            0,
            1,
            element.least_normal(),
            element.least_normal() - 1,
            one - 1,
            one + 1,
            element.greatest_finite(),
            element.greatest(),
            nan,
        ] {
            self.add_signed(magnitude);
        }
        // A NaN with a payload, and the first signalling one.
        self.add_signed(nan | 1);
        self.add_signed(element.greatest() + 1);
    }

    fn add_integer_edges(&mut self) {
        let sign = self.element.sign_bit();
        for around in [0, sign, self.element.mask(), 1 << (self.element.bits() / 2)] {
            self.add_all([around, around.wrapping_add(1), around.wrapping_sub(1)]);
        }
        self.add_all([
            2,
            3,
            100,
            2u64.wrapping_neg(),
            100u64.wrapping_neg(),
            sign >> 1,
        ]);
    }

    /// Adds a constant and its neighbours, if the element type has its value.
    fn add_constant(&mut self, bits: u64, scalar: ScalarType) {
        let element = self.element;
        let here = match (scalar.is_float(), element.is_float()) {
            (true, true) => element.round(scalar.to_f64(bits)),
            (false, false) => scalar.signed(bits) as u64,
            // The constant meets integers that were floats before, or the other way round.
            (false, true) => element.round(scalar.signed(bits) as f64),
            (true, false) => scalar.to_f64(bits) as i64 as u64,
        };
        self.add_all([
            here,
            here.wrapping_add(1),
            here.wrapping_sub(1),
            here ^ element.sign_bit(),
        ]);
        if scalar.bits() == element.bits() {
            self.add(bits);
        }
    }

    /// Adds small numbers: integers from -24 to 24, floats by halves.
    fn add_small(&mut self) {
        for number in -24..=24 {
            self.add(match self.element.is_float() {
                true => self.element.round(f64::from(number) / 2.0),
                false => i64::from(number) as u64,
            });
        }
    }

    /// Adds random values: random bits, and numbers of a size common in data.
    fn fill(&mut self) {
        // A constant seed, so that a comparator has the same proof status everywhere.
        let mut random = Pcg64Mcg::seed_from_u64(u64::from(self.element.bits()));
        while self.list.len() < COUNT {
            let bits: u64 = random.next_u64();
            self.add(bits >> (64 - self.element.bits()));
            let small = (bits % 2001) as f64 / 100.0 - 10.0;
            self.add(match self.element.is_float() {
                true => self.element.round(small),
                false => small as i64 as u64,
            });
        }
    }
}
