//! Findings of a study, from the database by any replica.

use std::time::Duration;

use server_fleet::{FleetError, StudyFindings};
use store::{Priority, RunState, Runs as _, StudyId};
use tuner::TuneCounts;

use super::PROBLEM;
use crate::fleet::bed::{Bed, Does};

/// Carries out a study, and returns its findings.
async fn found(bed: &Bed, budget: u32) -> (StudyId, StudyFindings) {
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, budget).await;
    bed.work("one", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    (study, bed.fleet.findings(study).await.unwrap())
}

#[test]
async fn any_replica_reports_the_results() {
    let bed = Bed::new().await;
    let (study, first) = found(&bed, 40).await;
    let all = TuneCounts {
        total: 40,
        right: 40,
        ..TuneCounts::default()
    };
    assert_eq!((first.report.counts, first.report.resumed), (all, 0));
    let times = bed.trials(study).await;
    let times = times.iter().filter_map(|(.., outcome)| outcome.timing());
    let fastest = times.map(|timing| timing.time_us).reduce(f64::min);
    let best = first.report.best.as_ref().unwrap();
    assert_eq!(best.time_us, fastest);
    assert!(first.took < Duration::from_secs(60), "{:?}", first.took);
    // A service that started later gives the same findings.
    let (bed, _) = bed.again().await;
    assert_eq!(bed.fleet.findings(study).await.unwrap(), first);
    // After a repeated request, earlier trials are reported separately, and the time is that of
    // the second request.
    tokio::time::sleep(first.took).await;
    let asked = std::time::Instant::now();
    let (_, second) = found(&bed, 50).await;
    assert_eq!(second.study, study);
    let counts = (second.report.counts.total, second.report.resumed);
    assert_eq!(counts, (50, 40));
    assert!(second.took <= asked.elapsed(), "{:?}", second.took);
}

#[test]
async fn unfinished_studies_have_no_result() {
    let bed = Bed::new().await;
    let unknown = bed.fleet.findings(StudyId(99)).await;
    assert!(matches!(unknown, Err(FleetError::Unknown(99))));
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 40).await;
    let refused = async |expected| match bed.fleet.findings(study).await {
        Err(FleetError::State { state, .. }) => assert_eq!(state, expected),
        other => panic!("{other:?}"),
    };
    refused(RunState::Running).await;
    bed.fleet.cancel(study).await.unwrap();
    refused(RunState::Cancelled).await;
}

#[test]
async fn studies_of_other_versions_are_told_apart() {
    let bed = Bed::new().await;
    let (study, _) = found(&bed, 4).await;
    let started = bed
        .store
        .start_run(study, "in other words", Priority::default());
    started.await.unwrap();
    let (from, to) = ([RunState::Running], RunState::Done);
    let ended = bed.store.change_run(study, &from, to, None, None);
    assert!(ended.await.unwrap());
    for error in [
        bed.fleet.findings(study).await.err(),
        bed.fleet.study(study).await.err(),
        bed.fleet.try_again(study).await.err(),
    ] {
        assert!(matches!(error, Some(FleetError::Unable(_))), "{error:?}");
    }
    assert_eq!(bed.state(study).await, RunState::Done);
}
