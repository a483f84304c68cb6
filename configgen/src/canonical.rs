//! The canonical form of a configuration: the one member of a space per meaning.
//!
//! Two configurations mean the same if every thread works on the same elements in the same order.
//! The canonical form follows two rules:
//!
//! - It writes a thread tile of 1 as 0 on a parallel dimension and as 1 on a reduced one.
//! - It takes the lexicographically smallest order of the dimensions, from the slowest digit to
//!   the fastest, that gives every id the same position. Digits with one position do not matter.
//!   If at most one count exceeds 1, the order is the identity.

use arrayvec::ArrayVec;

use crate::{Basis, Configuration, MAX_RANK, Problem};

impl Configuration {
    /// Returns the canonical form.
    ///
    /// Lists that do not fit the problem's rank stay unchanged.
    pub fn canonical(&self, problem: &Problem) -> Configuration {
        let mut canonical = self.clone();
        let lowering = &mut canonical.lowering;
        let rank = problem.shape.rank();
        for (d, tile) in lowering.thread.iter_mut().enumerate().take(rank) {
            match (problem.shape.is_reduced(d), *tile) {
                (true, 0) => *tile = 1,
                (false, 1) => *tile = 0,
                _ => {}
            }
        }
        for basis in [&mut lowering.lane_basis, &mut lowering.subgroup_basis] {
            // The search for a canonical order needs one digit per dimension; the rules refuse
            // other bases.
            if basis.is_permutation(rank) {
                *basis = basis.canonical();
            }
        }
        canonical
    }
}

impl Basis {
    /// Returns the dimensions from the slowest digit to the fastest.
    ///
    /// The mapping must be a permutation.
    fn order(&self) -> ArrayVec<u8, MAX_RANK> {
        let mut order = self.mapping.clone();
        for (d, &digit) in (0u8..).zip(&self.mapping) {
            order[usize::from(digit)] = d;
        }
        order
    }

    /// Returns the basis with this order of the dimensions.
    ///
    /// `order` is a permutation, and `counts` has one count per dimension.
    pub(crate) fn ordered(order: &[u8], counts: &[u32]) -> Basis {
        let mut mapping: ArrayVec<u8, MAX_RANK> = order.iter().copied().collect();
        for (digit, &d) in (0u8..).zip(order) {
            mapping[usize::from(d)] = digit;
        }
        Basis {
            counts: order.iter().map(|&d| counts[usize::from(d)]).collect(),
            mapping,
        }
    }

    /// Returns the basis with the smallest order and the same positions.
    ///
    /// The mapping must be a permutation.
    pub fn canonical(&self) -> Basis {
        let counts: ArrayVec<u32, MAX_RANK> = (0..self.counts.len())
            .map(|d| self.count_along(d))
            .collect();
        let is_wide = |d: &u8| counts[usize::from(*d)] != 1;
        let mut wide = self.order().into_iter().filter(is_wide).peekable();
        let mut narrow = (0u8..)
            .take(counts.len())
            .filter(|d| !is_wide(d))
            .peekable();
        // Dimensions with several positions keep their order, because it decides the ids. Each
        // other dimension goes to the place that makes the order smallest.
        let order: ArrayVec<u8, MAX_RANK> =
            std::iter::from_fn(|| match (wide.peek(), narrow.peek()) {
                (Some(w), Some(n)) if w < n => wide.next(),
                (_, Some(_)) => narrow.next(),
                _ => wide.next(),
            })
            .collect();
        Basis::ordered(&order, &counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(counts: &[u32], mapping: &[u8], expected_counts: &[u32], expected_mapping: &[u8]) {
        let basis = Basis {
            counts: counts.try_into().unwrap(),
            mapping: mapping.try_into().unwrap(),
        };
        let canonical = basis.canonical();
        assert_eq!(canonical.counts.as_slice(), expected_counts);
        assert_eq!(canonical.mapping.as_slice(), expected_mapping);
        for id in 0..u32::try_from(basis.ids()).unwrap() {
            assert_eq!(
                canonical.position(id, counts.len()),
                basis.position(id, counts.len())
            );
        }
        assert_eq!(canonical.canonical(), canonical);
    }

    #[test]
    fn mappings() {
        check(&[1, 64], &[0, 1], &[1, 64], &[0, 1]);
        check(&[64, 1], &[1, 0], &[1, 64], &[0, 1]);
        check(&[16, 4], &[1, 0], &[16, 4], &[1, 0]);
        check(&[1, 1], &[1, 0], &[1, 1], &[0, 1]);
        // Dimension 2 on the slow digit, dimension 0 on the fast one; dimension 1 goes first.
        check(&[4, 1, 16], &[2, 1, 0], &[1, 4, 16], &[2, 0, 1]);
        check(&[2, 4, 8], &[1, 2, 0], &[2, 4, 8], &[1, 2, 0]);
        check(&[1, 4, 1], &[2, 0, 1], &[1, 1, 4], &[0, 1, 2]);
    }
}
