//! What wavetune's own kernels can do.
//!
//! M is the size of the parallel dimension (1 for rank 1), N of the reduced one; W = `workgroup` on the parallel
//! dimension, P = `partial_reduction` on the reduced one; sP, lP, tP and sR, lR, tR the subgroups, lanes and thread tile
//! (0 counts as 1) along the two. For rank 1, W = sP = lP = tP = 1.
//!
//! - **N1** The rank is 1 or 2; exactly the last dimension is reduced; elements are f32, f16, bf16 or
//!   i32 and indices i32.
//! - **N2** Every list has one entry per dimension; `workgroup` is 0 on the reduced dimension and at least 1 on the parallel
//!   one; `partial_reduction` is 0 on the parallel dimension; both mappings are permutations of the dimensions.
//! - **N3** The subgroup size is one of the target's.
//! - **N4** Lane counts are powers of two; their product is the subgroup size.
//! - **N5** Subgroup counts are powers of two; `workgroup_size` is [subgroup size x their product, 1, 1] and at most the
//!   threads of a workgroup.
//! - **N6** Thread tiles are powers of two (or 0), at most 16 on the reduced dimension and at most 8 on the parallel one.
//! - **N7** P is a positive multiple of sR lR tR, at most N rounded up to such a multiple; and every subgroup has an element
//!   in the first step: (sR - 1) P / sR < N.
//! - **N8** The same for W: a positive multiple of sP lP tP, at most M rounded up; (sP - 1) W / sP < M.
//! - **N9** A thread takes at most 64 elements a step: W / (sP lP) x P / (sR lR) <= 64. (They are held in registers.)
//! - **N10** A subgroup has at most as many rows as lanes and a lane at most 8: W / sP <= subgroup size, W / (sP lP) <= 8.
//!   (Each row of a subgroup is one lane's when several subgroups' results meet. The code of each row of a lane is
//!   printed: beyond 8, compiling takes longer than measuring.)
//! - **N11** With sR > 1, a value and an index of 4 bytes each per row and subgroup fit LDS: 8 W sR bytes. (By N5
//!   and N10 that is at most 8 KiB, so what lanes exchange through LDS, 4 bytes a thread on gfx1030, always fits beside.)
//!
//! Nothing has to divide M or N: what would reach beyond them is moved back or repeats what is there, so that some rows and
//! elements are read twice. The number of workgroups, M / W rounded up, fits u32 because M does.

use super::{Axis, Rejection, check_lists, check_no_options, ensure};
use crate::{Configuration, ElementType, IndexType, Problem, Target};

/// Largest thread tile on the reduced dimension (N6): two of the widest loads, 16 bytes each, for elements of 2 bytes.
pub(crate) const MAX_THREAD_REDUCED: u32 = 16;
/// Largest thread tile on the parallel dimension (N6).
pub(crate) const MAX_THREAD_PARALLEL: u32 = 8;
/// Most elements that a thread takes in a step (N9).
pub(crate) const MAX_ELEMENTS_PER_THREAD: u32 = 64;
/// Most rows of a lane (N10).
pub(crate) const MAX_ROWS_PER_LANE: u32 = 8;
/// LDS bytes of one row of one subgroup (N11): a value and an index, 4 bytes each.
pub(crate) const LDS_BYTES_PER_ROW: u32 = 8;

/// Rule N1: whether there are native kernels for `problem`, on any target.
pub(super) fn check_problem(problem: &Problem) -> Result<(), Rejection> {
    check_no_options(problem, "N1")?;
    let rank = problem.shape.rank();
    ensure(rank <= 2, "N1", || {
        format!("the problem has {rank} dimensions; native kernels take 1 or 2")
    })?;
    ensure(problem.shape.reduced().eq([rank - 1]), "N1", || {
        let reduced: Vec<usize> = problem.shape.reduced().collect();
        format!(
            "the reduced dimensions are {reduced:?}; native kernels reduce only the last, {}",
            rank - 1
        )
    })?;
    let element = problem.element;
    let supported = [
        ElementType::F32,
        ElementType::F16,
        ElementType::Bf16,
        ElementType::I32,
    ];
    ensure(supported.contains(&element), "N1", || {
        format!("the element type is {element}; native kernels take f32, f16, bf16 and i32")
    })?;
    let index = problem.index;
    ensure(index == IndexType::I32, "N1", || {
        format!("the index type is {index}; native kernels return i32")
    })
}

/// Rules N1 to N11.
pub(super) fn check(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<(), Rejection> {
    check_problem(problem)?;
    check_lists(problem.shape.rank(), configuration, "N2")?;
    check_zeros(problem, configuration)?;
    check_threads(target, configuration)?;
    let (rows, columns) = axes(problem, configuration);
    check_thread_tiles(&rows, &columns)?;
    check_tile("N7", "partial_reduction", &columns)?;
    check_tile("N8", "workgroup", &rows)?;
    check_resources(target, configuration.subgroup_size, &rows, &columns)
}

/// The parallel and the reduced dimension; for rank 1 the former is one row.
fn axes(problem: &Problem, configuration: &Configuration) -> (Axis, Axis) {
    let lowering = &configuration.lowering;
    let reduced = problem.shape.rank() - 1;
    let columns = Axis::new(
        problem,
        configuration,
        reduced,
        lowering.partial_reduction[reduced],
    );
    let rows = match reduced {
        0 => Axis {
            size: 1,
            tile: 1,
            subgroups: 1,
            lanes: 1,
            thread: 1,
        },
        _ => Axis::new(problem, configuration, 0, lowering.workgroup[0]),
    };
    (rows, columns)
}

/// Rule N2, but for the lengths of the lists and the mappings.
fn check_zeros(problem: &Problem, configuration: &Configuration) -> Result<(), Rejection> {
    let lowering = &configuration.lowering;
    for d in 0..problem.shape.rank() {
        let (workgroup, partial) = (lowering.workgroup[d], lowering.partial_reduction[d]);
        if problem.shape.is_reduced(d) {
            ensure(workgroup == 0, "N2", || {
                format!("workgroup is {workgroup} on the reduced dimension {d}, where it must be 0")
            })?;
        } else {
            ensure(workgroup >= 1, "N2", || {
                format!("workgroup is 0 on the parallel dimension {d}, where it must be at least 1")
            })?;
            ensure(partial == 0, "N2", || {
                format!(
                    "partial_reduction is {partial} on the parallel dimension {d}, where it must be 0"
                )
            })?;
        }
    }
    Ok(())
}

/// Rules N3 to N5.
fn check_threads(target: &Target, configuration: &Configuration) -> Result<(), Rejection> {
    let size = configuration.subgroup_size;
    ensure(target.subgroup_sizes.contains(&size), "N3", || {
        let sizes = target.subgroup_sizes;
        format!("the subgroup size is {size}; {target} has {sizes:?}")
    })?;
    let lanes = &configuration.lowering.lane_basis;
    for count in &lanes.counts {
        ensure(count.is_power_of_two(), "N4", || {
            format!("the lane count {count} is not a power of two")
        })?;
    }
    ensure(lanes.ids() == u64::from(size), "N4", || {
        let (counts, ids) = (&lanes.counts, lanes.ids());
        format!("the product of the lane counts {counts:?} is {ids}, not the subgroup size {size}")
    })?;
    let subgroups = &configuration.lowering.subgroup_basis;
    for count in &subgroups.counts {
        ensure(count.is_power_of_two(), "N5", || {
            format!("the subgroup count {count} is not a power of two")
        })?;
    }
    let threads = subgroups.ids().saturating_mul(u64::from(size));
    let most = target.max_workgroup_threads;
    ensure(threads <= u64::from(most), "N5", || {
        let counts = &subgroups.counts;
        format!("subgroups {counts:?} of {size} lanes make {threads} threads, more than {most}")
    })?;
    let [x, y, z] = configuration.workgroup_size;
    ensure(u64::from(x) == threads && y == 1 && z == 1, "N5", || {
        format!("workgroup_size is [{x}, {y}, {z}]; the subgroups make [{threads}, 1, 1]")
    })
}

/// Rule N6.
fn check_thread_tiles(rows: &Axis, columns: &Axis) -> Result<(), Rejection> {
    let limits = [
        ("reduced", columns.thread, MAX_THREAD_REDUCED),
        ("parallel", rows.thread, MAX_THREAD_PARALLEL),
    ];
    for (kind, thread, most) in limits {
        ensure(
            thread.is_power_of_two() && thread <= u64::from(most),
            "N6",
            || {
                format!(
                    "the thread tile {thread} on the {kind} dimension is not a power of two of at most {most}"
                )
            },
        )?;
    }
    Ok(())
}

/// Rules N7 and N8. The counts of `axis` are bounded by the rules before.
fn check_tile(rule: &'static str, name: &str, axis: &Axis) -> Result<(), Rejection> {
    let Axis {
        size,
        tile,
        subgroups,
        ..
    } = *axis;
    let unit = axis.unit();
    ensure(tile > 0 && tile.is_multiple_of(unit), rule, || {
        let text = axis.unit_text();
        format!("{name} {tile} is not a positive multiple of {text}")
    })?;
    let most = size.next_multiple_of(unit);
    ensure(tile <= most, rule, || {
        format!(
            "{name} {tile} is more than {most}, the size {size} rounded up to a multiple of {unit}"
        )
    })?;
    let last = (subgroups - 1) * (tile / subgroups);
    ensure(last < size, rule, || {
        format!(
            "with {name} {tile} the last of {subgroups} subgroups starts at {last}, beyond the size {size}"
        )
    })
}

/// Rules N9 to N11.
fn check_resources(
    target: &Target,
    subgroup_size: u32,
    rows: &Axis,
    columns: &Axis,
) -> Result<(), Rejection> {
    let down = rows.tile / (rows.subgroups * rows.lanes);
    let across = columns.tile / (columns.subgroups * columns.lanes);
    let elements = down.saturating_mul(across);
    ensure(elements <= u64::from(MAX_ELEMENTS_PER_THREAD), "N9", || {
        format!(
            "a thread takes {down} rows x {across} elements = {elements} a step, more than \
             {MAX_ELEMENTS_PER_THREAD}"
        )
    })?;
    let per_subgroup = rows.tile / rows.subgroups;
    ensure(per_subgroup <= u64::from(subgroup_size), "N10", || {
        format!(
            "a subgroup has {} rows / {} subgroups = {per_subgroup}, more than {subgroup_size}",
            rows.tile, rows.subgroups
        )
    })?;
    ensure(down <= u64::from(MAX_ROWS_PER_LANE), "N10", || {
        format!(
            "a lane has {} rows / ({} subgroups x {} lanes) = {down}, more than {MAX_ROWS_PER_LANE}",
            rows.tile, rows.subgroups, rows.lanes
        )
    })?;
    let bytes = rows.tile * columns.subgroups * u64::from(LDS_BYTES_PER_ROW);
    let most = target.lds_bytes;
    ensure(
        columns.subgroups == 1 || bytes <= u64::from(most),
        "N11",
        || {
            format!(
                "{} rows x {} subgroups x {LDS_BYTES_PER_ROW} bytes = {bytes} bytes of LDS, more than \
                 {most}",
                rows.tile, columns.subgroups
            )
        },
    )
}
