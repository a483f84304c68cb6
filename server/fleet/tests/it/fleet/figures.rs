//! Metrics of a fleet: studies, the queue, leases and their ends.

use std::time::{Duration, Instant};

use server_fleet::{LeaseActivity, LeaseFailure, ReplicaMetrics};
use store::{RunState, Status};
use tuner::{BatchEventKind, Failure};

use crate::fleet::PROBLEM;
use crate::fleet::bed::{Bed, Does};
use testing_agent::{results, tell};

/// Waits until the metrics satisfy a condition: studies and the queue are counted from time to
/// time.
async fn until(bed: &Bed, what: &str, is_so: impl Fn(&ReplicaMetrics) -> bool) -> ReplicaMetrics {
    let begun = Instant::now();
    loop {
        let figures = bed.fleet.metrics();
        if is_so(&figures) {
            return figures;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{what}: {figures:?}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn studies(figures: &ReplicaMetrics, state: RunState) -> u64 {
    let studies = figures.studies.iter().flatten();
    let of = |(one, count): &(RunState, u64)| (*one == state).then_some(*count);
    studies.filter_map(of).next().unwrap_or(0)
}

fn queued(figures: &ReplicaMetrics, kind: &str) -> u64 {
    let queued = figures.queued.as_ref();
    queued
        .and_then(|queued| queued.get(kind).copied())
        .unwrap_or(0)
}

fn failed(figures: &ReplicaMetrics) -> [u64; 3] {
    LeaseFailure::ALL.map(|failure| {
        let mut failed = figures.counted.failed.iter();
        failed.find(|(one, _)| *one == failure).unwrap().1
    })
}

#[test]
async fn a_study_is_seen_in_the_figures() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let before = until(&bed, "all is counted", |it| it.queued.is_some()).await;
    assert_eq!(studies(&before, RunState::Running), 0);
    assert_eq!(before.queued.unwrap().into_values().sum::<u64>(), 0);
    assert_eq!((before.directors, before.stalled), (0, Duration::ZERO));

    let study = bed.submit(PROBLEM, 20).await;
    let lease = bed.leased("one").await;
    let waits = |it: &ReplicaMetrics| studies(it, RunState::Running) == 1 && !it.stalled.is_zero();
    let during = until(&bed, "it waits", waits).await;
    assert_eq!(during.directors, 1);
    assert_eq!(queued(&during, "direct"), 1);
    assert!(queued(&during, "try") > 0, "{during:?}");
    let leases = [
        (LeaseActivity::Build, 0),
        (LeaseActivity::Try, 1),
        (LeaseActivity::Finals, 0),
    ];
    assert_eq!(during.leases, leases);
    assert!(!during.oldest_lease.is_zero());
    assert_eq!(during.counted.granted, 1);

    // Only a trial restarts the stall clock while the study runs.
    let long = Duration::from_secs(2);
    until(&bed, "it waits long", |it| it.stalled > long).await;
    let told = results(&lease).into_iter().take(1).collect();
    bed.fleet.record_report(tell(&lease, told)).await.unwrap();
    until(&bed, "it begins anew", |it| it.stalled < long / 2).await;

    bed.fleet
        .record_report(tell(&lease, results(&lease)))
        .await
        .unwrap();
    bed.work("one", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    let ended = |it: &ReplicaMetrics| studies(it, RunState::Done) == 1 && it.stalled.is_zero();
    let after = until(&bed, "it has ended", ended).await;
    assert_eq!(studies(&after, RunState::Running), 0);
    assert_eq!(after.directors, 0);
    assert_eq!((queued(&after, "try"), queued(&after, "direct")), (0, 0));
    assert_eq!(after.oldest_lease, Duration::ZERO);
    let right = after.counted.trials[0];
    // The first trial was reported twice.
    assert_eq!(right, (Status::Right, 21));
    assert_eq!(failed(&after), [0; 3]);
    assert_eq!((after.counted.given_up, after.counted.redelivered), (0, 0));
}

#[test]
async fn failures_are_counted_by_reason() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 1).await;
    let lease = bed.leased("one").await;
    let no_room = Failure::Environment("no room".to_owned());
    let news = vec![BatchEventKind::Failed(no_room)];
    bed.fleet.record_report(tell(&lease, news)).await.unwrap();
    assert_eq!(failed(&bed.fleet.metrics()), [1, 0, 0]);
    let lease = bed.leased("one").await;
    bed.fleet
        .record_report(tell(&lease, vec![BatchEventKind::Done]))
        .await
        .unwrap();
    assert_eq!(failed(&bed.fleet.metrics()), [1, 1, 0]);
    // The third agent dies with it; then it is given up.
    bed.work("one", |_| Does::Nothing).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    let counted = bed.fleet.metrics().counted;
    assert_eq!((counted.granted, counted.given_up), (3, 1));
    assert_eq!(counted.redelivered, 3);
    let told: u64 = counted.trials.iter().map(|(_, count)| count).sum();
    assert_eq!(told, 0);
}
