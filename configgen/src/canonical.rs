//! The canonical form of a configuration: of those that mean the same, the one that a space holds.
//!
//! Two configurations mean the same when every thread works on the same elements in the same order. Canonical are:
//!
//! - a thread tile of 1 is written 0 on a parallel dimension and 1 on a reduced one;
//! - a mapping is the lexicographically smallest that gives every id the same position: digits with one position do not
//!   matter, so that it is the identity where at most one count exceeds 1;
//! - for IREE, which clamps it, a workgroup tile is at most the size of its dimension.

use arrayvec::ArrayVec;

use crate::{Basis, Configuration, Generator, MAX_RANK, Problem};

impl Configuration {
    /// The canonical form. A configuration whose lists do not fit the problem comes back with those unchanged.
    pub fn canonical(&self, problem: &Problem, generator: Generator) -> Configuration {
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
        if generator == Generator::Iree {
            for (tile, &size) in lowering.workgroup.iter_mut().zip(problem.shape.sizes()) {
                *tile = (*tile).min(size);
            }
        }
        for basis in [&mut lowering.lane_basis, &mut lowering.subgroup_basis] {
            if basis.is_permutation(rank) {
                *basis = basis.canonical();
            }
        }
        canonical
    }
}

impl Basis {
    /// The smallest mapping with the same positions. The mapping is a permutation.
    fn canonical(&self) -> Basis {
        let digits = || self.counts.iter().zip(&self.mapping);
        let mut wide = digits().filter(|&(&count, _)| count != 1).peekable();
        let mut narrow: ArrayVec<u8, MAX_RANK> = digits()
            .filter(|&(&count, _)| count == 1)
            .map(|(_, &d)| d)
            .collect();
        narrow.sort_unstable();
        let mut narrow = narrow.iter().peekable();
        let mut canonical = Basis {
            counts: ArrayVec::new(),
            mapping: ArrayVec::new(),
        };
        // The wide digits keep their order; the others go wherever they make the mapping smallest.
        for _ in 0..self.mapping.len() {
            let narrow_is_next = match (wide.peek(), narrow.peek()) {
                (Some((_, w)), Some(n)) => n < w,
                (wide, _) => wide.is_none(),
            };
            let (count, dimension) = match narrow_is_next {
                true => (1, narrow.next()),
                false => wide.next().map_or((1, None), |(&c, d)| (c, Some(d))),
            };
            canonical.counts.push(count);
            canonical.mapping.extend(dimension.copied());
        }
        canonical
    }
}
