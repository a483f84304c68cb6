//! The processor time of a verified trial without its compilation, for problems whose goal is
//! stated. Needs libLLVM. A busy machine has slower processors, so a fixed amount of work is timed
//! beside each problem.
//!
//!     cargo test -p bench-harness --test it -- --ignored --nocapture costs

use std::fs;

use bench_harness::{Bench, BenchOutcome, Inputs};
use codegen::cache::Cache;
use codegen::native::Native;
use configgen::{Configuration, Generator, Problem, Space};
use testing::{Failed, Trial, fixed_work};

use crate::sampling::{device, target};

/// The milliseconds of [`fixed_work`] on the quiet machine of the goals.
const QUIET_MS: f64 = 170.0;

/// A problem and the most milliseconds that a verified trial may take on average, on that machine.
///
/// A row that is split over many workgroups has as many times their fixed costs, so the trials of
/// whole rows count.
const GOALS: [(&str, f64); 5] = [
    ("argmax:4x[32000]xf32", 8.0),
    ("softmax:64x[32000]xf32", 60.0),
    ("softmax:1024x[131072]xf32", 1000.0),
    ("layer_norm:1500x[1280]xf32", 400.0),
    ("rms_norm:1x[7168]xf32", 60.0),
];

/// The number of configurations of a problem: its starts, and others drawn at random.
const EACH: usize = 16;

pub(crate) fn trials() -> Vec<Trial> {
    let goals = GOALS.into_iter().map(|(problem, most_ms)| {
        let name = format!("costs_of_a_verified_trial {problem}");
        let trial = Trial::test(name, move || cost(problem, most_ms));
        trial.with_ignored_flag(true).with_kind("a measurement")
    });
    goals.collect()
}

fn cost(problem: &str, most_ms: f64) -> Result<(), Failed> {
    let native = Native::load(Cache::of_environment())?;
    let problem: Problem = problem.parse()?;
    let space = Space::new(&problem, target(), Generator::NATIVE);
    let starts = space
        .start_ranks()
        .into_iter()
        .filter_map(|rank| space.nth(rank));
    let drawn = space.sample(EACH as u64, 3);
    let configurations: Vec<Configuration> = starts.chain(drawn).take(EACH).collect();
    let pairs: Vec<(Problem, Configuration)> = (configurations.iter())
        .map(|configuration| (problem.clone(), configuration.clone()))
        .collect();
    let kernels = native.compile_batch(target(), &pairs);
    let before = processor_ms();
    let inputs = Inputs::new(&problem, 1)?;
    let once = processor_ms() - before;
    let mut device = device();
    let mut bench = Bench::new(&mut device, &inputs)?;
    let before = processor_ms();
    fixed_work();
    let begin = processor_ms();
    let (mut whole, mut split) = (CostSum::default(), CostSum::default());
    for (kernel, configuration) in kernels.into_iter().zip(&configurations) {
        let before = processor_ms();
        let outcome = bench.evaluate(&kernel?)?;
        let sum = match configuration.knobs.split {
            1 => &mut whole,
            _ => &mut split,
        };
        sum.add(processor_ms() - before);
        if !matches!(outcome, BenchOutcome::Right(..)) {
            return Err(format!("{problem} {configuration:?}: {outcome:?}").into());
        }
    }
    let end = processor_ms();
    fixed_work();
    let each = whole.mean();
    let slowdown = (begin - before + processor_ms() - end) / (2.0 * QUIET_MS);
    let most = most_ms * slowdown;
    println!(
        "{problem}: {each:.1} ms a trial of {} with whole rows, {:.1} ms of {} with split rows, {once:.0} ms for the \
         inputs; the goal is {most:.1} ms",
        whole.count,
        split.mean(),
        split.count
    );
    match each <= most {
        true => Ok(()),
        false => Err(format!("{problem}: {each:.1} ms a trial, the goal is {most:.1} ms").into()),
    }
}

/// The processor time of several trials.
#[derive(Default)]
struct CostSum {
    ms: f64,
    count: usize,
}

impl CostSum {
    fn add(&mut self, ms: f64) {
        self.ms += ms;
        self.count += 1;
    }

    fn mean(&self) -> f64 {
        self.ms / self.count as f64
    }
}

/// Returns the processor time of this process in milliseconds.
fn processor_ms() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 and 15 of proc(5), in ticks of 10 ms. The name before may have spaces.
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        * 10.0
}
