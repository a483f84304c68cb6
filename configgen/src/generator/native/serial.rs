//! Rule N1 of native kernels: serial reductions, with one lane for all elements of a row.
//!
//! A comparator that orders nothing has a result that depends on the order of the elements. The
//! results of pieces of a row cannot be combined, and an element that is taken twice may count
//! twice.

use crate::legality::{Axis, Rejection, ensure};
use crate::{Configuration, Problem};

/// Checks rule N1.
///
/// `reduced` has the reduced dimensions, outermost first, each with its number.
pub(super) fn check(
    problem: &Problem,
    configuration: &Configuration,
    reduced: &[(usize, Axis)],
) -> Result<(), Rejection> {
    if !problem.reduction.is_serial() {
        return Ok(());
    }
    let split = configuration.knobs.split;
    ensure(split == 1, "N1", || {
        let why = problem.reduction.why_serial();
        format!("{why}, so one workgroup takes a row, but split is {split}")
    })?;
    for (number, (d, axis)) in reduced.iter().enumerate() {
        let Axis {
            size,
            tile,
            subgroups,
            lanes,
            thread,
        } = *axis;
        ensure(subgroups == 1 && lanes == 1, "N1", || {
            let why = problem.reduction.why_serial();
            format!(
                "{why}, so one lane takes a row, but the reduced dimension {d} has {subgroups} subgroups x {lanes} \
                 lanes"
            )
        })?;
        ensure(tile <= size, "N1", || {
            let why = problem.reduction.why_serial();
            format!(
                "{why}, so each element is taken once, but partial_reduction {tile} on dimension {d} is more than \
                 the size {size}"
            )
        })?;
        // Several elements along an outer dimension keep the order only if the tile has all inner
        // ones.
        let cut = (reduced[number + 1..].iter()).find(|(_, inner)| inner.thread != inner.size);
        let Some((inner, part)) = cut.filter(|_| thread > 1) else {
            continue;
        };
        return ensure(false, "N1", || {
            let (why, part, all) = (problem.reduction.why_serial(), part.thread, part.size);
            format!(
                "{why}, so elements are taken in order, but the thread tile on dimension {d} is {thread}, not 1, and \
                 that on dimension {inner} after it is {part}, not the size {all}"
            )
        });
    }
    Ok(())
}
