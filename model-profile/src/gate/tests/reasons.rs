//! Every reason of the gate, in words: each is true of the modules that lead to it.

use super::{Candidate, Gate, Row, candidates, module};
use crate::gate::comparison::TimePair;
use crate::gate::{CandidateVerdict, VerdictReason};
use crate::module_outline::ModuleOutline;
use crate::verdict_text::reason;

/// Judges modules, and compares the reasons in words.
#[track_caller]
fn check(candidates: &[Candidate], rows: &[Row], expected: &[&str]) {
    let of_set = |set: &[usize]| module(rows.iter().find(|row| row.0 == set).unwrap().1);
    let verdict = Gate::new(candidates, of_set).judge().unwrap();
    let reasons = verdict.candidates.iter().map(reason);
    assert_eq!(reasons.collect::<Vec<_>>(), expected);
}

#[track_caller]
fn check_one(plain: &'static str, with: &'static str, expected: &str) {
    check(&candidates(1), &[(&[], plain), (&[0], with)], &[expected]);
}

fn with_rivals() -> Vec<Candidate> {
    let mut two = candidates(2);
    two[0].rivals.push(1);
    two[1].rivals.push(0);
    two
}

#[test]
fn times_of_one_candidate() {
    check_one("a:4", "k0:2", "2.00 us instead of 4.00 us");
    check_one("s:>900", "k0:2", "2.00 us instead of more than 900.00 us");
    check_one(
        "a:4",
        "k0:5",
        "left alone: the module would take 5.00 us instead of 4.00 us where it stands",
    );
    check_one(
        "a:400",
        "k0:399",
        "left alone: the module would take 399.00 us instead of 400.00 us where it stands, a gain \
         of less than 0.5 %",
    );
    check_one(
        "s:>900",
        "k0:950",
        "left alone: the module would take 950.00 us where it stands, and its time without it is \
         only known to be more than 900.00 us",
    );
    check_one(
        "a:9 / a:4",
        "k0:2 / k0:5",
        "left alone: main(2xf32) would take 5.00 us instead of 4.00 us where it stands",
    );
}

#[test]
fn times_at_the_limit_of_compilations() {
    let told = |reason_of: VerdictReason, is_bound| {
        let mut verdict = CandidateVerdict::left_out(reason_of);
        let pair = TimePair {
            before_us: 4.0,
            after_us: 5.0,
            bounded: 0,
        };
        verdict.set_times(pair, is_bound);
        reason(&verdict)
    };
    assert_eq!(
        told(VerdictReason::SlowerModule, false),
        "left alone: the fastest compiled module with it takes 5.00 us instead of 4.00 us"
    );
    assert_eq!(
        told(VerdictReason::NoFastModule, false),
        "left alone: no compiled module with it is known to be as fast in each call as without \
         kernels"
    );
    // A module that was not compiled has an estimate.
    assert_eq!(
        told(VerdictReason::NotFaster, true),
        "left alone: the module would take about 5.00 us instead of 4.00 us where it stands"
    );
}

#[test]
fn times_that_are_unknown() {
    check_one(
        "m:?4",
        "k0:2",
        "left alone, because m has no time: not emulated",
    );
    check_one(
        "a:4",
        "k0:>900",
        "left alone, because k0 takes more than 900.00 us: it did not end",
    );
    let rows: [Row; 4] = [
        (&[], "a:4 b:4"),
        (&[0, 1], "k0:2 k1:?1"),
        (&[0], "k0:2 b:4"),
        (&[1], "a:4 k1:?1"),
    ];
    let second = "left alone: the kernels that it interacts with are faster, and the module has no \
                  time with all of them";
    check(
        &candidates(2),
        &rows,
        &["2.00 us instead of 4.00 us", second],
    );
}

#[test]
fn times_of_a_group() {
    let rows: [Row; 4] = [
        (&[], "a:4 b:4"),
        (&[0, 1], "k0:5 k1:5"),
        (&[0], "k0:5 b:4"),
        (&[1], "a:4 k1:9"),
    ];
    // The best set with each of them.
    let expected = [
        "left alone: the module would take 5.00 us instead of 4.00 us where it stands",
        "left alone: the module would take 10.00 us instead of 8.00 us where it and the kernels \
         beside it stand",
    ];
    check(&candidates(2), &rows, &expected);
    let rows: [Row; 4] = [
        (&[], "a:4 b:4"),
        (&[0, 1], "k0:2 k1:7"),
        (&[0], "k0:2 b:4"),
        (&[1], "a:4 k1:7"),
    ];
    let expected = [
        "2.00 us instead of 4.00 us",
        "left alone: beside the kernels that stay, the module would take 9.00 us instead of 6.00 us \
         where they stand",
    ];
    check(&candidates(2), &rows, &expected);
    // It gains in sum, and a call loses.
    let rows: [Row; 4] = [
        (&[], "a:4 b:9 / a:4 b:4"),
        (&[0, 1], "k0:2 k1:2 / k0:2 k1:7"),
        (&[0], "k0:2 b:9 / k0:2 b:4"),
        (&[1], "a:4 k1:2 / a:4 k1:7"),
    ];
    let expected = [
        "4.00 us instead of 8.00 us",
        "left alone: main(2xf32) would take 9.00 us instead of 8.00 us where it and the kernels \
         beside it stand",
    ];
    check(&candidates(2), &rows, &expected);
}

#[test]
fn modules_as_a_whole() {
    let rows: [Row; 4] = [
        (&[], "a:4 z:1 b:4 y:1 c:4"),
        (&[0, 1, 2], "k0:2 z:1 k1:3 y:1 k2:9"),
        (&[0, 1], "k0:5 z:1 k1:5 y:1 c:4"),
        (&[0], "k0:2 z:1 b:4 y:1 c:4"),
    ];
    let expected = [
        "2.00 us instead of 4.00 us",
        "left alone: 3.00 us instead of 4.00 us where it stands, but the whole module would take \
         longer",
        "left alone: the module would take 9.00 us instead of 4.00 us where it stands",
    ];
    check(&candidates(3), &rows, &expected);
    let mut rows = rows;
    rows[2].1 = "refused";
    let refused = "left alone: the module does not compile with it: it does not compile";
    check(&candidates(3), &rows, &[expected[0], refused, expected[2]]);
    rows[2].1 = "k0:2 q:?1 k1:3 y:1 c:4";
    let untimed = "left alone, because q has no time: not emulated";
    check(&candidates(3), &rows, &[expected[0], untimed, expected[2]]);
}

#[test]
fn modules_that_are_refused() {
    let refused = "left alone: the module does not compile with it: it does not compile";
    check_one("a:4", "refused", refused);
    let rows: [Row; 4] = [
        (&[], "refused"),
        (&[0, 1], "k0:8"),
        (&[0], "k0:8"),
        (&[1], "k1:9"),
    ];
    let expected = [
        "iree-compile does not compile the module without kernels",
        "left alone: the module is as fast or faster with other kernels for its operations",
    ];
    check(&with_rivals(), &rows, &expected);
}

#[test]
fn candidates_without_a_launch() {
    check_one("a:4", "a:4", "no profiled call of the module launches it");
    // With an outline it is known whether it is placed.
    let check_outlined = |outline: &'static str, expected: &str| {
        let of_set = |_: &[usize]| module("a:4");
        let outline = |set: &[usize]| {
            let text = if set.is_empty() { "a:4" } else { outline };
            Ok(ModuleOutline::sample(
                "main",
                &module(text)?.functions[0].commands,
            ))
        };
        let one = candidates(1);
        let gate = Gate::new(&one, of_set).with_outlines(outline, |_, _| 1.0);
        let verdict = gate.judge().unwrap();
        assert_eq!(reason(&verdict.candidates[0]), expected);
    };
    check_outlined("a:4", "iree-compile places it nowhere in the module");
    check_outlined("a:4 k0:2", "no profiled call of the module launches it");
    // A variant of a problem is not listed, and has a reason all the same.
    let mut two = candidates(2);
    two[1].stands_in_for = Some(0);
    let rows: [Row; 3] = [(&[], "a:4"), (&[0], "k0:2"), (&[1], "k1:3")];
    let other = "another kernel of the problem is faster here";
    check(&two, &rows, &["2.00 us instead of 4.00 us", other]);
}
