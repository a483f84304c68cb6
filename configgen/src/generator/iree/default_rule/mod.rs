//! IREE 3.13.0's choice: a row distributed over a workgroup, or the fallback.
//!
//! The gain of a tuned configuration is relative to this one. IREE's rule needs a reduced size
//! that is a multiple of the subgroup size. Otherwise IREE falls back to its TileAndFuse
//! pipeline, in which one thread computes one output. The tests contain iree-compile's choices
//! for 60 problems. IREE's rule may choose a configuration that IREE cannot compile, or that it
//! miscompiles (rule 5 of [`super::legality`]).

mod generic;
mod product;

use super::legality::check_problem;
use crate::legality::Rejection;
use crate::{
    Basis, Configuration, Knobs, LoweringConfig, Pipeline, Problem, Target, TileAndFuse, Tiles,
};

/// Returns IREE's choice for `problem`; see [`crate::default_configuration`].
pub(crate) fn iree_default(problem: &Problem, target: &Target) -> Result<Pipeline, Rejection> {
    check_problem(problem, target)?;
    // IREE does not multiply a size that it does not know into the number of rows.
    let rows = match problem.shape.counts() {
        Some(_) => 1,
        None => problem.shape.rows(),
    };
    // IREE distributes no row of a generic if the outermost dimension is reduced and others
    // follow.
    let is_transposed = problem.reduction.accumulator().is_some()
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
        None => Pipeline::TileAndFuse(match problem.index_of_own() {
            Some(_) => tile_and_fuse(problem, target),
            None => generic::tile_and_fuse(problem, target),
        }),
    })
}

/// Returns IREE's fallback: two subgroups' threads on the parallel dimensions, innermost first.
///
/// A dimension gets threads if it divides the remaining number or is a multiple of it. Other
/// dimensions get a tile of 1.
pub(crate) fn tile_and_fuse(problem: &Problem, target: &Target) -> TileAndFuse {
    let shape = &problem.shape;
    let subgroup_size = target.subgroup_sizes[0];
    let most = 2 * subgroup_size;
    let mut left = most;
    let mut workgroup: Tiles = shape.sizes().iter().map(|_| 0).collect();
    for d in (0..shape.rank()).rev().filter(|&d| !shape.is_reduced(d)) {
        let size = shape.sizes()[d];
        workgroup[d] = match left {
            // An open count gets a tile of 1, because IREE does not know a divisor.
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

/// A row of a problem with one reduced dimension, distributed over a workgroup's lanes and
/// subgroups.
struct Distribution {
    subgroup_size: u32,
    thread: u32,
    lanes: u32,
    subgroups: u32,
    partial_reduction: u32,
    threads: u32,
}

/// Returns IREE's rule for reductions of `rows` rows, or none if IREE falls back.
///
/// IREE's own rule knows one reduced dimension; here it applies to the innermost. A workgroup has
/// one subgroup if the rows fill the device.
fn distribute(problem: &Problem, target: &Target, mut rows: u64) -> Option<Distribution> {
    let size = problem.shape.sizes()[problem.shape.innermost(true)?];
    let subgroup_size = *target
        .subgroup_sizes
        .iter()
        .find(|&&s| size.is_multiple_of(s))?;
    // A load of 128 bits, or less if otherwise some lanes of a subgroup had none.
    let mut thread = 128 / widest_bits(problem);
    while !(size / thread).is_multiple_of(subgroup_size) {
        thread /= 2;
    }
    let most = match rows > u64::from(target.iree_wgp_count) * 4 {
        true => target.subgroup_sizes[0],
        false => 1024,
    };
    let mut threads = size / thread;
    // The threads must divide the loads of a row, hence the gcd.
    if threads > most {
        threads = gcd(threads, most);
    }
    // Many rows fill the device by themselves, so a workgroup has fewer threads with more steps
    // each.
    while rows > 256
        && (threads / 2).is_multiple_of(subgroup_size)
        && u64::from(size) / (u64::from(threads) * u64::from(thread)) < 8
    {
        threads /= 2;
        rows /= 2;
    }
    let partial_reduction = gcd(threads * thread, size);
    // IREE leaves lanes idle rather than let a step end within a lane's load.
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

/// Returns the bits of an element of the largest operand or result; of equally large ones, the
/// most.
///
/// f64 counts as 64 bits: iree-compile runs with `--iree-input-demote-f64-to-f32=false`, because
/// it would compute in f32 otherwise.
fn widest_bits(problem: &Problem) -> u32 {
    let shape = &problem.shape;
    let operands = problem.operands().into_iter();
    let operands = operands.filter(|it| it.map.elements(shape) == shape.elements());
    let operands = operands.map(|it| it.scalar.bytes() * 8);
    let element = operands.fold(problem.element.bytes() * 8, u32::max);
    match problem.shape.reduced_size() {
        // Results are as large as the input only if a row has one element.
        1 => {
            let results = problem.results();
            let bits = results.iter().map(|tensor| tensor.scalar.bytes() * 8);
            bits.fold(element, u32::max)
        }
        _ => element,
    }
}

/// Returns the greatest common divisor.
fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Distribution {
    /// Returns the configuration of `problem` for this distribution.
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
