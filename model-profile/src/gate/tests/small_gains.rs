//! Gains below half a percent: IREE's own kernels stay.

use super::VerdictReason::{BetterWithout, Faster, GainTooSmall};
use super::{candidates, check, check_of, check_times};

#[test]
fn a_candidate_gains_half_a_percent_of_its_own_commands() {
    check(&[(&[], "a:1000"), (&[0], "k0:996")], &[GainTooSmall]);
    check(&[(&[], "a:1000"), (&[0], "k0:994")], &[Faster]);
    // The rest of the module does not count.
    check(&[(&[], "a:100 b:9000"), (&[0], "k0:99 b:9000")], &[Faster]);
    // The gain counts over all calls.
    let rows = [(&[][..], "a:10 / a:1000"), (&[0][..], "k0:9 / k0:999")];
    check(&rows, &[GainTooSmall]);
}

#[test]
fn a_member_of_a_group_gains_too_little() {
    let verdict = check(
        &[
            (&[], "a:1000 b:1000"),
            (&[0, 1], "k0:500 k1:999"),
            (&[0], "k0:500 b:1000"),
            (&[1], "a:1000 k1:999"),
        ],
        &[Faster, GainTooSmall],
    );
    check_times(&verdict, 0, 1000.0, 500.0);
    check_times(&verdict, 1, 1500.0, 1499.0);
    // Both gain enough.
    check(
        &[
            (&[], "a:1000 b:1000"),
            (&[0, 1], "k0:500 k1:990"),
            (&[0], "k0:500 b:1000"),
            (&[1], "a:1000 k1:990"),
        ],
        &[Faster, Faster],
    );
    // Equal times: nothing speaks for the second one.
    check(
        &[
            (&[], "a:1000 b:1000"),
            (&[0, 1], "k0:500 k1:1000"),
            (&[0], "k0:500 b:1000"),
            (&[1], "a:1000 k1:1000"),
        ],
        &[Faster, BetterWithout],
    );
}

/// The first of two refused modules that compile with either kernel.
#[test]
fn a_rival_gains_too_little() {
    use super::VerdictReason::{NoPlainModule, RivalIsFaster};
    let mut two = candidates(2);
    two[0].rivals.push(1);
    two[1].rivals.push(0);
    let rows = [
        (&[][..], "refused"),
        (&[0, 1][..], "k0:1000"),
        (&[0][..], "k0:1000"),
        (&[1][..], "k1:999"),
    ];
    check_of(&two, &rows, &[NoPlainModule, RivalIsFaster]);
}
