//! Commands beyond the instruction limit: their time is longer than a known one.

use super::VerdictReason::{self, BetterWithout, Faster, NotBelowBound, NotFaster};
use super::{VerdictTime, check, untimed};

/// Returns the reason to leave out a candidate with a command beyond the limit.
fn longer(name: &str, least_us: &str) -> VerdictReason {
    VerdictReason::Untimed {
        message: format!("{name} takes more than {least_us} us: it did not end"),
    }
}

#[test]
fn a_candidate_that_beats_the_bound_stays() {
    let verdict = check(&[(&[], "s:>900 b:3"), (&[0], "k0:5 b:3")], &[Faster]);
    let one = &verdict.candidates[0];
    let (us, is_bound) = (900.0, true);
    assert_eq!(one.before, VerdictTime { us, is_bound });
    assert_eq!((one.after.us, one.after.is_bound), (5.0, false));
    // The bound alone decides nothing.
    let rows = [(&[][..], "s:>900 b:3"), (&[0][..], "k0:950 b:3")];
    let verdict = check(&rows, &[NotBelowBound]);
    assert!(verdict.candidates[0].before.is_bound);
    // A part of the call is known.
    check(&[(&[], "a:4 s:>900"), (&[0], "k0:905")], &[NotBelowBound]);
    check(&[(&[], "a:4 s:>900"), (&[0], "k0:2")], &[Faster]);
}

#[test]
fn a_candidate_beyond_the_limit_is_left_out() {
    let rows = [(&[][..], "a:4"), (&[0][..], "k0:>900")];
    check(&rows, &[longer("k0", "900.00")]);
    let rows = [(&[][..], "s:>900"), (&[0][..], "k0:>100")];
    check(&rows, &[longer("k0", "100.00")]);
    // Bounds of bytes do not stand in for it.
    let rows = [(&[][..], "m:?9"), (&[0][..], "k0:>100")];
    check(&rows, &[untimed("m")]);
    let rows = [(&[][..], "m:?9"), (&[0][..], "n:?1 k0:>100")];
    check(&rows, &[longer("k0", "100.00")]);
}

#[test]
fn commands_beyond_the_limit_on_both_sides() {
    check(&[(&[], "s:>900 a:4"), (&[0], "s:>900 k0:2")], &[Faster]);
    // Other places of its buffers are other code.
    check(&[(&[], "s:>900 a:4"), (&[0], "s'2:>901 k0:2")], &[Faster]);
    // Other operations are another kernel.
    let rows = [(&[][..], "s:>900 a:4"), (&[0][..], "t:>900 k0:2")];
    check(&rows, &[longer("t", "900.00")]);
}

#[test]
fn bounds_of_a_group() {
    let verdict = check(
        &[
            (&[], "s:>900 b:4"),
            (&[0, 1], "k0:5 k1:9"),
            (&[0], "k0:5 b:4"),
            (&[1], "s:>900 k1:9"),
        ],
        &[Faster, BetterWithout],
    );
    // Beside the first one, all times are known.
    let us = verdict.candidates.iter().map(|it| (it.before, it.after));
    let expected = [((900.0, true), (5.0, false)), ((9.0, false), (14.0, false))];
    let time = |(us, is_bound)| VerdictTime { us, is_bound };
    let expected = expected.map(|(before, after)| (time(before), time(after)));
    assert_eq!(us.collect::<Vec<_>>(), expected);
    // Without the second one, the time is not known.
    let verdict = check(
        &[
            (&[], "a:4 s:>900"),
            (&[0, 1], "k0:2 k1:950"),
            (&[0], "k0:2 s:>900"),
            (&[1], "a:4 k1:950"),
        ],
        &[Faster, NotBelowBound],
    );
    let one = &verdict.candidates[1];
    assert_eq!(
        (one.before, one.after),
        (time((902.0, true)), time((952.0, false)))
    );
}

#[test]
fn calls_are_bounded_one_by_one() {
    let slower = VerdictReason::SlowerCall {
        call: "main(2xf32)".to_owned(),
    };
    let rows = [(&[][..], "s:>900 / a:4"), (&[0][..], "k0:5 / k0:6")];
    let verdict = check(&rows, &[slower]);
    assert!(!verdict.candidates[0].before.is_bound);
    let rows = [(&[][..], "a:4 / s:>900"), (&[0][..], "k0:2 / k0:950")];
    check(&rows, &[NotBelowBound]);
    check(&[(&[], "a:4 / s:>9"), (&[0], "k0:4 / k0:5")], &[Faster]);
    check(&[(&[], "a:4 / a:4"), (&[0], "k0:4 / k0:4")], &[NotFaster]);
}
