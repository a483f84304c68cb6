//! Kernels with one bug each, which the checker must locate; the same kernels without the bug;
//! and correct kernels that resemble bugs. The checker must be silent on the latter two.

mod build;
mod planted;
mod wait_states;
use crate::support;

use build::{Build, Source};
use emulator::{CheckReport, EmulatedMemory, Finding, KernelLaunch, check};
use planted::{ASSEMBLY, Bug, CORRECT, HIP, Kernel};
use support::with_llvm;
use testing::{Failed, Trial};

/// Words of each buffer.
const WORDS: u64 = 256;

/// Instruction sets and wave sizes for the HIP kernels, first those of CI.
const TARGETS: [(&str, u32); 12] = [
    ("gfx942", 64),
    ("gfx1030", 32),
    ("gfx1100", 32),
    ("gfx1201", 32),
    ("gfx906", 64),
    ("gfx90a", 64),
    ("gfx950", 64),
    ("gfx1030", 64),
    ("gfx1100", 64),
    ("gfx1151", 32),
    ("gfx1151", 64),
    ("gfx1201", 64),
];
const IN_CI: usize = 4;

/// The optimization level with a known instruction for each bug; at other levels only its kind is
/// known.
const KNOWN: &str = "O1";

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let tools = ["clang", "ld.lld", "llvm-mc"];
    for (index, (isa, lanes)) in TARGETS.into_iter().enumerate() {
        for (file, kernels) in [("planted.hip", HIP), ("correct.hip", CORRECT)] {
            for level in ["O0", "O1", "O3"] {
                let source = Source::Hip {
                    file,
                    isa,
                    lanes,
                    level,
                };
                let is_quick = index < IN_CI
                    && match file {
                        "correct.hip" => level == "O3" || level == "O0" && index % 2 == 0,
                        _ => level == KNOWN,
                    };
                let prefix = if is_quick { "" } else { "full: " };
                let name = format!("{prefix}{file} {level} {isa} wave{lanes}");
                let test = with_llvm(&name, &tools, move || all(source, kernels, level == KNOWN));
                trials.push(match is_quick {
                    true => test,
                    false => test.with_ignored_flag(true),
                });
            }
        }
    }
    for (isa, kernels) in ASSEMBLY {
        let source = Source::Assembly { isa };
        let name = format!("assembly {isa}");
        trials.push(with_llvm(&name, &tools, move || all(source, kernels, true)));
    }
    trials.extend(wait_states::trials());
    trials
}

/// Checks every kernel of a source with and without its bug. If `is_known`, all details of the
/// finding are compared, otherwise its kind.
fn all(source: Source, kernels: &[Kernel], is_known: bool) -> Result<(), Failed> {
    let (with_bugs, fixed) = (source.build(false)?, source.build(true)?);
    let mut wrong = Vec::new();
    for kernel in kernels {
        let found = match kernel.bug {
            None => Ok(()),
            Some(_) if is_mended(kernel, &source) => is_silent(&with_bugs, kernel),
            Some(bug) => is_found(&with_bugs, kernel, &bug, is_known),
        };
        if let Err(reason) = found {
            wrong.push(format!("{}: {reason}", kernel.name));
        }
        if let Err(reason) = is_silent(&fixed, kernel) {
            wrong.push(format!("{}, fixed: {reason}", kernel.name));
        }
    }
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count} of {}:\n{}", kernels.len(), wrong.join("\n")).into()),
    }
}

/// Returns true if clang compiles the bug to correct code. On sets with one counter for loads and
/// stores, a release is a wait for stores. At O0 clang waits before each instruction that reads a
/// loaded register, so it always releases.
fn is_mended(kernel: &Kernel, source: &Source) -> bool {
    let Source::Hip { isa, level, .. } = source else {
        return false;
    };
    matches!(kernel.name, "not_released" | "met_not_released")
        && *level == "O0"
        && matches!(*isa, "gfx906" | "gfx90a")
}

fn run(build: &Build, kernel: &Kernel) -> Result<CheckReport, String> {
    let mut memory = EmulatedMemory::new();
    let bytes = 4 * WORDS;
    let refused = |error: emulator::MemoryError| error.to_string();
    let input = memory.allocate(bytes).map_err(refused)?;
    let counting: Vec<u8> = (0..WORDS as u32).flat_map(u32::to_le_bytes).collect();
    memory.write(input, 0, &counting);
    let never = [
        memory.allocate_undefined(bytes).map_err(refused)?,
        memory.allocate_undefined(bytes).map_err(refused)?,
    ];
    let mut kernarg: Vec<u8> = [input, never[0], never[1]]
        .iter()
        .flat_map(|address| address.get().to_le_bytes())
        .collect();
    kernarg.extend(1u32.to_le_bytes());
    let launch = KernelLaunch {
        kernel: build.code.kernel(kernel.name).ok_or("no such kernel")?,
        workgroups: [kernel.groups, 1, 1],
        workgroup_size: [kernel.threads, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        workgroup_subset: None,
        instruction_limit: 100_000,
        resident_workgroups: 0,
        threads: 1,
    };
    Ok(check(&build.code, &mut memory, &launch))
}

fn list(checked: &CheckReport) -> String {
    let findings = checked.findings.iter().map(|one| format!("\n    {one}"));
    let fault = checked
        .result
        .as_ref()
        .err()
        .map(|one| format!("\n    {one}"));
    findings.chain(fault).collect()
}

fn is_silent(build: &Build, kernel: &Kernel) -> Result<(), String> {
    let checked = run(build, kernel)?;
    match (checked.findings.len(), &checked.result) {
        (0, Ok(_)) => Ok(()),
        _ => Err(format!("found{}", list(&checked))),
    }
}

fn is_found(build: &Build, kernel: &Kernel, bug: &Bug, is_known: bool) -> Result<(), String> {
    let checked = run(build, kernel)?;
    let line = build.line_of_bug(kernel.name)?;
    let thread = |one: &Finding| one.place.wave * build.lanes + one.lane.unwrap_or(0);
    let offset = |one: &Finding| {
        one.memory.map(|memory| {
            memory
                .allocation
                .map_or(memory.address, |place| place.offset)
        })
    };
    let is_there = |one: &Finding| {
        let lines = one.source.iter().chain(&one.inlined_at);
        let expected = bug
            .thread
            .map(|(of_64, of_32)| if build.lanes == 64 { of_64 } else { of_32 });
        bug.instructions
            .iter()
            .any(|name| one.place.instruction.starts_with(name))
            && lines.into_iter().any(|source| source.line == line)
            && one.place.workgroup == [bug.group, 0, 0]
            && expected.is_none_or(|expected| thread(one) == expected)
            && (bug.offset.is_none() || bug.offset == offset(one))
    };
    let mut of_kind = checked.findings.iter().filter(|one| one.kind == bug.kind);
    let found = match is_known {
        true => of_kind.any(is_there),
        false => of_kind.next().is_some(),
    };
    if found && checked.result.is_ok() {
        return Ok(());
    }
    Err(format!("line {line}, {bug:?}: found{}", list(&checked)))
}
