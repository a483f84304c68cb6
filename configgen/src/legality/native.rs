//! What wavetune's own kernels can do.
//!
//! Of dimension d: S its size; T its tile, which is `workgroup` where it is parallel and `partial_reduction` where it is
//! reduced; s, l, t its subgroups, lanes and thread tile (0 counts as 1); B = T / (s l t) its batches.
//!
//! - **N1** Where it is neither proved nor promised that the comparator orders the values that the accumulator can have,
//!   one lane takes the elements of a row, each once and in their order: `split` is 1, and on a reduced dimension s and l
//!   are 1 and T is at most S; t is 1 too unless of each reduced dimension after it t is S.
//! - **N2** Every list has one entry per dimension; `workgroup` is 0 on reduced dimensions and at least 1 on parallel ones;
//!   `partial_reduction` is 0 on parallel dimensions; both mappings are permutations of the dimensions.
//! - **N3** The subgroup size is one of the target's.
//! - **N4** Lane counts are powers of two; their product is the subgroup size or, where N1 wants a lane a row and there
//!   is one row because no dimension is parallel, 1: all lanes then do the same.
//! - **N5** Subgroup counts are powers of two; `workgroup_size` is [subgroup size x their product, 1, 1] and at most the
//!   threads of a workgroup.
//! - **N6** Thread tiles are powers of two (or 0), at most 16 on reduced dimensions and at most 8 on parallel ones; 16 on these, too,
//!   where nothing is reduced.
//! - **N7** On a reduced dimension T is a positive multiple of s l t, at most S rounded up to such a multiple; and every
//!   subgroup has an element in the first step: (s - 1) T / s < S.
//! - **N8** The same on a parallel dimension.
//! - **N9** A thread takes at most 64 elements of 32 bits or less a step, or 32 of 64 bits: the product of T / (s l) is at
//!   most that. Where what is reduced is computed of several inputs, their elements take so many registers together, and the
//!   most is the power of two below. (They are held in registers.)
//! - **N10** A lane has at most 8 rows: over the parallel dimensions the product of T / (s l) is at most 8. (The code of
//!   each row of a lane is printed: beyond 8, compiling takes longer than measuring.) Where nothing is reduced a row is an element,
//!   and N9 says how many there are.
//! - **N11** With several subgroups on reduced dimensions, what a lane holds of a row fits LDS, once for each row and
//!   subgroup: of `arg_compare` a value and a position, in 8 bytes or, where one of them has 64 bits, 16; and beside
//!   them 16 bytes and 4 bytes a thread, which lanes of gfx1030 exchange through it.
//! - **N12** B is 1 on a reduced dimension that is followed by another one with more than one step: what a thread
//!   accumulates in one place comes in the order of the elements.
//! - **N13** `split` is a power of two, at most the subgroup size and at most the steps of some reduced dimension,
//!   rounded up to a power of two. (Of several dimensions the one with most steps is split, the outermost of those.)
//! - **N14** With `lazy_index` the comparator finds an extreme of the elements themselves, which no NaN is; at most one
//!   reduced dimension has more than one step, and a lane has one element along those before it: what it takes in a step
//!   comes before what it takes in the next.
//! - **N15** With `accumulators` at `one` a reduced dimension has a thread tile larger than 1, there is no
//!   `lazy_index`, and N1 does not make them one anyway; each reduced dimension after that one has one step and one
//!   batch: a lane takes its elements in their order.
//! - **N16** The thread tile is 1 on a dimension whose count is known at launch only: each row of a lane begins, where
//!   there are fewer than the tile has, at the last that there is. (Its batches serve as well: no rows of it are
//!   neighbours in memory.) S is its largest count.
//! - **N17** Where what a row gives is used again, workgroups that share it wait for each other, which ends if all of them are on the
//!   device: `split` is at most the workgroups, of whatever size, that every part of the target holds at once. (That is one for each
//!   compute unit, or for each pair of them where a workgroup may be spread over two, of the smallest part.)
//! - **N18** Between an element of a floating-point sum and the result lie at most as many
//!   additions as [`summation_depth`](crate::summation_depth) allows a row of that length. Each
//!   lane adds steps x batches elements to an accumulator, one after the other; accumulators,
//!   lanes, subgroups and workgroups of a row are added as a tree. (Verdicts have their bound from
//!   the same depth, so that one lane along a long row would be wrong.)
//!
//! Nothing has to divide S: what would reach beyond it is moved back or repeats what is there, so that some rows and
//! elements are read twice.

use arrayvec::ArrayVec;

use super::{Axis, Rejection, check_lists, ensure, knobs, serial, summation_limit};
use crate::{Configuration, MAX_RANK, Problem, Target};

/// Largest thread tile on a reduced dimension (N6): two of the widest loads, 16 bytes each, for elements of 2 bytes.
pub(crate) const MAX_THREAD_REDUCED: u32 = 16;
/// Largest thread tile on a parallel dimension (N6), where another one is reduced.
const MAX_THREAD_PARALLEL: u32 = 8;
/// Most 32-bit registers that the elements of a thread take in a step (N9).
const MAX_REGISTERS_PER_THREAD: u32 = 64;
/// Most rows of a lane (N10), where something is reduced.
const MAX_ROWS_PER_LANE: u32 = 8;
/// LDS bytes of a thread (N11).
const LDS_BYTES_PER_THREAD: u32 = 4;
/// LDS bytes of the workgroup itself (N11).
const LDS_BYTES_BESIDE: u32 = 16;

/// Most places of which a thread takes the elements in a step (N9), a power of two.
pub(crate) fn max_elements_per_thread(problem: &Problem) -> u32 {
    let operands = problem.read_operands().into_iter();
    let operands = operands.map(|operand| operand.scalar.bytes().div_ceil(4));
    let words = operands.sum::<u32>() + problem.element.bits().div_ceil(32);
    let most = MAX_REGISTERS_PER_THREAD / words;
    1 << most.ilog2()
}

/// Largest thread tile on a parallel dimension (N6).
pub(crate) fn max_thread_parallel(problem: &Problem) -> u32 {
    match problem.shape.reduces() {
        true => MAX_THREAD_PARALLEL,
        false => MAX_THREAD_REDUCED,
    }
}

/// Most rows of a lane (N10).
pub(crate) fn max_rows_per_lane(problem: &Problem) -> u32 {
    match problem.shape.reduces() {
        true => MAX_ROWS_PER_LANE,
        false => max_elements_per_thread(problem),
    }
}

/// LDS bytes of one row of one subgroup (N11): what a lane holds of a row, as a power of two.
pub(crate) fn lds_bytes_per_row(problem: &Problem) -> u32 {
    let state = problem.reduction.state(problem.reduced_type());
    let position = match (state.has_position, has_long_positions(problem)) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 2,
    };
    (state.words + position).next_power_of_two() * 4
}

/// Whether positions in a row have 64 bits: the two last numbers of 32 bits are no positions.
pub fn has_long_positions(problem: &Problem) -> bool {
    problem.shape.reduced_size() >= u64::from(u32::MAX) - 1
}

/// LDS bytes beside the rows' (N11).
pub(crate) fn lds_bytes_beside(threads: u32) -> u32 {
    LDS_BYTES_BESIDE + threads * LDS_BYTES_PER_THREAD
}

/// Rules N1 to N18.
pub(crate) fn check(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<(), Rejection> {
    check_lists(problem.shape.rank(), configuration, "N2")?;
    check_zeros(problem, configuration)?;
    let axes = Axes::new(problem, configuration);
    serial::check(problem, configuration, &axes.reduced)?;
    check_threads(problem, target, configuration)?;
    for (d, axis) in &axes.reduced {
        check_thread_tile(*d, axis, MAX_THREAD_REDUCED)?;
        check_tile("N7", "partial_reduction", *d, axis)?;
    }
    for (d, axis) in &axes.parallel {
        check_thread_tile(*d, axis, max_thread_parallel(problem))?;
        check_counted(problem, *d, axis)?;
        check_tile("N8", "workgroup", *d, axis)?;
    }
    // By N5 these are all threads.
    let threads = u64::from(configuration.workgroup_size[0]);
    check_resources(problem, target, threads, &axes)?;
    check_order(&axes)?;
    knobs::check(problem, target, configuration, &axes.reduced)?;
    let reduced = axes.reduced.iter().map(|(_, axis)| *axis);
    summation_limit::check(problem, configuration.knobs, reduced)
}

/// The dimensions by kind, outermost first, each with its number.
struct Axes {
    parallel: ArrayVec<(usize, Axis), MAX_RANK>,
    reduced: ArrayVec<(usize, Axis), MAX_RANK>,
}

impl Axes {
    fn new(problem: &Problem, configuration: &Configuration) -> Axes {
        let lowering = &configuration.lowering;
        let axis = |d: usize, tile| (d, Axis::new(problem, configuration, d, tile));
        Axes {
            parallel: (problem.shape.parallel())
                .map(|d| axis(d, lowering.workgroup[d]))
                .collect(),
            reduced: (problem.shape.reduced())
                .map(|d| axis(d, lowering.partial_reduction[d]))
                .collect(),
        }
    }
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

/// Lanes of a subgroup of `size` that have rows or elements of their own (N4).
fn busy_lanes(problem: &Problem, size: u32) -> u32 {
    match problem.reduction.is_serial() && problem.shape.parallel().next().is_none() {
        true => 1,
        false => size,
    }
}

/// Rules N3 to N5.
fn check_threads(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<(), Rejection> {
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
    let busy = busy_lanes(problem, size);
    ensure(lanes.ids() == u64::from(busy), "N4", || {
        let (counts, ids) = (&lanes.counts, lanes.ids());
        let wanted = match busy == size {
            true => format!("the subgroup size {size}"),
            false => format!("{busy}: one lane takes the only row"),
        };
        format!("the product of the lane counts {counts:?} is {ids}, not {wanted}")
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
fn check_thread_tile(d: usize, axis: &Axis, most: u32) -> Result<(), Rejection> {
    let thread = axis.thread;
    ensure(
        thread.is_power_of_two() && thread <= u64::from(most),
        "N6",
        || {
            format!(
                "the thread tile {thread} on dimension {d} is not a power of two of at most {most}"
            )
        },
    )
}

/// Rule N16.
fn check_counted(problem: &Problem, d: usize, axis: &Axis) -> Result<(), Rejection> {
    let thread = axis.thread;
    ensure(thread == 1 || !problem.shape.is_counted(d), "N16", || {
        format!(
            "the thread tile is {thread} on dimension {d}, whose count is known at launch only: it must be 1; use \
             several batches instead"
        )
    })
}

/// Rules N7 and N8. The counts of `axis` are bounded by the rules before.
fn check_tile(rule: &'static str, name: &str, d: usize, axis: &Axis) -> Result<(), Rejection> {
    let Axis {
        size,
        tile,
        subgroups,
        ..
    } = *axis;
    let unit = axis.unit();
    ensure(tile > 0 && tile.is_multiple_of(unit), rule, || {
        let text = axis.unit_text();
        format!("{name} {tile} on dimension {d} is not a positive multiple of {text}")
    })?;
    let most = size.next_multiple_of(unit);
    ensure(tile <= most, rule, || {
        format!(
            "{name} {tile} on dimension {d} is more than {most}, the size {size} rounded up to a multiple of {unit}"
        )
    })?;
    let last = (subgroups - 1) * (tile / subgroups);
    ensure(last < size, rule, || {
        format!(
            "with {name} {tile} on dimension {d} the last of {subgroups} subgroups starts at {last}, beyond the size {size}"
        )
    })
}

/// Rules N9 to N11.
fn check_resources(
    problem: &Problem,
    target: &Target,
    threads: u64,
    axes: &Axes,
) -> Result<(), Rejection> {
    let product = |axes: &[(usize, Axis)], part: fn(&Axis) -> u64| {
        axes.iter()
            .fold(1u64, |n, (_, axis)| n.saturating_mul(part(axis)))
    };
    let per_lane = |axis: &Axis| axis.tile / (axis.subgroups * axis.lanes);
    let (down, across) = (
        product(&axes.parallel, per_lane),
        product(&axes.reduced, per_lane),
    );
    let elements = down.saturating_mul(across);
    let most = max_elements_per_thread(problem);
    ensure(elements <= u64::from(most), "N9", || {
        format!(
            "a thread takes {down} rows x {across} elements = {elements} per step, more than {most}"
        )
    })?;
    let most = max_rows_per_lane(problem);
    ensure(down <= u64::from(most), "N10", || {
        format!("a lane has {down} rows, more than {most}")
    })?;
    let rows = product(&axes.parallel, |axis| axis.tile);
    let subgroups = product(&axes.reduced, |axis| axis.subgroups);
    let partials = rows.saturating_mul(subgroups);
    let per_row = lds_bytes_per_row(problem);
    // By N5 threads are few.
    let beside = u64::from(lds_bytes_beside(threads as u32));
    let bytes = partials
        .saturating_mul(u64::from(per_row))
        .saturating_add(beside);
    let most = target.lds_bytes;
    ensure(subgroups == 1 || bytes <= u64::from(most), "N11", || {
        format!(
            "{rows} rows x {subgroups} subgroups x {per_row} bytes + {beside} other bytes = {bytes} bytes of LDS, \
             more than {most}"
        )
    })
}

/// Rule N12.
fn check_order(axes: &Axes) -> Result<(), Rejection> {
    for (number, (d, axis)) in axes.reduced.iter().enumerate() {
        let batches = axis.tile / axis.unit();
        let stepped = axes.reduced[number + 1..]
            .iter()
            .find(|(_, inner)| inner.size > inner.tile);
        ensure(batches == 1 || stepped.is_none(), "N12", || {
            let inner = stepped.map_or(0, |(inner, _)| *inner);
            format!(
                "{batches} batches on dimension {d}; it must be 1, because the reduced dimension {inner} after it \
                 takes several steps"
            )
        })?;
    }
    Ok(())
}
