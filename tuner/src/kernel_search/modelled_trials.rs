//! Trials by modelled time alone, without verification, for measurements of searches.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bench_harness::{Buffer, DeviceLaunch, EmulatedDevice, KernelDevice as _};
use codegen::CompiledKernel;
use codegen::cache::Cache;
use codegen::native::{BATCH, Native};
use configgen::{Configuration, Device, Generator, Problem, Space, native_default};
use lookup::Merit;

use super::{KernelContext, KernelSearch, Strategy};

/// The native kernels of a problem on an emulated device.
pub(super) struct ModelledTrials {
    native: Native,
    pub(super) context: KernelContext,
    pub(super) space: Arc<Space>,
    /// The times of all trials so far in microseconds; none for a failure.
    times: HashMap<Configuration, Option<f64>>,
}

impl ModelledTrials {
    pub(super) fn new(problem: &str, device: &str) -> ModelledTrials {
        let problem: Problem = problem.parse().unwrap();
        let device = Device::named(device).unwrap();
        let generator = Generator::NATIVE;
        ModelledTrials {
            native: Native::load(Cache::of_environment()).unwrap(),
            space: Arc::new(Space::new(&problem, device.target(), generator)),
            context: KernelContext {
                problem,
                device,
                generator,
            },
            times: HashMap::new(),
        }
    }

    /// Returns the times of configurations. Each is built and timed once.
    pub(super) fn times(&mut self, configurations: &[Configuration]) -> Vec<Option<f64>> {
        let new = configurations.iter();
        let new = new.filter(|one| !self.times.contains_key(one)).cloned();
        let KernelContext {
            problem, device, ..
        } = &self.context;
        let new: Vec<(Problem, Configuration)> = new.map(|one| (problem.clone(), one)).collect();
        for batch in new.chunks(BATCH) {
            let kernels = self.native.compile_batch(device.target(), batch);
            for ((_, configuration), kernel) in batch.iter().zip(kernels) {
                let time = kernel.ok().and_then(|kernel| modelled_us(&kernel, device));
                self.times.insert(configuration.clone(), time);
            }
        }
        configurations.iter().map(|one| self.times[one]).collect()
    }

    /// Returns all successful trials.
    pub(super) fn successes(&self) -> impl Iterator<Item = (&Configuration, f64)> {
        let all = self.times.iter();
        all.filter_map(|(one, time)| time.map(|time| (one, time)))
    }

    /// Returns the best time so far after each trial of a search.
    pub(super) fn search(&mut self, strategy: Strategy, seed: u64, budget: usize) -> Vec<f64> {
        let KernelContext {
            problem, device, ..
        } = &self.context;
        let default = native_default(problem, device.target()).unwrap();
        let mut search = KernelSearch::new(
            strategy,
            &self.space,
            &self.context,
            seed,
            Some(&default),
            None,
        );
        let (mut best, mut course) = (f64::INFINITY, Vec::new());
        let mut asked = vec![default];
        while !asked.is_empty() {
            for (one, time) in asked.iter().zip(self.times(&asked)) {
                let merit = time.map(|time_us| Merit {
                    is_behind: false,
                    time_us,
                });
                search.tell(one, merit);
                best = best.min(time.unwrap_or(f64::INFINITY));
                course.push(best);
            }
            asked = search.ask(budget - course.len());
        }
        course
    }
}

fn launch<'a>(kernel: &'a CompiledKernel, buffers: &'a [Buffer]) -> DeviceLaunch<'a> {
    DeviceLaunch {
        kernel,
        buffers,
        index_base: 0,
        instruction_limit: u64::MAX,
        time_limit: Duration::MAX,
        only: None,
        is_checked: false,
        then: None,
    }
}

/// Returns the modelled time of a kernel; none if it fails.
fn modelled_us(kernel: &CompiledKernel, device: &Device) -> Option<f64> {
    let mut device = EmulatedDevice::named(&format!("emulated:{}", device.name)).ok()?;
    let buffers = kernel.buffers.iter().map(|&bytes| device.allocate(bytes));
    let buffers: Vec<Buffer> = buffers.collect::<Result<_, _>>().ok()?;
    let merge = kernel.merge_kernel();
    let merge = merge.as_ref().map(|kernel| launch(kernel, &buffers));
    let whole = DeviceLaunch {
        then: merge.as_ref(),
        ..launch(kernel, &buffers)
    };
    Some(device.time(&[whole]).ok()?.median_us())
}
