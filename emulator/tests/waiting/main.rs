//! Workgroups that wait for each other: what they do on one thread and on several, and what becomes of those that wait in vain.

#[path = "../support/mod.rs"]
mod support;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use emulator::{CodeObject, Execution, Fault, Launch, Memory, run};
use libtest_mimic::{Arguments, Failed};
use support::{llvm, with_llvm};

const WORDS: usize = 4096;
/// Threads that meet do not meet in the same way twice.
const THREADS: [u32; 4] = [1, 4, 4, 2];
const LIMIT: u64 = 200_000;
/// What waits in vain is told much sooner than this.
const SOON: Duration = Duration::from_secs(20);

/// One of each family, and one whose dies have caches of their own.
const TARGETS: [&str; 5] = ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"];

fn main() {
    let mut trials = Vec::new();
    for isa in TARGETS {
        let tools = ["clang", "ld.lld"];
        trials.push(with_llvm(&format!("right {isa}"), &tools, move || {
            right(isa)
        }));
        trials.push(with_llvm(&format!("in vain {isa}"), &tools, move || {
            in_vain(isa)
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A launch of a kernel.
#[derive(Clone, Copy)]
struct Case {
    kernel: &'static str,
    groups: u32,
    threads: u32,
    resident: u32,
    only: Option<&'static [u32]>,
}

const fn case(kernel: &'static str, groups: u32) -> Case {
    Case {
        kernel,
        groups,
        threads: 64,
        resident: 0,
        only: None,
    }
}

type Outcome = Result<Execution, Fault>;

fn launch(code: &CodeObject, case: Case, host_threads: u32) -> Result<(Outcome, Vec<u32>), Failed> {
    let mut memory = Memory::new();
    let words = memory.allocate(4 * WORDS as u64)?;
    let mut kernarg = words.get().to_le_bytes().to_vec();
    kernarg.extend(case.groups.to_le_bytes());
    let launch = Launch {
        kernel: code.kernel(case.kernel).ok_or("no such kernel")?,
        workgroups: [case.groups, 1, 1],
        workgroup_size: [case.threads, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        only: case.only,
        instruction_limit: LIMIT,
        resident: case.resident,
        threads: host_threads,
    };
    let result = run(code, &mut memory, &launch);
    let bytes = memory.bytes(words).chunks_exact(4);
    let words = bytes.map(|word| word.try_into().map(u32::from_le_bytes));
    Ok((result, words.collect::<Result<_, _>>()?))
}

/// On any number of threads, the words from `first` on are what they are to be.
fn leaves(code: &CodeObject, case: Case, first: usize, expected: &[u32]) -> Result<(), Failed> {
    for host_threads in THREADS {
        let what = format!("{} on {host_threads} threads", case.kernel);
        let (result, words) = launch(code, case, host_threads)?;
        if let Err(fault) = result {
            return Err(format!("{what}: {fault}").into());
        }
        let got = &words[first..first + expected.len()];
        if got != expected {
            return Err(format!("{what}: {got:?}, not {expected:?}").into());
        }
    }
    Ok(())
}

/// On any number of threads, soon, a fault that is the one to be.
fn faults(code: &CodeObject, case: Case, is_it: impl Fn(&Fault) -> bool) -> Result<(), Failed> {
    for host_threads in THREADS {
        let what = format!("{} on {host_threads} threads", case.kernel);
        let start = Instant::now();
        let (result, _) = launch(code, case, host_threads)?;
        match result {
            Err(fault) if is_it(&fault) => {}
            other => return Err(format!("{what}: {other:?}").into()),
        }
        if start.elapsed() > SOON {
            return Err(format!("{what}: {:?}", start.elapsed()).into());
        }
    }
    Ok(())
}

fn right(isa: &str) -> Result<(), Failed> {
    let code = compile(isa)?;
    let waves = Case {
        threads: 256,
        ..case("grid", 37)
    };
    for grid in [
        case("grid", 60),
        waves,
        Case {
            resident: 37,
            ..waves
        },
    ] {
        leaves(
            &code,
            grid,
            64 + grid.groups as usize,
            &grid_leaves(grid.groups),
        )?;
    }
    let rows = Case {
        resident: 16,
        ..case("rows", 400)
    };
    leaves(&code, rows, 2000, &rows_leave(400))?;
    let some = Case {
        only: Some(&[16, 17, 18, 19, 20, 21, 22, 23, 8, 9, 10, 11, 12, 13, 14, 15]),
        ..rows
    };
    leaves(&code, some, 2008, &rows_leave(400)[8..24])?;
    let backwards: Vec<u32> = (1..=100).rev().collect();
    leaves(&code, case("backwards", 100), 0, &backwards)?;
    leaves(
        &code,
        Case {
            resident: 2,
            ..case("ping_pong", 50)
        },
        1024,
        &[45; 50],
    )?;
    leaves(&code, case("patient", 5), 64, &[500; 5])?;
    leaves(&code, case("timed", 5), 64, &[1; 5])?;
    leaves(&code, case("sleeper", 300), 64, &[1; 300])?;
    leaves(&code, case("impatient", 6), 64, &[1; 6])?;
    leaves(
        &code,
        Case {
            threads: 128,
            resident: 1,
            ..case("within", 5)
        },
        64,
        &[1; 5],
    )
}

/// What the words are after the last meeting.
fn grid_leaves(groups: u32) -> Vec<u32> {
    let mut now: Vec<u32> = (1..=groups).collect();
    for _ in 0..3 {
        let at = |index: u32| now[(index % groups) as usize];
        now = (0..groups)
            .map(|group| at(group + 1) * 3 + at(group + groups - 1))
            .collect();
    }
    now
}

/// The sum of a row's numbers, and the last one of the workgroup.
fn rows_leave(groups: u32) -> Vec<u32> {
    let of_row = |group: u32| (group / 8 * 512..(group / 8 + 1) * 512).sum::<u32>();
    (0..groups)
        .map(|group| of_row(group) + group * 64 + 63)
        .collect()
}

fn in_vain(isa: &str) -> Result<(), Failed> {
    let code = compile(isa)?;
    let standstill = |group: u32, resident: u64, unbegun: u64| {
        move |fault: &Fault| match fault {
            Fault::Standstill {
                place,
                resident: holds,
                unbegun: left,
            } => {
                place.workgroup == [group, 0, 0]
                    && place.instruction.starts_with("s_sleep")
                    && (*holds, *left) == (resident, unbegun)
            }
            _ => false,
        }
    };
    for resident in [1, 7, 39] {
        let few = Case {
            resident,
            ..case("grid", 40)
        };
        faults(
            &code,
            few,
            standstill(0, resident.into(), (40 - resident).into()),
        )?;
    }
    faults(
        &code,
        Case {
            resident: 7,
            ..case("rows", 80)
        },
        standstill(0, 7, 73),
    )?;
    faults(&code, case("never", 30), standstill(29, 1, 0))?;
    faults(
        &code,
        Case {
            resident: 1,
            ..case("backwards", 9)
        },
        standstill(0, 1, 8),
    )?;
    // Its waves that wait at a barrier wait for the one that sleeps.
    faults(
        &code,
        Case {
            only: Some(&[3, 4, 5]),
            threads: 128,
            ..case("grid", 6)
        },
        standstill(3, 3, 0),
    )?;
    let half = |fault: &Fault| matches!(fault, Fault::OutOfBounds { place, .. } if place.workgroup == [10, 0, 0]);
    faults(&code, case("faulty", 20), half)
}

fn compile(isa: &str) -> Result<CodeObject, Failed> {
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("kernels.hsaco");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/waiting/kernels.hip");
    let options = "-x hip --cuda-device-only -nogpuinc -nogpulib --no-gpu-bundle-output -O2";
    let compiled = Command::new(llvm("clang").ok_or("no clang")?)
        .args(options.split(' '))
        .arg(format!("--offload-arch={isa}"))
        .arg("-o")
        .args([&output, &source])
        .output()?;
    match compiled.status.success() {
        true => Ok(CodeObject::load(&std::fs::read(output)?)?),
        false => Err(String::from_utf8_lossy(&compiled.stderr)
            .into_owned()
            .into()),
    }
}
