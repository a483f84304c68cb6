//! Tests of replays.

use super::*;
use crate::listed_space::ListedSpace;
use crate::parameters::{Parameter, ParameterValue};

/// Returns a space of one parameter with these times, a cost of 1 ms a trial.
fn recorded(times: &[Option<f64>]) -> RecordedSpace {
    let parameter = Parameter {
        name: "x".to_owned(),
        values: (0..times.len() as i64)
            .map(ParameterValue::Integer)
            .collect(),
    };
    let configurations = (0..times.len() as u32).map(|place| vec![place]).collect();
    let trial = |&time_ms: &Option<f64>| RecordedTrial {
        time_ms,
        samples_ms: time_ms
            .iter()
            .flat_map(|time| [time * 0.5, time * 2.0])
            .collect(),
        cost_ms: 1.0,
    };
    RecordedSpace {
        space: ListedSpace::new(vec![parameter], configurations),
        trials: times.iter().map(trial).collect(),
    }
}

fn plan(strategy: Strategy, budget: usize) -> ReplayPlan {
    ReplayPlan {
        strategy,
        budget,
        seeds: 4,
        batch: 1,
        has_noise: false,
    }
}

/// A space of 100 configurations with the times 1 to 100, falling.
fn falling() -> RecordedSpace {
    let times: Vec<Option<f64>> = (0..100).map(|place| Some(f64::from(100 - place))).collect();
    recorded(&times)
}

#[test]
fn checkpoints_are_multiples_of_the_optimum() {
    let found = replay(&falling(), &plan(Strategy::Exhaustive, 60));
    assert_eq!(found.best.len(), 2);
    let best: Vec<f64> = found
        .best
        .iter()
        .filter_map(|one| one.1)
        .map(f64::round)
        .collect();
    assert_eq!(best, [76.0, 51.0]);
    assert_eq!(
        found.within_1_percent,
        Reach {
            share: 0.0,
            median: None
        }
    );
    let found = replay(&falling(), &plan(Strategy::Exhaustive, 100));
    assert_eq!(
        found.within_5_percent,
        Reach {
            share: 1.0,
            median: Some(100)
        }
    );
}

/// Checks scores against the package autotuning_methodology 1.1.0's formula, by hand.
#[test]
fn a_score_compares_with_random_search() {
    // The goals are 50.5 - 49.5 p: 50.005 and 3.475. The first times at most as long are the 51st
    // and the 98th of 100, so the range is from 50/51 to 97/4, rounded up: 1 to 25.
    let baseline = RandomBaseline::new(&falling().trials);
    assert_eq!(baseline.range, (1, 25));
    // After one evaluation of random search, rank 101/2 rounds to 50; after 25, 97.
    assert_eq!((baseline.after(1), baseline.after(25)), (50.0, 3.0));
    let run = |best: f64| ReplayRun {
        best_ms: vec![best; 40],
        clock_ms: (1..=40).map(f64::from).collect(),
    };
    let score = |best| score::by_evaluations(&[run(best)], &baseline).unwrap();
    assert!((score(1.0) - 1.0).abs() < 1e-12);
    assert!(score(50.0) < 0.0);
    assert_eq!(score::by_time(&[run(1.0)], &baseline), Some(1.0));
    let random = ReplayRun {
        best_ms: (1..=40).map(|count| baseline.after(count)).collect(),
        clock_ms: (1..=40).map(f64::from).collect(),
    };
    assert_eq!(score::by_evaluations(&[random], &baseline), Some(0.0));
    let without = ReplayRun::default();
    assert_eq!(score::by_evaluations(&[without], &baseline), Some(0.0));
}

#[test]
fn a_record_without_durations_has_no_score_by_time() {
    let mut recorded = falling();
    recorded
        .trials
        .iter_mut()
        .for_each(|trial| trial.cost_ms = 0.0);
    let found = replay(&recorded, &plan(Strategy::Random, 40));
    assert_eq!(found.score_by_time, None);
    assert!(found.score_by_evaluations.is_some());
    let one = replay(&self::recorded(&[Some(3.0)]), &plan(Strategy::Auto, 40));
    assert_eq!(one.score_by_evaluations, None);
    assert_eq!(one.best[0], (25, Some(1.0)));
}

#[test]
fn noise_shows_samples_and_judges_by_times() {
    let noisy = ReplayPlan {
        has_noise: true,
        ..plan(Strategy::Exhaustive, 100)
    };
    let found = replay(&falling(), &noisy);
    // Samples are half or double: the configuration that seems best is not always the best.
    let share = found.within_1_percent.share;
    assert!(share < 1.0, "{share}");
    assert_eq!(found, replay(&falling(), &noisy));
}

#[test]
fn failures_cost_time_and_leave_no_best() {
    let times: Vec<Option<f64>> = (0..50).map(|place| (place == 40).then_some(2.0)).collect();
    let found = replay(&recorded(&times), &plan(Strategy::Exhaustive, 50));
    assert_eq!(found.best, [(25, None), (50, Some(1.0))]);
}
