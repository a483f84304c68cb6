//! Rule N18 of native kernels: the additions between an element of a floating-point sum and the
//! result.

use crate::legality::{Axis, Rejection, ensure};
use crate::summation::tree_height;
use crate::{Accumulators, Knobs, Problem, summation_depth};

/// The additions on the longest way from an element to the result of its row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Additions {
    /// The additions of a lane to one accumulator, one after the other.
    pub(crate) serial: u64,
    /// The height of the tree over accumulators, lanes, subgroups and workgroups.
    pub(crate) tree: u64,
}

impl Additions {
    /// Returns the additions of a row with these reduced dimensions, outermost first.
    ///
    /// Their tiles must be legal.
    pub(crate) fn new(reduced: impl Iterator<Item = Axis> + Clone, knobs: Knobs) -> Additions {
        let steps = |axis: &Axis| axis.size.div_ceil(axis.tile.max(1));
        // The dimension with most steps is split, and the outermost of several (rule N13).
        let most = reduced.clone().map(|axis| steps(&axis)).max().unwrap_or(1);
        let mut split = u64::from(knobs.split);
        let (mut serial, mut tree) = (1u64, tree_height(split));
        for axis in reduced {
            let mut of_lane = steps(&axis);
            if of_lane == most {
                of_lane = of_lane.div_ceil(std::mem::replace(&mut split, 1));
            }
            let batches = axis.tile.max(1).div_ceil(axis.unit().max(1));
            let thread = axis.thread.min(axis.size);
            serial = serial.saturating_mul(of_lane).saturating_mul(batches);
            match knobs.accumulators {
                Accumulators::Vector => tree += tree_height(thread),
                Accumulators::One => serial = serial.saturating_mul(thread),
            }
            tree += tree_height(axis.lanes) + tree_height(axis.subgroups);
        }
        Additions { serial, tree }
    }

    fn all(self) -> u64 {
        self.serial.saturating_add(self.tree)
    }

    /// Returns whether a floating-point sum of `terms` elements may have these additions.
    pub(crate) fn are_few(self, terms: u64) -> bool {
        self.all() <= summation_depth(terms)
    }
}

/// Checks rule N18; `reduced` has the reduced dimensions, outermost first.
pub(super) fn check(
    problem: &Problem,
    knobs: Knobs,
    reduced: impl Iterator<Item = Axis> + Clone,
) -> Result<(), Rejection> {
    if !problem.reduction.adds_floats() {
        return Ok(());
    }
    let additions = Additions::new(reduced, knobs);
    let terms = problem.shape.reduced_size();
    ensure(additions.are_few(terms), "N18", || {
        let Additions { serial, tree } = additions;
        let most = summation_depth(terms);
        format!(
            "a lane adds {serial} elements in sequence, and {tree} additions follow: a sum of {terms} floats may \
             take at most {most}"
        )
    })
}
