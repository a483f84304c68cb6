//! Results with one changed part: the service accepts or refuses them, and every stored row is
//! readable.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use server_fleet::FleetError;
use server_fleet::wire::LeaseReport;
use store::{StudyId, Timing, TrialOutcome};
use tuner::{BatchContent, BatchEventKind};

use super::PROBLEM;
use crate::fleet::bed::Bed;
use testing::json_mutation::{mutate_json, odd_value};
use testing_agent::trial;

fn run(cases: u32) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    let (bed, lease) = runtime.block_on(async {
        let bed = Bed::new().await;
        bed.agent_comes().await;
        bed.submit(PROBLEM, 40).await;
        let lease = bed.leased("one").await;
        (bed, lease)
    });
    let BatchContent::Try(candidates) = lease.batch.work.clone() else {
        panic!("no finals");
    };
    let good = trial(&lease, &candidates[0]);
    let tie = store::Trial {
        error: None,
        outcome: TrialOutcome::Tie(
            Timing {
                time_us: 5.0,
                samples_us: vec![5.0, 4.0, 6.0],
                protocol: Some("{}".to_owned()),
            },
            "row 0".to_owned(),
        ),
        ..good.clone()
    };
    let news =
        [good, tie].map(|trial| serde_json::to_value(BatchEventKind::Trial(Box::new(trial))));
    let news = news.map(Result::unwrap);
    let (token, batch) = (
        lease.token.clone(),
        serde_json::to_value(&lease.batch).unwrap(),
    );
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let (taken, refused) = (Cell::new(0), Cell::new(0));
    let changes = (any::<prop::sample::Index>(), any::<usize>(), odd_value());
    let ended = TestRunner::new_with_rng(config, rng).run(&changes, |(which, place, part)| {
        let news: Value = mutate_json(which.get(&news), place, &part);
        let said = json!({"token": token, "batch": batch, "news": [news]});
        // Parsed from text, as in the service.
        let Ok(said) = serde_json::from_str::<LeaseReport>(&said.to_string()) else {
            return Ok(());
        };
        match runtime.block_on(bed.fleet.record_report(said)) {
            Ok(_) => taken.set(taken.get() + 1),
            Err(FleetError::Said(_)) => refused.set(refused.get() + 1),
            // On a busy machine the lease may have ended.
            Err(FleetError::NoLease) => {}
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
        Ok(())
    });
    ended.unwrap();
    let counts = (taken.get(), refused.get());
    assert!(counts.0 > 0 && counts.1 > 0, "{counts:?}");
    // Every stored row is readable.
    runtime.block_on(async {
        let trials = bed.trials(StudyId(lease.batch.id.study)).await;
        assert!(!trials.is_empty());
        assert_eq!(bed.store.verify().await.unwrap(), Vec::<String>::new());
    });
}

#[test]
fn results_that_are_garbled_are_refused_or_read() {
    run(150);
}

#[test]
#[ignore = "full: 100,000 results with a part that is another"]
fn many_results_that_are_garbled_are_refused_or_read() {
    run(100_000);
}
