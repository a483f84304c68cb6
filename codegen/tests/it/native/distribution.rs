//! Problems of every rank with reduced dimensions anywhere, under random configurations from all
//! legal ones.

use codegen::native::Native;
use configgen::{
    Accumulators, Basis, Configuration, Generator, Knobs, LoweringConfig, Problem, TARGETS, Target,
    Tiles, check,
};
use testing::Failed;

use crate::native::inputs::Random;
use crate::native::{check_kernels, hip, target};

/// The problems by rank. In each rank the reduced dimension is first, in the middle, last, and
/// several are reduced. There are prime sizes, sizes of one, sizes below and above any tile, gaps
/// between rows, and counts known only at launch.
const PROBLEMS: [&str; 40] = [
    "argmax:[33]x4xf32",
    "argmin:[5]x300xf16",
    "argmax:[1000]x7xbf16",
    "argmin:[130]x65xi32",
    "argmax:[3]x[5]xf32",
    "argmin:[37]x[129]xf16",
    "argmax:[2000]x[3]xi32",
    "argmax:9x[100]xf32:i32:pitch=128",
    "argmin:[100]x9xbf16:i32:pitch=13",
    "argmax:[7]x5x11xf32",
    "argmin:3x[70]x33xf16",
    "argmax:4x[257]x4xbf16",
    "argmin:5x6x[77]xi32",
    "argmax:[9]x5x[40]xf32",
    "argmin:7x[6]x[35]xf16",
    "argmax:[12]x[9]x21xbf16",
    "argmin:[3]x[17]x[33]xi32",
    "argmax:2x[19]x24xf32:i32:pitch=31",
    "argmin:20x[1]x3xf16",
    "argmax:[5]x4x3x6xf32",
    "argmin:2x[21]x5x9xf16",
    "argmax:3x2x[50]x17xbf16",
    "argmin:2x3x4x[99]xi32",
    "argmax:[6]x3x[7]x5xf32",
    "argmin:3x[4]x5x[30]xf16",
    "argmax:[2]x[3]x[5]x[40]xbf16",
    "argmin:2x[9]x3x20xi32:i32:pitch=64",
    "argmax:[4]x3x2x5x7xf32",
    "argmin:2x3x[11]x2x5xf16",
    "argmax:[3]x2x[5]x3x[9]xbf16",
    "argmin:2x2x3x2x[31]xi32",
    "argmax:2x3x[7]x2x3x4xf32",
    "argmin:[3]x2x2x[5]x3x6xf16",
    "argmax:2x2x1x3x2x[45]xbf16",
    "argmin:[2]x[3]x[2]x[3]x[2]x[5]xi32",
    "argmax:3x[8]x2x2x3x1xf32:i32:pitch=4",
    "argmax:?x[100]xf32:i32:count=1..19",
    "argmin:?x[130]xbf16:i32:initial:pitch=140:count=2..70",
    "argmax:?x[7]x5xf16:i64:explicit_index:count=1..11",
    "argmin:?x2x[3]x[20]xi32:i32:index_base:count=1..13",
];

/// Checks some configurations on gfx942, and a quarter of the problems on each other target.
pub(crate) fn every_distribution_is_right(native: &Native) -> Result<(), Failed> {
    check_some(native, target(), &PROBLEMS, 2, 1)?;
    for (number, target) in TARGETS.iter().enumerate() {
        let problems: Vec<&str> = PROBLEMS.into_iter().skip(number % 4).step_by(4).collect();
        check_some(native, target, &problems, 1, 2)?;
    }
    Ok(())
}

/// Checks more configurations than [`every_distribution_is_right`].
pub(crate) fn many_distributions_are_right(native: &Native) -> Result<(), Failed> {
    for target in &TARGETS {
        check_some(native, target, &PROBLEMS, 12, 3)?;
    }
    Ok(())
}

/// Checks kernels that clang compiles, as [`every_distribution_is_right`] does.
pub(crate) fn every_hip_distribution_is_right(native: &Native) -> Result<(), Failed> {
    for target in &TARGETS {
        hip::check(native, target, &some(target, &PROBLEMS, 2, 4)?)?;
    }
    Ok(())
}

fn check_some(
    native: &Native,
    target: &Target,
    problems: &[&str],
    count: usize,
    seed: u64,
) -> Result<(), Failed> {
    let kernels = some(target, problems, count, seed)?;
    check_kernels(native, target, &kernels, seed)
}

/// Returns `count` configurations of each problem.
fn some(
    target: &Target,
    problems: &[&str],
    count: usize,
    seed: u64,
) -> Result<Vec<(Problem, Configuration)>, Failed> {
    let mut random = Random(seed);
    let mut kernels = Vec::new();
    for problem in problems {
        let problem: Problem = problem.parse()?;
        for _ in 0..count {
            let configuration = legal(&problem, target, &mut random);
            kernels.push((problem.clone(), configuration));
        }
    }
    Ok(kernels)
}

/// Returns a legal configuration: the first drawn one that breaks no rule.
pub(crate) fn legal(problem: &Problem, target: &Target, random: &mut Random) -> Configuration {
    loop {
        let configuration = any(problem, target, random);
        if check(problem, target, Generator::NATIVE, &configuration).is_ok() {
            return configuration;
        }
    }
}

/// Returns a configuration that may be legal: every count is valid on its own.
fn any(problem: &Problem, target: &Target, random: &mut Random) -> Configuration {
    let shape = &problem.shape;
    let rank = shape.rank();
    let size = target.subgroup_sizes[random.below(target.subgroup_sizes.len() as u64) as usize];
    // If elements are taken one by one, a row has one lane.
    let shared: Vec<usize> = match problem.reduction.is_serial() {
        true => shape.parallel().collect(),
        false => (0..rank).collect(),
    };
    let lanes = deal(random, rank, &shared, size.ilog2());
    let bits = match shared.is_empty() {
        true => 0,
        false => random.below(4) as u32,
    };
    let subgroups = deal(random, rank, &shared, bits);
    let thread: Tiles = (0..rank).map(|_| 1 << (random.below(6) / 2)).collect();
    let tile = |d: usize, random: &mut Random| {
        let unit = lanes[d] * subgroups[d] * thread[d];
        // If tiles must fit, only those that do, and mostly one batch.
        let most = match shared.contains(&d) {
            true => 4,
            false => (shape.sizes()[d] / unit).clamp(1, 16),
        };
        match random.below(2) {
            0 => unit,
            _ => unit * (1 + random.below(most.into()) as u32),
        }
    };
    let tiles: Vec<u32> = (0..rank).map(|d| tile(d, random)).collect();
    let only = |reduced: bool| -> Tiles {
        let tile = |d: usize| {
            if shape.is_reduced(d) == reduced {
                tiles[d]
            } else {
                0
            }
        };
        (0..rank).map(tile).collect()
    };
    Configuration {
        lowering: LoweringConfig {
            workgroup: only(false),
            partial_reduction: only(true),
            thread,
            lane_basis: basis(random, &lanes),
            subgroup_basis: basis(random, &subgroups),
        },
        subgroup_size: size,
        workgroup_size: [size << bits, 1, 1],
        knobs: Knobs {
            split: [1, 1, 1, 2, 4, 16, 64][random.below(7) as usize],
            lazy_index: random.below(2) == 0,
            accumulators: match random.below(4) {
                0 => Accumulators::One,
                _ => Accumulators::Vector,
            },
        },
    }
}

/// Distributes `bits` factors of two over these of the `rank` dimensions, if there are any. Half
/// of the time all go to one dimension, so that a lane has much of the others.
fn deal(random: &mut Random, rank: usize, dimensions: &[usize], bits: u32) -> Vec<u32> {
    let mut counts = vec![1; rank];
    if dimensions.is_empty() {
        return counts;
    }
    let any = |random: &mut Random| dimensions[random.below(dimensions.len() as u64) as usize];
    let only = any(random);
    let alone = random.below(2) == 0;
    for _ in 0..bits {
        let d = if alone { only } else { any(random) };
        counts[d] *= 2;
    }
    counts
}

/// Returns the basis with these counts along the dimensions, with its digits in random order.
fn basis(random: &mut Random, along: &[u32]) -> Basis {
    let mut mapping: Vec<u8> = (0u8..).take(along.len()).collect();
    for n in (1..mapping.len()).rev() {
        mapping.swap(n, random.below(n as u64 + 1) as usize);
    }
    let mut counts: Tiles = along.iter().copied().collect();
    for (&digit, &count) in mapping.iter().zip(along) {
        counts[usize::from(digit)] = count;
    }
    Basis {
        counts,
        mapping: mapping.into_iter().collect(),
    }
}
