//! What IREE 3.13.0 chooses: a distribution of one row over a workgroup, or its fallback.

use super::{Pipeline, TileAndFuse, generic, product};
use crate::legality::{Rejection, check_problem};
use crate::{Basis, Configuration, Generator, Knobs, LoweringConfig, Problem, Target, Tiles};

/// What IREE chooses for `problem`; see [`crate::default_configuration`].
pub(crate) fn iree_default(problem: &Problem, target: &Target) -> Result<Pipeline, Rejection> {
    check_problem(problem, target, Generator::IREE)?;
    // Of a product with a size that it does not know IREE makes no number.
    let rows = match problem.shape.counts() {
        Some(_) => 1,
        None => problem.shape.rows(),
    };
    // Of a generic whose outermost dimension is reduced, and another follows, no row is distributed.
    let is_transposed = problem.reduction.fold().is_some()
        && problem.shape.is_reduced(0)
        && problem.shape.rank() > 1;
    let rule = match is_transposed {
        true => None,
        false => distribute(problem, target, rows),
    };
    Ok(match rule {
        Some(rule) => {
            let mut configuration = rule.configuration(problem);
            if let Some((d, rows)) = product::shared_rows(problem, rule.threads) {
                configuration.lowering.workgroup[d] = rows;
            }
            Pipeline::VectorDistribute(configuration)
        }
        None => Pipeline::TileAndFuse(match problem.arg_compare() {
            Some(_) => tile_and_fuse(problem, target),
            None => generic::tile_and_fuse(problem, target),
        }),
    })
}

/// IREE's fallback: the threads of two subgroups are handed to the parallel dimensions, innermost first, wherever a dimension
/// divides what is left or is divided by it; other dimensions get a tile of 1.
pub(super) fn tile_and_fuse(problem: &Problem, target: &Target) -> TileAndFuse {
    let shape = &problem.shape;
    let subgroup_size = target.subgroup_sizes[0];
    let most = 2 * subgroup_size;
    let mut left = most;
    let mut workgroup: Tiles = shape.sizes().iter().map(|_| 0).collect();
    for d in (0..shape.rank()).rev().filter(|&d| !shape.is_reduced(d)) {
        let size = shape.sizes()[d];
        workgroup[d] = match left {
            _ if shape.is_counted(d) => 1,
            left if left.is_multiple_of(size) => size,
            left if size.is_multiple_of(left) => left,
            _ => 1,
        };
        left /= workgroup[d];
    }
    let outputs = most / left;
    let threads = match shape.parallel().next() {
        None => 1,
        Some(_) if outputs <= subgroup_size => subgroup_size,
        Some(_) => most,
    };
    TileAndFuse {
        workgroup,
        subgroup_size,
        workgroup_size: [threads, 1, 1],
    }
}

/// A row of a problem with one reduced dimension on the lanes and subgroups of a workgroup; one row a workgroup.
struct Distribution {
    subgroup_size: u32,
    thread: u32,
    lanes: u32,
    subgroups: u32,
    partial_reduction: u32,
    threads: u32,
}

/// IREE's rule for reductions of so many rows; `None` where it falls back. Of several reduced
/// dimensions, which IREE does not have, it is applied to the innermost. Where there are so many
/// rows that they fill the device a workgroup has one subgroup.
fn distribute(problem: &Problem, target: &Target, mut rows: u64) -> Option<Distribution> {
    let size = problem.shape.sizes()[problem.shape.innermost(true)?];
    let subgroup_size = *target
        .subgroup_sizes
        .iter()
        .find(|&&s| size.is_multiple_of(s))?;
    // A load of 128 bits, as far as every lane of a subgroup then has one.
    let mut thread = 128 / widest_bits(problem);
    while !(size / thread).is_multiple_of(subgroup_size) {
        thread /= 2;
    }
    let most = match rows > u64::from(target.iree_wgp_count) * 4 {
        true => target.subgroup_sizes[0],
        false => 1024,
    };
    let mut threads = size / thread;
    if threads > most {
        threads = gcd(threads, most);
    }
    // Many rows fill the device by themselves: fewer threads, each with more steps.
    while rows > 256
        && (threads / 2).is_multiple_of(subgroup_size)
        && u64::from(size) / (u64::from(threads) * u64::from(thread)) < 8
    {
        threads /= 2;
        rows /= 2;
    }
    let partial_reduction = gcd(threads * thread, size);
    let mut lanes = subgroup_size;
    while !partial_reduction.is_multiple_of(lanes * thread) {
        lanes /= 2;
    }
    Some(Distribution {
        subgroup_size,
        thread,
        lanes,
        subgroups: (partial_reduction / (lanes * thread)).max(1),
        partial_reduction,
        threads,
    })
}

/// Bits of an element of the largest operand or result; of equally large ones, the most.
///
/// f64 counts as 64: iree-compile is run with `--iree-input-demote-f64-to-f32=false`, as otherwise it computes in f32.
fn widest_bits(problem: &Problem) -> u32 {
    let shape = &problem.shape;
    let operands = problem.operands().into_iter();
    let operands = operands.filter(|it| it.map.elements(shape) == shape.elements());
    let operands = operands.map(|it| it.scalar.bytes() * 8);
    let element = operands.fold(problem.element.bytes() * 8, u32::max);
    match problem.shape.reduced_size() {
        1 => {
            let results = problem.results();
            let bits = results.iter().map(|tensor| tensor.scalar.bytes() * 8);
            bits.fold(element, u32::max)
        }
        _ => element,
    }
}

/// Greatest common divisor.
fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Distribution {
    /// The configuration of `problem` that says so.
    fn configuration(&self, problem: &Problem) -> Configuration {
        let shape = &problem.shape;
        let columns = shape.innermost(true);
        let along = |columns_entry: u32, reduced: u32, parallel: u32| -> Tiles {
            let entry = |d| match d {
                d if Some(d) == columns => columns_entry,
                d if shape.is_reduced(d) => reduced,
                _ => parallel,
            };
            (0..shape.rank()).map(entry).collect()
        };
        let basis = |count| Basis::in_order(along(count, 1, 1));
        Configuration {
            lowering: LoweringConfig {
                workgroup: along(0, 0, 1),
                partial_reduction: along(self.partial_reduction, 1, 0),
                thread: along(self.thread, 1, 0),
                lane_basis: basis(self.lanes),
                subgroup_basis: basis(self.subgroups),
            },
            subgroup_size: self.subgroup_size,
            workgroup_size: [self.threads, 1, 1],
            knobs: Knobs::DEFAULT,
        }
    }
}
