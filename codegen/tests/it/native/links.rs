//! Linked stages: each has its text without links, and related lines are linked.

use std::collections::BTreeSet;

use codegen::native::{MarkedStage, Native, NativeStage, explain, marked_stages, specimens};
use configgen::{Configuration, Problem, TARGETS, Target};
use testing::Failed;

use crate::native::ensure;

/// Checks every second specimen on one target.
pub(crate) fn stages_are_linked(native: &Native) -> Result<(), Failed> {
    let mut sums = [0; 4];
    for (number, target) in TARGETS.iter().enumerate() {
        let size = target.subgroup_sizes[number % target.subgroup_sizes.len()];
        for (place, (problem, configuration)) in specimens(size).into_iter().enumerate() {
            if place % (2 * TARGETS.len()) == number {
                let counts = check(native, target, &problem, &configuration).map_err(|failed| {
                    format!(
                        "{target} {problem}: {}",
                        failed.message().unwrap_or_default()
                    )
                })?;
                for (sum, count) in sums.iter_mut().zip(counts) {
                    *sum += count;
                }
            }
        }
    }
    // The start and the end of a kernel belong to no statement, nor do merged instructions of LLVM.
    let [instructions, marked, loads, read] = sums;
    ensure(marked * 10 > instructions * 7, || {
        format!("{marked} of {instructions} instructions")
    })?;
    // If LLVM widens, splits or scalarises a load, no location names the instruction that reads
    // for it.
    ensure(read * 2 > loads, || format!("{read} of {loads} loads"))
}

/// Returns the number of instructions, the number with a statement, and [`loads`].
fn check(
    native: &Native,
    target: &Target,
    problem: &Problem,
    configuration: &Configuration,
) -> Result<[usize; 4], Failed> {
    let stages = marked_stages(native, problem, target, configuration)?;
    let found: Vec<NativeStage> = stages.iter().map(|linked| linked.stage).collect();
    ensure(found == NativeStage::ALL, || format!("{found:?}"))?;
    for MarkedStage { stage, text, marks } in &stages {
        let alone = explain(problem, target, configuration, *stage)?;
        ensure(*text == alone, || {
            format!("{stage} is another text with links")
        })?;
        ensure(marks.len() == text.lines().count(), || {
            format!(
                "{stage}: {} marks of {} lines",
                marks.len(),
                text.lines().count()
            )
        })?;
    }
    let [
        gridwise,
        blockwise,
        lanewise,
        last,
        layout,
        ops,
        hip,
        llvm,
        isa,
    ] = &stages[..]
    else {
        return Err("nine stages".into());
    };
    // A statement has one line in the operations, but for those with blocks.
    let all: BTreeSet<u32> = ops.marks.iter().flatten().copied().collect();
    for later in [hip, llvm, isa] {
        let unknown: Vec<u32> = later
            .marks
            .iter()
            .flatten()
            .copied()
            .filter(|it| !all.contains(it))
            .collect();
        ensure(unknown.is_empty(), || {
            format!("{}: unknown statements {unknown:?}", later.stage)
        })?;
    }
    let early = [gridwise, blockwise, lanewise, last, layout];
    let linked: BTreeSet<u32> = early
        .iter()
        .flat_map(|it| it.marks.iter().flatten().copied())
        .collect();
    let comments = ops
        .text
        .lines()
        .zip(&ops.marks)
        .filter(|(line, _)| line.trim_start().starts_with('#'));
    let comments: BTreeSet<u32> = comments.flat_map(|(_, marks)| marks.clone()).collect();
    let lost: Vec<&u32> = all
        .difference(&linked)
        .filter(|it| !comments.contains(it))
        .collect();
    ensure(lost.is_empty(), || {
        format!("statements that no early stage has decided: {lost:?}")
    })?;
    of_kind(ops, &["= load "], llvm, &["= load "], 1.0)?;
    of_kind(ops, &["= ballot "], llvm, &[".ballot."], 1.0)?;
    of_kind(ops, &["barrier"], isa, &["barrier"], 1.0)?;
    let is_instruction =
        |line: &&str| line.starts_with('\t') && !line.trim_start().starts_with(['.', ';']);
    let instructions = isa.text.lines().filter(is_instruction).count();
    let marked = isa.marks.iter().filter(|marks| !marks.is_empty()).count();
    let [loads, read] = loads(llvm, isa);
    Ok([instructions, marked, loads, read])
}

/// Returns the number of loads in the LLVM IR, and the number that are linked with an instruction
/// that reads memory. The link may be by the load's own statement or, if LLVM splits or widens
/// it, by one of the next, which use the loaded value.
fn loads(llvm: &MarkedStage, isa: &MarkedStage) -> [usize; 2] {
    const NEXT: u32 = 8;
    let reads = isa.text.lines().zip(&isa.marks);
    let reads = reads.filter(|(line, _)| line.contains("load") || line.contains("ds_read"));
    let reads: BTreeSet<u32> = reads.flat_map(|(_, marks)| marks.clone()).collect();
    let is_read = |&mark: &u32| reads.range(mark..=mark + NEXT).next().is_some();
    let lines = llvm.text.lines().zip(&llvm.marks);
    let loads: Vec<&Vec<u32>> = lines
        .filter(|(line, _)| line.contains("= load "))
        .map(|(_, marks)| marks)
        .collect();
    let found = loads.iter().filter(|marks| marks.iter().any(is_read));
    [loads.len(), found.count()]
}

/// Checks that at least this fraction of the lines of `one` with `here` are linked with a line of
/// `other` with `there`.
fn of_kind(
    one: &MarkedStage,
    here: &[&str],
    other: &MarkedStage,
    there: &[&str],
    part: f64,
) -> Result<(), Failed> {
    let lines = |linked: &MarkedStage, words: &[&str]| -> Vec<Vec<u32>> {
        let lines = linked.text.lines().zip(&linked.marks);
        let lines = lines.filter(|(line, _)| words.iter().any(|word| line.contains(word)));
        lines.map(|(_, marks)| marks.clone()).collect()
    };
    let targets: BTreeSet<u32> = lines(other, there).into_iter().flatten().collect();
    let sources = lines(one, here);
    let found = sources
        .iter()
        .filter(|marks| marks.iter().any(|mark| targets.contains(mark)))
        .count();
    ensure(found as f64 >= part * sources.len() as f64, || {
        format!(
            "{found} of {} lines {here:?} of {} have {there:?} in {}",
            sources.len(),
            one.stage,
            other.stage
        )
    })
}
