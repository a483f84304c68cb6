//! The speed of the kernels of `tests/it/kernels` on one core, with and without the checker.
//! Needs clang 22. `cargo bench -p emulator --bench sources -- NAME…` selects some of them.

#[path = "../tests/it/kernels"]
#[allow(dead_code, reason = "the comparison with the host is the tests'")]
mod kernels {
    pub(crate) mod case;
    pub(crate) mod cases;
    pub(crate) mod target;
    pub(crate) mod values;

    pub(crate) use super::support;
}
#[path = "../tests/it/support/mod.rs"]
mod support;

use std::time::Instant;

use emulator::Isa;
use kernels::case::Ready;
use kernels::cases::{CASES, SOURCE};
use kernels::target::Target;

const TARGET: Target = Target::new(Isa::Gfx942, 64, "O3");
/// The least runs of each kind, and their least total time in seconds. The fastest counts,
/// because other programs can only slow one down.
const RUNS: usize = 15;
const SECONDS: f64 = 0.05;

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` runs this too, but needs no measurement.
    if !names.iter().any(|name| name == "--bench") {
        return;
    }
    let names: Vec<&String> = names.iter().filter(|name| *name != "--bench").collect();
    let code = TARGET
        .compile(SOURCE)
        .expect("clang 22 compiles the kernels");
    let (mut speeds, mut ratios) = (Mean::default(), Mean::default());
    println!(
        "{:24}{:>12}{:>12}{:>10}",
        "kernel", "waves' instr", "M/s", "checked"
    );
    for case in CASES {
        if !names.is_empty() && !names.iter().any(|name| *name == case.kernel) {
            continue;
        }
        let mut ready = Ready::new(&code, case).expect("the kernel takes its arguments");
        ready.threads = 1;
        let count = ready.run().expect("the kernel runs").wave_instructions;
        let plain = fastest(|| {
            ready.run().expect("the kernel runs");
        });
        let checked = fastest(|| {
            ready.check().expect("the kernel runs");
        });
        let speed = speeds.with(count as f64 / plain / 1e6);
        let ratio = ratios.with(checked / plain);
        println!("{:24}{count:>12}{speed:>12.1}{ratio:>9.2}x", case.kernel);
    }
    let (speed, ratio) = (speeds.geometric(), ratios.geometric());
    println!(
        "{:24}{:>12}{speed:>12.1}{ratio:>9.2}x",
        "geometric mean", ""
    );
}

/// Returns the seconds of the fastest run.
fn fastest(mut run: impl FnMut()) -> f64 {
    let (mut fastest, mut total) = (f64::INFINITY, 0.0);
    let mut runs = 0;
    while runs < RUNS || total < SECONDS {
        let start = Instant::now();
        run();
        let seconds = start.elapsed().as_secs_f64();
        fastest = fastest.min(seconds);
        total += seconds;
        runs += 1;
    }
    fastest
}

#[derive(Default)]
struct Mean {
    logarithms: f64,
    count: f64,
}

impl Mean {
    fn with(&mut self, value: f64) -> f64 {
        self.logarithms += value.ln();
        self.count += 1.0;
        value
    }

    fn geometric(&self) -> f64 {
        (self.logarithms / self.count).exp()
    }
}
