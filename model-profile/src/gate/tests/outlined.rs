//! The gate with outlines: the same answer by fewer compilations.

use std::cell::RefCell;

use proptest::prelude::*;

use super::VerdictReason::{self, BetterWithout, Faster, NotFaster};
use super::{Row, candidates, module};
use crate::error::ProfileError;
use crate::function_profile::FunctionProfile;
use crate::gate::prediction::Prediction;
use crate::gate::{Candidate, Gate, GateVerdict};
use crate::module_outline::ModuleOutline;
use crate::profiler::ProfiledModule;

/// The bound of a kernel that was not profiled.
const LEAST: f64 = 1.0;

/// Judges modules by profiles and outlines, and returns the sets that were compiled.
pub(super) fn judge_outlined(
    candidates: &[Candidate],
    module: impl Fn(&[usize]) -> Result<ProfiledModule, ProfileError>,
) -> (GateVerdict, Vec<Vec<usize>>) {
    judge(candidates, &module, &module)
}

/// Judges modules by outlines that may be those of other modules.
pub(super) fn judge(
    candidates: &[Candidate],
    module: &dyn Fn(&[usize]) -> Result<ProfiledModule, ProfileError>,
    outlined: &dyn Fn(&[usize]) -> Result<ProfiledModule, ProfileError>,
) -> (GateVerdict, Vec<Vec<usize>>) {
    let compiled = RefCell::new(Vec::new());
    let outline = |set: &[usize]| {
        let module = outlined(set)?;
        Ok(ModuleOutline::sample("main", &module.functions[0].commands))
    };
    let profile = |set: &[usize]| {
        compiled.borrow_mut().push(set.to_vec());
        module(set)
    };
    let gate = Gate::new(candidates, profile).with_outlines(outline, |_, _| LEAST);
    let verdict = gate.judge().unwrap();
    assert_eq!(verdict.profiles, compiled.borrow().len());
    (verdict, compiled.take())
}

/// Checks the verdicts, by reason, and the sets that are compiled.
#[track_caller]
fn check(
    candidates: &[Candidate],
    rows: &[Row],
    expected: &[VerdictReason],
    compiled: &[&[usize]],
) -> GateVerdict {
    let (verdict, found) = judge_outlined(candidates, |set| {
        let row = rows.iter().find(|row| row.0 == set);
        module(row.unwrap_or_else(|| panic!("{set:?} is read")).1)
    });
    let reasons = verdict.candidates.iter().map(|it| it.reason.clone());
    assert_eq!(reasons.collect::<Vec<_>>(), expected);
    assert_eq!(found, compiled);
    verdict
}

#[test]
fn known_times_spare_compilations() {
    let rows: [Row; 4] = [
        (&[], "a:4 b:4"),
        (&[0, 1], "k0:2 k1:7"),
        (&[0], "k0:2 b:4"),
        (&[1], "a:4 k1:7"),
    ];
    let expected = [Faster, BetterWithout];
    check(&candidates(2), &rows, &expected, &[&[], &[0, 1], &[0]]);
    let rows: [Row; 4] = [
        (&[], "a:4 b:4"),
        (&[0, 1], "k0:5 k1:5"),
        (&[0], "k0:5 b:4"),
        (&[1], "a:4 k1:5"),
    ];
    let expected = [NotFaster, NotFaster];
    check(&candidates(2), &rows, &expected, &[&[], &[0, 1]]);
}

/// The prediction is faster than the plain module, and the profile is not.
#[test]
fn a_set_that_was_profiled_as_slower_is_not_taken_again() {
    let rows: [Row; 2] = [(&[], "a:10 b:10"), (&[0], "k0:9 b:12")];
    let of_set = |set: &[usize]| module(rows.iter().find(|row| row.0 == set).unwrap().1);
    let (verdict, _) = judge_outlined(&candidates(1), of_set);
    assert_eq!(verdict.kept, Vec::<usize>::new());
}

/// Independent commands are submitted in another order than the module has them.
#[test]
fn the_order_of_commands_does_not_matter() {
    let profiled = module("a:4 b:4 fill:1").unwrap();
    let check = |commands: &str, expected: bool| {
        let commands = module(commands).unwrap().functions.remove(0).commands;
        let outline = ModuleOutline::sample("main", &commands);
        let mut prediction = Prediction::default();
        assert_eq!(prediction.learn(&outline, false, &profiled), expected);
    };
    check("a:4 b:4 fill:1", true);
    check("fill:1 b:4 a:4", true);
    check("fill:1 b:4 b:4", false);
    check("fill:1 b:4", false);
}

#[test]
fn a_command_without_a_time_counts_with_its_bound() {
    // `d` is made of what is left of `b`, and is slower than its bound.
    let rows: [Row; 4] = [
        (&[], "a:4 b:4"),
        (&[0, 1], "k0:2 k1:4"),
        (&[0], "k0:2 d:9"),
        (&[1], "e:5 k1:4"),
    ];
    let expected = [Faster, Faster];
    check(
        &candidates(2),
        &rows,
        &expected,
        &[&[], &[0, 1], &[0], &[1]],
    );
    // The bound is enough for the second set.
    let rows: [Row; 4] = [
        (&[], "a:4 b:4"),
        (&[0, 1], "k0:2 k1:3"),
        (&[0], "k0:2 d:2"),
        (&[1], "e:5 k1:3"),
    ];
    let expected = [Faster, BetterWithout];
    check(&candidates(2), &rows, &expected, &[&[], &[0, 1], &[0]]);
}

#[test]
fn a_kernel_with_dynamic_sizes_counts_with_another_for_the_same_operation() {
    let rows: [Row; 4] = [
        (&[], "m_dispatch_0_a_D:4 m_dispatch_1_b_D:4"),
        (&[0, 1], "k0:2 k1:3"),
        (&[0], "k0:2 m_dispatch_2_b_D:4"),
        (&[1], "m_dispatch_3_a_D:4 k1:3"),
    ];
    let expected = [Faster, Faster];
    check(&candidates(2), &rows, &expected, &[&[], &[0, 1]]);
}

#[test]
fn a_kernel_with_static_sizes_counts_with_its_bound() {
    let rows: [Row; 4] = [
        (&[], "m_dispatch_0_a_8:4 m_dispatch_1_b_8:4"),
        (&[0, 1], "k0:2 k1:3"),
        (&[0], "k0:2 m_dispatch_2_b_8:2"),
        (&[1], "m_dispatch_3_a_8:4 k1:3"),
    ];
    let expected = [Faster, BetterWithout];
    check(&candidates(2), &rows, &expected, &[&[], &[0, 1], &[0]]);
}

/// The first candidate hides the others. Beside the second one, a kernel has the same bound as the
/// third.
#[test]
fn an_exported_kernel_is_tried_before_another_with_its_bound() {
    let mut all = candidates(3);
    all[0].rivals = vec![1, 2];
    all[1].rivals = vec![0];
    all[2].rivals = vec![0];
    let rows: [Row; 5] = [
        (&[], "m_dispatch_0_a:9 m_dispatch_1_b:9 z:0.005"),
        (&[0, 1, 2], "k0:4"),
        (&[1, 2], "k1:1 k2:1 z:0.005"),
        (&[1], "k1:1 m_dispatch_2_c:9"),
        (&[2], "m_dispatch_2_d:9 k2:1"),
    ];
    let of_set = |set: &[usize]| {
        let placed: Vec<usize> = match set.contains(&0) {
            true => vec![0, 1, 2],
            false => set.to_vec(),
        };
        module(rows.iter().find(|row| *row.0 == *placed).unwrap().1)
    };
    let (verdict, compiled) = judge_outlined(&all, of_set);
    assert_eq!((verdict.kept, compiled.len()), (vec![1, 2], 3));
}

/// The second candidate loses in the first call what the first candidate gained there.
#[test]
fn a_candidate_that_gains_over_all_calls() {
    let rows: [Row; 4] = [
        (&[], "a:9 z:1 b:4 / a:9 z:1 b:40"),
        (&[0, 1], "k0:2 z:1 k1:5 / k0:2 z:1 k1:9"),
        (&[0], "k0:2 z:1 b:4 / k0:2 z:1 b:40"),
        (&[1], "a:9 z:1 k1:5 / a:9 z:1 k1:9"),
    ];
    let of_set = |set: &[usize]| module(rows.iter().find(|row| row.0 == set).unwrap().1);
    let outline = |set: &[usize]| {
        let mut functions = of_set(set)?.functions.into_iter();
        Ok(ModuleOutline::sample(
            "main",
            &functions.next().unwrap().commands,
        ))
    };
    let two = candidates(2);
    let gate = Gate::new(&two, of_set).with_outlines(outline, |_, _| LEAST);
    assert_eq!(gate.judge().unwrap().kept, [0, 1]);
}

#[test]
fn outlines_that_do_not_tell_the_times() {
    // Equal kernels have other times in the third module.
    let rows: [Row; 4] = [
        (&[], "a:4 b:4"),
        (&[0, 1], "k0:2 k1:7"),
        (&[0], "k0:9 b:4"),
        (&[1], "a:4 k1:3"),
    ];
    let expected = [BetterWithout, Faster];
    let compiled: [&[usize]; 4] = [&[], &[0, 1], &[0], &[1]];
    check(&candidates(2), &rows, &expected, &compiled);
}

#[test]
fn a_module_that_only_its_outline_has() {
    let rows: [Row; 4] = [
        (&[], "a:4 b:4"),
        (&[0, 1], "k0:2 fill:4 k1:3"),
        (&[0], "k0:2 b:4"),
        (&[1], "a:4 k1:3"),
    ];
    let of_set = |set: &[usize]| module(rows.iter().find(|row| row.0 == set).unwrap().1);
    let (verdict, compiled) = judge_outlined(&candidates(2), of_set);
    assert_eq!((verdict.kept, compiled.len()), (vec![0], 3));
    // The same, but code generation fails.
    let outline = |set: &[usize]| {
        let commands = of_set(set)?.functions.remove(0).commands;
        Ok(ModuleOutline::sample("main", &commands))
    };
    let profile = |set: &[usize]| match set {
        [0] => module("refused"),
        _ => of_set(set),
    };
    let two = candidates(2);
    let gate = Gate::new(&two, profile).with_outlines(outline, |_, _| LEAST);
    let refused = gate.judge().unwrap();
    assert_eq!((refused.kept, refused.profiles), (vec![1], 4));
}

#[test]
fn a_loop_has_more_commands_than_its_outline() {
    let rows: [Row; 4] = [
        (&[], "a:4 b:4 b:4"),
        (&[0, 1], "k0:2 k1:3 k1:3"),
        (&[0], "k0:2 b:4 b:4"),
        (&[1], "a:4 k1:3 k1:3"),
    ];
    let of_set = |set: &[usize]| module(rows.iter().find(|row| row.0 == set).unwrap().1);
    let outline = |set: &[usize]| {
        let commands = of_set(set)?.functions.remove(0).commands;
        Ok(ModuleOutline::sample("main", &commands[..2]))
    };
    let two = candidates(2);
    let gate = Gate::new(&two, of_set).with_outlines(outline, |_, _| LEAST);
    let verdict = gate.judge().unwrap();
    assert_eq!((verdict.kept, verdict.outlines), (vec![0, 1], 1));
}

/// The prediction of the first candidate alone was too low, and the profile of the second one alone
/// ends all predictions.
#[test]
fn a_profile_that_refutes_a_selection() {
    let rows: [Row; 4] = [
        (&[], "a:8"),
        (&[0, 1], "k0:2 k1:2"),
        (&[0], "k0:2 d:9"),
        (&[1], "e:9 k1:2"),
    ];
    let of_set = |set: &[usize]| module(rows.iter().find(|row| row.0 == set).unwrap().1);
    let outline = |set: &[usize]| {
        let commands = of_set(set)?.functions.remove(0).commands;
        let function = if set == [1] { "other" } else { "main" };
        Ok(ModuleOutline::sample(function, &commands))
    };
    let two = candidates(2);
    let gate = Gate::new(&two, of_set).with_outlines(outline, |_, _| LEAST);
    assert_eq!(gate.judge().unwrap().kept, [0, 1]);
}

/// The second candidate changes a command of the first one's hunk.
#[test]
fn a_candidate_that_gains_without_another_group() {
    let rows: [Row; 4] = [
        (&[], "a:4 z:1 b:4"),
        (&[0, 1], "k0:2 c:5 z:1 k1:3"),
        (&[0], "k0:2 z:1 b:4"),
        (&[1], "a:4 c:5 z:1 k1:3"),
    ];
    let of_set = |set: &[usize]| module(rows.iter().find(|row| row.0 == set).unwrap().1);
    let (verdict, compiled) = judge_outlined(&candidates(2), of_set);
    assert_eq!((verdict.kept, compiled.len()), (vec![0], 3));
}

/// Ten candidates that share a hunk, with two parts each.
#[test]
fn thirty_candidates_that_interact_cost_four_compilations() {
    let mut all = candidates(30);
    for whole in 0..10 {
        for part in [10 + whole, 20 + whole] {
            all[whole].rivals.push(part);
            all[part].rivals.push(whole);
        }
    }
    let of_set = |set: &[usize]| {
        let slot = |number: usize| {
            let is_in = |it: usize| set.contains(&it);
            let part = |it: usize, name: &str| match is_in(it) {
                true => format!("k{it}:2"),
                false => format!("{name}{number}:4"),
            };
            match (is_in(number), number % 3) {
                (true, 0) => format!("k{number}:9"),
                (true, _) => format!("k{number}:3"),
                (false, _) => format!("{} {}", part(10 + number, "a"), part(20 + number, "b")),
            }
        };
        let slots: Vec<String> = (0..10).map(slot).collect();
        module(&slots.join(" "))
    };
    let (verdict, compiled) = judge_outlined(&all, of_set);
    let expected = [1, 2, 4, 5, 7, 8, 10, 13, 16, 19, 20, 23, 26, 29];
    assert_eq!(verdict.kept, expected);
    assert!(compiled.len() <= 4, "{compiled:?}");
}

/// A module whose commands fuse by chance. Equal commands have equal times.
fn random_module(seed: u64, count: usize, set: &[usize]) -> Result<ProfiledModule, ProfileError> {
    let bits = set.iter().fold(0, |bits, &it| bits | 1usize << it);
    let mut text = String::new();
    for slot in 0..count {
        let is_in = |slot: usize| bits >> slot & 1;
        let neighbours = is_in(slot + 1) * 2 + slot.checked_sub(1).map_or(0, is_in);
        let name = match is_in(slot) {
            1 => format!("k{slot}"),
            _ => format!("p{slot}x{neighbours}"),
        };
        let hash = blake3::hash(format!("{seed} {name}").as_bytes());
        text += &format!("{name}:{} ", 1 + hash.as_bytes()[0] % 9);
    }
    module(&text)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// With two candidates, all four modules may be compiled.
    #[test]
    fn the_chosen_module_is_the_fastest_compiled_one(seed: u64, count in 1usize..=4) {
        let all = candidates(count);
        let of_set = |set: &[usize]| random_module(seed, count, set);
        let (outlined, compiled) = judge_outlined(&all, of_set);
        let sum = |module: &ProfiledModule| module.functions.iter().map(FunctionProfile::time_us).sum::<f64>();
        prop_assert!(compiled.len() <= 4);
        for set in compiled {
            prop_assert!(sum(&outlined.chosen) <= sum(&of_set(&set).unwrap()), "{set:?}");
        }
        if count <= 2 {
            let tried = Gate::new(&all, of_set).judge().unwrap();
            prop_assert!(sum(&outlined.chosen) <= sum(&tried.chosen));
        }
    }
}
