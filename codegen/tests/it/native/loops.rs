//! The cost of the loops over a row: instructions as LLVM prints them, and as the emulator counts
//! them.

use codegen::native::{Native, NativeStage, explain};
use configgen::{Configuration, Problem};
use emulator::{CodeObject, EmulatedMemory};
use testing::Failed;

use crate::native::inputs::Random;
use crate::native::{ensure, run, specimens, target};

/// Checks the loop of the f32x4 specimen: three vector instructions per element, wide loads, and
/// the wait for the last load after the first elements are used.
pub(crate) fn the_inner_loop_is_tight(_: &Native) -> Result<(), Failed> {
    let (problem, configuration) = &specimens(64)[0];
    let body = inner_loop(problem, configuration)?;
    // 4 batches of 4 elements; a move brings the positions of two batches to vector registers.
    let (vector, loads) = (count(&body, "v_"), count(&body, "global_load_dwordx4"));
    ensure(vector == 3 * 16 + 2, || {
        format!("{vector} vector instructions:\n{}", body.join("\n"))
    })?;
    ensure(loads == 4, || {
        format!("{loads} loads:\n{}", body.join("\n"))
    })?;
    let place = |what: &str| body.iter().position(|line| line.starts_with(what));
    let (first_use, last_wait) = (place("v_cmp"), place("s_waitcnt vmcnt(0)"));
    ensure(first_use < last_wait, || body.join("\n"))
}

/// Checks the vector instructions per element and lane of a long row of random numbers, counted
/// by the emulator. With a running pair for each element of a thread tile the limit is 3.2. With
/// a lazy index, with one instruction for the best of three, it is 1.3.
pub(crate) fn inner_loops_are_cheap(native: &Native) -> Result<(), Failed> {
    let check = |thread: u32, lazy_index: bool, most: f64| {
        let configuration = format!(
            r#"{{"workgroup": [1, 0], "partial_reduction": [0, 4096], "thread": [0, {thread}],
            "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[1, 4], [0, 1]], "subgroup_size": 64,
            "workgroup_size": [256, 1, 1], "lazy_index": {lazy_index}}}"#
        );
        let configuration: Configuration = serde_json::from_str(&configuration)?;
        // Both counts contain the work that is done once for a row.
        let [short, long] = [1 << 16, 1 << 18];
        let executed = |length| vector_instructions(native, length, &configuration);
        let more = executed(long)? - executed(short)?;
        let each = more as f64 * 64.0 / (long - short) as f64;
        ensure(each > 0.5 && each <= most, || {
            format!("{each} vector instructions an element: {configuration}")
        })
    };
    check(4, false, 3.2)?;
    check(8, false, 3.2)?;
    check(4, true, 1.3)?;
    check(8, true, 1.3)
}

/// Returns the number of vector instructions that the waves of a row of random f32 execute.
fn vector_instructions(
    native: &Native,
    length: usize,
    configuration: &Configuration,
) -> Result<u64, Failed> {
    let problem: Problem = format!("argmax:1x[{length}]xf32").parse()?;
    let kernel = native
        .compile_batch(target(), &[(problem, configuration.clone())])
        .remove(0)?;
    let (mut memory, mut kernarg) = (EmulatedMemory::new(), Vec::new());
    let mut random = Random(7);
    for (number, &bytes) in kernel.buffers.iter().enumerate() {
        let address = memory.allocate(bytes)?;
        if number == kernel.input.buffer {
            for element in memory.bytes_mut(address).chunks_exact_mut(4) {
                // Uniform in [0, 1).
                let value = random.below(1 << 24) as f32 / (1 << 24) as f32;
                element.copy_from_slice(&value.to_le_bytes());
            }
        }
        kernarg.extend(address.get().to_le_bytes());
    }
    let code = CodeObject::load(&kernel.code_object)?;
    let launch = run::launch(&code, &kernel, &kernarg)?;
    let profile = emulator::profile(&code, &mut memory, &launch, 1)?;
    Ok(profile.vector_instructions)
}

/// Returns the lines of the step loop in LLVM's assembly.
fn inner_loop(problem: &Problem, configuration: &Configuration) -> Result<Vec<String>, Failed> {
    let text = explain(problem, target(), configuration, NativeStage::Isa)?;
    let lines = text.lines().map(str::trim);
    let body = lines
        .skip_while(|line| !line.starts_with(".LBB0_1:"))
        .take_while(|line| !line.starts_with("s_cbranch"));
    Ok(body.map(str::to_owned).collect())
}

fn count(body: &[String], prefix: &str) -> usize {
    body.iter().filter(|line| line.starts_with(prefix)).count()
}
