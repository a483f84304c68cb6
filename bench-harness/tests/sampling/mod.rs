//! What the tests of both generators share: legal configurations drawn at random, and mutations of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use bench_harness::{Bench, EmulatedDevice, Inputs, Outcome};
use codegen::CompiledKernel;
use configgen::{Configuration, Generator, Problem, Space, Target};
use libtest_mimic::Failed;
use rand::{Rng, RngExt};

/// The target of all of these tests.
pub(crate) fn target() -> &'static Target {
    Target::named("gfx942").unwrap()
}

/// An MI300X.
pub(crate) fn device() -> EmulatedDevice {
    EmulatedDevice::named("emulated:mi300x").unwrap()
}

/// Configurations of a problem, drawn uniformly.
pub(crate) fn sample(
    problem: &Problem,
    generator: Generator,
    count: u64,
    seed: u64,
) -> Vec<Configuration> {
    Space::new(problem, target(), generator).sample(count, seed)
}

/// Builds configurations in batches on every core and passes each outcome to `judge`; all that it refuses are told.
///
/// # Errors
/// The number of refusals and the first few of them.
pub(crate) fn check_all(
    problem: &Problem,
    configurations: &[Configuration],
    batch: usize,
    build: impl Fn(&[Configuration]) -> Vec<Result<CompiledKernel, String>> + Sync,
    judge: impl Fn(&Outcome) -> Result<(), String> + Sync,
) -> Result<(), Failed> {
    let inputs = Inputs::new(problem, 1)?;
    let next = AtomicUsize::new(0);
    let batches: Vec<&[Configuration]> = configurations.chunks(batch).collect();
    let work = || {
        let (mut device, mut refused) = (device(), Vec::new());
        let mut bench = Bench::new(&mut device, &inputs).unwrap();
        while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            for (configuration, kernel) in batch.iter().zip(build(batch)) {
                let result = kernel.and_then(|kernel| judge(&bench.evaluate(&kernel).unwrap()));
                if let Err(reason) = result {
                    let json = serde_json::to_string(configuration).unwrap();
                    refused.push(format!("{problem} {json}: {reason}"));
                }
            }
        }
        refused
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let refused: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    match refused.len() {
        0 => Ok(()),
        count => {
            let first = refused.into_iter().take(5).collect::<Vec<_>>().join("\n");
            Err(format!("{count} of {}:\n{first}", configurations.len()).into())
        }
    }
}

/// Changes one number of a configuration, or swaps two, somewhere.
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
        // The threads of a workgroup follow from the counts; keeping them true lets mutants of the counts be legal.
        _ => {
            *numbers[first] = number.wrapping_mul(4);
            let threads = mutant.lowering.subgroup_basis.ids().min(1 << 20) as u32;
            mutant.workgroup_size[0] = threads.wrapping_mul(mutant.subgroup_size);
        }
    }
    mutant
}
