//! How fast waves run: items are wave-instructions. Needs clang 22 for the kernels of `tests/kernels`.

#[path = "../tests/kernels"]
#[allow(dead_code, reason = "the comparison with the host is the tests'")]
mod kernels {
    pub(crate) mod case;
    pub(crate) mod cases;
    pub(crate) mod target;
    pub(crate) mod values;

    pub(crate) use super::support;
}
#[path = "../tests/support/mod.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod support;

use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use divan::counter::ItemsCount;
use emulator::{CodeObject, Isa, Launch, Memory, profile, run};
use kernels::case::{Case, Ready};
use kernels::cases::{CASES, SOURCE};
use kernels::target::Target;

const ROWS: u32 = 4;
const COLUMNS: u32 = 32_000;
/// What the kernels are compiled for.
const TARGET: Target = Target {
    isa: Isa::Gfx942,
    wave: 64,
    level: "O3",
};
/// Wave-instructions of a launch that is measured, where the kernel can have so many workgroups.
const ENOUGH: u64 = 200_000;

/// Wave-instructions per second of each kernel that was measured.
static RATES: Mutex<Vec<f64>> = Mutex::new(Vec::new());

fn main() {
    divan::main();
    let rates = RATES.lock().expect("no benchmark panics while it holds it");
    if rates.len() > 1 {
        let mean = rates.iter().map(|rate| rate.ln()).sum::<f64>() / rates.len() as f64;
        println!(
            "geometric mean of {} kernels: {:.1} million wave-instructions/s",
            rates.len(),
            mean.exp() / 1e6
        );
    }
}

/// The code object of all kernels.
fn code() -> &'static CodeObject {
    static CODE: OnceLock<CodeObject> = OnceLock::new();
    CODE.get_or_init(|| {
        TARGET
            .compile(SOURCE)
            .expect("clang 22 compiles the kernels")
    })
}

/// The names of the kernels.
fn names() -> Vec<&'static str> {
    CASES.iter().map(|case| case.kernel).collect()
}

/// A case with as many workgroups as it takes to run [`ENOUGH`] wave-instructions, and their number.
fn long_enough(name: &str) -> (Ready<'static>, u64) {
    let find = |case: &&Case| case.kernel == name;
    let mut case = *CASES.iter().find(find).expect("one of the names");
    let count = |case: &Case| {
        let mut ready = Ready::new(code(), case).expect("the kernel takes its arguments");
        let count = ready.run().expect("the kernel runs").wave_instructions;
        (ready, count)
    };
    let (ready, once) = count(&case);
    let times = ENOUGH.div_ceil(once) as u32;
    match case.groups {
        _ if times == 1 => return (ready, once),
        [_, 1, 1] => case.groups[0] *= times,
        // Further workgroups in a direction that the kernel does not look at do the same again.
        [_, _, 1] => case.groups[2] *= times,
        _ => return (ready, once),
    }
    count(&case)
}

#[divan::bench(args = names(), sample_count = 20, sample_size = 1)]
fn kernels(bencher: divan::Bencher, name: &str) {
    let (mut ready, count) = long_enough(name);
    let mut fastest = Duration::MAX;
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let start = Instant::now();
        let result = ready.run();
        fastest = fastest.min(start.elapsed());
        result
    });
    if fastest < Duration::MAX {
        let mut rates = RATES.lock().expect("no benchmark panics while it holds it");
        rates.push(count as f64 / fastest.as_secs_f64());
    }
}

/// The f32x4 argmax kernel on 4 rows of 32,000 values.
struct Argmax {
    code: CodeObject,
    memory: Memory,
    kernarg: Vec<u8>,
}

impl Argmax {
    fn new() -> Argmax {
        let code = CodeObject::load(include_bytes!("../fixtures/argmax_f32x4.hsaco"))
            .expect("the fixture loads");
        let mut memory = Memory::new();
        let mut allocate = |bytes: u32| memory.allocate(u64::from(bytes)).expect("a few kilobytes");
        let input = allocate(4 * ROWS * COLUMNS);
        let (values, indices) = (allocate(4 * ROWS), allocate(4 * ROWS));
        for (index, word) in memory.bytes_mut(input).chunks_exact_mut(4).enumerate() {
            let value = ((index as u32).wrapping_mul(2_654_435_761) >> 8) as f32;
            word.copy_from_slice(&value.to_le_bytes());
        }
        let mut kernarg: Vec<u8> = [input, values, indices]
            .iter()
            .flat_map(|one| one.get().to_le_bytes())
            .collect();
        kernarg.extend((COLUMNS / 4).to_le_bytes());
        Argmax {
            code,
            memory,
            kernarg,
        }
    }

    fn launch<'a>(code: &'a CodeObject, kernarg: &'a [u8]) -> Launch<'a> {
        Launch {
            kernel: code.kernel("argmax_f32x4").expect("the fixture's kernel"),
            workgroups: [ROWS, 1, 1],
            workgroup_size: [64, 1, 1],
            dynamic_lds_bytes: 0,
            kernarg,
            only: None,
            instruction_limit: 1_000_000,
        }
    }
}

#[divan::bench]
fn argmax_f32x4(bencher: divan::Bencher) {
    let mut argmax = Argmax::new();
    let launch = Argmax::launch(&argmax.code, &argmax.kernarg);
    let count = run(&argmax.code, &mut argmax.memory, &launch)
        .expect("the fixture runs")
        .wave_instructions;
    bencher
        .counter(ItemsCount::new(count))
        .bench_local(|| run(&argmax.code, &mut argmax.memory, &launch));
}

#[divan::bench]
fn profile_of_argmax_f32x4(bencher: divan::Bencher) {
    let mut argmax = Argmax::new();
    let launch = Argmax::launch(&argmax.code, &argmax.kernarg);
    bencher.bench_local(|| profile(&argmax.code, &mut argmax.memory, &launch, 4));
}

#[divan::bench]
fn load_of_a_code_object() -> CodeObject {
    CodeObject::load(include_bytes!("../fixtures/argmax_f32x4.hsaco")).expect("the fixture loads")
}
