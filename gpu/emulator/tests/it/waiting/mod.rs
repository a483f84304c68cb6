//! Workgroups that wait for each other, on one thread and on several, also in vain.

use crate::support;

use std::time::{Duration, Instant};

use emulator::{
    Address, Arrivals, CodeObject, EmulatedMemory, Execution, KernelLaunch, LaunchFault, Profile,
    check, profile, profile_last, run,
};
use support::{kernels, with_llvm};
use testing::{Failed, Trial};

const WORDS: usize = 4096;
/// Threads of the host, and 0 for the checker. Threads do not meet in the same way twice.
const HOSTS: &[u32] = &[0, 1, 4, 4, 2];
/// The same for kernels that the checker rejects.
const UNCHECKED: &[u32] = &[1, 4, 4, 2];
const LIMIT: u64 = 200_000;
/// A vain wait is reported much sooner than this.
const SOON: Duration = Duration::from_secs(20);

/// One instruction set of each family, and one with several L2 caches.
const TARGETS: [&str; 5] = ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"];

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for isa in TARGETS {
        let tools = ["clang", "ld.lld"];
        trials.push(with_llvm(&format!("right {isa}"), &tools, move || {
            right(isa)
        }));
        trials.push(with_llvm(&format!("in vain {isa}"), &tools, move || {
            in_vain(isa)
        }));
        trials.push(with_llvm(&format!("profiled {isa}"), &tools, move || {
            profiled(isa)
        }));
    }
    trials
}

/// A launch of a kernel.
#[derive(Clone, Copy)]
struct Case {
    kernel: &'static str,
    groups: u32,
    threads: u32,
    resident: u32,
    only: Option<&'static [u32]>,
    hosts: &'static [u32],
}

const fn case(kernel: &'static str, groups: u32) -> Case {
    Case {
        kernel,
        groups,
        threads: 64,
        resident: 0,
        only: None,
        hosts: HOSTS,
    }
}

impl Case {
    const fn of(self, threads: u32) -> Case {
        Case { threads, ..self }
    }

    const fn resident(self, resident: u32) -> Case {
        Case { resident, ..self }
    }

    const fn only(self, only: &'static [u32]) -> Case {
        let only = Some(only);
        Case { only, ..self }
    }

    const fn unchecked(self) -> Case {
        let hosts = UNCHECKED;
        Case { hosts, ..self }
    }
}

type Outcome = Result<Execution, LaunchFault>;

/// Passes the launch and its zeroed words to `work`.
fn with_launch<R>(
    code: &CodeObject,
    case: Case,
    host_threads: u32,
    work: impl FnOnce(&mut EmulatedMemory, Address, &KernelLaunch<'_>) -> Result<R, Failed>,
) -> Result<R, Failed> {
    let mut memory = EmulatedMemory::new();
    let words = memory.allocate(4 * WORDS as u64)?;
    let mut kernarg = words.get().to_le_bytes().to_vec();
    kernarg.extend(case.groups.to_le_bytes());
    let launch = KernelLaunch {
        kernel: code.kernel(case.kernel).ok_or("no such kernel")?,
        workgroups: [case.groups, 1, 1],
        workgroup_size: [case.threads, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        workgroup_subset: case.only,
        instruction_limit: LIMIT,
        resident_workgroups: case.resident,
        threads: host_threads,
    };
    work(&mut memory, words, &launch)
}

/// Launches on `host_threads` threads of the host; 0 means the checker.
fn launch(code: &CodeObject, case: Case, host_threads: u32) -> Result<(Outcome, Vec<u32>), Failed> {
    with_launch(code, case, host_threads, |memory, words, launch| {
        launched(code, case, memory, words, launch)
    })
}

fn launched(
    code: &CodeObject,
    case: Case,
    memory: &mut EmulatedMemory,
    words: Address,
    launch: &KernelLaunch<'_>,
) -> Result<(Outcome, Vec<u32>), Failed> {
    let result = match launch.threads {
        0 => {
            let checked = check(code, memory, launch);
            if let Some(finding) = checked.findings.first() {
                return Err(format!("{}: {finding}", case.kernel).into());
            }
            checked.result
        }
        _ => run(code, memory, launch),
    };
    let bytes = memory.bytes(words).chunks_exact(4);
    let words = bytes.map(|word| word.try_into().map(u32::from_le_bytes));
    Ok((result, words.collect::<Result<_, _>>()?))
}

/// Checks the words from `first` on, on any number of threads.
fn leaves(code: &CodeObject, case: Case, first: usize, expected: &[u32]) -> Result<(), Failed> {
    for &host_threads in case.hosts {
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

/// Checks on any number of threads that the expected fault comes soon.
fn faults(
    code: &CodeObject,
    case: Case,
    is_it: impl Fn(&LaunchFault) -> bool,
) -> Result<(), Failed> {
    for &host_threads in case.hosts {
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
    let code = kernels("waiting", isa, "-O2")?;
    let waves = case("grid", 37).of(256);
    for grid in [case("grid", 60), waves, waves.resident(37)] {
        let last = 64 + grid.groups as usize;
        leaves(&code, grid, last, &grid_leaves(grid.groups))?;
    }
    let rows = case("rows", 400).resident(16);
    leaves(&code, rows, 2000, &rows_leave(400))?;
    let some = rows.only(&[16, 17, 18, 19, 20, 21, 22, 23, 8, 9, 10, 11, 12, 13, 14, 15]);
    leaves(&code, some, 2008, &rows_leave(400)[8..24])?;
    let backwards: Vec<u32> = (1..=100).rev().collect();
    leaves(&code, case("backwards", 100), 0, &backwards)?;
    leaves(&code, case("ping_pong", 50).resident(2), 1024, &[45; 50])?;
    leaves(&code, case("patient", 5), 64, &[500; 5])?;
    leaves(&code, case("timed", 5), 64, &[1; 5])?;
    leaves(&code, case("sleeper", 300), 64, &[1; 300])?;
    leaves(&code, case("impatient", 6), 64, &[1; 6])?;
    let within = case("within", 5).of(128).resident(1).unchecked();
    leaves(&code, within, 64, &[1; 5])
}

/// Returns the words after the last meeting.
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

/// Returns the sum of a row's numbers, and the last one of the workgroup.
fn rows_leave(groups: u32) -> Vec<u32> {
    let of_row = |group: u32| (group / 8 * 512..(group / 8 + 1) * 512).sum::<u32>();
    (0..groups)
        .map(|group| of_row(group) + group * 64 + 63)
        .collect()
}

fn in_vain(isa: &str) -> Result<(), Failed> {
    let code = kernels("waiting", isa, "-O2")?;
    let standstill = |group: u32, resident: u64, unbegun: u64| {
        move |fault: &LaunchFault| match fault {
            LaunchFault::Standstill {
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
        let expected = standstill(0, resident.into(), (40 - resident).into());
        faults(&code, case("grid", 40).resident(resident), expected)?;
    }
    faults(&code, case("rows", 80).resident(7), standstill(0, 7, 73))?;
    faults(&code, case("never", 30), standstill(29, 1, 0))?;
    faults(&code, case("backwards", 9).resident(1), standstill(0, 1, 8))?;
    // Waves at a barrier wait for the sleeping wave of their workgroup.
    let some = case("grid", 6).of(128).only(&[3, 4, 5]);
    faults(&code, some, standstill(3, 3, 0))?;
    let half = |fault: &LaunchFault| matches!(fault, LaunchFault::OutOfBounds { place, .. } if place.workgroup == [10, 0, 0]);
    faults(&code, case("faulty", 20).unchecked(), half)
}

/// Workgroups of the samples.
const SAMPLE: u32 = 4;

/// Profiles a launch, and checks that memory is unchanged.
fn profile_of(code: &CodeObject, case: Case) -> Result<Profile, Failed> {
    with_launch(code, case, 1, |memory, words, launch| {
        let profiled = profile(code, memory, launch, SAMPLE)
            .map_err(|fault| format!("{}: {fault}", case.kernel))?;
        match memory.bytes(words).iter().all(|&byte| byte == 0) {
            true => Ok(profiled),
            false => Err(format!("{} has changed memory", case.kernel).into()),
        }
    })
}

/// Returns the profile with given arrival counters: workgroups read `values` in each of these
/// words, and see the other words as the launch leaves them.
fn profile_told(
    code: &CodeObject,
    case: Case,
    counters: std::ops::Range<u64>,
    value: u32,
) -> Result<Profile, Failed> {
    with_launch(code, case, 1, |memory, words, launch| {
        let mut arrivals = Arrivals::new();
        for counter in counters {
            arrivals.insert(words, 4 * counter, std::iter::once(value));
        }
        Ok(profile_last(code, memory, launch, SAMPLE, arrivals)?)
    })
}

/// Returns the mean number of instructions of a wave of the sample.
fn mean(profile: &Profile) -> f64 {
    profile.execution.wave_instructions as f64 / profile.execution.waves as f64
}

/// Checks the profile of kernels that wait for other workgroups or use their results.
fn profiled(isa: &str) -> Result<(), Failed> {
    let code = kernels("waiting", isa, "-O2")?;
    let same = |learned: &Profile, told: &Profile, kernel: &str| match (learned, told) {
        (one, other) if one.execution == other.execution && one.kinds == 1 && other.kinds == 1 => {
            Ok(())
        }
        _ => Err(Failed::from(format!(
            "{kernel}: learned {:?}, told {:?}",
            learned.execution, told.execution
        ))),
    };
    // Each workgroup of the sample is the last of its row, with observed or given counters.
    let rows = case("rows", 400).resident(16);
    let told = profile_told(&code, rows, 3000..3050, 7)?;
    same(&profile_of(&code, rows)?, &told, "rows")?;
    let last = case("last", 400);
    let told = profile_told(&code, last, 3000..3050, 7)?;
    same(&profile_of(&code, last)?, &told, "last")?;
    // Among few workgroups, each may be the last one; among very many, only one is.
    let of = |groups: u32| profile_of(&code, case("collect", groups));
    let [two, few, many] = [of(2)?, of(40)?, of(400)?];
    if few.kinds != 1 || mean(&few) < 1.5 * mean(&two) || many.kinds != 2 {
        let all = [two, few, many].map(|it| (it.kinds, mean(&it)));
        return Err(format!("collect: kinds and instructions are {all:?}").into());
    }
    // The number of instructions does not depend on the waits, because vain turns do not count.
    let of = |groups: u32| profile_of(&code, case("grid", groups)).map(|profile| mean(&profile));
    let (few, many) = (of(2)?, of(300)?);
    if few != many {
        return Err(format!("grid: {few} instructions of 2 workgroups, {many} of 300").into());
    }
    let chain = profile_of(&code, case("chain", 3000))?;
    if mean(&chain) > 100.0 {
        return Err(format!("chain: {} instructions", mean(&chain)).into());
    }
    // The awaited value exists only temporarily; one vain turn of each wait counts.
    for (kernel, groups) in [("gates", 200), ("ping_pong", 50), ("baton", 300)] {
        let profile = profile_of(&code, case(kernel, groups))?;
        if mean(&profile) > 600.0 || profile.vector_instructions == 0 {
            return Err(format!("{kernel}: {} instructions", mean(&profile)).into());
        }
    }
    for (kernel, groups) in [
        ("backwards", 100),
        ("impatient", 6),
        ("patient", 5),
        ("timed", 5),
    ] {
        profile_of(&code, case(kernel, groups))?;
    }
    // Nothing produces the awaited value.
    match profile_of(&code, case("never", 30)) {
        Ok(_) => Err("never: has a profile".into()),
        Err(_) => Ok(()),
    }
}
