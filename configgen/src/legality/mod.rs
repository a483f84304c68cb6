//! Legality: which configurations a generator can build, as numbered rules.
//!
//! The rules of a generator are listed, by number, in the documentation of its module: [`native`]
//! (N1 to N18) and [`iree`]. A [`Rejection`] names the first rule that is broken and the numbers
//! that break it. The contract: what [`check`] accepts compiles with that generator, and its kernel
//! is right; and `check` neither panics nor overflows, whatever the numbers.
//!
//! Legality knows nothing of time: a legal configuration may be slow.

pub mod iree;
pub mod knobs;
pub mod native;
mod serial;
pub(crate) mod summation_limit;

use crate::{Basis, Configuration, Generator, Problem, Target};

/// The rule that a configuration or a problem breaks, and the numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rule {rule}: {message}")]
pub struct Rejection {
    /// The number of the rule in the documentation of the generator's module, such as `N7`.
    pub rule: &'static str,
    /// What is wrong, with the numbers.
    pub message: String,
}

/// Whether `generator` can build `configuration` for `problem` on `target`.
pub fn check(
    problem: &Problem,
    target: &Target,
    generator: Generator,
    configuration: &Configuration,
) -> Result<(), Rejection> {
    generator.check(problem, target, configuration)
}

/// Whether `generator` takes `problem` on `target` at all: the rules that no configuration can change.
pub fn check_problem(
    problem: &Problem,
    target: &Target,
    generator: Generator,
) -> Result<(), Rejection> {
    generator.check_problem(problem, target)
}

/// Rejects by `rule` unless `holds`.
fn ensure(
    holds: bool,
    rule: &'static str,
    message: impl FnOnce() -> String,
) -> Result<(), Rejection> {
    if holds {
        return Ok(());
    }
    let message = message();
    Err(Rejection { rule, message })
}

/// What a configuration says of one dimension; 1 stands for what is absent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    /// Elements of the problem.
    pub(crate) size: u64,
    /// Elements of the workgroup's tile.
    pub(crate) tile: u64,
    /// Subgroups.
    pub(crate) subgroups: u64,
    /// Lanes of a subgroup.
    pub(crate) lanes: u64,
    /// Consecutive elements of a thread.
    pub(crate) thread: u64,
}

impl Axis {
    /// Dimension `d`, whose tile is `tile`. The lists of `configuration` have an entry `d`.
    fn new(problem: &Problem, configuration: &Configuration, d: usize, tile: u32) -> Axis {
        let lowering = &configuration.lowering;
        Axis {
            size: u64::from(problem.shape.sizes()[d]),
            tile: u64::from(tile),
            subgroups: u64::from(lowering.subgroup_basis.count_along(d)),
            lanes: u64::from(lowering.lane_basis.count_along(d)),
            thread: u64::from(lowering.thread[d].max(1)),
        }
    }

    /// The smallest tile that gives every thread an element: subgroups x lanes x thread. It saturates.
    fn unit(&self) -> u64 {
        self.subgroups
            .saturating_mul(self.lanes)
            .saturating_mul(self.thread)
    }

    /// "2 subgroups x 64 lanes x 4 elements = 512".
    fn unit_text(&self) -> String {
        let Axis {
            subgroups,
            lanes,
            thread,
            ..
        } = self;
        let unit = self.unit();
        format!("{subgroups} subgroups x {lanes} lanes x {thread} elements = {unit}")
    }
}

/// Whether every list of the lowering configuration has `rank` entries and the bases name each dimension once.
fn check_lists(
    rank: usize,
    configuration: &Configuration,
    rule: &'static str,
) -> Result<(), Rejection> {
    let lowering = &configuration.lowering;
    let lists = [
        ("workgroup", &lowering.workgroup),
        ("partial_reduction", &lowering.partial_reduction),
        ("thread", &lowering.thread),
    ];
    for (name, list) in lists {
        ensure(list.len() == rank, rule, || {
            let entries = list.len();
            format!("{name} has {entries} entries; the problem has {rank} dimensions")
        })?;
    }
    let bases = [
        ("lane_basis", &lowering.lane_basis),
        ("subgroup_basis", &lowering.subgroup_basis),
    ];
    for (name, basis) in bases {
        ensure(basis.is_permutation(rank), rule, || {
            let Basis { counts, mapping } = basis;
            format!(
                "{name} [{counts:?}, {mapping:?}] does not name each of the {rank} dimensions once"
            )
        })?;
    }
    Ok(())
}
