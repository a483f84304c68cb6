//! Candidates: the tiles of one dimension, by the unit that they must be multiples of.

/// The possible tiles of one dimension for every unit: ascending multiples of a power of two.
#[derive(Debug, Clone)]
pub(crate) struct Candidates {
    /// Entry `k` lists the multiples of `1 << k`.
    by_exponent: Vec<Vec<u32>>,
}

/// The exponent of the largest unit: 1024 threads x 128 elements.
const MAX_EXPONENT: u32 = 17;

impl Candidates {
    /// Returns the multiples of every unit, for tiles that need not divide the dimension.
    ///
    /// The factors are the numbers up to `count` with at most three significant bits. The larger
    /// of two neighbours is at most a third longer, and from 4 on at most a quarter.
    pub(crate) fn multiples(count: u32) -> Candidates {
        let is_coarse = |n: &u32| n >> n.trailing_zeros() < 8;
        let of = |unit: u32| (1..=count).filter(is_coarse).map(|n| n * unit).collect();
        Candidates {
            by_exponent: (0..=MAX_EXPONENT).map(|k| of(1 << k)).collect(),
        }
    }

    /// Returns the divisors of `size` (at least 1) that are multiples of the unit.
    pub(crate) fn divisors(size: u32) -> Candidates {
        let small = (1..).take_while(|&d: &u32| u64::from(d) * u64::from(d) <= u64::from(size));
        let mut divisors: Vec<u32> = small
            .filter(|&d| size.is_multiple_of(d))
            .flat_map(|d| [d, size / d])
            .collect();
        divisors.sort_unstable();
        divisors.dedup();
        let of = |unit: u32| {
            divisors
                .iter()
                .copied()
                .filter(|d| d.is_multiple_of(unit))
                .collect()
        };
        Candidates {
            by_exponent: (0..=MAX_EXPONENT).map(|k| of(1 << k)).collect(),
        }
    }

    /// Returns the multiples, and the divisors of `size`: the last step of a row ends with the
    /// row.
    pub(crate) fn multiples_and_divisors(count: u32, size: u32) -> Candidates {
        let mut all = Candidates::multiples(count);
        let divisors = Candidates::divisors(size);
        for (multiples, divisors) in all.by_exponent.iter_mut().zip(divisors.by_exponent) {
            multiples.extend(divisors);
            multiples.sort_unstable();
            multiples.dedup();
        }
        all
    }

    /// Returns the tiles that are multiples of `unit`, a power of two, and at most `most`.
    pub(crate) fn of(&self, unit: u32, most: u32) -> &[u32] {
        let all = &self.by_exponent[unit.ilog2() as usize];
        &all[..all.partition_point(|&tile| tile <= most)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors() {
        let check = |size, unit, most, expected: &[u32]| {
            assert_eq!(Candidates::divisors(size).of(unit, most), expected);
        };
        check(12, 1, u32::MAX, &[1, 2, 3, 4, 6, 12]);
        check(12, 4, u32::MAX, &[4, 12]);
        check(12, 1, 4, &[1, 2, 3, 4]);
        check(12, 8, u32::MAX, &[]);
        check(1, 1, u32::MAX, &[1]);
        check(2_147_483_647, 1, u32::MAX, &[1, 2_147_483_647]);
        check(36, 2, 0, &[]);
    }

    #[test]
    fn multiples() {
        let check = |count, unit, most, expected: &[u32]| {
            assert_eq!(Candidates::multiples(count).of(unit, most), expected);
        };
        let both = Candidates::multiples_and_divisors(9, 90);
        assert_eq!(both.of(1, 20), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 18]);
        assert_eq!(both.of(2, 20), [2, 4, 6, 8, 10, 12, 14, 16, 18]);
        check(3, 16, 40, &[16, 32]);
        check(9, 1, u32::MAX, &[1, 2, 3, 4, 5, 6, 7, 8]);
        check(
            20,
            2,
            u32::MAX,
            &[2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40],
        );
        let large = Candidates::multiples(64);
        assert_eq!(large.of(1 << MAX_EXPONENT, u32::MAX).len(), 20);
    }
}
