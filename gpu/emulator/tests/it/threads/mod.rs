//! Threads do not change the results of a launch: memory, counts and the reported fault.

use crate::support;

use emulator::{CodeObject, EmulatedMemory, Execution, KernelLaunch, LaunchFault, run};
use support::{kernels, with_llvm};
use testing::{Failed, Trial};

/// Every thread gets workgroups at this number; a short launch runs on one thread.
const GROUPS: u32 = 3000;
const WORDS: u64 = 1024;
/// Each launch repeats, because threads do not meet in the same way twice.
const RUNS: u32 = 3;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for isa in ["gfx942", "gfx1100"] {
        for (kernel, argument) in [("atomics", GROUPS), ("last", GROUPS)] {
            let tools = ["clang", "ld.lld"];
            let test = move || same_on_any_number_of_threads(isa, kernel, argument);
            trials.push(with_llvm(&format!("{kernel} {isa}"), &tools, test));
        }
        let name = format!("the first workgroup's fault {isa}");
        let test = move || the_first_fault_counts(isa);
        trials.push(with_llvm(&name, &["clang", "ld.lld"], test));
    }
    trials
}

fn same_on_any_number_of_threads(isa: &str, kernel: &str, argument: u32) -> Result<(), Failed> {
    let code = kernels("threads", isa, "-O1")?;
    let (expected, words) = launch(&code, kernel, argument, 1)?;
    let expected = expected?;
    for threads in [2, 4].repeat(RUNS as usize) {
        let (execution, got) = launch(&code, kernel, argument, threads)?;
        let execution = execution?;
        if execution != expected {
            return Err(format!("{threads} threads: {execution:?}, one: {expected:?}").into());
        }
        if got != words {
            return Err(format!("{threads} threads leave other memory").into());
        }
    }
    Ok(())
}

fn the_first_fault_counts(isa: &str) -> Result<(), Failed> {
    let code = kernels("threads", isa, "-O1")?;
    let first = GROUPS / 2;
    for threads in [1, 2, 4].repeat(RUNS as usize) {
        let (result, words) = launch(&code, "stray", first, threads)?;
        let Err(LaunchFault::OutOfBounds { place, .. }) = &result else {
            return Err(format!("{threads} threads: {result:?}").into());
        };
        if place.workgroup != [first, 0, 0] {
            return Err(format!("{threads} threads: the fault of {:?}", place.workgroup).into());
        }
        if words.chunks_exact(4).any(|word| word != [1, 0, 0, 0]) {
            return Err(
                format!("{threads} threads: a workgroup before the fault is missing").into(),
            );
        }
    }
    Ok(())
}

type Outcome = Result<Execution, LaunchFault>;

fn launch(
    code: &CodeObject,
    kernel: &str,
    argument: u32,
    threads: u32,
) -> Result<(Outcome, Vec<u8>), Failed> {
    let mut memory = EmulatedMemory::new();
    let words = memory.allocate(4 * WORDS)?;
    let mut kernarg = words.get().to_le_bytes().to_vec();
    kernarg.extend(argument.to_le_bytes());
    let launch = KernelLaunch {
        kernel: code.kernel(kernel).ok_or("no such kernel")?,
        workgroups: [GROUPS, 1, 1],
        workgroup_size: [64, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        workgroup_subset: None,
        instruction_limit: 100_000,
        resident_workgroups: 0,
        threads,
    };
    let result = run(code, &mut memory, &launch);
    Ok((result, memory.bytes(words).to_vec()))
}
