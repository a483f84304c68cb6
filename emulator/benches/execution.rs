//! How fast waves run: items are wave-instructions.

use divan::counter::ItemsCount;
use emulator::{CodeObject, Launch, Memory, profile, run};

const ROWS: u32 = 4;
const COLUMNS: u32 = 32_000;

fn main() {
    divan::main();
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
            threads: 1,
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
