//! The options of problems on their way through the bench, with a device that folds on the host.
//!
//! What the device is given are the buffers and arguments of a kernel, nothing else: where an element lies, and what its
//! index is, is worked out here once more. A fault in what it does has to be found.

mod host;

use bench_harness::{Bench, Inputs, Outcome};
use configgen::Problem;
use host::{Fault, Host, kernel};

fn outcome(problem: &str, fault: Fault, shared: bool) -> Outcome {
    let problem: Problem = problem.parse().unwrap();
    let inputs = Inputs::new(&problem, 1).unwrap();
    let device = Box::new(Host::new(&problem, fault));
    let mut bench = Bench::new(device, &inputs).unwrap();
    bench.evaluate(&kernel(&problem, shared)).unwrap()
}

#[track_caller]
fn check_right(problem: &str) {
    for shared in [false, true] {
        let outcome = outcome(problem, Fault::None, shared);
        assert!(
            matches!(outcome, Outcome::Right(_)),
            "{problem}: {outcome:?}"
        );
    }
}

/// What the device does wrong is found: it is wrong, or returns another index of a tie.
#[track_caller]
fn check_found(fault: Fault, problem: &str, expected: &str) {
    let found = match outcome(problem, fault, false) {
        Outcome::Wrong(difference) => format!("wrong: {difference}"),
        Outcome::Tie(_, difference) => format!("tie: {difference}"),
        Outcome::Unstable(difference) => format!("unstable: {difference}"),
        other => panic!("{problem} {fault:?}: {other:?}"),
    };
    assert!(found.contains(expected), "{problem} {fault:?}: {found}");
}

/// The fold is right with all options, layouts and types, whatever the comparator is.
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
        check_found(Fault::IgnoresIndexBase, problem, "of no element");
        check_found(Fault::TruncatesIndexBase, problem, "of no element");
    }
    check_found(
        Fault::IgnoresIndexBase,
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
        for fault in [
            Fault::IgnoresInitialPair,
            Fault::InitialIndexIsPosition,
            Fault::ReturnsInitialPair,
        ] {
            check_found(fault, problem, "initial pair (");
        }
    }
    let based = "argmax:4x[33]xf32:i64:index_base:initial";
    check_found(Fault::AddsBaseToInitialIndex, based, "of no element");
}

/// A comparator that differs from an order for few values only: pieces of a row have results that cannot be put together.
#[test]
fn pieces_of_what_is_no_order_are_found() {
    let pieces = |problem: &str| outcome(problem, Fault::ReducesInPieces, false);
    for order in ["argmax:4x[320]xi32:i32", "argmax:4x[320]xi32:i32:initial"] {
        assert!(matches!(pieces(order), Outcome::Right(_)), "{order}");
    }
    // (a >> 3) > (b >> 3) + 4, the same with a larger constant, and (a > b) xor (b * 1640531527 == 99).
    for comparator in [
        "2=arith.constant(i32,3);3=arith.shrsi(0,2);4=arith.shrsi(1,2);5=arith.constant(i32,4);6=arith.addi(4,5);arith.cmpi(sgt,3,6)",
        "2=arith.constant(i32,3);3=arith.shrsi(0,2);4=arith.shrsi(1,2);5=arith.constant(i32,fa0);6=arith.addi(4,5);arith.cmpi(sgt,3,6)",
        "2=arith.constant(i32,61c88647);3=arith.muli(1,2);4=arith.constant(i32,63);5=arith.cmpi(eq,3,4);6=arith.cmpi(sgt,0,1);arith.xori(6,5)",
    ] {
        let problem = format!("unordered{{{comparator}}}:4x[320]xi32:i32:initial");
        let outcome = pieces(&problem);
        assert!(
            matches!(outcome, Outcome::Wrong(_)),
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
        check_found(Fault::GathersNeighbour, problem, "of ");
        check_found(Fault::ReturnsPosition, problem, "of no element");
    }
}

/// Also where the outputs held something before the launch.
#[test]
fn rows_that_are_not_computed_keep_their_poison() {
    for options in ["i32", "i64:initial"] {
        let few = format!("argmax:4x[33]xf32:{options}");
        let many = format!("argmax:3000x[4]xf32:{options}");
        let boxes = format!("argmax:4x[3]x2000xf32:{options}");
        check_found(Fault::SkipsLastRow, &few, "wrong: row 3");
        check_found(Fault::SkipsLastRow, &boxes, "wrong: row 7999");
        check_found(
            Fault::WritesNextRow,
            &many,
            "row 684: expected nothing (the row is another workgroup's)",
        );
        check_found(
            Fault::WritesNextRow,
            &boxes,
            "row 4684: expected nothing (the row is another workgroup's)",
        );
    }
}

/// What an earlier launch wrote is gone.
#[test]
fn rows_are_poisoned_before_every_launch() {
    for problem in ["argmax:4x[33]xf32", "argmax:4x[3]x2000xf32"] {
        check_found(
            Fault::SkipsLastRowLater,
            problem,
            "found nothing (the output was not written)",
        );
    }
}

/// Whether a launch is seen first that is right, or one that is wrong.
#[test]
fn launches_are_repeated() {
    for problem in [
        "argmax:4x[33]xf32",
        "argmax:[9]xf32",
        "argmax:4x[33]xf32:i32:initial",
    ] {
        check_found(Fault::Alternates, problem, "unstable: row ");
        check_found(Fault::SkipsLastRow, problem, "wrong: row ");
    }
}
