//! Pairs of operands: edges against edges, and random values near them.

use configgen::comparator::ScalarType;

/// Random numbers (splitmix64). A failure can be repeated from its seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(super) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Returns random bits of this type.
    pub(super) fn bits(&mut self, scalar: ScalarType) -> u64 {
        match self.below(4) {
            0 => self.pick(&edges(scalar)),
            1 if scalar.is_float() => self.near_a_boundary(scalar),
            1 => self.below(130) as u64 & scalar.mask(),
            // Neither huge nor tiny, or a sum is one of its operands.
            2 if scalar.is_float() => {
                let (mantissa, exponent) = (self.next() as i32, self.below(24) as i32);
                scalar.round(f64::from(mantissa) / 2f64.powi(31 + 12 - exponent))
            }
            _ => self.next() & scalar.mask(),
        }
    }

    /// Returns a number near the middle of two neighbours of another type, at which conversions
    /// round.
    fn near_a_boundary(&mut self, scalar: ScalarType) -> u64 {
        let narrower = self.pick(&floats());
        let bits = self.next() & narrower.mask() & !1;
        let middle = (narrower.to_f64(bits) + narrower.to_f64(bits | 1)) / 2.0;
        let near = scalar.round(middle);
        near.wrapping_add(self.below(3) as u64).wrapping_sub(1) & scalar.mask()
    }
}

pub(super) fn floats() -> Vec<ScalarType> {
    ScalarType::ALL
        .into_iter()
        .filter(|scalar| scalar.is_float())
        .collect()
}

/// Returns the types of elements.
pub(super) fn elements() -> impl Iterator<Item = ScalarType> {
    ScalarType::ALL
        .into_iter()
        .filter(|&scalar| scalar != ScalarType::I1)
}

/// Returns the bits of special values.
fn edges(scalar: ScalarType) -> Vec<u64> {
    let mut edges = vec![0, 1, 2, 3];
    if scalar.is_integer() {
        let bits = u64::from(scalar.bits());
        edges.extend([7, bits - 1, bits, bits + 1, 100]);
        edges.extend([scalar.sign_bit(), scalar.sign_bit() - 1, scalar.mask()]);
        let opposite: Vec<u64> = edges.iter().map(|edge| edge.wrapping_neg()).collect();
        edges.extend(opposite);
    } else {
        let nan = scalar.canonical_nan();
        let (greatest, normal) = (scalar.greatest(), scalar.least_normal());
        edges.extend([greatest, greatest - 1, greatest + 1, normal, normal - 1]);
        // Quiet and signalling.
        edges.extend([nan, nan | 1, nan & !normal | 1]);
        let numbers = [
            1.0, 1.5, 2.5, 3.0, 127.0, 128.0, 255.5, 32767.9, 65504.0, 65520.0,
        ];
        let limits = [2f64.powi(31), 2f64.powi(32), 2f64.powi(63), 2f64.powi(64)];
        for number in numbers.into_iter().chain(limits) {
            edges.extend([scalar.round(number), scalar.round(number).wrapping_sub(1)]);
        }
        let negative: Vec<u64> = edges.iter().map(|edge| edge ^ scalar.sign_bit()).collect();
        edges.extend(negative);
    }
    edges.iter_mut().for_each(|edge| *edge &= scalar.mask());
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Returns `count` pairs. The first ones are all pairs of edges, as far as there is room.
pub(super) fn pairs(scalar: ScalarType, count: usize, random: &mut Random) -> Vec<[u64; 2]> {
    let edges = edges(scalar);
    let both = edges
        .iter()
        .flat_map(|&a| edges.iter().map(move |&b| [a, b]));
    let mut pairs: Vec<[u64; 2]> = both.collect();
    // A random order, because the later pairs may be left out.
    for place in 0..pairs.len() {
        let other = random.below(pairs.len());
        pairs.swap(place, other);
    }
    pairs.truncate(count * 3 / 4);
    while pairs.len() < count {
        pairs.push([random.bits(scalar), random.bits(scalar)]);
    }
    pairs
}
