//! The rules of wavetune's own kernels.
//!
//! For dimension d, these letters are used:
//!
//! - S is its size.
//! - T is its tile: `workgroup` on a parallel dimension, `partial_reduction` on a reduced one.
//! - s, l, t are its subgroups, lanes and thread tile (0 counts as 1).
//! - B = T / (s l t) is its number of batches.
//!
//! The rules:
//!
//! - **N1** A reduction is serial if no proof or promise says that the comparator orders the
//!   values of the accumulator. One lane then takes the elements of a row, each once and in
//!   order. `split` is 1. On a reduced dimension s and l are 1 and T is at most S. The thread
//!   tile t is 1 too, unless t is S on each later reduced dimension.
//! - **N2** Every list has one entry per dimension. `workgroup` is 0 on reduced dimensions and at
//!   least 1 on parallel ones. `partial_reduction` is 0 on parallel dimensions. Both mappings are
//!   permutations of the dimensions.
//! - **N3** The subgroup size is one of the target's.
//! - **N4** Lane counts are powers of two, and their product is the subgroup size. A serial
//!   reduction (N1) of a single row, without a parallel dimension, has the product 1 instead: all
//!   lanes do the same.
//! - **N5** Subgroup counts are powers of two. `workgroup_size` is [subgroup size x their
//!   product, 1, 1] and at most the threads of a workgroup.
//! - **N6** Thread tiles are powers of two (or 0). They are at most 16 on reduced dimensions and
//!   at most 8 on parallel ones, but 16 on those of a map.
//! - **N7** On a reduced dimension, T is a positive multiple of s l t, at most S rounded up to
//!   such a multiple. Every subgroup has an element in the first step: (s - 1) T / s < S.
//! - **N8** The same on a parallel dimension.
//! - **N9** The product of T / (s l), the elements of a thread per step, is at most 64. For
//!   elements of 64 bits it is at most 32. If a function has several inputs, their elements
//!   together take these registers, and the limit is the power of two below. (Registers hold the
//!   elements.)
//! - **N10** A lane has at most 8 rows: the product of T / (s l) over the parallel dimensions is
//!   at most 8. (The kernel has separate code for each row of a lane. Beyond 8 rows, compilation
//!   takes longer than measurement.) A row of a map is an element, so N9 is the limit there.
//! - **N11** If several subgroups lie on reduced dimensions, LDS holds a lane's state of each
//!   row, once per subgroup. For `arg_compare` this is a value and a position: 8 bytes, or 16 if
//!   one of them has 64 bits. LDS also holds 16 bytes, and 4 bytes per thread for the exchange
//!   between lanes on gfx1030.
//! - **N12** B is 1 on a reduced dimension before another one with more than one step. A thread's
//!   accumulator then receives elements in order.
//! - **N13** `split` is a power of two. It is at most the subgroup size, and at most the steps of
//!   some reduced dimension, rounded up to a power of two. (The dimension with most steps is
//!   split, and the outermost of several.)
//! - **N14** With `lazy_index` the comparator finds an extreme of the elements themselves that is
//!   no NaN. At most one reduced dimension has more than one step, and a lane has one element
//!   along those before it. Elements of one step then come before those of the next.
//! - **N15** With `accumulators` at `one`, a reduced dimension has a thread tile larger than 1,
//!   and there is no `lazy_index`. The reduction is not serial (N1), because it then has one
//!   anyway. Each later reduced dimension has one step and one batch, so that a lane takes its
//!   elements in order.
//! - **N16** The thread tile is 1 on a dimension with an open count. If fewer rows than the
//!   tile's remain, each row of a lane begins at the last one. (Batches serve as well, because no
//!   rows of this dimension are contiguous.) S is its largest count.
//! - **N17** If a row's result is used again, the workgroups that share the row wait at a grid
//!   barrier. The wait ends only if the device holds all of them at once. `split` is therefore at
//!   most the number of workgroups, of any size, that the smallest device of the target holds at
//!   once. (That is one per compute unit, or per pair of compute units if a workgroup may occupy
//!   two.)
//! - **N18** [`summation_depth`](crate::summation_depth) limits the additions between an element
//!   of a floating-point sum and the result. Each lane adds steps x batches elements to an
//!   accumulator, one after the other. A tree adds the accumulators, lanes, subgroups and
//!   workgroups of a row. (Verdicts take their bound from the same depth, so one lane along a
//!   long row would be wrong.)
//!
//! Nothing has to divide S. A tile that would reach beyond the end is shifted back, or repeats
//! existing elements, so kernels read some rows and elements twice.

use arrayvec::ArrayVec;

use super::{knobs, serial, summation_limit};
use crate::legality::{Axis, Rejection, check_lists, ensure};
use crate::{Configuration, MAX_RANK, Problem, Target};

/// The largest thread tile on a reduced dimension (N6).
///
/// It is two of the widest loads, 16 bytes each, for elements of 2 bytes.
pub(crate) const MAX_THREAD_REDUCED: u32 = 16;
/// The largest thread tile on a parallel dimension of a reduction (N6).
const MAX_THREAD_PARALLEL: u32 = 8;
/// The largest number of 32-bit registers for the elements of a thread per step (N9).
const MAX_REGISTERS_PER_THREAD: u32 = 64;
/// The largest number of rows of a lane in a reduction (N10).
const MAX_ROWS_PER_LANE: u32 = 8;
/// The LDS bytes of a thread (N11).
const LDS_BYTES_PER_THREAD: u32 = 4;
/// The LDS bytes of the workgroup itself (N11).
const LDS_BYTES_BESIDE: u32 = 16;

/// Returns the largest number of elements of a thread per step (N9), a power of two.
pub(crate) fn max_elements_per_thread(problem: &Problem) -> u32 {
    let operands = problem.read_operands().into_iter();
    let operands = operands.map(|operand| operand.scalar.bytes().div_ceil(4));
    let words = operands.sum::<u32>() + problem.element.bits().div_ceil(32);
    let most = MAX_REGISTERS_PER_THREAD / words;
    1 << most.ilog2()
}

/// Returns the largest thread tile on a parallel dimension (N6).
pub(crate) fn max_thread_parallel(problem: &Problem) -> u32 {
    match problem.shape.reduces() {
        true => MAX_THREAD_PARALLEL,
        false => MAX_THREAD_REDUCED,
    }
}

/// Returns the largest number of rows of a lane (N10).
pub(crate) fn max_rows_per_lane(problem: &Problem) -> u32 {
    match problem.shape.reduces() {
        true => MAX_ROWS_PER_LANE,
        false => max_elements_per_thread(problem),
    }
}

/// Returns the LDS bytes of one row and subgroup (N11): a lane's state of a row, as a power of
/// two.
pub(crate) fn lds_bytes_per_row(problem: &Problem) -> u32 {
    let state = problem.reduction.state();
    let position = match (state.has_position, has_long_positions(problem)) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 2,
    };
    (state.words + position).next_power_of_two() * 4
}

/// Returns whether positions in a row have 64 bits.
///
/// The two largest 32-bit numbers are no positions.
pub fn has_long_positions(problem: &Problem) -> bool {
    problem.shape.reduced_size() >= u64::from(u32::MAX) - 1
}

/// Returns the LDS bytes beside the rows' (N11).
pub(crate) fn lds_bytes_beside(threads: u32) -> u32 {
    LDS_BYTES_BESIDE + threads * LDS_BYTES_PER_THREAD
}

/// Checks rules N1 to N18.
pub(crate) fn check(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<(), Rejection> {
    check_lists(problem.shape.rank(), configuration, "N2")?;
    // The order of checks is the order of dependence: later rules divide by numbers that earlier
    // ones bound.
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
    // By N5, x is the number of all threads.
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

/// Checks rule N2 without the lengths of the lists and the mappings.
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

/// Returns the lanes of a subgroup of `size` with rows or elements of their own (N4).
fn busy_lanes(problem: &Problem, size: u32) -> u32 {
    match problem.reduction.is_serial() && problem.shape.parallel().next().is_none() {
        true => 1,
        false => size,
    }
}

/// Checks rules N3 to N5.
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
        // A serial reduction of one row has one busy lane, and the others repeat its work.
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

/// Checks rule N6.
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

/// Checks rule N16.
fn check_counted(problem: &Problem, d: usize, axis: &Axis) -> Result<(), Rejection> {
    let thread = axis.thread;
    ensure(thread == 1 || !problem.shape.is_counted(d), "N16", || {
        format!(
            "the thread tile is {thread} on dimension {d}, whose count is known at launch only: it must be 1; use \
             several batches instead"
        )
    })
}

/// Checks rules N7 and N8. Earlier rules have bounded the counts of `axis`.
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

/// Checks rules N9 to N11.
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
    // N5 bounds the threads, so they fit u32.
    let beside = u64::from(lds_bytes_beside(threads as u32));
    let bytes = partials
        .saturating_mul(u64::from(per_row))
        .saturating_add(beside);
    let most = target.lds_bytes;
    // One subgroup per row needs no LDS for partial results.
    ensure(subgroups == 1 || bytes <= u64::from(most), "N11", || {
        format!(
            "{rows} rows x {subgroups} subgroups x {per_row} bytes + {beside} other bytes = {bytes} bytes of LDS, \
             more than {most}"
        )
    })
}

/// Checks rule N12.
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
