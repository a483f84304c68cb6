//! Rankings: the configurations that are served, their order, and the times that are never
//! compared.

use configgen::{Generator, Target};
use lookup::Ranking;
use store::{
    Catalogue as _, Clock, FailureKind, Finals, Ledger as _, Status, StudyKey, Ties, Trial,
    TrialOutcome,
};
use store_sqlite::Sqlite;

use crate::rankings::new_store;
use crate::rankings::support::{
    at, configuration, default_trial, key, provenance, right, timing, trial,
};

async fn record(store: &Sqlite, key: &StudyKey, trials: &[Trial]) {
    let study = store.open_study(key, Some(5.0)).await.unwrap();
    for trial in trials {
        store.record_trial(&study, trial).await.unwrap();
    }
}

async fn rankings(store: &Sqlite) -> Vec<Ranking> {
    ranked_by(store, Ties::Fold).await
}

/// Returns the rankings with three entries each, and asserts that all rows are readable.
async fn ranked_by(store: &Sqlite, ties: Ties) -> Vec<Ranking> {
    let key = key();
    let found = lookup::rankings(store, &key.problem, Some(key.provenance.target), ties, 3).await;
    let found = found.unwrap();
    assert!(found.unreadable.is_none(), "{}", found.unreadable);
    found.rows
}

/// Returns the configurations of a ranking by number, with their times.
fn places(ranking: &Ranking) -> Vec<(u32, f64)> {
    let place = |ranked: &lookup::RankingEntry| {
        (
            ranked.configuration.lowering.partial_reduction[1],
            ranked.timing.time_us,
        )
    };
    ranking.best.iter().map(place).collect()
}

fn tie(time_us: f64) -> TrialOutcome {
    TrialOutcome::Tie(timing(time_us), "row 0: index 3 for 1".to_owned())
}

fn failed() -> TrialOutcome {
    TrialOutcome::Failed(FailureKind::Compile, "failed to distribute".to_owned())
}

#[test]
async fn the_fastest_right_ones_fastest_first() {
    let (_directory, store) = new_store().await;
    let trials = [
        default_trial(0, 1, right(60.0)),
        trial(1, 2, right(9.0)),
        trial(2, 3, tie(1.0)),
        trial(3, 4, TrialOutcome::Wrong("row 0".to_owned())),
        trial(4, 5, failed()),
        trial(5, 6, right(8.0)),
        trial(6, 7, right(7.5)),
        trial(7, 8, right(7.5)),
    ];
    record(&store, &key(), &trials).await;
    let rankings = rankings(&store).await;
    assert_eq!(rankings.len(), 1);
    assert_eq!(places(&rankings[0]), [(7, 7.5), (8, 7.5), (6, 8.0)]);
    assert_eq!(rankings[0].best[0].trial, trials[6]);
    assert_eq!(rankings[0].default.as_ref(), Some(&trials[0]));
    assert_eq!(
        (rankings[0].speedup(), rankings[0].bound_us),
        (Some(8.0), Some(5.0))
    );
    let all = lookup::all_rankings(&store, Ties::Fold, 3).await.unwrap();
    assert_eq!(all.rows, rankings);
}

/// Checks the entry of a single trial beside a slower correct one.
async fn check_served(generator: Generator, outcome: TrialOutcome) {
    let (_directory, store) = new_store().await;
    let mut key = key();
    key.provenance.generator = generator;
    let expected = match (
        lookup::is_served(outcome.status(), generator),
        outcome.status(),
    ) {
        (true, Status::Tie) => vec![(1, 2.0), (2, 1.0)],
        (true, _) => vec![(2, 1.0), (1, 2.0)],
        (false, _) => vec![(1, 2.0)],
    };
    record(
        &store,
        &key,
        &[trial(0, 1, right(2.0)), trial(1, 2, outcome)],
    )
    .await;
    assert_eq!(places(&rankings(&store).await[0]), expected, "{generator}");
}

#[test]
async fn served_answers_keep_the_promise_of_the_generator() {
    for generator in Generator::ALL {
        check_served(generator, right(1.0)).await;
        check_served(generator, tie(1.0)).await;
        check_served(generator, TrialOutcome::Wrong(String::new())).await;
        check_served(generator, TrialOutcome::Timed(timing(1.0))).await;
        check_served(generator, failed()).await;
    }
    assert!(
        lookup::is_served(Status::Tie, Generator::IREE)
            && !lookup::is_served(Status::Tie, Generator::NATIVE)
    );
}

#[test]
async fn the_latest_trial_of_a_configuration_counts() {
    let (_directory, store) = new_store().await;
    let trials = [
        trial(0, 1, right(5.0)),
        trial(1, 2, right(6.0)),
        trial(2, 3, right(7.0)),
        trial(3, 1, right(9.0)),
        trial(4, 2, TrialOutcome::Wrong("row 0".to_owned())),
    ];
    record(&store, &key(), &trials).await;
    assert_eq!(places(&rankings(&store).await[0]), [(3, 7.0), (1, 9.0)]);

    // Another study with the same provenance finds the configuration incorrect, and that counts.
    let mut other = key();
    other.seed = 1;
    record(
        &store,
        &other,
        &[trial(9, 3, failed()), trial(10, 4, right(8.0))],
    )
    .await;
    assert_eq!(places(&rankings(&store).await[0]), [(4, 8.0), (1, 9.0)]);
}

/// Checks that a trial without a verdict is not served, and leaves the verdict of an earlier one.
#[test]
async fn a_later_trial_that_was_only_timed_hides_nothing() {
    let (_directory, store) = new_store().await;
    record(&store, &key(), &[trial(0, 1, right(5.0))]).await;
    let mut other = key();
    other.seed = 1;
    let timed = |n, time_us| trial(n, n, TrialOutcome::Timed(timing(time_us)));
    record(&store, &other, &[timed(1, 5.0), timed(2, 1.0)]).await;
    assert_eq!(places(&rankings(&store).await[0]), [(1, 5.0)]);
}

#[test]
async fn a_default_that_is_no_configuration_is_compared_with_only() {
    let (_directory, store) = new_store().await;
    let mut fallback = default_trial(0, 0, right(1.0));
    fallback.configuration = None;
    record(&store, &key(), &[fallback.clone(), trial(1, 2, right(2.0))]).await;
    let rankings = rankings(&store).await;
    assert_eq!(places(&rankings[0]), [(2, 2.0)]);
    assert_eq!(
        (rankings[0].default_time_us(), rankings[0].speedup()),
        (Some(1.0), Some(0.5))
    );
}

#[test]
async fn a_default_that_does_not_compile_has_no_time() {
    let (_directory, store) = new_store().await;
    record(
        &store,
        &key(),
        &[default_trial(0, 1, failed()), trial(1, 2, right(2.0))],
    )
    .await;
    let rankings = rankings(&store).await;
    assert_eq!(
        rankings[0].default.as_ref().map(|t| t.outcome.status()),
        Some(Status::Failed)
    );
    assert_eq!(
        (rankings[0].default_time_us(), rankings[0].speedup()),
        (None, None)
    );
}

#[test]
async fn clocks_devices_and_generators_never_mix() {
    let (_directory, store) = new_store().await;
    let mut studies = [key(), key(), key(), key()];
    studies[1].provenance.clock = Clock::Measured;
    studies[2].provenance.device = "emulated:mi300a".to_owned();
    studies[3].provenance.generator = Generator::IREE;
    for (time_us, study) in [4.0, 9.0, 3.0, 5.0].into_iter().zip(&studies) {
        record(&store, study, &[trial(0, 1, right(time_us))]).await;
    }
    let rankings = rankings(&store).await;
    let times: Vec<_> = rankings
        .iter()
        .map(|r| (r.provenance.clock, places(r)))
        .collect();
    let (measured, modelled) = (Clock::Measured, Clock::Modelled);
    let expected = [
        (measured, 9.0),
        (modelled, 3.0),
        (modelled, 4.0),
        (modelled, 5.0),
    ];
    assert_eq!(
        times,
        expected.map(|(clock, time_us)| (clock, vec![(1, time_us)]))
    );
    assert_eq!(rankings[1].provenance.device, "emulated:mi300a");
    assert_eq!(rankings[3].provenance.generator, Generator::IREE);
}

/// Checks that numbers of two compilers stay apart: those of the present compiler count.
#[test]
async fn the_provenance_that_was_opened_last_counts() {
    let (_directory, store) = new_store().await;
    let (mut older, mut newer, mut empty) = (key(), key(), key());
    older.provenance = provenance("22.1.0");
    newer.provenance = provenance("22.2.0");
    empty.provenance = provenance("23.0.0");
    record(
        &store,
        &older,
        &[default_trial(0, 1, right(30.0)), trial(1, 2, right(3.0))],
    )
    .await;
    record(&store, &newer, &[trial(0, 3, right(5.0))]).await;
    record(&store, &empty, &[trial(0, 2, failed())]).await;
    let found = rankings(&store).await;
    assert_eq!((found.len(), places(&found[0])), (1, vec![(3, 5.0)]));
    assert_eq!(
        (&found[0].provenance, &found[0].default),
        (&newer.provenance, &None)
    );

    record(&store, &older, &[]).await;
    let found = rankings(&store).await;
    assert_eq!(places(&found[0]), [(2, 3.0), (1, 30.0)]);
}

#[test]
async fn studies_that_differ_in_the_search_alone_are_one_ranking() {
    let (_directory, store) = new_store().await;
    let mut other = key();
    other.strategy = "exhaustive".to_owned();
    record(
        &store,
        &key(),
        &[default_trial(0, 1, right(30.0)), trial(1, 2, right(3.0))],
    )
    .await;
    record(
        &store,
        &other,
        &[trial(5, 2, right(4.0)), trial(6, 3, right(2.0))],
    )
    .await;
    let found = rankings(&store).await;
    assert_eq!(
        (found.len(), places(&found[0])),
        (1, vec![(3, 2.0), (2, 4.0), (1, 30.0)])
    );
    assert_eq!(found[0].default_time_us(), Some(30.0));
}

#[test]
async fn everything_by_problem_and_target() {
    let (_directory, store) = new_store().await;
    let mut keys = [key(), key(), key()];
    keys[0].problem = "argmin:[7]xi32".parse().unwrap();
    keys[1].provenance.target = Target::named("gfx950").unwrap();
    for key in &keys {
        record(
            &store,
            key,
            &[trial(0, 1, right(1.0)), trial(1, 2, right(2.0))],
        )
        .await;
    }
    let all = lookup::all_rankings(&store, Ties::Fold, 1)
        .await
        .unwrap()
        .rows;
    let names: Vec<_> = all
        .iter()
        .map(|r| (r.problem.to_string(), r.provenance.target.name))
        .collect();
    let argmax = "argmax:4x[32000]xf32:i32".to_owned();
    let argmin = "argmin:[7]xi32:i32".to_owned();
    assert_eq!(
        names,
        [
            (argmax.clone(), "gfx942"),
            (argmax, "gfx950"),
            (argmin, "gfx942")
        ]
    );
    assert!(all.iter().all(|ranking| places(ranking) == [(1, 1.0)]));
    assert_eq!(all[0].best[0].configuration, configuration(1));
}

#[test]
async fn coverage_counts_verdicts() {
    let (_directory, store) = new_store().await;
    let trials = [
        trial(0, 1, failed()),
        trial(1, 2, failed()),
        trial(2, 3, right(1.0)),
    ];
    record(&store, &key(), &trials).await;
    let mut other = key();
    other.seed = 3;
    record(&store, &other, &[trial(0, 1, failed())]).await;
    let coverage = store.coverage(&key().problem).await.unwrap().rows;
    let counts: Vec<_> = coverage.iter().map(|c| (c.status, c.trials)).collect();
    assert_eq!(counts, [(Status::Failed, 3), (Status::Right, 1)]);
    assert_eq!(coverage[0].device, "emulated:mi300x");
    let unknown = "argmax:[1]xi8".parse().unwrap();
    assert_eq!(store.coverage(&unknown).await.unwrap().rows, []);
}

/// Checks that the winner of finals is served before a faster one of the search, until the study
/// goes on.
#[test]
async fn the_winner_of_the_finals_is_first() {
    let (_directory, store) = new_store().await;
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(1, 2, right(7.0)),
        trial(2, 3, right(7.1)),
    ];
    record(&store, &key(), &trials).await;
    let first = async || rankings(&store).await[0].best[0].trial.ordinal;
    let study = store.open_study(&key(), None).await.unwrap();
    let finals = |trials, winner| Finals {
        trials,
        winner,
        ties: Ties::Fold,
        speedup: 1.27,
        interval: (1.25, 1.29),
        samples: "{}".to_owned(),
        ended: at(100),
    };
    assert_eq!(first().await, 1);
    for (finals, expected) in [(finals(3, 2), 2), (finals(3, 0), 0), (finals(2, 2), 0)] {
        store.record_finals(study.id, &finals).await.unwrap();
        assert_eq!(first().await, expected, "{finals:?}");
    }
    let ranking = rankings(&store).await.remove(0);
    assert_eq!(places(&ranking), [(1, 9.0), (2, 7.0), (3, 7.1)]);
    record(&store, &key(), &[trial(3, 4, right(8.0))]).await;
    assert_eq!(first().await, 1);
    // Another study finds it incorrect.
    let other = StudyKey { seed: 7, ..key() };
    store.record_finals(study.id, &finals(4, 2)).await.unwrap();
    assert_eq!(first().await, 2);
    record(
        &store,
        &other,
        &[trial(9, 3, TrialOutcome::Wrong("off".to_owned()))],
    )
    .await;
    assert_eq!(first().await, 1);
}
