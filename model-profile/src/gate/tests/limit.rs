//! The limit of compilations.

use proptest::prelude::*;

use super::VerdictReason::{self, Faster, RivalIsFaster, SlowerModule};
use super::outlined::{judge, judge_outlined};
use super::{Row, candidates, module};
use crate::error::ProfileError;
use crate::gate::{Candidate, sum_us};
use crate::profiler::ProfiledModule;

/// The first candidate hides the others, and makes the calls `with_first`. Each selection of others
/// is slower than its prediction. Checks the choice at the limit, and the first one's reason.
#[track_caller]
fn check_limit(with_first: &str, expected: VerdictReason) {
    let mut all = candidates(4);
    all[0].rivals = vec![1, 2, 3];
    for part in &mut all[1..] {
        part.rivals = vec![0];
    }
    let of_set = |set: &[usize]| {
        let is_in = |it: usize| set.contains(&it);
        if is_in(0) {
            return module(with_first);
        }
        // Without all three, what is left of the operations is another slow kernel each time.
        let left: String = (1..=3)
            .map(|it| if is_in(it) { '1' } else { '0' })
            .collect();
        let slow = |it: usize| match is_in(it) {
            true => format!("k{it}:6"),
            false => format!("m_dispatch_{it}_from_{left}:9"),
        };
        let call = (1..=3).map(slow).collect::<Vec<_>>().join(" ");
        module(&format!("{call} / {call}"))
    };
    let (verdict, compiled) = judge_outlined(&all, of_set);
    assert_eq!((verdict.kept, compiled.len()), (vec![1, 2, 3], 4));
    assert_eq!(verdict.candidates[0].reason, expected);
    for others in &verdict.candidates[1..] {
        assert_eq!(others.reason, Faster);
    }
}

#[test]
fn the_fastest_compiled_module_is_chosen_at_the_limit() {
    check_limit("k0:20 / k0:20", VerdictReason::SlowerModule);
    // Its sum is the smallest, but a call is slower than in the plain module.
    check_limit("k0:28 / k0:1", VerdictReason::NoFastModule);
}

/// Checks the kept candidates, their reasons, and the sets that are compiled. No outline has the
/// commands of its module.
#[track_caller]
fn check_without_outlines(
    candidates: &[Candidate],
    rows: &[Row],
    kept: &[usize],
    expected: &[VerdictReason],
) {
    let of_set = |set: &[usize]| {
        let row = rows.iter().find(|row| row.0 == set);
        module(row.unwrap_or_else(|| panic!("{set:?} is compiled")).1)
    };
    let (verdict, compiled) = judge(candidates, &of_set, &|_| module("other:1"));
    assert_eq!(compiled, rows.iter().map(|row| row.0).collect::<Vec<_>>());
    let reasons = verdict.candidates.iter().map(|it| it.reason.clone());
    assert_eq!(reasons.collect::<Vec<_>>(), expected);
    assert_eq!(verdict.kept, kept);
}

#[test]
fn trials_without_outlines_are_limited() {
    // The third pair and each of the three alone are not tried.
    let rows: [Row; 4] = [
        (&[], "a:20"),
        (&[0, 1, 2], "k0:5 k1:5 k2:5"),
        (&[0, 1], "k0:5 k1:5 x:2"),
        (&[0, 2], "k0:5 k2:5 x:4"),
    ];
    let expected = [Faster, Faster, SlowerModule];
    check_without_outlines(&candidates(3), &rows, &[0, 1], &expected);
}

#[test]
fn the_best_of_each_group_may_be_in_no_compiled_module() {
    let rows: [Row; 4] = [
        (&[], "a:20 s:1 b:20"),
        (&[0, 1, 2, 3, 4, 5], "k0:5 k1:5 k2:5 s:1 k3:5 k4:5 k5:5"),
        (&[0, 1, 3, 4], "k0:5 k1:5 x:2 s:1 k3:5 k4:5 y:8"),
        (&[0, 2, 3, 5], "k0:5 k2:5 x:4 s:1 k3:5 k5:5 y:1"),
    ];
    let expected = [Faster, SlowerModule, Faster, Faster, SlowerModule, Faster];
    check_without_outlines(&candidates(6), &rows, &[0, 2, 3, 5], &expected);
}

#[test]
fn a_hidden_candidate_that_is_not_tried_is_not_called_refused() {
    let mut all = candidates(7);
    all[6].rivals = vec![1];
    let rows: [Row; 4] = [
        (&[], "a:20"),
        (&[0, 1, 2, 3, 4, 5, 6], "k0:9 k1:9 k2:9 k3:9 k4:9 k5:9"),
        (&[0, 2, 4], "k0:3 k2:3 k4:3 x:1"),
        (&[1, 3, 5], "k1:4 k3:4 k5:4 y:1"),
    ];
    let mut expected = [const { [Faster, SlowerModule] }; 3].concat();
    expected.push(VerdictReason::OperationsTaken);
    check_without_outlines(&all, &rows, &[0, 2, 4], &expected);
}

/// Each of four rivals has a kernel that is slower than its prediction. Checks the kept one if
/// the third makes the calls `with_third`.
#[track_caller]
fn check_refused(with_third: &str, kept: usize) {
    let mut all = candidates(4);
    for (number, one) in all.iter_mut().enumerate() {
        one.rivals = (0..4).filter(|it| *it != number).collect();
    }
    let of_set = |set: &[usize]| match set {
        [] => module("refused"),
        [1] => module("k1:7 / k1:7"),
        [2] => module(with_third),
        [3] => module("k3:9 / k3:9"),
        _ => module("k0:10 / k0:10"),
    };
    let (verdict, compiled) = judge_outlined(&all, of_set);
    // The plain module is refused before it is compiled.
    assert_eq!((verdict.kept, compiled.len()), (vec![kept], 3));
}

#[test]
fn the_fastest_of_rivals_is_chosen_at_the_limit() {
    check_refused("k2:6 / k2:6", 2);
    // Its sum is smaller, but a call is slower than with the first one.
    check_refused("k2:12 / k2:1", 1);
}

#[test]
fn trials_of_a_module_that_is_refused_alone_are_limited() {
    let mut all = candidates(4);
    for (number, one) in all.iter_mut().enumerate() {
        one.rivals = (0..4).filter(|it| *it != number).collect();
    }
    let rows: [Row; 4] = [
        (&[], "refused"),
        (&[0, 1, 2, 3], "k0:9"),
        (&[0], "k0:9"),
        (&[1], "k1:7"),
    ];
    let expected = [
        RivalIsFaster,
        VerdictReason::NoPlainModule,
        RivalIsFaster,
        RivalIsFaster,
    ];
    check_without_outlines(&all, &rows, &[1], &expected);
}

/// A module whose commands fuse by chance. A candidate with an odd number is a rival of the one
/// before it.
fn random_module(
    seed: u64,
    count: usize,
    set: &[usize],
    noise: bool,
) -> Result<ProfiledModule, ProfileError> {
    let random = |text: &str| blake3::hash(format!("{seed} {text}").as_bytes()).as_bytes()[0];
    let owner = |slot: usize| (2 * slot..2 * slot + 2).find(|it| set.contains(it));
    let names = (0..count.div_ceil(2)).map(|slot| match owner(slot) {
        Some(owner) => format!("k{owner}"),
        None => format!("p{slot}x{}", owner(slot + 1).map_or(0, |it| it + 1)),
    });
    let names: Vec<String> = names.collect();
    let command = |name: &String| {
        let noise = match noise {
            true => random(&format!("{name} of {}", names.join(" "))) % 4,
            false => 0,
        };
        format!("{name}:{}", 1 + random(name) % 9 + noise)
    };
    let commands: Vec<String> = names.iter().map(command).collect();
    module(&commands.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Outlines are right, have other times, or have other commands.
    #[test]
    fn ten_candidates_cost_four_compilations(
        seed: u64,
        count in 1usize..=10,
        outlines in 0..3,
        is_refused: bool,
    ) {
        let mut all = candidates(count);
        for (number, one) in all.iter_mut().enumerate() {
            one.rivals = (0..count).filter(|it| *it == number ^ 1).collect();
        }
        let of_set = |set: &[usize]| match is_refused && set.is_empty() {
            true => module("refused"),
            false => random_module(seed, count, set, outlines == 1),
        };
        let outlined = |set: &[usize]| match outlines {
            2 => module("other:1"),
            _ => of_set(set),
        };
        let (verdict, compiled) = judge(&all, &of_set, &outlined);
        prop_assert!(compiled.len() <= 4, "{compiled:?}");
        if let Some(plain) = &verdict.plain {
            prop_assert!(sum_us(&verdict.chosen) <= sum_us(plain));
        }
        prop_assert_eq!(&verdict.chosen, &of_set(&verdict.kept).unwrap());
    }
}
