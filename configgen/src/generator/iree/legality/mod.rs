//! Configurations that iree-compile 3.13.0 compiles correctly with its VectorDistribute pipeline.
//!
//! These letters are used:
//!
//! - N is the size of the reduced dimension, and P its `partial_reduction`.
//! - sR, lR, tR are the subgroups, lanes and thread tile along it (0 counts as 1).
//! - M is the size of a parallel dimension, and W its `workgroup` tile.
//! - sP, lP, tP are the subgroups, lanes and thread tile along that dimension.
//! - S is the subgroup size.
//!
//! For equal elements, the lowest of the lanes with the best value wins. Its index is the fold's
//! if the lanes have one block of the row each, in order (P = N = sR lR tR). With several steps,
//! a lane has several running pairs. The index then differs even if one lane has the whole row.
//! No rule demands the fold's index; the bench compares it.
//!
//! IREE itself checks few of these rules. Their sources are several hundred compiled
//! configurations and the generated code. Some rules are stricter than the compiler, which reads
//! W > M as W = M. The rejected configuration then has a legal twin.
//!
//! - **0** The rules were found for this target. Exactly one dimension is reduced. The comparator
//!   is proved or promised to order the elements, its worst value is proved, and IREE's kernels
//!   compute its operations to the bit. The initial value is the worst value, and rows have no
//!   gaps. An index base, explicit indices, and indices of i32 and i64 are accepted. All element
//!   types but i1 are accepted; 8-bit floats only if the target has instructions to convert them.
//!   Indices of type `index` never compile ("index types must not cross the dispatch boundary").
//!   Neither do elements of i1, which the compiler turns into i8 everywhere but in the comparator
//!   ("comparator arguments must match input value element type").
//! - **1** P is at least 1 and divides N (there is no masking). `partial_reduction` is 0 on
//!   parallel dimensions.
//! - **2** P is a multiple of sR lR tR.
//! - **3** W is at least 1, divides M and is a multiple of sP lP tP. It is 1 if M is open.
//!   `workgroup` is 0 on the reduced dimension.
//! - **4** Every lane count is a power of two. If lanes find an extreme of 8-bit keys by a ballot
//!   (rule B), lR is at most S / 2. A whole subgroup of such keys aborts the compiler.
//! - **5** sR is 1 unless the input has rank 1 ("failed to distribute"). For rank 1 it is a power
//!   of two, because with other counts the kernel reads beyond its array in LDS. It is also at
//!   most lR: lR lanes read the subgroups' results back, so the results of further subgroups are
//!   lost. (20 of 20 emulated kernels with sR > lR were wrong, and 0 of 50 others.)
//! - **6** S is the target's first: 64 on gfx9 (32 aborts the compiler) and 32 on RDNA. With 64
//!   on RDNA half of the lanes repeat the other half's work, or the compiler refuses it.
//! - **7** Every list has one entry per dimension. Both mappings are permutations of the
//!   dimensions. No count is 0.
//! - **A** `workgroup_size` is [S x the number of subgroups, 1, 1], at most 1024. Fewer threads
//!   leave rows unwritten.
//! - **B** Every lP is 1 if lR is greater than 1 and the comparator compares the same key of both
//!   values. The ballot that finds the index has no mask of rows. For other comparators (a NaN
//!   wins, two keys), the lanes of a row exchange pairs.
//! - **C** The product of the lane counts is at most S.
//! - **D** `lazy_index` and `accumulators`, which only native kernels have, are at their
//!   defaults.
//! - **E1** A thread takes E = P / (sR lR) x the product of W / (sP lP) elements per step. E is
//!   at most 128 elements and at most 512 bytes. More elements compile ever more slowly (1,024 of
//!   i8 in 1.6 s of CPU) and spill; rule E2 stops most of them earlier.
//! - **E2** 8 E (value registers + index registers) <= 5 x the registers that a lane can have at
//!   this workgroup size. Beyond that, values spill to memory.
//! - **F1** `split`, the number C of a row's pieces, divides N; other numbers give wrong results.
//!   It is 1 if a size is open. In all other rules N is the size of a piece, N / C, because the
//!   configuration belongs to the piece.
//! - **F2** A subgroup merges the results of a row's pieces at once ([`split_reduction`]). The
//!   number of its lanes divides C. Each lane takes at most the number of results that rules E1
//!   and E2 allow.
//!
//! These are the rules for `arg_compare`. IREE has plain reductions as a `linalg.generic`. Their
//! rules are the same, except the following:
//!
//! - **0** The shape is that of the operation that IREE configures. IREE drops dimensions of size
//!   1 and merges neighbours of a kind first, so that a configuration of another shape would not
//!   fit. One dimension is reduced, and IREE's results are correct:
//!   - Sums, products, `or` and `xor` of all types are accepted, except results of i1.
//!   - The greatest and the smallest of integers are accepted, unsigned up to 32 bits and signed
//!     with 64. For others, IREE's lanes begin at a value that changes the result.
//!   - `maxnum` and `minnum` of f64 are accepted. For other floats, an instruction loses numbers
//!     beside a signaling NaN.
//!   - `and` is refused, because its lanes begin at 1. `max` and `min` of floats are refused,
//!     because IREE loses a NaN.
//!   - A function is accepted if its tensors are no views and IREE computes its operations to the
//!     bit. Refused are sums of products of f64, and products of values extended from two types.
//!     IREE adds products of f32 without rounding (`fma`) or rounds them first; the bench accepts
//!     both. IREE merges two dimensions if every input has them side by side or has neither.
//! - **1** P need not divide N, because IREE masks the last step of a row. P is less than N + sR
//!   lR tR. Each subgroup has an element in the first step: (sR - 1) P / sR < N.
//! - **4** lR is at most S / 2 if the accumulator has 8 bits.
//! - **5** For any rank, several subgroups may have parts of a row, as many as the rule allows.
//!   Their results meet in LDS.
//! - **B** The lanes of a row exchange their accumulators, for any distribution of lanes. If
//!   these have 64 bits, the lanes are neighbours: no digit of a parallel dimension is faster.
//!   Otherwise iree-compile "failed to legalize operation 'gpu.subgroup_reduce'".
//! - **E1** With a function, a thread takes at most 64 elements. 128 products of i8 take 6.3 s of
//!   CPU to compile, and 64 take 1.5 s.
//! - **E2** The registers are those of the wider of element and accumulator, and of an element of
//!   each operand.
//! - **F1** `split` is 1.
//! - **G** A sum of floats takes at most [`summation_depth`](crate::summation_depth) additions
//!   between an element and the result. A lane has P / (sR lR tR) accumulators. Its thread tile
//!   adds to one of them in each step, and all of them are added in sequence at the end. The
//!   lanes and then the subgroups follow. The rule counts tR (N / P + 1) + P / (sR lR tR) +
//!   log2 (sR lR) additions. Sums of products have no more, and other sums have fewer, because a
//!   thread adds its tile first.
//!
//! A softmax and an RMS norm are several operations in one kernel, all with the distribution of
//! its configuration. Their rules are those of plain reductions, except the following:
//!
//! - **0** The reduced dimension is the innermost, and no size is 1 or open. An RMS norm has one
//!   dimension of rows, because IREE merges several. For other row operations, IREE makes one
//!   kernel per fold, and another one for a sum with a residual.
//! - **E2** The registers are those of two elements: the element, and its exponential or its
//!   weight.
//!
//! Some of these are stricter than the compiler too. If W does not divide M or is no multiple of
//! sP lP tP, most kernels are correct. Some store values that they never computed.

mod exact_operations;
mod fold_support;
mod function_support;
mod row_kernel;
pub mod split_reduction;
mod summation_order;
mod target_support;

use std::borrow::Cow;

use crate::legality::{Axis, Rejection, check_lists, ensure};
use crate::{Configuration, Knobs, Problem, Target};
pub use row_kernel::row_kernel;
pub(crate) use split_reduction::check_split;
pub(crate) use summation_order::adds_few;
use target_support::TargetFacts;
pub use target_support::{RULES_OF, supports_version};
pub(crate) use target_support::{check_problem, most_lanes};

/// Checks rules 0 to 7 and A to G.
pub(crate) fn check(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<(), Rejection> {
    // Rule 0 comes first, because the other rules were found for the problems that it accepts.
    check_problem(problem, target)?;
    check_lists(problem.shape.rank(), configuration, "7")?;
    let split = configuration.knobs.split;
    // A split is the only knob of IREE's kernels (rule D).
    let others = Knobs {
        split: Knobs::DEFAULT.split,
        ..configuration.knobs
    };
    ensure(others == Knobs::DEFAULT, "D", || {
        "lazy_index and accumulators are for native kernels".to_owned()
    })?;
    check_threads(problem, target, configuration)?;
    check_split(problem, target, configuration.subgroup_size, split)?;
    // From here on a row is a piece of a row, to which the configuration belongs (rule F1).
    let problem = &*match split {
        1 => Cow::Borrowed(problem),
        _ => Cow::Owned(split_reduction::piece(problem, split)),
    };
    for d in 0..problem.shape.rank() {
        match problem.shape.is_reduced(d) {
            true => check_reduced(problem, configuration, d)?,
            false => check_parallel(problem, configuration, d)?,
        }
    }
    check_elements(problem, target, configuration)
}

/// Checks rules 4, 6, 7, A and C.
fn check_threads(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<(), Rejection> {
    let lowering = &configuration.lowering;
    let size = configuration.subgroup_size;
    let preferred = target.subgroup_sizes[0];
    ensure(size == preferred, "6", || {
        format!("the subgroup size is {size}; IREE uses {preferred} on {target}")
    })?;
    let subgroups = &lowering.subgroup_basis;
    ensure(!subgroups.counts.contains(&0), "7", || {
        format!("a count of subgroup_basis {:?} is 0", subgroups.counts)
    })?;
    let lanes = &lowering.lane_basis;
    for count in &lanes.counts {
        ensure(count.is_power_of_two(), "4", || {
            format!("the lane count {count} is not a power of two")
        })?;
    }
    ensure(lanes.ids() <= u64::from(size), "C", || {
        let (counts, ids) = (&lanes.counts, lanes.ids());
        format!(
            "the product of the lane counts {counts:?} is {ids}, more than the subgroup size {size}"
        )
    })?;
    // Rule 4: a whole subgroup of 8-bit keys aborts the compiler.
    let reducing = lanes_along_reduced(problem, configuration);
    let most = most_lanes(problem, size);
    ensure(reducing <= most, "4", || {
        format!(
            "{reducing} lanes on the reduced dimension; with keys of 8 bits at most {most} compile"
        )
    })?;
    let threads = subgroups.ids().saturating_mul(u64::from(size));
    let most = target.max_workgroup_threads;
    ensure(threads <= u64::from(most), "A", || {
        let counts = &subgroups.counts;
        format!("subgroups {counts:?} of {size} lanes make {threads} threads, more than {most}")
    })?;
    let [x, y, z] = configuration.workgroup_size;
    ensure(u64::from(x) == threads && y == 1 && z == 1, "A", || {
        format!("workgroup_size is [{x}, {y}, {z}]; the subgroups make [{threads}, 1, 1]")
    })
}

/// Returns whether the lanes of a row find the index by a ballot (rule B).
pub(crate) fn has_ballot(problem: &Problem) -> bool {
    let arg_compare = problem.arg_compare();
    arg_compare.is_some_and(|it| target_support::ballot_bits(it).is_some())
}

/// Returns whether the lanes of a row must be neighbours (rule B).
pub(crate) fn has_neighbours(problem: &Problem) -> bool {
    let accumulator = problem.reduction.accumulator();
    accumulator.is_some_and(|it| it.bits() == 64)
}

/// Returns whether the last step of a row may reach beyond it, because IREE masks it (rule 1).
pub(crate) fn is_masked(problem: &Problem) -> bool {
    problem.index_of_own().is_none()
}

/// Returns whether several subgroups may have parts of a row (rule 5).
pub(crate) fn shares_rows(problem: &Problem) -> bool {
    problem.index_of_own().is_none() || problem.shape.rank() == 1
}

fn lanes_along_reduced(problem: &Problem, configuration: &Configuration) -> u32 {
    let lanes = &configuration.lowering.lane_basis;
    problem
        .shape
        .reduced()
        .map(|d| lanes.count_along(d))
        .product()
}

/// Checks rules 1, 2, 3, 5, B and G on the reduced dimension `d`.
fn check_reduced(
    problem: &Problem,
    configuration: &Configuration,
    d: usize,
) -> Result<(), Rejection> {
    let tile = configuration.lowering.partial_reduction[d];
    let axis = Axis::new(problem, configuration, d, tile);
    let (subgroups, size) = (axis.subgroups, axis.size);
    let workgroup = configuration.lowering.workgroup[d];
    ensure(workgroup == 0, "3", || {
        format!(
            "workgroup is {workgroup} on the reduced dimension {d}, where IREE ignores it: it must be 0"
        )
    })?;
    ensure(subgroups == 1 || shares_rows(problem), "5", || {
        let rank = problem.shape.rank();
        format!(
            "{subgroups} subgroups on the reduced dimension {d}; with {rank} dimensions it must be 1"
        )
    })?;
    ensure(subgroups.is_power_of_two(), "5", || {
        format!("the subgroup count {subgroups} is not a power of two")
    })?;
    let lanes = axis.lanes;
    let stride = configuration.lowering.lane_basis.id_stride(d);
    ensure(
        lanes == 1 || stride == 1 || !has_neighbours(problem),
        "B",
        || {
            format!(
                "lanes on the reduced dimension {d} are {stride} apart; they must be adjacent, because they exchange \
                 values of 64 bits"
            )
        },
    )?;
    ensure(subgroups <= lanes.max(1), "5", || {
        format!(
            "{subgroups} subgroups, but only {lanes} lanes on the reduced dimension, which must read the results of \
             the subgroups"
        )
    })?;
    // A masked last step may be longer than the row, so P need not divide it.
    match is_masked(problem) {
        true => check_masked(&axis)?,
        false => ensure(tile > 0 && size.is_multiple_of(axis.tile), "1", || {
            format!("partial_reduction {tile} does not divide the size {size}")
        })?,
    }
    ensure(axis.tile.is_multiple_of(axis.unit()), "2", || {
        let text = axis.unit_text();
        format!("partial_reduction {tile} is not a multiple of {text}")
    })?;
    summation_order::check(problem, &axis)
}

/// Checks rule 1 for a last step that may reach beyond the row.
fn check_masked(axis: &Axis) -> Result<(), Rejection> {
    let Axis {
        size,
        tile,
        subgroups,
        ..
    } = *axis;
    ensure(tile > 0, "1", || "partial_reduction is 0".to_owned())?;
    let text = axis.unit_text();
    ensure(tile < size.saturating_add(axis.unit()), "1", || {
        format!(
            "partial_reduction {tile} is more than the size {size}, rounded up to a multiple of {text}"
        )
    })?;
    ensure((subgroups - 1) * (tile / subgroups) < size, "1", || {
        format!(
            "with partial_reduction {tile} the last of {subgroups} subgroups has none of the {size} elements"
        )
    })
}

/// Checks rules 1, 3 and B on the parallel dimension `d`.
fn check_parallel(
    problem: &Problem,
    configuration: &Configuration,
    d: usize,
) -> Result<(), Rejection> {
    let partial = configuration.lowering.partial_reduction[d];
    ensure(partial == 0, "1", || {
        format!("partial_reduction is {partial} on the parallel dimension {d}, where it must be 0")
    })?;
    let tile = configuration.lowering.workgroup[d];
    let axis = Axis::new(problem, configuration, d, tile);
    let size = axis.size;
    ensure(tile > 0 && size.is_multiple_of(axis.tile), "3", || {
        format!("the workgroup tile {tile} does not divide the size {size} of dimension {d}")
    })?;
    ensure(tile == 1 || !problem.shape.is_counted(d), "3", || {
        format!(
            "the workgroup tile is {tile} on dimension {d}, whose size is known at launch only: it must be 1"
        )
    })?;
    ensure(axis.tile.is_multiple_of(axis.unit()), "3", || {
        let text = axis.unit_text();
        format!("the workgroup tile {tile} is not a multiple of {text}")
    })?;
    let reducing = lanes_along_reduced(problem, configuration);
    ensure(
        axis.lanes == 1 || reducing == 1 || !has_ballot(problem),
        "B",
        || {
            let lanes = axis.lanes;
            format!(
                "{lanes} lanes on the parallel dimension {d} beside {reducing} on the reduced one: one of them must be 1"
            )
        },
    )
}

/// Checks rules E1 and E2. Each tile must be a multiple of its subgroups x lanes.
fn check_elements(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<(), Rejection> {
    let lowering = &configuration.lowering;
    let elements = (0..problem.shape.rank()).fold(1u64, |elements, d| {
        // One of the two tiles is 0 in each dimension.
        let tile = lowering.workgroup[d].max(lowering.partial_reduction[d]);
        let axis = Axis::new(problem, configuration, d, tile);
        elements.saturating_mul(axis.tile / (axis.subgroups * axis.lanes))
    });
    let most = max_elements_that_pay(problem);
    ensure(elements <= u64::from(most), "E1", || {
        let element = match problem.function {
            None => problem.element.to_string(),
            Some(_) => format!("function results of {}", problem.element),
        };
        format!(
            "a thread takes {elements} elements per step; for {element} more than {most} gain nothing"
        )
    })?;
    let threads = configuration.workgroup_size[0];
    let most = max_elements_in_registers(problem, target, threads);
    ensure(elements <= u64::from(most), "E2", || {
        format!(
            "a thread takes {elements} elements per step; with {threads} threads at most {most} fit the registers"
        )
    })
}

/// Returns the largest number of elements of a thread per step that may pay (rule E1).
pub(crate) fn max_elements_that_pay(problem: &Problem) -> u32 {
    // Compile time limits the elements of functions; see rule E1.
    let most = match problem.function {
        None => 128,
        Some(_) => 64,
    };
    (512 / problem.element.bytes()).min(most)
}

/// Returns the largest number of elements per thread and step that stay in registers (rule E2).
fn max_elements_in_registers(problem: &Problem, target: &Target, threads: u32) -> u32 {
    let granule = target.vgpr_granule;
    // The subgroups of one workgroup share the register files of these SIMDs.
    let (simds, most) =
        TargetFacts::of(target).map_or((1, 0), |facts| (facts.simds, facts.most_registers));
    let per_simd = threads.div_ceil(target.subgroup_sizes[0] * simds).max(1);
    let registers = (target.vgprs_per_simd / per_simd / granule * granule).min(most);
    // Rule E2: 8 E words <= 5 registers.
    5 * registers / (8 * words_of_element(problem))
}

/// Returns the registers of an element of a problem that rule 0 accepts.
///
/// These are a value and its index, or an accumulator and an element of each operand.
fn words_of_element(problem: &Problem) -> u32 {
    let words = |bytes: u32| bytes.div_ceil(4);
    let value = words(problem.element.bytes());
    let operands = problem.function.iter().flat_map(|it| it.operands());
    let of_operands: u32 = operands.map(|it| words(it.element.bytes())).sum();
    match (problem.reduction.accumulator(), problem.index_of_own()) {
        (Some(accumulator), _) => value.max(words(accumulator.bytes())) + of_operands,
        (None, Some(index)) => value + words(index.bytes()),
        // A softmax keeps an element and its exponential, an RMS norm an element and its weight.
        (None, None) => 2 * value,
    }
}

/// Returns the largest number of elements of a thread per step (rules E1 and E2).
///
/// `threads` is the number of threads of the workgroup.
pub(crate) fn max_elements_per_thread(problem: &Problem, target: &Target, threads: u32) -> u32 {
    max_elements_that_pay(problem).min(max_elements_in_registers(problem, target, threads))
}
