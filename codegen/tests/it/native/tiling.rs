//! The rows of workgroups: each kernel's workgroups run box by box, and write the rows of the
//! tiling.

use codegen::native::{Native, specimens};
use codegen::{CompiledKernel, Kernarg, Slot, Tiling};
use configgen::reduction::{Extent, Tensor};
use configgen::{Generator, Initial, Problem, Space};
use emulator::{CodeObject, EmulatedMemory, KernelLaunch};
use testing::Failed;

use crate::native::run::{self, dense, offsets};
use crate::native::{ensure, target};

/// Sizes of parallel dimensions that tiles divide, and primes.
const PROBLEMS: [&str; 9] = [
    "argmax:37x[21]xf32",
    "argmax:12x[21]x29xf16",
    "argmin:[40]x7x16xi32:i64",
    "argmax:5x13x[9]x11xbf16",
    "argmax:6x[5]x7x[10]x9xf32",
    "argmax:3x[300]x17xi8",
    "softmax:37x[21]xf32",
    "add_rms_norm:3x[40]x17xf16",
    "log_sum_exp:5x13x[9]x11xbf16",
];
const EACH: u64 = 12;

/// Instructions that a wave may execute.
const LIMIT: u64 = 1 << 24;

/// Checks sampled configurations and specimens; in the latter, tiles are boxes.
pub(crate) fn workgroups_write_the_rows_of_their_box(native: &Native) -> Result<(), Failed> {
    let mut kernels = specimens(64);
    kernels.retain(|(problem, _)| {
        let begins = problem.arg_compare().map(|reduction| reduction.initial);
        begins.is_none_or(|initial| initial == Initial::Worst) && problem.shape.elements() < 1 << 20
    });
    for (seed, problem) in (1..).zip(PROBLEMS) {
        let problem: Problem = problem.parse()?;
        let space = Space::new(&problem, target(), Generator::NATIVE);
        let sample = space.sample(EACH, seed).into_iter();
        kernels.extend(sample.map(|configuration| (problem.clone(), configuration)));
    }
    let (mut split, mut boxes) = (0, 0);
    let results = native.compile_batch(target(), &kernels);
    for (kernel, (problem, configuration)) in results.into_iter().zip(&kernels) {
        let kernel = kernel?;
        let tiling = kernel.tiling.as_ref().ok_or("the tiling is not known")?;
        check(problem, &kernel, tiling).map_err(|error| {
            let message = error.message().unwrap_or("failed");
            format!("{problem} {configuration:?}: {message}")
        })?;
        split += usize::from(kernel.sharers > 1);
        boxes += usize::from(tiling.rows_of(0).len() > 1);
    }
    // A test without such kernels would show less.
    ensure(split > 0 && boxes > 0, || {
        format!("{split} kernels share rows, {boxes} have rows that do not follow one another")
    })
}

fn check(problem: &Problem, kernel: &CompiledKernel, tiling: &Tiling) -> Result<(), Failed> {
    let code = CodeObject::load(&kernel.code_object)?;
    let mut memory = EmulatedMemory::new();
    let mut addresses = Vec::new();
    for &size in &kernel.buffers {
        addresses.push(memory.allocate(size)?);
    }
    let mut kernarg = Vec::new();
    for argument in &kernel.arguments {
        match argument {
            Kernarg::Buffer(buffer) => kernarg.extend(addresses[*buffer].get().to_le_bytes()),
            Kernarg::IndexBase(_) => kernarg.resize(kernarg.len() + argument.bytes(), 0),
            Kernarg::Count(count) | Kernarg::Word(count) => kernarg.extend(count.to_le_bytes()),
        }
    }
    let sharers = kernel.sharers;
    let results = problem.results().into_iter();
    let outputs: Vec<(Slot, Tensor)> = kernel.results.iter().copied().zip(results).collect();
    let [rows_at, columns_at] = [false, true].map(|it| offsets(problem, &dense(problem), it));
    for number in 0..tiling.boxes() {
        for (slot, _) in &outputs {
            memory.bytes_mut(addresses[slot.buffer]).fill(0xa5);
        }
        let first = number as u32 * sharers;
        let ids: Vec<u32> = (first..first + sharers).collect();
        let launch = KernelLaunch {
            workgroup_subset: Some(&ids),
            instruction_limit: LIMIT,
            resident_workgroups: 0,
            threads: 1,
            ..run::launch(&code, kernel, &kernarg)?
        };
        emulator::run(&code, &mut memory, &launch)?;
        let rows: Vec<u64> = tiling.rows_of(number).into_iter().flatten().collect();
        let elements = rows.iter().map(|&row| rows_at[row as usize]);
        let mut elements: Vec<u64> = elements
            .flat_map(|row| columns_at.iter().map(move |column| row + column))
            .collect();
        elements.sort_unstable();
        for (Slot { buffer, .. }, tensor) in &outputs {
            let size = tensor.scalar.bytes();
            let expected = match tensor.extent {
                Extent::Elements => &elements,
                _ => &rows,
            };
            let written: Vec<u64> = (0..)
                .zip(memory.bytes(addresses[*buffer]).chunks_exact(size as usize))
                .filter(|(_, bytes)| bytes.iter().any(|&byte| byte != 0xa5))
                .map(|(row, _)| row)
                .collect();
            ensure(written == *expected, || {
                format!("box {number} writes {written:?}, not {expected:?}")
            })?;
        }
    }
    Ok(())
}
