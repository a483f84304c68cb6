//! The simplest legal configuration of a native kernel, which follows all preferred ones.

use super::legality;
use crate::generator::iree::tile_and_fuse;
use crate::{Basis, Configuration, Knobs, LoweringConfig, Problem, Target, Tiles};

/// Returns the configuration with one lane per row, in workgroups with IREE's number of threads.
///
/// Subgroups without a row are dropped. Without a parallel dimension, all lanes have the only
/// row.
pub(super) fn lanes_on_rows(problem: &Problem, target: &Target) -> Configuration {
    let shape = &problem.shape;
    let subgroup_size = target.subgroup_sizes[0];
    let fallback = tile_and_fuse(problem, target);
    let [threads, ..] = fallback.workgroup_size;
    let outputs: u32 = fallback
        .workgroup
        .iter()
        .filter(|&&tile| tile > 0)
        .product();
    // If the outputs do not fill the threads, lanes repeat the innermost rows.
    let mut repeats = threads / outputs;
    let mut left = subgroup_size;
    let ones: Tiles = (0..shape.rank()).map(|_| 1).collect();
    let zeros: Tiles = (0..shape.rank()).map(|_| 0).collect();
    let (mut lanes, mut subgroups) = (ones.clone(), ones);
    let (mut workgroup, mut partial_reduction, mut thread) = (zeros.clone(), zeros.clone(), zeros);
    for d in (0..shape.rank()).rev().filter(|&d| !shape.is_reduced(d)) {
        let tile = fallback.workgroup[d] * repeats;
        repeats = 1;
        lanes[d] = tile.min(left);
        left /= lanes[d];
        // Every subgroup must begin inside the rows (rule N8).
        let rows = shape.sizes()[d].div_ceil(lanes[d]);
        subgroups[d] = (tile / lanes[d]).min(1 << rows.ilog2());
        workgroup[d] = lanes[d] * subgroups[d];
    }
    let columns = shape.innermost(true);
    for d in shape.reduced() {
        partial_reduction[d] = match Some(d) == columns {
            true => shape.sizes()[d].min(legality::max_elements_per_thread(problem)),
            false => 1,
        };
        thread[d] = 1;
    }
    let threads = subgroup_size * subgroups.iter().product::<u32>();
    Configuration {
        lowering: LoweringConfig {
            workgroup,
            partial_reduction,
            thread,
            lane_basis: Basis::in_order(lanes),
            subgroup_basis: Basis::in_order(subgroups),
        },
        subgroup_size,
        workgroup_size: [threads, 1, 1],
        knobs: Knobs::DEFAULT,
    }
}
