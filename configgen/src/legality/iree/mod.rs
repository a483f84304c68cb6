//! What iree-compile 3.13.0 compiles rightly with its VectorDistribute pipeline.
//!
//! N is the size of the reduced dimension, P its `partial_reduction`, sR, lR, tR the subgroups, lanes and thread tile
//! (0 counts as 1) along it; for each parallel dimension M is its size, W its `workgroup` tile, and sP, lP, tP
//! likewise; S is the subgroup size. Where elements tie, the lowest of the lanes that have the best value wins. Its
//! index is the fold's where each lane has one block of the row and lower lanes lower ones (P = N = sR lR tR); with
//! several steps a lane of its own has several running pairs, and the index is another even where it has the row alone.
//! No rule asks for that; the bench tells it. IREE itself checks few of these: they were found by compiling several
//! hundred configurations and reading the code that came out. Some are stricter than the compiler, which takes W > M
//! for W = M: what is rejected has a legal twin.
//!
//! - **0** The target is one that the rules were found for; exactly one dimension is reduced; the comparator is
//!   proved or promised to order the elements, its worst value is proved, and IREE's kernels compute its operations to the
//!   bit; the fold begins at that value, and rows have no gaps. An index base and explicit indices are taken, indices of i32 and i64,
//!   and all element types but i1, floats of 8 bits where the target's instructions convert them. Indices of type `index` compile
//!   nowhere ("index types must not cross the dispatch boundary"), nor do elements of i1, of which the compiler makes i8 everywhere but
//!   in the comparator ("comparator arguments must match input value element type").
//! - **1** P is at least 1 and divides N (there is no masking); `partial_reduction` is 0 on parallel dimensions.
//! - **2** P is a multiple of sR lR tR.
//! - **3** W is at least 1, divides M and is a multiple of sP lP tP; it is 1 where M is known at launch only; `workgroup` is 0 on
//!   the reduced dimension.
//! - **4** Every lane count is a power of two; lR is at most S / 2 where lanes find an extreme by a ballot (rule B) and the
//!   keys have 8 bits: a whole subgroup of them aborts the compiler.
//! - **5** sR is 1 unless the input has rank 1 ("failed to distribute"); there it is a power of two: other counts
//!   compile, and the kernel reads beyond its array in LDS; and at most lR: lR lanes read the results of the subgroups
//!   back, so those of further subgroups are lost (wrong in 20 of 20 emulated kernels with sR > lR, in 0 of 50 others).
//! - **6** S is the target's first: 64 on gfx9 (32 aborts the compiler), 32 on RDNA (of 64 a half repeats what the other
//!   does, or the compiler refuses it).
//! - **7** Every list has one entry per dimension; both mappings are permutations of the dimensions; no count is 0.
//! - **A** `workgroup_size` is [S x the number of subgroups, 1, 1], at most 1024: too few threads leave rows unwritten.
//! - **B** Every lP is 1 when lR is greater than 1, where the comparator compares the same key of both values: the ballot
//!   that finds the index has no mask of rows. Of other comparators (a NaN wins, two keys) the lanes of a row exchange pairs.
//! - **C** The product of the lane counts is at most S.
//! - **D** `lazy_index` and `accumulators`, which native kernels have, are at their default.
//! - **E1** A thread takes E = P / (sR lR) x the product of W / (sP lP) elements a step, at most 128 and at most 512
//!   bytes. More compile, though ever longer (1,024 of i8 in 1.6 s of CPU), and spill: rule E2 stops most of them before.
//! - **E2** 8 E (value registers + index registers) <= 5 x the registers that a lane can have at this workgroup size:
//!   beyond, values are spilled to memory.
//! - **F1** `split`, the pieces C of a row, divides N (with another number the result is wrong), and is 1 where a size is known at
//!   launch only. In all other rules N is the size of a piece, N / C, to which the configuration belongs.
//! - **F2** A subgroup merges the results of a row's pieces at once ([`pieces`]), by as many lanes as divide C: each takes so many
//!   of them as rules E1 and E2 allow at most.
//!
//! These are for `arg_compare`. Plain reductions, which IREE has as a `linalg.generic`, have the same rules but for
//!
//! - **0** The shape is that of the operation which IREE configures: of another it drops dimensions of size 1 and makes one of neighbours
//!   of a kind, so that a configuration would not belong to it. One dimension is reduced, and IREE computes it rightly: sums, products, `or` and
//!   `xor` of all types (results of i1 aside), the greatest and the least of integers, without a sign up to 32 bits and with one of 64 (of
//!   others its lanes begin at what changes something), and the greatest and least number of f64 (of others an instruction loses numbers beside
//!   a signaling NaN). Not `and`, whose lanes begin
//!   at 1, nor the greatest and least of floats, of which it loses a NaN. What is reduced may be computed, of tensors that are no views, by
//!   operations that IREE computes to the bit; not as a sum of products of f64, nor of products of what is extended of two types. Products of
//!   f32 IREE adds as they are (`fma`) or rounds them first; the bench takes either.
//!   Neighbours are then those that every input has side by side, or has not.
//! - **1** P need not divide N: the last step of a row is masked. It is less than N + sR lR tR, and each subgroup has an element in
//!   the first step: (sR - 1) P / sR < N.
//! - **4** lR is at most S / 2 where what is accumulated has 8 bits.
//! - **5** Several subgroups may have parts of a row of any rank, as many as the rule allows; their results meet in LDS.
//! - **B** The lanes of a row exchange what they have accumulated, whichever lanes rows have. Where that has 64 bits they are neighbours, no
//!   digit of a parallel dimension is faster: else iree-compile "failed to legalize operation 'gpu.subgroup_reduce'".
//! - **E1** Of what is computed a thread takes at most 64 elements: 128 products of i8 take 6.3 s of CPU to compile, and 64 take 1.5 s.
//! - **E2** The registers are those of the wider of element and accumulator, and of an element of each operand.
//! - **F1** `split` is 1.
//!
//! A softmax and an RMS norm are several operations in one kernel, which all have its configuration's distribution. The rules are those of
//! plain reductions, but for
//!
//! - **0** It is along the innermost dimension, and no size is 1 or known at launch only; an RMS norm has one dimension of rows, as IREE makes
//!   one of several. Of other row operations IREE makes a kernel for each fold, and another for a sum with a residual.
//! - **E2** The registers are those of two elements: one as it is, and its exponential or its weight.
//!
//! Some of these are stricter than the compiler, too: most kernels are right in which W does not divide M or is no multiple of sP lP tP, but
//! some store what they never computed.

mod exact_operations;
mod fold_support;
mod function_support;
mod row_kernel;
pub mod split_reduction;
mod target_support;

use std::borrow::Cow;

use super::{Axis, Rejection, check_lists, ensure};
use crate::{Configuration, Knobs, Problem, Target};
pub(crate) use split_reduction::check_split;
use target_support::TargetFacts;
pub use target_support::{RULES_OF, supports_version};
pub(crate) use target_support::{check_problem, most_lanes};

/// Rules 0 to 7 and A to F.
pub(crate) fn check(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<(), Rejection> {
    check_problem(problem, target)?;
    check_lists(problem.shape.rank(), configuration, "7")?;
    let split = configuration.knobs.split;
    let others = Knobs {
        split: Knobs::DEFAULT.split,
        ..configuration.knobs
    };
    ensure(others == Knobs::DEFAULT, "D", || {
        "lazy_index and accumulators are for native kernels".to_owned()
    })?;
    check_threads(problem, target, configuration)?;
    check_split(problem, target, configuration.subgroup_size, split)?;
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

/// Rules 4, 6, 7, A and C.
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

/// Whether the lanes of a row find the index by a ballot (rule B).
pub(crate) fn has_ballot(problem: &Problem) -> bool {
    let arg_compare = problem.arg_compare();
    arg_compare.is_some_and(|it| target_support::ballot_bits(it).is_some())
}

/// Whether lanes of a row have to be neighbours (rule B).
pub(crate) fn has_neighbours(problem: &Problem) -> bool {
    let fold = problem.reduction.fold();
    fold.is_some_and(|fold| fold.accumulator().bits() == 64)
}

/// Whether the last step of a row may reach beyond it, where IREE masks it (rule 1).
pub(crate) fn is_masked(problem: &Problem) -> bool {
    problem.arg_compare().is_none()
}

/// Whether several subgroups may have parts of a row (rule 5).
pub(crate) fn shares_rows(problem: &Problem) -> bool {
    problem.arg_compare().is_none() || problem.shape.rank() == 1
}

fn lanes_along_reduced(problem: &Problem, configuration: &Configuration) -> u32 {
    let lanes = &configuration.lowering.lane_basis;
    problem
        .shape
        .reduced()
        .map(|d| lanes.count_along(d))
        .product()
}

/// Rules 1, 2, 3 and 5 on the reduced dimension `d`.
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
    match is_masked(problem) {
        true => check_masked(&axis)?,
        false => ensure(tile > 0 && size.is_multiple_of(axis.tile), "1", || {
            format!("partial_reduction {tile} does not divide the size {size}")
        })?,
    }
    ensure(axis.tile.is_multiple_of(axis.unit()), "2", || {
        let text = axis.unit_text();
        format!("partial_reduction {tile} is not a multiple of {text}")
    })
}

/// Rule 1 where the last step of a row may reach beyond it.
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

/// Rules 1, 3 and B on the parallel dimension `d`.
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

/// Rules E1 and E2. Each tile is a multiple of its subgroups x lanes.
fn check_elements(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<(), Rejection> {
    let lowering = &configuration.lowering;
    let elements = (0..problem.shape.rank()).fold(1u64, |elements, d| {
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

/// Most elements of a thread and step that may pay (rule E1).
pub(crate) fn max_elements_that_pay(problem: &Problem) -> u32 {
    let most = match problem.function {
        None => 128,
        Some(_) => 64,
    };
    (512 / problem.element.bytes()).min(most)
}

/// Most elements of a thread and step whose values and indices stay in registers (rule E2).
fn max_elements_in_registers(problem: &Problem, target: &Target, threads: u32) -> u32 {
    let granule = target.vgpr_granule;
    // Subgroups of one workgroup share the register files of these SIMDs.
    let (simds, most) =
        TargetFacts::of(target).map_or((1, 0), |facts| (facts.simds, facts.most_registers));
    let per_simd = threads.div_ceil(target.subgroup_sizes[0] * simds).max(1);
    let registers = (target.vgprs_per_simd / per_simd / granule * granule).min(most);
    5 * registers / (8 * words_of_element(problem))
}

/// Registers of an element of a problem that rule 0 takes: of the value and its index, or of it as it is accumulated.
fn words_of_element(problem: &Problem) -> u32 {
    let words = |bytes: u32| bytes.div_ceil(4);
    let value = words(problem.element.bytes());
    let operands = problem.function.iter().flat_map(|it| it.operands());
    let of_operands: u32 = operands.map(|it| words(it.element.bytes())).sum();
    match (problem.reduction.fold(), problem.arg_compare()) {
        (Some(fold), _) => value.max(words(fold.accumulator().bytes())) + of_operands,
        (None, Some(arg_compare)) => value + words(arg_compare.index.bytes()),
        (None, None) => 2 * value,
    }
}

/// Most elements of a thread and step for this number of threads of a workgroup (rules E1 and E2).
pub(crate) fn max_elements_per_thread(problem: &Problem, target: &Target, threads: u32) -> u32 {
    max_elements_that_pay(problem).min(max_elements_in_registers(problem, target, threads))
}
