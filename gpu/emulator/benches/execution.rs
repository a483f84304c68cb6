//! The speed of waves; items are wave-instructions.

use divan::counter::ItemsCount;
use emulator::{CodeObject, EmulatedMemory, KernelLaunch, profile, run};

/// Rows and columns, for benchmarks of one core and for those with enough workgroups to share.
const FEW: [u32; 2] = [4, 32_000];
const MANY: [u32; 2] = [1_024, 8_000];

fn main() {
    divan::main();
}

/// The f32x4 argmax kernel, with a workgroup for each row.
struct Argmax {
    rows: u32,
    code: CodeObject,
    memory: EmulatedMemory,
    kernarg: Vec<u8>,
}

impl Argmax {
    fn new([rows, columns]: [u32; 2]) -> Argmax {
        let code = CodeObject::load(include_bytes!("../fixtures/argmax_f32x4.hsaco"))
            .expect("the fixture loads");
        let mut memory = EmulatedMemory::new();
        let mut allocate = |bytes: u32| memory.allocate(u64::from(bytes)).expect("it is small");
        let input = allocate(4 * rows * columns);
        let (values, indices) = (allocate(4 * rows), allocate(4 * rows));
        for (index, word) in memory.bytes_mut(input).chunks_exact_mut(4).enumerate() {
            let value = ((index as u32).wrapping_mul(2_654_435_761) >> 8) as f32;
            word.copy_from_slice(&value.to_le_bytes());
        }
        let mut kernarg: Vec<u8> = [input, values, indices]
            .iter()
            .flat_map(|one| one.get().to_le_bytes())
            .collect();
        kernarg.extend((columns / 4).to_le_bytes());
        Argmax {
            rows,
            code,
            memory,
            kernarg,
        }
    }

    /// Returns the launch, with its code object and memory.
    fn parts(&mut self, threads: u32) -> (&CodeObject, &mut EmulatedMemory, KernelLaunch<'_>) {
        let launch = KernelLaunch {
            kernel: (self.code.kernel("argmax_f32x4")).expect("the fixture's kernel"),
            workgroups: [self.rows, 1, 1],
            workgroup_size: [64, 1, 1],
            dynamic_lds_bytes: 0,
            kernarg: &self.kernarg,
            workgroup_subset: None,
            instruction_limit: 1_000_000,
            resident_workgroups: 0,
            threads,
        };
        (&self.code, &mut self.memory, launch)
    }

    /// Runs the launch repeatedly.
    fn bench(&mut self, bencher: divan::Bencher, threads: u32) {
        let (code, memory, launch) = self.parts(threads);
        let count = run(code, memory, &launch)
            .expect("the fixture runs")
            .wave_instructions;
        bencher
            .counter(ItemsCount::new(count))
            .bench_local(|| run(code, memory, &launch));
    }
}

#[divan::bench]
fn argmax_f32x4(bencher: divan::Bencher) {
    Argmax::new(FEW).bench(bencher, 1);
}

/// The speedup of two cores over one.
#[divan::bench(args = [1, 2])]
fn argmax_on_threads(bencher: divan::Bencher, threads: u32) {
    Argmax::new(MANY).bench(bencher, threads);
}

#[divan::bench]
fn profile_of_argmax_f32x4(bencher: divan::Bencher) {
    let mut argmax = Argmax::new(FEW);
    let (code, memory, launch) = argmax.parts(1);
    bencher.bench_local(|| profile(code, memory, &launch, 4));
}

#[divan::bench]
fn load_of_a_code_object() -> CodeObject {
    CodeObject::load(include_bytes!("../fixtures/argmax_f32x4.hsaco")).expect("the fixture loads")
}
