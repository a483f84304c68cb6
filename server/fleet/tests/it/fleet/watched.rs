//! A watcher of a study receives every trial, whenever it connects and however often it
//! disconnects.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use server_fleet::{FleetError, StudyWatch};
use store::RunState;
use tokio::task::JoinSet;

use super::PROBLEM;
use crate::fleet::bed::{Bed, Does};

/// Watches a study to its end, and reconnects after so many updates.
async fn hear(bed: &Bed, study: store::StudyId, stays: usize) -> (BTreeSet<u32>, usize, RunState) {
    let come =
        async |heard: Option<&str>| -> StudyWatch { bed.fleet.watch(study, heard).await.unwrap() };
    let mut watch = come(None).await;
    let (mut ordinals, mut trials, mut state) = (BTreeSet::new(), 0, RunState::Running);
    let mut heard = 0;
    while let Some(news) = watch.next().await {
        trials += news.trials.len();
        ordinals.extend(news.trials.iter().map(|note| note.ordinal));
        state = news.now.state;
        heard += 1;
        if heard % stays == 0 && state == RunState::Running {
            watch = come(Some(&news.id)).await;
        }
    }
    (ordinals, trials, state)
}

#[test]
async fn every_trial_is_heard_of_once() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 60).await;
    let (one, other, worked) = tokio::join!(
        hear(&bed, study, usize::MAX),
        hear(&bed, study, 3),
        bed.work("one", |_| Does::All),
    );
    assert_eq!(worked, (0..60).collect());
    for (ordinals, trials, state) in [one, other] {
        assert_eq!(ordinals, (0..60).collect());
        assert_eq!(trials, 60);
        assert_eq!(state, RunState::Done);
    }
    // A watcher that comes after the end receives everything, too.
    assert_eq!(hear(&bed, study, usize::MAX).await.1, 60);
    let unknown = bed.fleet.watch(store::StudyId(99), None).await;
    assert!(matches!(unknown, Err(FleetError::Unknown(99))));
}

/// A watcher continues at another service from its ID; an ID of another study means the
/// beginning.
#[test]
async fn a_watcher_continues_on_another_replica() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 60).await;
    let mut watch = bed.fleet.watch(study, None).await.unwrap();
    let lease = bed.leased("one").await;
    let told = testing_agent::tell(&lease, testing_agent::results(&lease));
    bed.fleet.record_report(told).await.unwrap();
    let mut id = String::new();
    let mut heard = 0;
    while heard == 0 {
        let news = watch.next().await.unwrap();
        heard += news.trials.len();
        id = news.id;
    }
    let (bed, _) = bed.again().await;
    for (id, trials) in [
        (Some(id.as_str()), 0),
        (Some(""), heard),
        (Some("a.b"), heard),
        (Some("a.1"), heard),
        (Some(".99999999999999999999"), heard),
        (None, heard),
    ] {
        let mut watch = bed.fleet.watch(study, id).await.unwrap();
        let news = watch.next().await.unwrap();
        assert_eq!(news.trials.len(), trials, "{id:?}");
    }
}

/// Simultaneous watchers share one feed, and see the end at once: a feed of its own would be read
/// once per second.
#[test(threads)]
async fn those_who_come_at_once_hear_at_once() {
    testing::retry_within(Duration::from_millis(400), async || {
        let bed = Bed::new().await;
        bed.agent_comes().await;
        let study = bed.submit(PROBLEM, 60).await;
        let mut watches = JoinSet::new();
        for _ in 0..30 {
            let fleet = Arc::clone(&bed.fleet);
            watches.spawn(async move {
                let mut watch = fleet.watch(study, None).await.unwrap();
                while watch.next().await.unwrap().now.state == RunState::Running {}
                Instant::now()
            });
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        bed.fleet.cancel(study).await.unwrap();
        let heard = watches.join_all().await;
        let (first, last) = (heard.iter().min().unwrap(), heard.iter().max().unwrap());
        (last.duration_since(*first), ())
    })
    .await;
}
