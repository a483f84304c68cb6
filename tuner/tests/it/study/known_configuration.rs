//! Tests of the configuration that lookups served before a study.

use configgen::seeded_random::{self, below};
use configgen::{Configuration, Generator, Space, Target};
use lookup::{LookupRequest, Rung, look};
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
    let before = served().await;
    let report = bed.report(&plan(30), 2).await;
    let best = report.best.unwrap().configuration;
    assert_eq!(served().await, best);
    assert_ne!(before, best);
    assert_ne!(best, report.default.unwrap().configuration);
    let trials = run(&bed, &near, served().await).await;
    assert_eq!(trials[1].configuration, best);
}

/// Checks that no study makes a lookup's answer slower. There are `count` random problems, after
/// earlier studies of others, each with a budget of 1 to 20 trials.
async fn check_never_worse(count: u64) {
    let mut random = seeded_random::generator(7, 0);
    let mut draw = |bound| below(&mut random, bound);
    let (mut rungs, mut bed) = ([0; 5], Bed::new(ALL_RIGHT));
    for number in 0..count {
        // A new database now and then, so that problems without neighbours occur.
        if number % 6 == 0 {
            bed = Bed::new(ALL_RIGHT);
        }
        let (store, pool) = (bed.store().await, bed.pool(2).unwrap());
        let columns = 60 + draw(300);
        let drawn = Plan {
            problem: format!("argmax:4x[{columns}]xf32").parse().unwrap(),
            strategy: Strategy::ALL[draw(7) as usize],
            ..plan(1 + draw(20) as u32)
        };
        let request = LookupRequest {
            at_least: Rung::Default,
            device: Some("host".to_owned()),
            ..LookupRequest::new(drawn.problem.clone(), Target::named("gfx942").unwrap())
        };
        let before = look(&store, &request).await.unwrap();
        let known = served_configuration(&drawn, pool.offer(), &store).await;
        let trials = run(&bed, &drawn, known.unwrap()).await;
        let after = look(&store, &request).await.unwrap();
        let after_us = after.found().unwrap().time_us;
        rungs[before.rung().unwrap() as usize] += 1;
        let served = served_before(&before);
        let of_served = trials.iter().find(|it| {
            let tried = it.configuration.as_ref();
            tried.map(|it| it.canonical(&drawn.problem)) == served
        });
        let before_us = of_served.unwrap().outcome.timing().unwrap().time_us;
        assert!(
            after_us <= before_us,
            "{}: {after_us} {before_us}",
            drawn.problem
        );
    }
    // The time model knows all of them.
    let [_, _, near, predicted, _] = rungs;
    assert!(near > 0 && predicted > 0, "{rungs:?}");
}

fn served_before(answer: &lookup::LookupAnswer) -> Option<Configuration> {
    use lookup::LookupAnswer as Answer;
    Some(match answer {
        Answer::Exact(found) => found.configuration.clone(),
        Answer::Sibling(it) | Answer::Neighbour(it) => it.configuration.clone(),
        Answer::Predicted(it) | Answer::Default(it) => it.configuration.clone(),
        Answer::None(_) => return None,
    })
}

#[tokio::test]
async fn no_study_makes_an_answer_slower() {
    check_never_worse(18).await;
}

#[tokio::test]
#[ignore = "300 studies"]
async fn no_study_of_many_makes_an_answer_slower() {
    check_never_worse(300).await;
}
