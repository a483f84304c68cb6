//! The gate over modules that are written down.

mod alternatives;
mod bounds;
mod limit;
mod outlined;
mod reasons;
mod small_gains;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::command::DeviceCommand;
use crate::function_profile::FunctionProfile;

/// A set of candidates, and the module with them: commands in the notation of
/// [`DeviceCommand::sample`], calls with a slash between, or `refused`. The kernel of candidate 0
/// is k0.
type Row = (&'static [usize], &'static str);

fn module(text: &str) -> Result<ProfiledModule, ProfileError> {
    if text == "refused" {
        let message = "it does not compile".to_owned();
        return Err(ProfileError::NotCompiled { message });
    }
    let call = |(number, text): (usize, &str)| FunctionProfile {
        function: "main".to_owned(),
        inputs: vec![format!("{}xf32", number + 1)],
        commands: text.split_whitespace().map(DeviceCommand::sample).collect(),
        at_load: Vec::new(),
    };
    Ok(ProfiledModule {
        functions: text.split('/').enumerate().map(call).collect(),
    })
}

fn candidates(count: usize) -> Vec<Candidate> {
    let candidate = |number| Candidate {
        kernels: vec![format!("k{number}")],
        ..Candidate::default()
    };
    (0..count).map(candidate).collect()
}

/// Checks the verdicts, by reason, and returns them. A set without a row must not be profiled.
#[track_caller]
fn check_of(candidates: &[Candidate], rows: &[Row], expected: &[VerdictReason]) -> GateVerdict {
    let profile = |set: &[usize]| {
        let row = rows.iter().find(|row| row.0 == set);
        module(row.unwrap_or_else(|| panic!("{set:?} is profiled")).1)
    };
    let verdict = Gate::new(candidates, profile).judge().unwrap();
    let reasons: Vec<_> = verdict
        .candidates
        .iter()
        .map(|it| it.reason.clone())
        .collect();
    assert_eq!(reasons, expected);
    let kept: Vec<usize> = (0..expected.len())
        .filter(|&it| verdict.candidates[it].kept)
        .collect();
    assert_eq!(kept, verdict.kept);
    let stays = |it: &VerdictReason| matches!(it, Faster | NoPlainModule);
    let expected: Vec<usize> = (0..expected.len())
        .filter(|&it| stays(&expected[it]))
        .collect();
    assert_eq!(kept, expected);
    verdict
}

#[track_caller]
fn check(rows: &[Row], expected: &[VerdictReason]) -> GateVerdict {
    check_of(&candidates(expected.len()), rows, expected)
}

/// Checks the times of a verdict.
#[track_caller]
fn check_times(verdict: &GateVerdict, candidate: usize, before_us: f64, after_us: f64) {
    let one = &verdict.candidates[candidate];
    assert_eq!((one.before.us, one.after.us), (before_us, after_us));
}

use VerdictReason::{
    BetterWithout, Faster, NoPlainModule, NotFaster, NotLaunched, NotTogether, OtherIsFaster,
    SlowerElsewhere,
};

fn refused() -> VerdictReason {
    VerdictReason::NotCompiled {
        message: "it does not compile".to_owned(),
    }
}

fn untimed(name: &str) -> VerdictReason {
    VerdictReason::Untimed {
        message: format!("{name} has no time: not emulated"),
    }
}

#[test]
fn one_candidate() {
    assert_eq!(check(&[(&[], "a:4")], &[]).profiles, 1);
    let verdict = check(&[(&[], "a:4 b:3"), (&[0], "k0:2 b:3")], &[Faster]);
    check_times(&verdict, 0, 4.0, 2.0);
    assert_eq!(verdict.candidates[0].launches, 1);
    let verdict = check(&[(&[], "a:4 b:3"), (&[0], "k0:5 b:3")], &[NotFaster]);
    check_times(&verdict, 0, 4.0, 5.0);
    assert_eq!(verdict.chosen, verdict.plain.unwrap());
    check(&[(&[], "a:4 b:3"), (&[0], "k0:4 b:3")], &[NotFaster]);
    check(&[(&[], "a:4 b:3"), (&[0], "a:4 b:3")], &[NotLaunched]);
}

#[test]
fn the_neighbour_of_a_replacement_counts() {
    // IREE fuses a division with the sum before it.
    let verdict = check(
        &[(&[], "mean:4.5 b:3"), (&[0], "k0:4 divide:4.5 b:3")],
        &[NotFaster],
    );
    check_times(&verdict, 0, 4.5, 8.5);
    check(&[(&[], "scale:4 softmax:8"), (&[0], "k0:9")], &[Faster]);
}

#[test]
fn copies_and_fills_count() {
    let verdict = check(&[(&[], "a:4 b:1"), (&[0], "fill:3 k0:2 b:1")], &[NotFaster]);
    check_times(&verdict, 0, 4.0, 5.0);
    check(&[(&[], "a:4 b:1"), (&[0], "copy:1 k0:2 b:1")], &[Faster]);
}

#[test]
fn commands_apart_from_the_kernel_count() {
    let verdict = check(&[(&[], "b:1 a:4"), (&[0], "fill:3 b:1 k0:2")], &[NotFaster]);
    check_times(&verdict, 0, 4.0, 5.0);
    // An equal fill stands between what was removed and what was added.
    let verdict = check(&[(&[], "x:6 fill:1"), (&[0], "fill:1 k0:2")], &[Faster]);
    check_times(&verdict, 0, 6.0, 2.0);
    // The nearest candidate is behind it.
    check(
        &[
            (&[], "a:4 y:1 z:1 c:1 b:4"),
            (&[0, 1], "k0:2 y:1 z:1 fill:3 c:1 k1:2"),
            (&[0], "k0:2 y:1 z:1 c:1 b:4"),
        ],
        &[Faster, NotFaster],
    );
}

#[test]
fn a_command_that_only_moved_costs_nothing() {
    let verdict = check(&[(&[], "a:4 b:1"), (&[0], "b:1 k0:3")], &[Faster]);
    check_times(&verdict, 0, 4.0, 3.0);
}

#[test]
fn pairs_that_share_a_hunk() {
    let verdict = check(
        &[
            (&[], "a:4 b:4"),
            (&[0, 1], "k0:2 k1:7"),
            (&[0], "k0:2 b:4"),
            (&[1], "a:4 k1:7"),
        ],
        &[Faster, BetterWithout],
    );
    check_times(&verdict, 0, 4.0, 2.0);
    check_times(&verdict, 1, 6.0, 9.0);
    // Alone, the second takes at least 7 us, which is not less than the gain of the first.
    assert_eq!(verdict.profiles, 3);
    check(
        &[
            (&[], "a:4 b:4"),
            (&[0, 1], "k0:2 k1:3"),
            (&[0], "k0:5 b:4"),
            (&[1], "a:4 k1:6"),
        ],
        &[Faster, Faster],
    );
    check(
        &[
            (&[], "a:4 b:4"),
            (&[0, 1], "k0:5 k1:5"),
            (&[0], "k0:2 b:4"),
            (&[1], "a:4 k1:3"),
        ],
        &[Faster, BetterWithout],
    );
    check(
        &[
            (&[], "a:4 b:4"),
            (&[0, 1], "k0:5 k1:5"),
            (&[0], "k0:5 b:4"),
            (&[1], "a:4 k1:5"),
        ],
        &[NotFaster, NotFaster],
    );
    check(
        &[
            (&[], "a:4 b:4"),
            (&[0, 1], "k0:2 k1:?1"),
            (&[0], "k0:2 b:4"),
            (&[1], "a:4 k1:?1"),
        ],
        &[Faster, NotTogether],
    );
}

#[test]
fn more_than_four_in_a_hunk() {
    let verdict = check(
        &[
            (&[], "a:4 b:4 c:4 d:4 e:4"),
            (&[0, 1, 2, 3, 4], "k0:1 k1:9 k2:1 k3:9 k4:9"),
            (&[0, 2, 4], "k0:1 b:4 k2:2 d:4 k4:9"),
            (&[1, 3], "a:4 k1:9 c:4 k3:9 e:4"),
            (&[0, 2], "k0:1 b:4 k2:2 d:4 e:4"),
        ],
        &[Faster, BetterWithout, Faster, BetterWithout, BetterWithout],
    );
    assert_eq!(verdict.profiles, 5);
    check_times(&verdict, 2, 8.0, 3.0);
    // IREE fuses `b`, `c` and `d`, so that some candidates still share a hunk.
    let verdict = check(
        &[
            (&[], "a:4 bcd:9 e:4"),
            (&[0, 1, 2, 3, 4], "k0:1 k1:9 k2:9 k3:9 k4:6"),
            (&[0, 2, 4], "k0:1 k2:9 d:4 k4:6"),
            (&[1, 3], "a:4 k1:9 c:2 k3:9 e:4"),
            (&[0, 4], "k0:1 bcd:9 k4:6"),
            (&[2], "a:4 b:3 k2:9 d:3 e:4"),
            (&[0], "k0:1 bcd:9 e:4"),
            (&[1], "a:4 k1:9 cd:7 e:4"),
            (&[3], "a:4 bc:7 k3:9 e:4"),
        ],
        &[
            Faster,
            BetterWithout,
            BetterWithout,
            BetterWithout,
            BetterWithout,
        ],
    );
    assert_eq!(verdict.profiles, 9);
}

#[test]
fn commands_without_a_time() {
    check(&[(&[], "a:4"), (&[0], "k0:?1")], &[untimed("k0")]);
    check(&[(&[], "m:?9"), (&[0], "k0:2")], &[untimed("m")]);
    // As many on both sides: bounds stand in.
    check(&[(&[], "m:?4"), (&[0], "k0:?3")], &[Faster]);
    check(&[(&[], "m:?4"), (&[0], "k0:?5")], &[NotFaster]);
    // Equal commands on both sides cancel.
    check(&[(&[], "m:?4 a:4"), (&[0], "m:?4 k0:2")], &[Faster]);
    check(&[(&[], "x:1 m:?4 a:4"), (&[0], "m:?4 x:1 k0:2")], &[Faster]);
}

#[test]
fn candidates_that_do_not_compile() {
    let verdict = check(
        &[(&[], "refused"), (&[0, 1], "k0:2 k1:3")],
        &[NoPlainModule, NoPlainModule],
    );
    assert!(verdict.plain.is_none());
    check(
        &[(&[], "refused"), (&[0, 1], "k0:2"), (&[0], "k0:2")],
        &[NoPlainModule, NotLaunched],
    );
    // Without the other, the module does not compile.
    check(
        &[(&[], "refused"), (&[0, 1], "k0:2"), (&[0], "refused")],
        &[NoPlainModule, NoPlainModule],
    );
    check(
        &[(&[], "a:4 b:4"), (&[0, 1], "refused"), (&[0], "k0:2 b:4")],
        &[Faster, refused()],
    );
    check(
        &[
            (&[], "a:4 b:4"),
            (&[0, 1], "refused"),
            (&[0], "refused"),
            (&[1], "a:4 k1:9"),
        ],
        &[refused(), NotFaster],
    );
    let rows: [Row; 2] = [(&[], "refused"), (&[0], "refused")];
    let profile = |set: &[usize]| module(rows.iter().find(|it| it.0 == set).unwrap().1);
    let ended = Gate::new(&candidates(1), profile).judge();
    assert!(matches!(ended, Err(ProfileError::NotCompiled { .. })));
}

#[test]
fn groups_that_do_not_compile_together() {
    check(
        &[
            (&[], "a:4 b:4 z:1 c:4 d:4"),
            (&[0, 1, 2, 3], "k0:2 k1:9 z:1 k2:9 k3:2"),
            (&[0, 2], "refused"),
            (&[0], "k0:2 b:4 z:1 c:4 d:4"),
            (&[2], "a:4 b:4 z:1 k2:9 d:4"),
            (&[1, 3], "a:4 k1:9 z:1 c:4 k3:2"),
            (&[0, 3], "k0:2 b:4 z:1 c:4 k3:2"),
        ],
        &[Faster, BetterWithout, BetterWithout, Faster],
    );
}

#[test]
fn every_call_counts() {
    let slower = |call: &str| VerdictReason::SlowerCall {
        call: call.to_owned(),
    };
    let verdict = check(
        &[(&[], "a:9 b:1 / a:4 b:1"), (&[0], "k0:2 b:1 / k0:5 b:1")],
        &[slower("main(2xf32)")],
    );
    check_times(&verdict, 0, 4.0, 5.0);
    let verdict = check(
        &[(&[], "a:9 b:1 / a:4 b:1"), (&[0], "k0:2 b:1 / k0:3 b:1")],
        &[Faster],
    );
    check_times(&verdict, 0, 13.0, 5.0);
    assert_eq!(verdict.candidates[0].launches, 2);
    check(&[(&[], "a:9 / b:4"), (&[0], "k0:2 / b:4")], &[Faster]);
}

#[test]
fn the_whole_module_has_the_last_word() {
    check(
        &[
            (&[], "a:4 z:1 b:4 y:1 c:4"),
            (&[0, 1, 2], "k0:2 z:1 k1:3 y:1 k2:9"),
            (&[0, 1], "k0:5 z:1 k1:5 y:1 c:4"),
            (&[0], "k0:2 z:1 b:4 y:1 c:4"),
        ],
        &[Faster, SlowerElsewhere, NotFaster],
    );
    check(
        &[
            (&[], "a:4 z:1 b:4 y:1 c:4"),
            (&[0, 1, 2], "k0:2 z:1 k1:3 y:1 k2:9"),
            (&[0, 1], "refused"),
            (&[0], "k0:5 z:1 b:4 y:1 c:4"),
        ],
        &[SlowerElsewhere, refused(), NotFaster],
    );
}

#[test]
fn candidates_that_stand_in() {
    let mut two = candidates(2);
    two[1].stands_in_for = Some(0);
    let rows: [Row; 3] = [(&[], "a:4 b:1"), (&[0], "k0:3 b:1"), (&[1], "k1:2 b:1")];
    check_of(&two, &rows, &[OtherIsFaster, Faster]);
    let rows: [Row; 3] = [
        (&[], "a:4 b:1"),
        (&[0], "k0:3 b:1"),
        (&[1], "fill:2 k1:2 b:1"),
    ];
    check_of(&two, &rows, &[Faster, OtherIsFaster]);
    let rows: [Row; 3] = [(&[], "a:4 b:1"), (&[0], "k0:6 b:1"), (&[1], "k1:5 b:1")];
    check_of(&two, &rows, &[OtherIsFaster, NotFaster]);
    let rows: [Row; 3] = [(&[], "a:4 b:1"), (&[0], "k0:3 b:1"), (&[1], "refused")];
    check_of(&two, &rows, &[Faster, OtherIsFaster]);
    let rows: [Row; 3] = [(&[], "refused"), (&[0], "k0:3 b:1"), (&[1], "k1:3 b:1")];
    check_of(&two, &rows, &[NoPlainModule, OtherIsFaster]);
    let rows: [Row; 3] = [(&[], "refused"), (&[0], "k0:3 b:1"), (&[1], "k1:2 b:1")];
    check_of(&two, &rows, &[OtherIsFaster, NoPlainModule]);
}

#[test]
fn a_candidate_without_kernels_is_behind_the_rest() {
    let two = [candidates(1).remove(0), Candidate::default()];
    let rows: [Row; 3] = [
        (&[], "a:4 z:1 b:4"),
        (&[0, 1], "k0:2 z:1 tuned:5"),
        (&[0], "k0:2 z:1 b:4"),
    ];
    check_of(&two, &rows, &[Faster, NotFaster]);
    let rows: [Row; 2] = [(&[], "a:4 z:1 b:4"), (&[0, 1], "k0:2 z:1 tuned:3")];
    check_of(&two, &rows, &[Faster, Faster]);
}

#[test]
fn independent_candidates_cost_three_profiles() {
    let ten = candidates(10);
    let profile = |set: &[usize]| {
        let slot = |number: usize| match (set.contains(&number), number % 2) {
            (false, _) => format!("a{number}:4 z:1"),
            (true, 0) => format!("k{number}:2 z:1"),
            (true, _) => format!("fill:1 k{number}:4 z:1"),
        };
        let slots: Vec<String> = (0..10).map(slot).collect();
        module(&slots.join(" "))
    };
    let verdict = Gate::new(&ten, profile).judge().unwrap();
    assert_eq!(verdict.kept, [0, 2, 4, 6, 8]);
    assert_eq!(verdict.profiles, 3);
}

/// A module whose commands cost and fuse by chance. Equal commands have equal times.
fn random_module(seed: u64, count: usize, set: &[usize]) -> Result<ProfiledModule, ProfileError> {
    let chance = |parts: &[usize]| {
        // FNV-1a, over words.
        let start = 0xcbf2_9ce4_8422_2325 ^ seed;
        let mixed = parts.iter().fold(start, |hash, &part| {
            (hash ^ part as u64).wrapping_mul(0x0000_0100_0000_01b3)
        });
        (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40
    };
    let bits = set.iter().fold(0, |bits, &it| bits | 1usize << it);
    if !set.is_empty() && chance(&[1, bits]).is_multiple_of(9) {
        return module("refused");
    }
    let call = |call: usize| {
        let mut text = String::new();
        for slot in 0..count {
            let is_in = |slot: usize| bits >> slot & 1;
            // A plain kernel is fused with its neighbours if they are plain.
            let neighbours = is_in(slot + 1) * 2 + slot.checked_sub(1).map_or(0, is_in);
            let time = 1 + chance(&[2, call, slot, is_in(slot), neighbours]) % 9;
            let name = match is_in(slot) {
                1 => format!("k{slot}"),
                _ => format!("p{slot}x{neighbours}"),
            };
            if is_in(slot) == 1 && chance(&[3, slot]).is_multiple_of(4) {
                text += "fill:1 ";
            }
            // Some times depend on the whole module.
            let time = match chance(&[4, slot]).is_multiple_of(5) {
                true => time + chance(&[5, slot, bits]) % 5,
                false => time,
            };
            text += &match chance(&[6, slot, is_in(slot)]).is_multiple_of(11) {
                true => format!("{name}:?{time} "),
                false => format!("{name}:{time} "),
            };
            if chance(&[7, slot]).is_multiple_of(3) {
                text += "z:1 ";
            }
        }
        text
    };
    module(&format!("{} / {}", call(1), call(2)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_module_never_becomes_slower(seed: u64, count in 0usize..8) {
        let all = candidates(count);
        let mut sets = BTreeSet::new();
        let profile = |set: &[usize]| {
            sets.insert(set.to_vec());
            random_module(seed, count, set)
        };
        let verdict = Gate::new(&all, profile).judge().unwrap();
        prop_assert_eq!(verdict.profiles, sets.len());
        let plain = random_module(seed, count, &[]).unwrap();
        let chosen = random_module(seed, count, &verdict.kept).unwrap();
        prop_assert_eq!(&verdict.chosen, &chosen);
        for (before, after) in plain.functions.iter().zip(&chosen.functions) {
            // With as many commands without a time on both sides, their bounds stand in.
            let sum = |call: &FunctionProfile| -> f64 {
                let times = call.commands.iter();
                times.filter_map(|it| it.time_us.clone().ok().or(it.bound_us)).sum()
            };
            prop_assert!(sum(after) <= sum(before), "{} > {}", sum(after), sum(before));
            prop_assert_eq!(after.untimed(), before.untimed());
        }
        for (position, one) in verdict.candidates.iter().enumerate() {
            prop_assert_eq!(one.kept, verdict.kept.contains(&position));
        }
    }
}
