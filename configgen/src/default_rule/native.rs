//! The default of native kernels: IREE's, as far as it has a native counterpart.

use arrayvec::ArrayVec;

use super::iree::{Distribution, distribute, tile_and_fuse};
use crate::legality::{self, Rejection, check_problem};
use crate::{
    Basis, Configuration, Generator, Knobs, LoweringConfig, MAX_RANK, Problem, Target, Tiles,
};

/// Threads of a workgroup at most where there are so many rows that they fill the device.
const FEW_THREADS: u32 = 64;

/// The native configuration closest to IREE's default; see [`crate::default_configuration`].
///
/// Where IREE distributes a row over lanes it is IREE's configuration, with the number of subgroups rounded down to a
/// power of two. Where IREE gives each output a thread, lanes lie on rows, in workgroups of IREE's size, and a step is
/// as long as native kernels unroll: IREE unrolls the whole row. So they do where elements have to be taken one by one.
/// Any other single row lies on one subgroup, one element a lane and step: one thread would take too long for
/// everything.
pub fn native_default(problem: &Problem, target: &Target) -> Result<Configuration, Rejection> {
    check_problem(problem, target, Generator::NATIVE)?;
    let configuration = match distribute(problem, target, problem.shape.rows(), FEW_THREADS) {
        _ if problem.reduction.is_serial() => lanes_on_rows(problem, target),
        Some(rule) => {
            let subgroups = 1 << rule.subgroups.ilog2();
            Distribution {
                subgroups,
                partial_reduction: subgroups * rule.lanes * rule.thread,
                threads: subgroups * rule.lanes,
                ..rule
            }
            .configuration(problem)
        }
        None if problem.shape.parallel().next().is_none() => {
            one_subgroup(target).configuration(problem)
        }
        None => lanes_on_rows(problem, target),
    };
    legality::check(problem, target, Generator::NATIVE, &configuration)?;
    Ok(configuration)
}

/// One subgroup, one element a lane.
fn one_subgroup(target: &Target) -> Distribution {
    let size = target.subgroup_sizes[0];
    Distribution {
        subgroup_size: size,
        thread: 1,
        lanes: size,
        subgroups: 1,
        partial_reduction: size,
        threads: size,
    }
}

/// One lane per row, in workgroups of as many threads as IREE's fallback has, but for subgroups without a row. Without a
/// parallel dimension all lanes have the only row.
fn lanes_on_rows(problem: &Problem, target: &Target) -> Configuration {
    let shape = &problem.shape;
    let subgroup_size = target.subgroup_sizes[0];
    let fallback = tile_and_fuse(problem, target);
    let [threads, ..] = fallback.workgroup_size;
    let outputs: u32 = fallback
        .workgroup
        .iter()
        .filter(|&&tile| tile > 0)
        .product();
    // Where the outputs do not fill the threads, the innermost rows are repeated.
    let mut repeats = threads / outputs;
    let mut left = subgroup_size;
    let identity: ArrayVec<u8, MAX_RANK> = (0u8..).take(shape.rank()).collect();
    let ones: Tiles = (0..shape.rank()).map(|_| 1).collect();
    let zeros: Tiles = (0..shape.rank()).map(|_| 0).collect();
    let (mut lanes, mut subgroups) = (ones.clone(), ones);
    let (mut workgroup, mut partial_reduction, mut thread) = (zeros.clone(), zeros.clone(), zeros);
    for d in (0..shape.rank()).rev().filter(|&d| !shape.is_reduced(d)) {
        let tile = fallback.workgroup[d] * repeats;
        repeats = 1;
        lanes[d] = tile.min(left);
        left /= lanes[d];
        // A subgroup has a row to begin with.
        let rows = shape.sizes()[d].div_ceil(lanes[d]);
        subgroups[d] = (tile / lanes[d]).min(1 << rows.ilog2());
        workgroup[d] = lanes[d] * subgroups[d];
    }
    let columns = shape.innermost(true);
    for d in shape.reduced() {
        partial_reduction[d] = match Some(d) == columns {
            true => shape.sizes()[d].min(legality::native::max_elements_per_thread(problem)),
            false => 1,
        };
        thread[d] = 1;
    }
    let threads = subgroup_size * subgroups.iter().product::<u32>();
    let basis = |counts| Basis {
        counts,
        mapping: identity.clone(),
    };
    Configuration {
        lowering: LoweringConfig {
            workgroup,
            partial_reduction,
            thread,
            lane_basis: basis(lanes),
            subgroup_basis: basis(subgroups),
        },
        subgroup_size,
        workgroup_size: [threads, 1, 1],
        knobs: Knobs::DEFAULT,
    }
}
