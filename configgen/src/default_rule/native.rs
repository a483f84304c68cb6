//! The default of native kernels: IREE's, as far as it has a native counterpart.

use std::iter::successors;

use super::iree::{Distribution, distribute, tile_and_fuse};
use crate::legality::{self, Rejection, check_problem};
use crate::{Basis, Configuration, Generator, Knobs, LoweringConfig, Problem, Target, Tiles};

/// Threads of a workgroup at most where there are so many rows that they fill the device.
const FEW_THREADS: u32 = 64;
/// Subgroups of a workgroup whose lanes lie on neighbours, where there are so many rows.
const FEW_SUBGROUPS: u32 = 4;
/// Loads that a lane has on its way at once.
const LOADS: u32 = 8;

/// The native configuration closest to IREE's default; see [`crate::default_configuration`].
///
/// Where IREE distributes a row over lanes it is IREE's configuration, with the number of subgroups rounded down to a
/// power of two. Of a fold whose neighbours in memory are of different rows, as in a sum over an outer dimension, lanes lie on these rows and
/// subgroups on their elements. Where IREE gives each output a thread, lanes lie on rows, in workgroups of IREE's size, and a step is
/// as long as native kernels unroll: IREE unrolls the whole row. So they do where elements have to be taken one by one.
/// A row that is used again has a workgroup, of as many subgroups as it fills with loads, or of four where there are so many rows,
/// and so has any other single row: one thread would take too long for everything.
pub fn native_default(problem: &Problem, target: &Target) -> Result<Configuration, Rejection> {
    check_problem(problem, target, Generator::NATIVE)?;
    let configuration = match distribute(problem, target, problem.shape.rows(), FEW_THREADS) {
        _ if problem.reduction.is_serial() => lanes_on_rows(problem, target),
        _ if let Some(configuration) = lanes_on_neighbours(problem, target) => configuration,
        _ if is_used_again(problem) => one_workgroup(problem, target),
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
        None if is_single_row(problem) => one_workgroup(problem, target),
        None => lanes_on_rows(problem, target),
    };
    legality::check(problem, target, Generator::NATIVE, &configuration)?;
    Ok(configuration)
}

fn is_single_row(problem: &Problem) -> bool {
    problem.shape.parallel().next().is_none()
}

/// Whether rows, whose elements are neighbours in memory, are loaded again when their result is known.
fn is_used_again(problem: &Problem) -> bool {
    let shape = &problem.shape;
    problem.reduction.rowwise().is_some() && shape.innermost(true) > shape.innermost(false)
}

/// The most subgroups of a workgroup where there are so many workgroups.
fn most_subgroups(target: &Target, workgroups: u64) -> u32 {
    match workgroups > u64::from(target.iree_wgp_count) * 4 {
        true => FEW_SUBGROUPS,
        false => target.max_workgroup_threads / target.subgroup_sizes[0],
    }
}

/// A workgroup for each row, whose lanes load as much as they can at once, in as many subgroups as have something to load.
fn one_workgroup(problem: &Problem, target: &Target) -> Configuration {
    let lanes = target.subgroup_sizes[0];
    let shape = &problem.shape;
    let columns = shape.innermost(true).map_or(1, |d| shape.sizes()[d]);
    let widest = problem.element.most_of_a_load();
    let thread = 1 << columns.trailing_zeros().min(widest.ilog2());
    let filled = 1 << columns.div_ceil(lanes * thread).ilog2();
    let subgroups = most_subgroups(target, shape.rows()).min(filled);
    let threads = subgroups * lanes;
    let distribution = Distribution {
        subgroup_size: lanes,
        thread,
        lanes,
        subgroups,
        partial_reduction: threads * thread,
        threads,
    };
    distribution.configuration(problem)
}

/// Of a fold whose neighbours in memory are of different rows, lanes on these; those that are left, and subgroups, on the elements of the
/// rows: as many as fill the device, each with some steps.
fn lanes_on_neighbours(problem: &Problem, target: &Target) -> Option<Configuration> {
    problem.reduction.fold()?;
    let shape = &problem.shape;
    let (reduced, parallel) = (shape.innermost(true)?, shape.innermost(false)?);
    if parallel < reduced || shape.sizes()[parallel] == 1 || shape.is_counted(parallel) {
        return None;
    }
    let subgroup_size = target.subgroup_sizes[0];
    let across = shape.sizes()[parallel]
        .next_power_of_two()
        .min(subgroup_size);
    let along = subgroup_size / across;
    let workgroups = shape.rows() / u64::from(across);
    let most = most_subgroups(target, workgroups);
    let loads = LOADS.min(legality::native::max_elements_per_thread(problem));
    let steps = shape.sizes()[reduced] / (along * loads);
    let of = |subgroups: u32| {
        let distribution = Distribution {
            subgroup_size,
            thread: 1,
            lanes: along,
            subgroups,
            partial_reduction: along * subgroups * loads,
            threads: subgroup_size * subgroups,
        };
        let mut configuration = distribution.configuration(problem);
        configuration.lowering.workgroup[parallel] = across;
        configuration.lowering.lane_basis.counts[parallel] = across;
        configuration
    };
    // As many as have a place for what they hand over.
    let subgroups = successors(Some(steps.clamp(1, most)), |it| (*it > 1).then_some(it / 2));
    let mut all = subgroups.map(|it| of(1 << it.ilog2()));
    all.find(|it| legality::check(problem, target, Generator::NATIVE, it).is_ok())
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
