//! Rules N13 to N15 and N17 of native kernels: the knobs.

use crate::legality::{Axis, Rejection, ensure};
use crate::{Accumulators, Configuration, Problem, Target};

/// Checks rules N13 to N15 and N17.
///
/// `reduced` has the reduced dimensions, outermost first, each with its number.
pub(super) fn check(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
    reduced: &[(usize, Axis)],
) -> Result<(), Rejection> {
    check_split(problem, configuration)?;
    check_together(problem, target, configuration)?;
    check_lazy_index(problem, configuration, reduced)?;
    check_accumulators(problem, configuration, reduced)
}

/// Returns the dimension that is split, and its number of steps.
///
/// This is the reduced dimension with most steps, and the outermost of several. The lists of
/// `configuration` must fit the problem. A map returns dimension 0 with one step.
pub fn split_dimension(problem: &Problem, configuration: &Configuration) -> (usize, u32) {
    let steps = |d: usize| {
        let tile = configuration.lowering.partial_reduction[d].max(1);
        problem.shape.sizes()[d].div_ceil(tile)
    };
    let all = problem.shape.reduced().map(|d| (d, steps(d)));
    let most = all.reduce(|most, next| if next.1 > most.1 { next } else { most });
    most.unwrap_or((0, 1))
}

/// Checks rule N13.
fn check_split(problem: &Problem, configuration: &Configuration) -> Result<(), Rejection> {
    let (split, lanes) = (configuration.knobs.split, configuration.subgroup_size);
    ensure(split.is_power_of_two() && split <= lanes, "N13", || {
        format!("split is {split}, not a power of two of at most {lanes}, the subgroup size")
    })?;
    let (d, steps) = split_dimension(problem, configuration);
    let most = steps.next_power_of_two();
    ensure(split <= most, "N13", || {
        format!(
            "split is {split}, more than {most}; no reduced dimension has more than the {steps} steps of dimension {d}"
        )
    })
}

/// Returns the largest number of workgroups that may share a row (rule N17).
pub(crate) fn max_workgroups_per_row(problem: &Problem, target: &Target) -> u32 {
    match problem.reduction.uses_rows_again() {
        true => target.workgroups_together(),
        false => u32::MAX,
    }
}

/// Checks rule N17.
fn check_together(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> Result<(), Rejection> {
    let (split, most) = (
        configuration.knobs.split,
        max_workgroups_per_row(problem, target),
    );
    ensure(split <= most, "N17", || {
        format!(
            "split is {split}: that many workgroups would wait for each other, and a {target} device holds only \
             {most}"
        )
    })
}

/// Checks rule N14.
fn check_lazy_index(
    problem: &Problem,
    configuration: &Configuration,
    reduced: &[(usize, Axis)],
) -> Result<(), Rejection> {
    if !configuration.knobs.lazy_index {
        return Ok(());
    }
    ensure(problem.reduction.finds_element(), "N14", || {
        let name = problem.reduction.name();
        format!("lazy_index is set, but {name} does not find an extreme of the elements themselves")
    })?;
    let is_stepped = |(_, axis): &&(usize, Axis)| axis.size > axis.tile;
    let stepped: Vec<usize> = (reduced.iter().filter(is_stepped))
        .map(|(d, _)| *d)
        .collect();
    ensure(stepped.len() <= 1, "N14", || {
        format!("with lazy_index one reduced dimension may take several steps; {stepped:?} do")
    })?;
    // An outer dimension advances more slowly, so several elements along it would break the
    // order.
    let outer = |(d, _): &&(usize, Axis)| stepped.iter().any(|stepped| d < stepped);
    for (d, axis) in reduced.iter().filter(outer) {
        let thread = axis.thread.min(axis.size);
        ensure(thread == 1, "N14", || {
            format!(
                "with lazy_index the thread tile on dimension {d} is {thread}; it must be 1, because dimension \
                 {stepped:?} after it takes several steps"
            )
        })?;
    }
    Ok(())
}

/// Checks rule N15.
fn check_accumulators(
    problem: &Problem,
    configuration: &Configuration,
    reduced: &[(usize, Axis)],
) -> Result<(), Rejection> {
    if configuration.knobs.accumulators == Accumulators::Vector {
        return Ok(());
    }
    ensure(
        reduced.iter().any(|(_, axis)| axis.thread > 1),
        "N15",
        || {
            "one accumulator, but no reduced dimension has a thread tile larger than 1: leave `accumulators` out"
            .to_owned()
        },
    )?;
    ensure(!problem.reduction.is_serial(), "N15", || {
        let name = problem.reduction.name();
        format!("{name} has one accumulator anyway: leave `accumulators` out")
    })?;
    ensure(!configuration.knobs.lazy_index, "N15", || {
        "one accumulator with lazy_index, which accumulates only one step: leave `accumulators` out"
            .to_owned()
    })?;
    let is_cut = |(_, axis): &&(usize, Axis)| axis.tile > axis.unit() || axis.size > axis.tile;
    // One accumulator takes elements in order only if everything inside of the thread tile is one
    // batch.
    for (number, (d, axis)) in reduced.iter().enumerate() {
        let thread = axis.thread.min(axis.size);
        let cut = reduced[number + 1..].iter().find(is_cut);
        if let Some((inner, _)) = cut.filter(|_| thread > 1) {
            return ensure(false, "N15", || {
                format!(
                    "one accumulator, but the thread tile on dimension {d} is {thread}; it must be 1, because \
                     dimension {inner} after it takes several steps or batches"
                )
            });
        }
    }
    Ok(())
}
