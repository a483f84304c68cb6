//! Candidates for the same operations.

use super::VerdictReason::{BetterWithout, Faster, NoPlainModule, OtherIsFaster, RivalIsFaster};
use super::{Candidate, Row, candidates, check_of, check_times};

/// A kernel for several operations, k0, and kernels for some of them.
fn whole_and_parts(parts: usize) -> Vec<Candidate> {
    let mut candidates = candidates(1 + parts);
    for part in 1..=parts {
        candidates[0].rivals.push(part);
        candidates[part].rivals.push(0);
    }
    candidates
}

#[test]
fn a_part_that_is_faster_than_the_whole() {
    let two = whole_and_parts(1);
    let rows: [Row; 3] = [(&[], "s:4 n:9"), (&[0, 1], "k0:8"), (&[1], "k1:2 n:3")];
    let verdict = check_of(&two, &rows, &[BetterWithout, Faster]);
    check_times(&verdict, 0, 5.0, 8.0);
    assert_eq!(verdict.profiles, 3);
    let rows: [Row; 4] = [
        (&[], "s:4 n:9"),
        (&[0, 1], "k0:4"),
        (&[1], "k1:2 n:3"),
        (&[0], "k0:4"),
    ];
    let verdict = check_of(&two, &rows, &[Faster, BetterWithout]);
    check_times(&verdict, 1, 4.0, 5.0);
}

#[test]
fn parts_in_place_of_the_whole() {
    let three = whole_and_parts(2);
    let rows: [Row; 5] = [
        (&[], "s:4 n:9"),
        (&[0, 1, 2], "k0:8"),
        (&[1, 2], "k1:2 k2:3"),
        (&[1], "k1:2 n:9"),
        (&[2], "s:4 k2:2"),
    ];
    check_of(&three, &rows, &[BetterWithout, Faster, Faster]);
    let rows: [Row; 5] = [
        (&[], "s:4 n:9"),
        (&[0, 1, 2], "k0:8"),
        (&[1, 2], "k1:5 k2:5"),
        (&[1], "k1:5 n:9"),
        (&[2], "s:2 k2:4"),
    ];
    check_of(&three, &rows, &[BetterWithout, BetterWithout, Faster]);
}

#[test]
fn a_part_that_stands_elsewhere_too() {
    let two = whole_and_parts(1);
    let rows: [Row; 4] = [
        (&[], "s:4 n:9 z:1 s:4"),
        (&[0, 1], "k0:14 z:1 k1:2"),
        (&[1], "k1:2 n:3 z:1 k1:2"),
        (&[0], "k0:14 z:1 s:4"),
    ];
    check_of(&two, &rows, &[BetterWithout, Faster]);
}

#[test]
fn stand_ins_of_hidden_candidates() {
    let mut three = whole_and_parts(1);
    three.push(Candidate {
        kernels: vec!["k2".to_owned()],
        stands_in_for: Some(1),
        rivals: vec![0],
    });
    let rows: [Row; 4] = [
        (&[], "s:4 n:9"),
        (&[0, 1], "k0:8"),
        (&[1], "fill:4 k1:2 n:3"),
        (&[2], "k2:3 n:3"),
    ];
    check_of(&three, &rows, &[BetterWithout, OtherIsFaster, Faster]);
}

#[test]
fn a_module_that_is_refused_alone_has_the_faster_alternative() {
    let two = whole_and_parts(1);
    let rows: [Row; 4] = [
        (&[], "refused"),
        (&[0, 1], "k0:8 b:1"),
        (&[0], "k0:8 b:1"),
        (&[1], "k1:2 n:3 b:1"),
    ];
    check_of(&two, &rows, &[RivalIsFaster, NoPlainModule]);
    let rows: [Row; 4] = [
        (&[], "refused"),
        (&[0, 1], "k0:8 b:1"),
        (&[0], "k0:8 b:1"),
        (&[1], "k1:2 n:9 b:1"),
    ];
    check_of(&two, &rows, &[NoPlainModule, RivalIsFaster]);
    let mut three = two;
    three.push(Candidate {
        kernels: vec!["k2".to_owned()],
        stands_in_for: Some(1),
        rivals: vec![0],
    });
    let rows: [Row; 5] = [
        (&[], "refused"),
        (&[0, 1], "k0:8 b:1"),
        (&[0], "k0:8 b:1"),
        (&[1], "fill:6 k1:2 n:3 b:1"),
        (&[2], "k2:3 n:3 b:1"),
    ];
    check_of(
        &three,
        &rows,
        &[RivalIsFaster, OtherIsFaster, NoPlainModule],
    );
}
