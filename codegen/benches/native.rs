//! The time from configurations to code objects, in batches of 32 on one core, without a cache.
//!
//! `batch` is the main figure, with kernels as items. The other figures divide its time.

use codegen::cache::Cache;
use codegen::link::link;
use codegen::llvm::LlvmOutput;
use codegen::native::{BATCH, Native, NativeStage, explain};
use codegen::tools;
use configgen::{Configuration, Generator, Problem, Space, Target};
use divan::Bencher;
use divan::counter::ItemsCount;

/// One row of a vocabulary, a few rows, many short rows; every element type.
const PROBLEMS: [&str; 4] = [
    "argmax:4x[32000]xf32",
    "argmax:[50257]xbf16",
    "argmin:300x[1000]xf16",
    "argmax:128x[64]xi32",
];

fn main() {
    divan::main();
}

fn target() -> &'static Target {
    Target::named("gfx942").expect("gfx942 is a target")
}

/// Returns a uniform sample of the legal configurations.
fn sample(problem: &str) -> Vec<(Problem, Configuration)> {
    let problem: Problem = problem.parse().expect("a problem");
    let space = Space::new(&problem, target(), Generator::NATIVE);
    let sample = space.sample(BATCH as u64, 1).into_iter();
    sample
        .map(|configuration| (problem.clone(), configuration))
        .collect()
}

fn ir(kernels: &[(Problem, Configuration)]) -> Vec<String> {
    let print = |(problem, configuration): &(Problem, Configuration)| {
        explain(problem, target(), configuration, NativeStage::Llvm).expect("legal")
    };
    kernels.iter().map(print).collect()
}

#[divan::bench(args = PROBLEMS, sample_count = 20, sample_size = 1)]
fn batch(bencher: Bencher, problem: &str) {
    let native = Native::load(Cache::none()).expect("libLLVM and ld.lld");
    let kernels = sample(problem);
    bencher
        .counter(ItemsCount::new(BATCH))
        .bench(|| native.compile_batch(target(), &kernels));
}

#[divan::bench(args = PROBLEMS)]
fn stages(bencher: Bencher, problem: &str) {
    let kernels = sample(problem);
    bencher
        .counter(ItemsCount::new(BATCH))
        .bench(|| ir(&kernels));
}

#[divan::bench(args = PROBLEMS, sample_count = 20, sample_size = 1)]
fn llvm_alone(bencher: Bencher, problem: &str) {
    let llvm = tools::load_llvm().expect("libLLVM");
    let texts = ir(&sample(problem));
    bencher.counter(ItemsCount::new(BATCH)).bench(|| {
        let compile = |ir: &String| llvm.compile(ir, target().name, LlvmOutput::Object);
        texts.iter().map(compile).collect::<Vec<_>>()
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn linking(bencher: Bencher) {
    let llvm = tools::load_llvm().expect("libLLVM");
    let linker = tools::find_lld_for(llvm.version().major).expect("ld.lld");
    let [ir, ..] = &ir(&sample(PROBLEMS[0]))[..] else {
        panic!("an empty sample");
    };
    let object = llvm.compile(ir, target().name, LlvmOutput::Object);
    let object = object.expect("our IR compiles");
    bencher.bench(|| link(&linker.path, &object, None));
}
