//! Rule 0: which targets, comparators and options the rules were found for.

use super::super::{Rejection, ensure};
use super::exact_operations::is_established;
use super::{fold_support, row_kernel};
use crate::comparator::order::{Class, NanBehaviour};
use crate::comparator::{Comparator, Opcode, RegionOperation};
use crate::{ArgCompare, ElementType, IndexType, Initial, Problem, Target};

/// Versions of iree-compile that the rules were found with, by what they begin with. With another one a configuration that is
/// legal may fail or be wrong, which its trial tells, and is provenance of another compiler; who tunes is warned.
pub const RULES_OF: [&str; 1] = ["3.13.0"];

/// Whether the rules were found with this version of iree-compile, such as `3.13.0rc20261016`.
pub fn supports_version(version: &str) -> bool {
    // `3.13.01` is another.
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    RULES_OF
        .iter()
        .any(|of| version.strip_prefix(of).is_some_and(is_end))
}

/// What IREE's kernels have on a target.
#[derive(Debug)]
pub(super) struct TargetFacts {
    target: &'static str,
    /// Registers that a lane can have at most: LLVM's `getAddressableNumVGPRs`. Of gfx90a and later those for
    /// accumulators are among them.
    pub(super) most_registers: u32,
    /// SIMDs over which the subgroups of a workgroup are spread: all of a compute unit, and of RDNA those of two, as LLVM
    /// compiles for WGP mode (`.workgroup_processor_mode: 1` in what iree-compile writes).
    pub(super) simds: u32,
    /// Floats of 8 bits that its instructions convert. With the others iree-compile ends with "types are not supported".
    floats_of_8_bits: &'static [ElementType],
}

const OCP: &[ElementType] = &[ElementType::F8E4M3FN, ElementType::F8E5M2];
const FNUZ: &[ElementType] = &[ElementType::F8E4M3FNUZ, ElementType::F8E5M2FNUZ];

/// The targets whose rules were found, by `bench-harness/tests/iree_campaign`. iree-compile 3.13.0 takes neither gfx906 nor
/// gfx1030: "Unknown ROCM target".
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
    /// Of a target that rule 0 takes.
    pub(super) fn of(target: &Target) -> Option<&'static TargetFacts> {
        TAKEN.iter().find(|row| row.target == target.name)
    }
}

/// Rule 0.
pub(crate) fn check_problem(problem: &Problem, target: &Target) -> Result<(), Rejection> {
    let reduction = (problem.arg_compare(), problem.reduction.fold());
    if let (None, None) = reduction {
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
    match reduction {
        (Some(arg_compare), _) => check_arg_compare(problem, arg_compare, target, facts),
        (None, Some(fold)) => fold_support::check(problem, fold),
        (None, None) => Ok(()),
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

/// Whether an operation computes with floats of 8 bits, or makes one. They can be compared, chosen and extended.
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

/// Bits of the key whose extreme a subgroup looks for, and then by a ballot the lane that has it; `None` where the lanes
/// exchange pairs instead, each with each other's, which is right for any order.
///
/// IREE looks for an extreme where the comparator is a comparison of the same key of both values.
pub(super) fn ballot_bits(arg_compare: &ArgCompare) -> Option<u32> {
    match &arg_compare.comparator.order().class {
        Class::Extreme(extreme) if extreme.nan == NanBehaviour::Loses => {
            Some(extreme.key.type_of(extreme.key.result()).bits())
        }
        Class::Extreme(_) | Class::Pair => None,
    }
}

/// Most lanes on the reduced dimension (rule 4).
pub(crate) fn most_lanes(problem: &Problem, subgroup_size: u32) -> u32 {
    let exchanged = match problem.reduction.fold() {
        Some(fold) => Some(fold.accumulator().bits()),
        None => problem.arg_compare().and_then(ballot_bits),
    };
    match exchanged {
        Some(8) => subgroup_size / 2,
        _ => subgroup_size,
    }
}
