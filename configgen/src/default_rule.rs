//! The default: the configuration that IREE 3.13.0 chooses when nobody says anything, and its native counterpart.
//!
//! A tuned configuration is worth what it gains over this one. IREE's rule needs a reduced size that is a multiple of
//! the subgroup size; otherwise IREE falls back to its TileAndFuse pipeline, where one thread computes one output. The
//! tests hold what iree-compile chose for 53 problems. The rule may well choose what IREE itself then cannot compile,
//! or what it compiles wrongly (rule 5 of [`crate::legality::iree`]).

use std::fmt;

use arrayvec::ArrayVec;

use crate::legality::{Rejection, check_problem};
use crate::{
    Basis, Configuration, Generator, Knobs, LoweringConfig, MAX_RANK, Problem, Target, Tiles,
    legality,
};

/// What a generator does when it is given no configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefaultConfiguration {
    /// The reduction is distributed over lanes as this configuration says.
    VectorDistribute(Configuration),
    /// IREE's fallback: each thread computes whole outputs, one after the other.
    TileAndFuse(TileAndFuse),
}

/// IREE's fallback pipeline: each thread of a workgroup's tile computes one output; further threads do nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileAndFuse {
    /// Tile of one workgroup on the parallel dimensions; 0 on reduced ones.
    pub workgroup: Tiles,
    /// Threads of a workgroup along x, y and z.
    pub workgroup_size: [u32; 3],
}

impl fmt::Display for TileAndFuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "TileAndFuse: one thread per output, workgroup = {:?}, workgroup_size = {:?}",
            self.workgroup, self.workgroup_size
        )
    }
}

impl DefaultConfiguration {
    /// The configuration, where there is one.
    pub fn configuration(&self) -> Option<&Configuration> {
        match self {
            DefaultConfiguration::VectorDistribute(configuration) => Some(configuration),
            DefaultConfiguration::TileAndFuse(_) => None,
        }
    }
}

/// What `generator` does with `problem` on `target` when it is given no configuration.
///
/// For [`Generator::Native`] the answer is a legal configuration; for [`Generator::Iree`] it is what IREE chooses, legal or
/// not. A problem that the generator does not take is rejected.
pub fn default_configuration(
    problem: &Problem,
    target: &Target,
    generator: Generator,
) -> Result<DefaultConfiguration, Rejection> {
    match generator {
        Generator::Native => {
            native_default(problem, target).map(DefaultConfiguration::VectorDistribute)
        }
        Generator::Iree => iree_default(problem, target),
    }
}

/// The native configuration closest to IREE's default; see [`default_configuration`].
///
/// Where IREE distributes a row over lanes it is IREE's configuration, with the number of subgroups rounded down to a
/// power of two. Where IREE gives each output a thread, lanes lie on rows, in workgroups of IREE's size, and a step is
/// as long as native kernels unroll: IREE unrolls the whole row. So they do where elements have to be taken one by one.
/// Any other single row lies on one subgroup, one element a lane and step: one thread would take too long for
/// everything.
pub fn native_default(problem: &Problem, target: &Target) -> Result<Configuration, Rejection> {
    check_problem(problem, target, Generator::Native)?;
    let configuration = match distribute(problem, target) {
        _ if problem.is_serial() => lanes_on_rows(problem, target),
        Some(rule) => {
            let subgroups = 1 << rule.subgroups.ilog2();
            Distribution {
                subgroups,
                partial_reduction: subgroups * rule.lanes * rule.thread,
                threads: subgroups * rule.lanes,
                ..rule
            }
            .configuration(problem)
        }
        None if problem.shape.parallel().next().is_none() => {
            one_subgroup(target).configuration(problem)
        }
        None => lanes_on_rows(problem, target),
    };
    legality::check(problem, target, Generator::Native, &configuration)?;
    Ok(configuration)
}

/// One subgroup, one element a lane.
fn one_subgroup(target: &Target) -> Distribution {
    let size = target.subgroup_sizes[0];
    Distribution {
        subgroup_size: size,
        thread: 1,
        lanes: size,
        subgroups: 1,
        partial_reduction: size,
        threads: size,
    }
}

/// One lane per row, in workgroups of as many threads as IREE's fallback has, but for subgroups without a row. Without a
/// parallel dimension all lanes have the only row.
fn lanes_on_rows(problem: &Problem, target: &Target) -> Configuration {
    let shape = &problem.shape;
    let subgroup_size = target.subgroup_sizes[0];
    let fallback = tile_and_fuse(problem);
    let [threads, ..] = fallback.workgroup_size;
    let outputs: u32 = fallback
        .workgroup
        .iter()
        .filter(|&&tile| tile > 0)
        .product();
    // Where the outputs do not fill the threads, the innermost rows are repeated.
    let mut repeats = threads / outputs;
    let mut left = subgroup_size;
    let identity: ArrayVec<u8, MAX_RANK> = (0u8..).take(shape.rank()).collect();
    let ones: Tiles = (0..shape.rank()).map(|_| 1).collect();
    let zeros: Tiles = (0..shape.rank()).map(|_| 0).collect();
    let (mut lanes, mut subgroups) = (ones.clone(), ones);
    let (mut workgroup, mut partial_reduction, mut thread) = (zeros.clone(), zeros.clone(), zeros);
    for d in (0..shape.rank()).rev().filter(|&d| !shape.is_reduced(d)) {
        let tile = fallback.workgroup[d] * repeats;
        repeats = 1;
        lanes[d] = tile.min(left);
        left /= lanes[d];
        // A subgroup has a row to begin with.
        let rows = shape.sizes()[d].div_ceil(lanes[d]);
        subgroups[d] = (tile / lanes[d]).min(1 << rows.ilog2());
        workgroup[d] = lanes[d] * subgroups[d];
    }
    let columns = shape.innermost(true);
    for d in shape.reduced() {
        partial_reduction[d] = match Some(d) == columns {
            true => shape.sizes()[d].min(legality::native::max_elements_per_thread(problem)),
            false => 1,
        };
        thread[d] = 1;
    }
    let threads = subgroup_size * subgroups.iter().product::<u32>();
    let basis = |counts| Basis {
        counts,
        mapping: identity.clone(),
    };
    Configuration {
        lowering: LoweringConfig {
            workgroup,
            partial_reduction,
            thread,
            lane_basis: basis(lanes),
            subgroup_basis: basis(subgroups),
        },
        subgroup_size,
        workgroup_size: [threads, 1, 1],
        knobs: Knobs::DEFAULT,
    }
}

/// What IREE chooses for `problem`; see [`default_configuration`].
fn iree_default(problem: &Problem, target: &Target) -> Result<DefaultConfiguration, Rejection> {
    check_problem(problem, target, Generator::Iree)?;
    Ok(match distribute(problem, target) {
        Some(rule) => DefaultConfiguration::VectorDistribute(rule.configuration(problem)),
        None => DefaultConfiguration::TileAndFuse(tile_and_fuse(problem)),
    })
}

/// IREE's fallback: 128 threads are handed to the parallel dimensions, innermost first, wherever a dimension divides
/// what is left or is divided by it; other dimensions get a tile of 1.
fn tile_and_fuse(problem: &Problem) -> TileAndFuse {
    let shape = &problem.shape;
    let mut left = 128u32;
    let mut workgroup: Tiles = shape.sizes().iter().map(|_| 0).collect();
    for d in (0..shape.rank()).rev().filter(|&d| !shape.is_reduced(d)) {
        let size = shape.sizes()[d];
        workgroup[d] = match left {
            left if left.is_multiple_of(size) => size,
            left if size.is_multiple_of(left) => left,
            _ => 1,
        };
        left /= workgroup[d];
    }
    let outputs = 128 / left;
    let threads = match shape.parallel().next() {
        None => 1,
        Some(_) if outputs <= 64 => 64,
        Some(_) => 128,
    };
    TileAndFuse {
        workgroup,
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

/// IREE's rule for reductions; `None` where it falls back. Of several reduced dimensions, which IREE does not have, it is
/// applied to the innermost.
fn distribute(problem: &Problem, target: &Target) -> Option<Distribution> {
    let size = problem.shape.sizes()[problem.shape.innermost(true)?];
    let mut rows = problem.shape.rows();
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
        true => 64,
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
    let element = problem.element.bits();
    match problem.shape.reduced_size() {
        1 => element.max(problem.index.bits()),
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
        let basis = |count| Basis {
            counts: along(count, 1, 1),
            mapping: (0u8..).take(shape.rank()).collect(),
        };
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
