//! Tests of studies on a device of the host, with a builder whose kernels are correct, wrong or
//! missing as the test says.

mod bed;
mod effort;
mod elsewhere;
mod known_configuration;
mod late;

mod told;

use std::sync::atomic::Ordering;

use bed::{ALL_RIGHT, Bed, Planted};
use configgen::{Configuration, Generator, Problem};
use store::{Role, Status, Ties, Trial, TrialOutcome};
use tuner::{Plan, Report, Strategy, TuneError};

const PROBLEM: &str = "argmax:4x[100]xf32";

fn plan(budget: u32) -> Plan {
    Plan {
        problem: PROBLEM.parse().unwrap(),
        strategy: Strategy::Evolution,
        seed: 1,
        budget,
        effort: None,
        ties: Ties::Fold,
    }
}

#[tokio::test]
async fn the_budget_counts_the_default() {
    let bed = Bed::new(ALL_RIGHT);
    for budget in [1, 2, 40] {
        let bed = Bed::new(ALL_RIGHT);
        let report = bed.report(&plan(budget), 2).await;
        let counts = report.counts;
        assert_eq!(counts.total, u64::from(budget));
        assert_eq!(counts.right + counts.timed, u64::from(budget));
        assert!(report.speedup().unwrap() >= 1.0);
    }
    let report = bed.report(&plan(1), 2).await;
    assert_eq!(report.best, report.default);
}

#[tokio::test]
async fn failures_and_wrong_results_are_counted_and_never_best() {
    let report = Bed::new(Planted {
        wrong_every: 3,
        fails_every: 5,
        ..ALL_RIGHT
    })
    .report(&plan(60), 2)
    .await;
    let counts = report.counts;
    assert!(counts.wrong > 1 && counts.failed > 5, "{counts:?}");
    let others = counts.failed + counts.timed;
    assert_eq!(counts.right + counts.wrong + others, 60);
    assert_eq!(report.best.unwrap().status, Status::Right);

    let report = Bed::new(Planted {
        wrong_every: 1,
        fails_every: 0,
        ..ALL_RIGHT
    })
    .report(&plan(7), 1)
    .await;
    assert_eq!((report.best, report.counts.wrong), (None, 7));
}

/// Iterates over the plan with every strategy.
fn plans(budget: u32) -> impl Iterator<Item = Plan> {
    Strategy::ALL.into_iter().map(move |strategy| Plan {
        strategy,
        ..plan(budget)
    })
}

/// Checks a device with exact times: a trial that is no record is only timed, and the fastest of
/// all trials is verified.
#[tokio::test]
async fn slow_trials_are_only_timed_and_the_best_is_verified() {
    for plan in plans(90) {
        let bed = Bed::new(ALL_RIGHT);
        let report = bed.report(&plan, 2).await;
        let trials = bed.trials(&plan).await;
        let times = trials.iter().filter_map(|trial| trial.outcome.timing());
        let fastest_us = times.map(|timing| timing.time_us).min_by(f64::total_cmp);
        let best = report.best.unwrap();
        assert_eq!((best.status, best.time_us), (Status::Right, fastest_us));
        let strategy = plan.strategy;
        assert!(report.counts.timed > 45, "{strategy}: {:?}", report.counts);
        assert_eq!(trials[0].outcome.status(), Status::Right);
    }
    // A generator without the fold's tie-break has kernels that rank by their verdict.
    let bed = Bed::new(Planted {
        generator: Generator::IREE,
        ..ALL_RIGHT
    });
    let report = bed.report(&plan(30), 2).await;
    assert_eq!(report.counts.timed, 0);
}

/// Checks that no report serves a wrong kernel, however fast it is.
#[tokio::test]
async fn a_wrong_record_is_found() {
    for wrong_every in [2, 3] {
        let planted = Planted {
            wrong_every,
            ..ALL_RIGHT
        };
        for plan in plans(60) {
            let bed = Bed::new(planted);
            let report = bed.report(&plan, 2).await;
            let best_us = report.best.unwrap().time_us.unwrap();
            for trial in bed.trials(&plan).await {
                // A trial that is faster than the best must have been verified, and be wrong.
                let timing = trial.outcome.timing();
                let is_served = trial.outcome.status() == Status::Right;
                assert!(timing.is_none_or(|it| is_served || it.time_us >= best_us));
            }
        }
    }
}

#[tokio::test]
async fn the_number_of_jobs_changes_nothing() {
    let planted = Planted {
        wrong_every: 3,
        fails_every: 7,
        ..ALL_RIGHT
    };
    for plan in plans(60) {
        let one = Bed::new(planted).report(&plan, 1).await;
        let four = Bed::new(planted).report(&plan, 4).await;
        assert_eq!(one, four);
    }
}

#[tokio::test]
async fn an_interrupted_study_continues() {
    // Any two strategies: the director stores and resumes them alike.
    for plan in plans(60).step_by(3) {
        check_interrupted(&plan, &[1, 40]).await;
    }
}

async fn check_interrupted(plan: &Plan, kills: &[u64]) {
    let undisturbed = Bed::new(ALL_RIGHT).report(plan, 2).await;
    let trials = tried(&Bed::new(ALL_RIGHT).trials(plan).await);
    for &killed_after in kills {
        let bed = Bed::new(ALL_RIGHT);
        assert!(bed.run(plan, 2, Some(killed_after)).await.is_none());
        let report = bed.report(plan, 2).await;
        assert!(
            report.resumed >= killed_after,
            "{} < {killed_after}",
            report.resumed
        );
        assert_eq!(
            Report {
                resumed: 0,
                ..report
            },
            undisturbed
        );
        assert_eq!(tried(&bed.trials(plan).await), trials, "{killed_after}");
    }
}

/// Returns the configurations and outcomes of trials.
fn tried(trials: &[Trial]) -> Vec<(u32, Role, Option<Configuration>, TrialOutcome)> {
    let tried = |trial: &Trial| {
        let (configuration, outcome) = (trial.configuration.clone(), trial.outcome.clone());
        (trial.ordinal, trial.role, configuration, outcome)
    };
    trials.iter().map(tried).collect()
}

#[tokio::test]
async fn known_trials_are_not_built_again() {
    let bed = Bed::new(ALL_RIGHT);
    let first = bed.report(&plan(30), 2).await;
    assert_eq!(bed.built.load(Ordering::SeqCst), 30);
    let again = bed.report(&plan(30), 2).await;
    assert_eq!((bed.built.load(Ordering::SeqCst), again.resumed), (30, 30));
    assert_eq!(again.best, first.best);
    // A larger budget continues to the result of a single run; a smaller one reports its own
    // part.
    let larger = bed.report(&plan(50), 2).await;
    assert_eq!(bed.built.load(Ordering::SeqCst), 50);
    assert_eq!(
        larger.best,
        Bed::new(ALL_RIGHT).report(&plan(50), 2).await.best
    );
    assert_eq!(bed.report(&plan(30), 2).await.best, first.best);
    // Another seed makes another study.
    bed.report(
        &Plan {
            seed: 2,
            ..plan(30)
        },
        2,
    )
    .await;
    assert_eq!(bed.built.load(Ordering::SeqCst), 80);
}

/// Checks that this holds in a database without the smaller study, too.
#[tokio::test]
async fn a_larger_budget_begins_with_the_trials_of_a_smaller_one() {
    let planted = Planted {
        wrong_every: 5,
        fails_every: 7,
        ..ALL_RIGHT
    };
    for plan in plans(20) {
        let larger = Plan {
            budget: 40,
            ..plan.clone()
        };
        let few = Bed::new(planted).trials(&plan).await;
        let many = Bed::new(planted).trials(&larger).await;
        assert_eq!((few.len(), many.len()), (20, 40));
        assert_eq!(tried(&few), tried(&many)[..20], "{}", plan.strategy);
    }
}

#[tokio::test]
async fn a_budget_beyond_the_space_is_the_space() {
    let bed = Bed::new(ALL_RIGHT);
    let problem: Problem = "argmax:4x[1]xf32".parse().unwrap();
    for strategy in Strategy::ALL {
        let plan = Plan {
            problem: problem.clone(),
            strategy,
            budget: u32::MAX,
            ..plan(1)
        };
        let report = bed.report(&plan, 2).await;
        // The default may be a configuration of the space.
        assert!(report.counts.total - report.space <= 1, "{report:?}");
    }
}

#[tokio::test]
async fn faults_of_the_device_are_no_trials() {
    let bed = Bed::new(Planted {
        no_room_every: 5,
        ..ALL_RIGHT
    });
    let error = bed.run(&plan(60), 2, None).await.unwrap().unwrap_err();
    assert!(matches!(error, TuneError::Environment(_)), "{error}");
    // With room again, the study continues to the same result as any other.
    let bed = Bed {
        planted: ALL_RIGHT,
        ..bed
    };
    let report = bed.report(&plan(60), 2).await;
    let undisturbed = Bed::new(ALL_RIGHT).report(&plan(60), 2).await;
    assert_eq!(
        Report {
            resumed: 0,
            ..report
        },
        undisturbed
    );
}

#[tokio::test]
async fn a_worker_that_dies_is_told() {
    let bed = Bed::new(Planted {
        deadly_every: 7,
        ..ALL_RIGHT
    });
    let error = bed.run(&plan(60), 2, None).await.unwrap().unwrap_err();
    assert!(
        matches!(error, TuneError::Lost(missing) if missing > 0),
        "{error}"
    );
}

/// Checks that another agent does the batch of an agent that died.
#[tokio::test]
async fn an_agent_that_dies_costs_nothing_while_others_live() {
    let undisturbed = Bed::new(ALL_RIGHT).report(&plan(60), 2).await;
    let bed = Bed::new(Planted {
        deadly_every: 7,
        deaths: 1,
        ..ALL_RIGHT
    });
    assert_eq!(bed.report(&plan(60), 2).await, undisturbed);
}

#[tokio::test]
async fn a_problem_that_the_generator_does_not_take_is_named() {
    let bed = Bed::new(Planted {
        generator: Generator::IREE,
        ..ALL_RIGHT
    });
    let plan = Plan {
        problem: "argmax:[3]x[4]xf32".parse().unwrap(),
        ..plan(5)
    };
    let error = bed
        .run(&plan, 1, None)
        .await
        .unwrap()
        .unwrap_err()
        .to_string();
    assert!(error.contains("argmax:[3]x[4]xf32:i32: rule 0"), "{error}");
    let error = bed.run(&plan, 0, None).await.unwrap().unwrap_err();
    assert!(matches!(error, TuneError::NoDevice));
}
