//! Rule 0: the targets, comparators and options that the rules were found for.

use super::exact_operations::is_established;
use super::{fold_support, row_kernel};
use crate::comparator::order::{Class, NanBehaviour};
use crate::comparator::{Comparator, Opcode, RegionOperation};
use crate::legality::{Rejection, ensure};
use crate::reduction::Combiner;
use crate::{ArgCompare, ElementType, IndexType, Initial, Problem, Target};

/// Prefixes of the versions of iree-compile that the rules were found with.
///
/// With another version, a legal configuration may fail or give wrong results. Its trial shows
/// that. The command line warns the user.
pub const RULES_OF: [&str; 1] = ["3.13.0"];

/// Returns whether the rules were found with this version, such as `3.13.0rc20261016`.
pub fn supports_version(version: &str) -> bool {
    // `3.13.01` is another version.
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    RULES_OF
        .iter()
        .any(|of| version.strip_prefix(of).is_some_and(is_end))
}

/// Facts about IREE's kernels on a target.
#[derive(Debug)]
pub(super) struct TargetFacts {
    target: &'static str,
    /// The largest number of registers of a lane: LLVM's `getAddressableNumVGPRs`.
    ///
    /// On gfx90a and later it includes the accumulator registers.
    pub(super) most_registers: u32,
    /// The SIMDs over which a workgroup's subgroups are spread: those of a compute unit, or of
    /// two on RDNA.
    ///
    /// LLVM compiles for WGP mode there (`.workgroup_processor_mode: 1` in iree-compile's
    /// output).
    pub(super) simds: u32,
    /// The 8-bit floats that its instructions convert.
    ///
    /// iree-compile refuses the others: "types are not supported".
    floats_of_8_bits: &'static [ElementType],
}

const OCP: &[ElementType] = &[ElementType::F8E4M3FN, ElementType::F8E5M2];
const FNUZ: &[ElementType] = &[ElementType::F8E4M3FNUZ, ElementType::F8E5M2FNUZ];

/// The targets that the rules were found for, by `bench-harness/tests/it/iree_campaign/`.
///
/// iree-compile 3.13.0 accepts neither gfx906 nor gfx1030: "Unknown ROCM target".
static TAKEN: [TargetFacts; 6] = [
    facts("gfx90a", 512, 4, &[]),
    facts("gfx942", 512, 4, FNUZ),
    facts("gfx950", 512, 4, OCP),
    facts("gfx1100", 256, 4, &[]),
    facts("gfx1151", 256, 4, &[]),
    facts("gfx1201", 256, 4, OCP),
];

const fn facts(
    target: &'static str,
    most_registers: u32,
    simds: u32,
    floats_of_8_bits: &'static [ElementType],
) -> TargetFacts {
    TargetFacts {
        target,
        most_registers,
        simds,
        floats_of_8_bits,
    }
}

impl TargetFacts {
    /// Returns the facts of a target that rule 0 accepts.
    pub(super) fn of(target: &Target) -> Option<&'static TargetFacts> {
        TAKEN.iter().find(|row| row.target == target.name)
    }
}

/// Checks rule 0.
pub(crate) fn check_problem(problem: &Problem, target: &Target) -> Result<(), Rejection> {
    // IREE's `arg_compare` takes the elements of a tensor only.
    let is_computed = problem.function.is_some();
    let combiner = problem.reduction.sole_combiner();
    let combiner = combiner.filter(|it| it.pairwise().is_some() || !is_computed);
    // Other operations come before the target, because no other target would help.
    if combiner.is_none() {
        row_kernel::check(problem)?;
    }
    let Some(facts) = TargetFacts::of(target) else {
        let names: Vec<&str> = TAKEN.iter().map(|row| row.target).collect();
        return ensure(false, "0", || {
            format!(
                "the target is {target}; iree-compile takes {}",
                names.join(", ")
            )
        });
    };
    match combiner {
        Some(Combiner::Comparison(it)) => check_arg_compare(problem, it, target, facts),
        Some(Combiner::Pairwise(fold)) => fold_support::check(problem, fold),
        None => Ok(()),
    }
}

fn check_arg_compare(
    problem: &Problem,
    arg_compare: &ArgCompare,
    target: &Target,
    facts: &TargetFacts,
) -> Result<(), Rejection> {
    check_options(problem, arg_compare)?;
    check_comparator(arg_compare)?;
    let index = arg_compare.index;
    ensure(index != IndexType::Index, "0", || {
        format!(
            "the index type is {index}, which no IREE dispatch takes (\"index types must not cross the dispatch \
             boundary\"); write i32 or i64, and cast the operation's result"
        )
    })?;
    let element = problem.element;
    let is_narrow = element.is_float() && element.bits() == 8;
    ensure(
        !is_narrow || facts.floats_of_8_bits.contains(&element),
        "0",
        || {
            let names: Vec<&str> = facts.floats_of_8_bits.iter().map(|it| it.name()).collect();
            let taken = match names.is_empty() {
                true => "none".to_owned(),
                false => names.join(" and "),
            };
            format!("the element type is {element}; the 8-bit floats of {target} are {taken}")
        },
    )?;
    ensure(element != ElementType::I1, "0", || {
        "the element type is i1; iree-compile makes it i8 everywhere but in the comparator (\"comparator arguments \
         must match input value element type\"). Extend the elements to i8"
            .to_owned()
    })?;
    ensure(problem.shape.reduced().count() == 1, "0", || {
        let reduced: Vec<usize> = problem.shape.reduced().collect();
        format!("the dimensions {reduced:?} are reduced; IREE's arg_compare reduces one")
    })
}

fn check_options(problem: &Problem, arg_compare: &ArgCompare) -> Result<(), Rejection> {
    ensure(arg_compare.initial == Initial::Worst, "0", || {
        format!(
            "{problem} has its own initial pairs; the rules cover problems that start at the worst value"
        )
    })?;
    ensure(problem.shape.is_dense(), "0", || {
        format!("{problem} has gaps between its rows; IREE's tensors have none")
    })
}

fn check_comparator(arg_compare: &ArgCompare) -> Result<(), Rejection> {
    let comparator = &arg_compare.comparator;
    // IREE's lanes take parts of a row, and only an order allows that.
    ensure(arg_compare.ties().is_some(), "0", || {
        format!(
            "{comparator}: IREE's lanes reorder the elements, so the comparator must be an order, which is neither \
             proved nor promised"
        )
    })?;
    let worst = comparator.order().worst;
    ensure(worst.is_some_and(|worst| worst.is_proven), "0", || {
        format!("{comparator}: it has no proved worst value, at which IREE's lanes could start")
    })?;
    let operations = comparator.region().operations();
    let other = operations
        .iter()
        .find(|operation| !is_established(operation.opcode));
    ensure(other.is_none(), "0", || {
        let name = other.map_or("", |operation| operation.opcode.name());
        format!("{comparator}: IREE's kernels may compute {name} with other results")
    })?;
    let narrow = (operations.iter()).find(|operation| is_of_narrow_floats(comparator, operation));
    ensure(narrow.is_none(), "0", || {
        let name = narrow.map_or("", |operation| operation.opcode.name());
        format!(
            "{comparator}: iree-compile has no {name} for 8-bit floats (\"LLVM Translation failed\"); extend them \
             first"
        )
    })
}

/// Returns whether an operation computes with 8-bit floats or makes one.
///
/// Comparing, selecting and extending them is allowed.
fn is_of_narrow_floats(comparator: &Comparator, operation: &RegionOperation) -> bool {
    let is_taken = matches!(
        operation.opcode,
        Opcode::Constant(_) | Opcode::Cmpf(_) | Opcode::Select | Opcode::Extf
    );
    let region = comparator.region();
    let operands = operation.operands.iter().map(|&it| region.type_of(it));
    let mut values = operands.chain([operation.result]);
    !is_taken && values.any(|kind| kind.is_float() && kind.bits() == 8)
}

/// Returns the bits of the key with the extreme that a subgroup finds before its ballot.
///
/// IREE finds an extreme if the comparator compares the same key of both values. It is none if
/// lanes exchange pairs instead, which is correct for every order.
pub(super) fn ballot_bits(arg_compare: &ArgCompare) -> Option<u32> {
    match &arg_compare.comparator.order().class {
        Class::Extreme(extreme) if extreme.nan == NanBehaviour::Loses => {
            Some(extreme.key.type_of(extreme.key.result()).bits())
        }
        Class::Extreme(_) | Class::Pair => None,
    }
}

/// Returns the largest number of lanes on the reduced dimension (rule 4).
pub(crate) fn most_lanes(problem: &Problem, subgroup_size: u32) -> u32 {
    // Lanes exchange the accumulators of a fold and the keys of a ballot.
    let exchanged = match problem.reduction.accumulator() {
        Some(accumulator) => Some(accumulator.bits()),
        None => problem.arg_compare().and_then(ballot_bits),
    };
    match exchanged {
        Some(8) => subgroup_size / 2,
        _ => subgroup_size,
    }
}
