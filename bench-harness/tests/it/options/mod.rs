//! Tests of a problem's options in the bench, with a device that folds on the host.
//!
//! The device gets only the buffers and arguments of a kernel. It computes the positions and
//! indices of elements independently, and the bench must find its faults.

mod host;
mod kernel;

use bench_harness::{Bench, BenchOutcome, Inputs};
use codegen::CompiledKernel;
use configgen::Problem;
use host::{Fault, Host};
use kernel::{INNOCENT, kernel, split};

/// Returns the outcome of the first of these kernels, and then of the others, on a device with
/// these faults.
fn outcomes(
    problem: &Problem,
    faults: &'static [Fault],
    kernels: &[CompiledKernel],
) -> Vec<BenchOutcome> {
    let inputs = Inputs::new(problem, 1).unwrap();
    let mut device = Host::new(problem, faults);
    let mut bench = Bench::new(&mut device, &inputs).unwrap();
    let outcomes = kernels.iter().map(|kernel| bench.evaluate(kernel).unwrap());
    outcomes.collect()
}

#[track_caller]
fn assert_right(outcome: &BenchOutcome, what: &str) {
    assert!(
        matches!(outcome, BenchOutcome::Right(..)),
        "{what}: {outcome:?}"
    );
}

#[track_caller]
fn check_right(problem: &str) {
    let problem = problem.parse().unwrap();
    let kernels = [
        kernel(&problem, false),
        kernel(&problem, true),
        split(&problem),
    ];
    for outcome in outcomes(&problem, &[], &kernels) {
        assert_right(&outcome, &problem.to_string());
    }
}

/// Checks that a fault is found: the kernel is wrong, or has another tie-break.
#[track_caller]
fn check_found(fault: &'static [Fault], problem: &str, expected: &str) {
    check_found_in(fault, problem, |problem| kernel(problem, false), expected);
}

#[track_caller]
fn check_found_in(
    fault: &'static [Fault],
    problem: &str,
    kernel: impl Fn(&Problem) -> CompiledKernel,
    expected: &str,
) {
    let problem = problem.parse().unwrap();
    let found = match outcomes(&problem, fault, &[kernel(&problem)]).remove(0) {
        BenchOutcome::Wrong(difference) => format!("wrong: {difference}"),
        BenchOutcome::Tie(_, difference) => format!("tie: {difference}"),
        BenchOutcome::Unstable(difference) => format!("unstable: {difference}"),
        other => panic!("{problem} {fault:?}: {other:?}"),
    };
    assert!(found.contains(expected), "{problem} {fault:?}: {found}");
}

/// Checks that the fold is correct with all options, layouts and types, for any comparator.
#[test]
fn folds_are_right() {
    for comparator in ["argmax", "argmin_last", "argmax_nan"] {
        for layout in [
            "4x[33]xf32",
            "[9]x5xbf16",
            "3x[4]x2x[5]xf64",
            "[70]xf8E5M2FNUZ",
        ] {
            for options in [
                "index_base",
                "explicit_index",
                "initial",
                "index_base:initial",
            ] {
                for index in ["i32", "i64"] {
                    check_right(&format!("{comparator}:{layout}:{index}:{options}"));
                }
            }
        }
    }
    check_right("argmax:6x[10]xi32:i64:explicit_index:initial:pitch=16");
    check_right("argmin.ult:[10]x6xi8:i32:explicit_index:initial:pitch=16");
    check_right("argmax:3000x[4]xi16:i64:explicit_index:initial");
    check_right("argmin:5x40x[4]x50xf16:i64:explicit_index:initial");
    check_right("argmax:4x[3]x2000xf32");
    check_right("argmax:3000x[4]xi16:i32:index_base");
    let unordered = "unordered{arith.cmpi(ne,0,1)}:4x[33]xi32:i32:index_base:initial";
    check_right(unordered);
}

#[test]
fn index_bases_are_checked() {
    for problem in [
        "argmax:4x[33]xf32:i32:index_base",
        "argmin:3000x[4]xi64:i64:index_base:initial",
        "argmax:[5]xi8:i32:index_base",
    ] {
        check_found(&[Fault::IgnoresIndexBase], problem, "of no element");
        check_found(&[Fault::TruncatesIndexBase], problem, "of no element");
    }
    check_found(
        &[Fault::IgnoresIndexBase],
        "argmax:4x[33]xf32:i32:index_base",
        "wrong: row 0 (random, index base 2147483615): expected (",
    );
}

#[test]
fn initial_pairs_are_checked() {
    for problem in [
        "argmax:4x[33]xf32:i32:initial",
        "argmin_last:[9]x5xbf16:i64:initial",
        "argmax:[5]xi8:i32:explicit_index:initial",
        "argmax:3000x[4]xi16:i64:index_base:initial",
    ] {
        check_found(&[Fault::IgnoresInitialPair], problem, "initial pair (");
        check_found(&[Fault::InitialIndexIsPosition], problem, "initial pair (");
        check_found(&[Fault::ReturnsInitialPair], problem, "initial pair (");
        let kept = &[Fault::KeepsInitialIndex];
        check_found(kept, problem, "wrong: row ");
        check_found(kept, problem, " of the initial pair)");
    }
    let based = "argmax:4x[33]xf32:i64:index_base:initial";
    check_found(&[Fault::AddsBaseToInitialIndex], based, "of no element");
}

/// Checks that the bench exposes a comparator that is no order for few values only. Pieces of a
/// row then have results that cannot be combined.
#[test]
fn pieces_of_unordered_comparators_are_found() {
    let pieces = |problem: &str| {
        let problem = problem.parse().unwrap();
        let kernels = [kernel(&problem, false)];
        outcomes(&problem, &[Fault::ReducesInPieces], &kernels).remove(0)
    };
    for order in ["argmax:40x[320]xi32:i32", "argmax:40x[320]xi32:i32:initial"] {
        assert!(matches!(pieces(order), BenchOutcome::Right(..)), "{order}");
    }
    // (a >> 3) > (b >> 3) + 4, and the same with a larger constant.
    for comparator in [
        "2=arith.constant(i32,3);3=arith.shrsi(0,2);4=arith.shrsi(1,2);5=arith.constant(i32,4);6=arith.addi(4,5);arith.cmpi(sgt,3,6)",
        "2=arith.constant(i32,3);3=arith.shrsi(0,2);4=arith.shrsi(1,2);5=arith.constant(i32,fa0);6=arith.addi(4,5);arith.cmpi(sgt,3,6)",
    ] {
        let problem = format!("unordered{{{comparator}}}:40x[320]xi32:i32:initial");
        // Values that the comparator does not distinguish are a tie, which no native kernel may
        // return.
        let outcome = pieces(&problem);
        assert!(
            matches!(outcome, BenchOutcome::Wrong(_) | BenchOutcome::Tie(..)),
            "{problem}: {outcome:?}"
        );
    }
}

#[test]
fn explicit_indices_are_checked() {
    for problem in [
        "argmax:4x[33]xf32:i32:explicit_index",
        "argmin:[9]x5xbf16:i64:explicit_index",
        "argmax:6x[10]xi32:i64:explicit_index:initial:pitch=16",
    ] {
        check_found(&[Fault::GathersNeighbour], problem, "of ");
        check_found(&[Fault::ReturnsPosition], problem, "of no element");
    }
}

/// Checks this with and without initial pairs in the outputs.
#[test]
fn rows_that_are_not_computed_keep_their_poison() {
    for options in ["i32", "i64:initial"] {
        let few = format!("argmax:4x[33]xf32:{options}");
        let many = format!("argmax:3000x[4]xf32:{options}");
        let boxes = format!("argmax:4x[3]x2000xf32:{options}");
        check_found(&[Fault::SkipsLastRow], &few, "wrong: row 3");
        check_found(&[Fault::SkipsLastRow], &boxes, "wrong: row 7999");
        check_found(
            &[Fault::WritesNextRow],
            &many,
            "expected nothing (the row is another workgroup's)",
        );
        check_found(
            &[Fault::WritesNextRow],
            &boxes,
            "expected nothing (the row is another workgroup's)",
        );
    }
}

/// Checks that the results of an earlier launch are poisoned.
#[test]
fn rows_are_poisoned_before_every_launch() {
    for problem in ["argmax:4x[33]xf32", "argmax:4x[3]x2000xf32"] {
        check_found(
            &[Fault::SkipsLastRowLater],
            problem,
            "found nothing (the output was not written)",
        );
    }
}

/// Checks that an unstable kernel is found, both if its first launch is correct and if it is
/// wrong.
#[test]
fn launches_are_repeated() {
    for problem in [
        "argmax:4x[33]xf32",
        "argmax:[9]xf32",
        "argmax:4x[33]xf32:i32:initial",
    ] {
        check_found(&[Fault::Alternates], problem, "unstable: row ");
        check_found(&[Fault::DiffersWhenRepeated], problem, "unstable: row ");
        check_found(&[Fault::SkipsLastRow], problem, "wrong: row ");
    }
}

/// Checks that the result of the launch before does not count.
#[test]
fn repetitions_have_fresh_poison() {
    for problem in ["argmax:4x[33]xf32", "argmin:3000x[4]xi64:i64"] {
        for kernel in [|p: &_| kernel(p, false), |p: &_| kernel(p, true), split] {
            check_found_in(
                &[Fault::SkipsLastRowWhenRepeated],
                problem,
                kernel,
                "found nothing (the output was not written)",
            );
        }
    }
}

/// Checks that a repeat is independent of changes to the input.
#[test]
fn repetitions_have_fresh_inputs() {
    for problem in ["argmax:4x[33]xf32", "argmin:[9]x5xi64:i64:index_base"] {
        let problem = problem.parse().unwrap();
        for kernel in [kernel(&problem, false), split(&problem)] {
            let outcome = outcomes(&problem, &[Fault::SpoilsInput], &[kernel]).remove(0);
            assert_right(&outcome, &problem.to_string());
        }
    }
}

/// Checks that instability is found in rows without a reference, too.
#[test]
fn repetitions_are_the_same_in_every_row() {
    let found = "expected the same in every launch, found two results";
    for problem in ["argmax:3000x[4]xf32", "argmax:3000x[4]xi8:i64"] {
        check_found(&[Fault::CountsInUncheckedIndices], problem, found);
        check_found(&[Fault::CountsInUncheckedValues], problem, found);
    }
}

/// Checks that the workspace of one launch is poisoned before the next.
#[test]
fn workspaces_are_poisoned_before_every_launch() {
    for problem in ["argmax:4x[33]xf32", "argmin:3000x[4]xi16"] {
        check_found_in(&[Fault::FillsWorkspaceOnce], problem, split, "wrong: row ");
    }
}

/// Checks that the first tie is reported, for any number of correct launches after it.
#[test]
fn every_launch_counts() {
    let fault = &[Fault::TakesLastOfEquals];
    check_found(fault, "argmax:4x[33]xf32", "tie: row 1 (ties): ");
    check_found(fault, "argmax:[33]xi32", "tie: row 0 (ties): ");
}

/// Checks that a kernel that may have overwritten its input does not affect the next one.
#[test]
fn the_next_kernel_has_fresh_inputs() {
    use Fault::{DiffersWhenRepeated, Fails, SkipsLastRow, SpoilsInput};
    check_next(&[SpoilsInput, SkipsLastRow], "Wrong");
    check_next(&[SpoilsInput, DiffersWhenRepeated], "Unstable");
    check_next(&[SpoilsInput, Fails], "Failed");
}

#[track_caller]
fn check_next(faults: &'static [Fault], outcome: &str) {
    // Without initial pairs: a row that keeps one may be right in the first launch, and the second
    // one shares the indices.
    for problem in ["argmax:4x[33]xf32", "argmin:3000x[4]xi64:i64:index_base"] {
        let problem = problem.parse().unwrap();
        let mut kernels = [kernel(&problem, false), kernel(&problem, false)];
        kernels[1].symbol = INNOCENT.to_owned();
        let found = outcomes(&problem, faults, &kernels);
        assert!(format!("{:?}", found[0]).starts_with(outcome), "{found:?}");
        assert_right(&found[1], &problem.to_string());
    }
}

/// Checks that a kernel with an open count is correct only if it is so at every count.
#[test]
fn counts_are_checked() {
    let small = "argmax:?x[33]xf32:i32:count=1..20";
    // Not all rows are checked, so only some tiles run.
    let large = "argmax:?x2x[4]xi16:i64:index_base:initial:count=3..3000";
    for problem in [
        small,
        large,
        "argmin:?x[9]x5xbf16:i32:explicit_index:count=2..6",
    ] {
        check_right(problem);
    }
    check_found(
        &[Fault::IgnoresCount],
        small,
        "wrong: row 1 (count 1): expected nothing (the row is another workgroup's), found a write",
    );
    check_found(
        &[Fault::CountIsTileAtLeast],
        small,
        "wrong: row 1 (count 1): expected nothing",
    );
    check_found(
        &[Fault::SkipsLastOfCount],
        small,
        "wrong: row 0 (random, count 1): expected (",
    );
    check_found(
        &[Fault::SkipsLastOfCount],
        large,
        "(one winner, count 1501, index base ",
    );
    check_found(&[Fault::IgnoresCount], large, "a write");
    check_found(&[Fault::SkipsLastRow], small, "wrong: row 19");
}

#[test]
fn a_kernel_without_a_count_cannot_be_launched_with_one() {
    let problem: Problem = "argmax:?x[33]xf32".parse().unwrap();
    let mut fixed = kernel(&problem, false);
    fixed.arguments.pop();
    let outcome = outcomes(&problem, &[], &[fixed]).remove(0);
    let BenchOutcome::Failed(error) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(error.to_string().contains("with a count of 1"), "{error}");
}

/// Checks that a kernel with an open count is timed at the counts that represent the range.
#[test]
fn kernels_are_timed_at_several_counts() {
    let timed = |problem: &str| {
        let problem: Problem = problem.parse().unwrap();
        let inputs = Inputs::new(&problem, 1).unwrap();
        let mut device = Host::new(&problem, &[]);
        let kernel = kernel(&problem, false);
        let outcome = Bench::new(&mut device, &inputs).unwrap().evaluate(&kernel);
        assert_right(&outcome.unwrap(), &problem.to_string());
        device.timed
    };
    assert_eq!(timed("argmax:5x[33]xf32"), [None]);
    assert_eq!(
        timed("argmax:?x[33]xf32:i32:count=1..27"),
        [1, 3, 9, 27].map(Some)
    );
}
