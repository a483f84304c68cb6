//! Configurations for the tests of both generators: legal ones drawn at random, and mutations of
//! them.

pub(crate) mod cores;

use bench_harness::{Bench, BenchOutcome, EmulatedDevice, Inputs};
use codegen::CompiledKernel;
use configgen::{Configuration, Generator, Problem, Space, Target};
use rand::{Rng, RngExt};
use testing::Failed;

/// Returns the target of all these tests.
pub(crate) fn target() -> &'static Target {
    Target::named("gfx942").unwrap()
}

/// Opens an emulated MI300X.
pub(crate) fn device() -> EmulatedDevice {
    EmulatedDevice::named("emulated:mi300x").unwrap()
}

/// Draws configurations of a problem uniformly.
pub(crate) fn sample(
    problem: &Problem,
    generator: Generator,
    count: u64,
    seed: u64,
) -> Vec<Configuration> {
    Space::new(problem, target(), generator).sample(count, seed)
}

/// Returns `count` evenly chosen configurations with a tile on a parallel dimension that is not
/// the innermost. No thread has elements of several rows.
pub(crate) fn outer_tiles(
    problem: &Problem,
    generator: Generator,
    count: usize,
) -> Vec<Configuration> {
    let shape = &problem.shape;
    let innermost = shape.parallel().last();
    let is_outer = |c: &Configuration| {
        let lowering = &c.lowering;
        let [lanes, subgroups] = [&lowering.lane_basis, &lowering.subgroup_basis];
        let threads =
            |d| lanes.count_along(d) * subgroups.count_along(d) * lowering.thread[d].max(1);
        let has_tile = |d| Some(d) != innermost && lowering.workgroup[d] > 1;
        shape.parallel().all(|d| threads(d) == 1) && shape.parallel().any(has_tile)
    };
    let space = Space::new(problem, target(), generator);
    let all: Vec<Configuration> = space.iter().filter(is_outer).collect();
    let each = (all.len() / count).max(1);
    all.into_iter().step_by(each).take(count).collect()
}

/// Builds configurations in batches on every core and passes each outcome to `judge`.
///
/// # Errors
/// The number of refusals and the first few of them.
pub(crate) fn check_all(
    problem: &Problem,
    configurations: &[Configuration],
    batch: usize,
    build: impl Fn(&[Configuration]) -> Vec<Result<CompiledKernel, String>> + Sync,
    judge: impl Fn(&BenchOutcome) -> Result<(), String> + Sync,
) -> Result<(), Failed> {
    let inputs = Inputs::new(problem, 1)?;
    let batches: Vec<&[Configuration]> = configurations.chunks(batch).collect();
    let refused_of = |batch: &&[Configuration]| {
        let (mut device, mut refused) = (device(), Vec::new());
        let mut bench = Bench::new(&mut device, &inputs).unwrap();
        for (configuration, kernel) in batch.iter().zip(build(batch)) {
            let result = kernel.and_then(|kernel| judge(&bench.evaluate(&kernel).unwrap()));
            if let Err(reason) = result {
                let json = serde_json::to_string(configuration).unwrap();
                refused.push(format!("{problem} {json}: {reason}"));
            }
        }
        refused
    };
    let refused: Vec<String> = cores::each(&batches, refused_of)
        .into_iter()
        .flatten()
        .collect();
    match refused.len() {
        0 => Ok(()),
        count => {
            let first = refused.into_iter().take(5).collect::<Vec<_>>().join("\n");
            Err(format!("{count} of {}:\n{first}", configurations.len()).into())
        }
    }
}

/// Changes one number of a configuration, or swaps two.
pub(crate) fn mutate(configuration: &Configuration, rng: &mut impl Rng) -> Configuration {
    let mut mutant = configuration.clone();
    let lowering = &mut mutant.lowering;
    let mut numbers: Vec<&mut u32> = lowering
        .workgroup
        .iter_mut()
        .chain(&mut lowering.thread)
        .chain(&mut lowering.partial_reduction)
        .chain(&mut lowering.lane_basis.counts)
        .chain(&mut lowering.subgroup_basis.counts)
        .chain(&mut mutant.workgroup_size)
        .chain([&mut mutant.subgroup_size])
        .collect();
    let count = numbers.len();
    let (first, second) = (rng.random_range(0..count), rng.random_range(0..count));
    let number = *numbers[first];
    match rng.random_range(0..8) {
        0 => *numbers[first] = number.wrapping_mul(2),
        1 => *numbers[first] = number / 2,
        2 => *numbers[first] = number.wrapping_add(1),
        3 => *numbers[first] = number.wrapping_sub(1),
        4 => *numbers[first] = 0,
        5 => *numbers[first] = rng.random(),
        6 => {
            *numbers[first] = *numbers[second];
            *numbers[second] = number;
        }
        // The threads of a workgroup follow from the counts. Consistent ones let mutants of the
        // counts be legal.
        _ => {
            *numbers[first] = number.wrapping_mul(4);
            let threads = mutant.lowering.subgroup_basis.ids().min(1 << 20) as u32;
            mutant.workgroup_size[0] = threads.wrapping_mul(mutant.subgroup_size);
        }
    }
    mutant
}
