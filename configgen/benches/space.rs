//! Benchmark of spaces: configurations enumerated per second, on one core.

use std::hint::black_box;

use configgen::{Generator, Problem, Space, Target};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

const PROBLEMS: [&str; 3] = [
    "argmax:4x[32000]xf32",
    "argmax:256x[151936]xf16",
    "argmax:[128256]xf32",
];

fn space(problem: &str, generator: Generator) -> Space {
    let problem: Problem = problem.parse().expect("a problem");
    let target = Target::named("gfx942").expect("a target");
    Space::new(&problem, target, generator)
}

#[divan::bench(args = PROBLEMS)]
fn enumerate_native(bencher: Bencher, problem: &str) {
    enumerate(bencher, problem, Generator::NATIVE);
}

#[divan::bench(args = PROBLEMS)]
fn enumerate_iree(bencher: Bencher, problem: &str) {
    enumerate(bencher, problem, Generator::IREE);
}

fn enumerate(bencher: Bencher, problem: &str, generator: Generator) {
    let space = space(problem, generator);
    bencher.counter(ItemsCount::new(space.len())).bench(|| {
        for configuration in black_box(&space) {
            black_box(configuration);
        }
    });
}

#[divan::bench(args = PROBLEMS)]
fn create_native(bencher: Bencher, problem: &str) {
    bencher.bench(|| space(black_box(problem), Generator::NATIVE));
}

#[divan::bench(args = PROBLEMS)]
fn create_iree(bencher: Bencher, problem: &str) {
    bencher.bench(|| space(black_box(problem), Generator::IREE));
}

#[divan::bench(args = PROBLEMS)]
fn sample_1000_native(bencher: Bencher, problem: &str) {
    let space = space(problem, Generator::NATIVE);
    bencher
        .counter(ItemsCount::new(1000u32))
        .bench(|| space.sample(1000, black_box(1)));
}
