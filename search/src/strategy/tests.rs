//! The conformance suite: promises of all strategies, on small spaces with a formula for times.

use std::collections::HashSet;
use std::sync::Arc;

use configgen::seeded_random;
use lookup::Merit;

use super::{SearchSetup, Strategy};
use crate::listed_space::ListedSpace;
use crate::parameters::{Parameter, ParameterValue};
use crate::space::SearchSpace;

/// A space of numbers, words and permutations, without a seventh of its product.
fn space(sizes: usize) -> Arc<dyn SearchSpace> {
    let texts = |all: &[&str]| {
        all.iter()
            .map(|&it| ParameterValue::Text(it.to_owned()))
            .collect()
    };
    let numbers = |count: usize| {
        (0..count)
            .map(|it| ParameterValue::Integer(1 << it))
            .collect()
    };
    let parameters = [
        ("tile", numbers(sizes)),
        ("vector", numbers(4)),
        ("order", texts(&["abc", "acb", "bac", "bca", "cab", "cba"])),
        ("unit", texts(&["dot", "fma", "mfma"])),
    ];
    let parameters: Vec<Parameter> = parameters
        .into_iter()
        .map(|(name, values): (&str, Vec<ParameterValue>)| Parameter {
            name: name.to_owned(),
            values,
        })
        .collect();
    let mut configurations = Vec::new();
    for tile in 0..sizes as u32 {
        for vector in 0..4 {
            for order in 0..6 {
                let units = (0..3).filter(|unit| (tile + vector + order + unit) % 7 != 3);
                configurations.extend(units.map(|unit| vec![tile, vector, order, unit]));
            }
        }
    }
    Arc::new(ListedSpace::new(parameters, configurations))
}

type Time = fn(&dyn SearchSpace, u64) -> Option<f64>;

/// A time with one basin. Some configurations fail.
fn basin(space: &dyn SearchSpace, rank: u64) -> Option<f64> {
    let features = space.features(rank);
    let time = 1.0 + (features[0] - 5.0).abs() + (features[1] - 2.0).abs() + features[2];
    (features[0] + features[1] < 10.0).then(|| f64::from(time))
}

/// Returns the ranks that a search tries, in order. It asks for `count` at once, and reports
/// results late and in another order.
fn tried(
    strategy: Strategy,
    space: &Arc<dyn SearchSpace>,
    setup: SearchSetup,
    budget: usize,
    count: usize,
    time: Time,
) -> Vec<u64> {
    let mut search = strategy.search(space, setup);
    let mut all: Vec<u64> = Vec::new();
    let mut untold: Vec<u64> = setup.default.into_iter().collect();
    let mut random = seeded_random::generator(count as u64, 7);
    while all.len() < budget {
        let asked = search.ask(count.min(budget - all.len()));
        if asked.is_empty() && untold.is_empty() {
            break;
        }
        all.extend(&asked);
        untold.extend(asked);
        for _ in 0..untold.len().div_ceil(2) {
            let next = seeded_random::below(&mut random, untold.len() as u64) as usize;
            let rank = untold.swap_remove(next);
            let merit = |time_us| Merit {
                is_behind: false,
                time_us,
            };
            search.tell(rank, time(&**space, rank).map(merit));
        }
    }
    all
}

fn setup(seed: u64, batch: usize) -> SearchSetup {
    SearchSetup {
        seed,
        default: None,
        known: None,
        batch,
    }
}

/// Checks that each strategy tries the whole space once, whatever the times are.
#[track_caller]
fn check(space: &Arc<dyn SearchSpace>, time: Time) {
    for strategy in Strategy::ALL {
        for batch in [1, 8] {
            let all = tried(strategy, space, setup(3, batch), usize::MAX, 5, time);
            let distinct: HashSet<u64> = all.iter().copied().collect();
            assert_eq!(distinct.len(), all.len(), "{strategy} repeats a trial");
            assert_eq!(all.len() as u64, space.len(), "{strategy} ends early");
            assert!(
                all.iter().all(|&rank| rank < space.len()),
                "{strategy} is illegal"
            );
        }
    }
}

#[test]
fn each_strategy_exhausts_a_space_without_repetition() {
    check(&space(5), basin);
}

#[test]
fn all_trials_may_fail() {
    check(&space(3), |_, _| None);
}

#[test]
fn all_times_may_be_equal() {
    check(&space(3), |_, _| Some(4.0));
}

#[test]
fn wrong_times_are_failures() {
    let wrong: Time = |_, rank| {
        Some([f64::NAN, f64::INFINITY, 0.0, -1.0, f64::NEG_INFINITY, 5.0][rank as usize % 6])
    };
    check(&space(3), wrong);
    // The best is the only kind of real time, so evolution's children are near it.
    check(&space(3), |_, _| Some(f64::NAN));
}

#[test]
fn one_configuration_and_a_budget_of_one() {
    let parameter = Parameter {
        name: "only".to_owned(),
        values: vec![ParameterValue::Integer(1)],
    };
    let one: Arc<dyn SearchSpace> = Arc::new(ListedSpace::new(vec![parameter], vec![vec![0]]));
    check(&one, |_, _| Some(1.0));
    for strategy in Strategy::ALL {
        let default = SearchSetup {
            default: Some(0),
            ..setup(1, 8)
        };
        assert_eq!(
            tried(strategy, &one, default, 9, 3, |_, _| Some(1.0)),
            [0; 0],
            "{strategy}"
        );
        let all = tried(strategy, &space(5), setup(1, 8), 1, 3, basin);
        assert_eq!(all.len(), 1, "{strategy}");
    }
}

#[test]
fn neither_budget_nor_speed_changes_the_order() {
    let space = space(8);
    for strategy in Strategy::ALL {
        for batch in [1, 8] {
            let default = SearchSetup {
                default: Some(7),
                ..setup(3, batch)
            };
            let all = tried(strategy, &space, default, 120, 1, basin);
            assert!(!all.contains(&7), "{strategy} repeats the default");
            for (budget, count) in [(120, 7), (33, 5), (60, 64)] {
                let part = tried(strategy, &space, default, budget, count, basin);
                assert_eq!(part, all[..budget], "{strategy}");
            }
            let other = tried(
                strategy,
                &space,
                SearchSetup { seed: 4, ..default },
                120,
                1,
                basin,
            );
            assert_eq!(all == other, strategy == Strategy::Exhaustive, "{strategy}");
        }
    }
}

#[test]
fn strategies_that_look_at_results_beat_chance() {
    let space = space(10);
    let mean = |strategy: Strategy| {
        let best = |seed| {
            let all = tried(strategy, &space, setup(seed, 1), 60, 1, basin);
            let times = all.iter().filter_map(|&rank| basin(&*space, rank));
            times.fold(f64::INFINITY, f64::min)
        };
        (0..10).map(best).sum::<f64>() / 10.0
    };
    let random = mean(Strategy::Random);
    for strategy in Strategy::ALL.into_iter().filter(|it| it.looks_at_results()) {
        let found = mean(strategy);
        assert!(found < 0.9 * random, "{strategy}: {found}, random {random}");
    }
}

/// Checks that the feasibility model avoids a region that fails.
#[test]
fn models_learn_what_fails() {
    let space = space(10);
    let fails: Time =
        |space, rank| (space.features(rank)[0] < 5.0).then_some(1.0 + rank as f64 / 1e6);
    let failures = |strategy: Strategy| {
        let of = |seed| {
            let all = tried(strategy, &space, setup(seed, 1), 80, 1, fails);
            all[20..]
                .iter()
                .filter(|&&rank| fails(&*space, rank).is_none())
                .count()
        };
        (0..4).map(of).sum::<usize>()
    };
    let random = failures(Strategy::Random);
    let forest = failures(Strategy::Forest);
    assert!(forest * 3 < random, "{forest} {random}");
}
