//! What iree-compile 3.13.0 compiles rightly with its VectorDistribute pipeline.
//!
//! N is the size of the reduced dimension, P its `partial_reduction`, sR, lR, tR the subgroups, lanes and thread tile (0
//! counts as 1) along it; for each parallel dimension, M is its size, W = min(`workgroup`, M) and sP, lP, tP likewise; S is
//! the subgroup size. No rule of IREE's own exists for reductions: these were found by compiling.
//!
//! - **0** Exactly one dimension is reduced.
//! - **1** P divides N.
//! - **2** P is a multiple of sR lR tR.
//! - **3** W divides M and is a multiple of sP lP tP, for each parallel dimension.
//! - **4** lR is a power of two of at most S.
//! - **5** sR is 1 unless the input has rank 1.
//! - **6** S is 64 on gfx9 and 32 elsewhere.
//! - **7** Every list has one entry per dimension; both mappings are permutations of the dimensions; no count is 0.
//! - **A** The workgroup has exactly the threads of its subgroups: `workgroup_size` is [S x their number, 1, 1], at most 1024.
//! - **B** lP is 1 when lR is greater than 1: the ballot that finds the index has no mask of rows.
//! - **C** The product of the lane counts is at most S.

use super::{Axis, Rejection, check_lists, ensure};
use crate::{Configuration, Problem, Target};

/// Rule 0.
pub(super) fn check_problem(problem: &Problem, _target: &Target) -> Result<(), Rejection> {
    let reduced: Vec<usize> = problem.shape.reduced().collect();
    ensure(reduced.len() == 1, "0", || {
        format!("the dimensions {reduced:?} are reduced; arg_compare reduces one")
    })
}

/// Rules 0 to 7 and A to C.
pub(super) fn check(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<(), Rejection> {
    check_problem(problem, target)?;
    check_lists(problem.shape.rank(), configuration, "7")?;
    check_threads(target, configuration)?;
    for d in 0..problem.shape.rank() {
        if problem.shape.is_reduced(d) {
            check_reduced(problem, configuration, d)?;
        } else {
            check_parallel(problem, configuration, d)?;
        }
    }
    Ok(())
}

/// Rules 6, 7, A and C.
fn check_threads(target: &Target, configuration: &Configuration) -> Result<(), Rejection> {
    let lowering = &configuration.lowering;
    let size = configuration.subgroup_size;
    let preferred = target.subgroup_sizes[0];
    ensure(size == preferred, "6", || {
        format!("the subgroup size is {size}; IREE's on {target} is {preferred}")
    })?;
    for (name, basis) in [
        ("lane_basis", &lowering.lane_basis),
        ("subgroup_basis", &lowering.subgroup_basis),
    ] {
        ensure(!basis.counts.contains(&0), "7", || {
            format!("a count of {name} {:?} is 0", basis.counts)
        })?;
    }
    let threads = lowering
        .subgroup_basis
        .ids()
        .saturating_mul(u64::from(size));
    let most = target.max_workgroup_threads;
    ensure(threads <= u64::from(most), "A", || {
        let counts = &lowering.subgroup_basis.counts;
        format!("subgroups {counts:?} of {size} lanes make {threads} threads, more than {most}")
    })?;
    let [x, y, z] = configuration.workgroup_size;
    ensure(u64::from(x) == threads && y == 1 && z == 1, "A", || {
        format!("workgroup_size is [{x}, {y}, {z}]; the subgroups make [{threads}, 1, 1]")
    })?;
    let lanes = lowering.lane_basis.ids();
    ensure(lanes <= u64::from(size), "C", || {
        let counts = &lowering.lane_basis.counts;
        format!(
            "the product of the lane counts {counts:?} is {lanes}, more than the subgroup size {size}"
        )
    })
}

/// Rules 1, 2, 4 and 5.
fn check_reduced(
    problem: &Problem,
    configuration: &Configuration,
    d: usize,
) -> Result<(), Rejection> {
    let tile = configuration.lowering.partial_reduction[d];
    let axis = Axis::new(problem, configuration, d, tile);
    let (lanes, subgroups, size) = (axis.lanes, axis.subgroups, axis.size);
    ensure(lanes.is_power_of_two(), "4", || {
        format!("the lane count {lanes} on the reduced dimension {d} is not a power of two")
    })?;
    let rank = problem.shape.rank();
    ensure(subgroups == 1 || rank == 1, "5", || {
        format!(
            "{subgroups} subgroups on the reduced dimension {d} of {rank}; with more than one dimension it must be 1"
        )
    })?;
    ensure(tile > 0 && size.is_multiple_of(axis.tile), "1", || {
        format!("partial_reduction {tile} does not divide the size {size}")
    })?;
    ensure(axis.tile.is_multiple_of(axis.unit()), "2", || {
        format!(
            "partial_reduction {tile} is not a multiple of {}",
            axis.unit_text()
        )
    })
}

/// Rules 3 and B.
fn check_parallel(
    problem: &Problem,
    configuration: &Configuration,
    d: usize,
) -> Result<(), Rejection> {
    let tile = configuration.lowering.workgroup[d].min(problem.shape.sizes()[d]);
    let axis = Axis::new(problem, configuration, d, tile);
    let size = axis.size;
    ensure(tile > 0 && size.is_multiple_of(axis.tile), "3", || {
        format!("the workgroup tile {tile} does not divide the size {size} of dimension {d}")
    })?;
    ensure(axis.tile.is_multiple_of(axis.unit()), "3", || {
        format!(
            "the workgroup tile {tile} is not a multiple of {}",
            axis.unit_text()
        )
    })?;
    let reducing: u32 = problem
        .shape
        .reduced()
        .map(|r| configuration.lowering.lane_basis.count_along(r))
        .product();
    ensure(axis.lanes == 1 || reducing == 1, "B", || {
        let lanes = axis.lanes;
        format!(
            "{lanes} lanes on the parallel dimension {d} beside {reducing} on the reduced one; with more than one there it must be 1"
        )
    })
}
