//! Legality: numbered rules for the configurations that a generator can build.
//!
//! The documentation of a generator's rules lists them by number:
//! [`native`](crate::generator::native::legality) (N1 to N18) and
//! [`iree`](crate::generator::iree::legality). A [`Rejection`] names the first broken rule and
//! the numbers that break it. The contract has two parts:
//!
//! - A configuration that [`check`](crate::check) accepts compiles with that generator to a
//!   correct kernel.
//! - `check` neither panics nor overflows for any numbers.
//!
//! Legality ignores time: a legal configuration may be slow.

use crate::{Basis, Configuration, Problem};

/// The rule that a configuration or a problem breaks, with the numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rule {rule}: {message}")]
pub struct Rejection {
    /// The number of the rule in the documentation of the generator's module, such as `N7`.
    pub rule: &'static str,
    /// The fault, with the numbers.
    pub message: String,
}

/// Rejects by `rule` unless `holds`.
pub(crate) fn ensure(
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

/// The part of a configuration that concerns one dimension; 1 replaces an absent entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    /// The elements of the problem.
    pub(crate) size: u64,
    /// The elements of the workgroup's tile.
    pub(crate) tile: u64,
    /// The subgroups.
    pub(crate) subgroups: u64,
    /// The lanes of a subgroup.
    pub(crate) lanes: u64,
    /// The consecutive elements of a thread.
    pub(crate) thread: u64,
}

impl Axis {
    /// Creates the axis of dimension `d` with this tile. The lists of `configuration` have an
    /// entry `d`.
    pub(crate) fn new(
        problem: &Problem,
        configuration: &Configuration,
        d: usize,
        tile: u32,
    ) -> Axis {
        let lowering = &configuration.lowering;
        Axis {
            size: u64::from(problem.shape.sizes()[d]),
            tile: u64::from(tile),
            subgroups: u64::from(lowering.subgroup_basis.count_along(d)),
            lanes: u64::from(lowering.lane_basis.count_along(d)),
            thread: u64::from(lowering.thread[d].max(1)),
        }
    }

    /// Returns the smallest tile that gives every thread an element, saturating.
    ///
    /// It is subgroups x lanes x thread.
    pub(crate) fn unit(&self) -> u64 {
        self.subgroups
            .saturating_mul(self.lanes)
            .saturating_mul(self.thread)
    }

    /// Returns "2 subgroups x 64 lanes x 4 elements = 512".
    pub(crate) fn unit_text(&self) -> String {
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

/// Checks that every list has `rank` entries and that the bases name each dimension once.
pub(crate) fn check_lists(
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
