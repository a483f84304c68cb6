//! Tests of the configuration that lookups served before a study.

use configgen::{Configuration, Generator, Space, Target};
use store::Trial;
use tuner::{Plan, Strategy, served_configuration};

use super::bed::{ALL_RIGHT, Bed};
use super::{PROBLEM, plan};

/// Returns a configuration that no strategy here proposes early.
fn known() -> Configuration {
    let target = Target::named("gfx942").unwrap();
    let space = Space::new(&PROBLEM.parse().unwrap(), target, Generator::NATIVE);
    space.nth(space.len() / 3).unwrap()
}

/// Runs a plan, and returns all trials of its study by ordinal.
async fn run(bed: &Bed, plan: &Plan, known: Option<Configuration>) -> Vec<Trial> {
    let (store, pool) = (bed.store().await, bed.pool(2).unwrap());
    let report = tuner::run(plan, known, &pool, &store, |_| {})
        .await
        .unwrap();
    let study = store::Ledger::open_study(&store, &report.study, None).await;
    store::Ledger::trials_of(&store, &study.unwrap())
        .await
        .unwrap()
}

fn configurations(trials: &[Trial]) -> Vec<Option<Configuration>> {
    trials.iter().map(|it| it.configuration.clone()).collect()
}

/// Checks budgets of 1 to 20. The second trial is the known configuration.
#[tokio::test]
async fn a_study_tries_the_known_configuration_next_to_the_default() {
    for strategy in Strategy::ALL {
        for budget in [1, 2, 20] {
            let plan = Plan {
                strategy,
                ..plan(budget)
            };
            let trials = run(&Bed::new(ALL_RIGHT), &plan, Some(known())).await;
            assert_eq!(trials.len(), 2.max(budget as usize), "{strategy}");
            assert_eq!(trials[1].configuration, Some(known()), "{strategy}");
        }
    }
}

/// Checks that a larger budget continues the same trials, whatever lookups serve by then.
#[tokio::test]
async fn a_resumed_study_keeps_its_known_configuration() {
    for strategy in Strategy::ALL {
        for first in [None, Some(known())] {
            let whole = Plan {
                strategy,
                ..plan(45)
            };
            let undisturbed = run(&Bed::new(ALL_RIGHT), &whole, first.clone()).await;
            let bed = Bed::new(ALL_RIGHT);
            let part = Plan {
                budget: 19,
                ..whole.clone()
            };
            let before = run(&bed, &part, first).await;
            let best = before[7].configuration.clone();
            let after = run(&bed, &whole, best).await;
            assert_eq!(
                configurations(&after),
                configurations(&undisturbed),
                "{strategy}"
            );
        }
    }
}

/// Checks two studies of similar problems in one database.
#[tokio::test]
async fn a_study_begins_at_the_neighbours_configuration() {
    let bed = Bed::new(ALL_RIGHT);
    let (store, pool) = (bed.store().await, bed.pool(2).unwrap());
    let near = Plan {
        problem: "argmax:4x[101]xf32".parse().unwrap(),
        ..plan(1)
    };
    let served = async || {
        served_configuration(&near, pool.offer(), &store)
            .await
            .unwrap()
    };
    assert_eq!(served().await, None);
    let report = bed.report(&plan(30), 2).await;
    let best = report.best.unwrap().configuration;
    assert_eq!(served().await, best);
    assert_ne!(best, report.default.unwrap().configuration);
    let trials = run(&bed, &near, served().await).await;
    assert_eq!(trials[1].configuration, best);
}
