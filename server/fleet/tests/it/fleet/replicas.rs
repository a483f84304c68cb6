//! Several replicas of a service on one database and one broker: agents use any of them, and any
//! may die.

use std::sync::Arc;
use std::time::{Duration, Instant};

use server_dispatch::{MemoryBroker, Queue as _};
use server_fleet::wire::{Condition, Lease, LeaseRequest, Quarantine};
use server_fleet::{DELIVERIES, Fleet, FleetError, Keys, PresentAgent};
use store::{FailureKind, Ledger as _, Records as _, RunState, Runs as _, StudyId, TrialOutcome};
use store_sqlite::Sqlite;
use tokio::runtime::Runtime;
use tuner::{BatchContent, BatchEventKind, Report};

use super::{PROBLEM, undisturbed};
use crate::fleet::bed::{Bed, PATIENCE, asked};
use crate::fleet::builds::{built, has_kernels, lease_build};
use crate::fleet::leases::{Seen, only, seen};
use testing_agent::{hold, offer, results, tell};

/// A replica with a runtime of its own, which ends with it: it hands on nothing.
struct Replica {
    fleet: Arc<Fleet>,
    runtime: Option<Runtime>,
}

impl Drop for Replica {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The shared state of the replicas.
struct Shared {
    store: Arc<Sqlite>,
    carrier: Arc<MemoryBroker>,
    /// A replica that does not take part.
    bed: Bed,
}

impl Shared {
    async fn new() -> Shared {
        let bed = Bed::new().await;
        bed.fleet.close().await.unwrap();
        Shared {
            store: Arc::clone(&bed.store),
            carrier: Arc::new(MemoryBroker::new(PATIENCE, Duration::from_secs(60))),
            bed,
        }
    }

    async fn replica(&self) -> Replica {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (store, carrier) = (Arc::clone(&self.store), Arc::clone(&self.carrier));
        let key = Keys::from_secret(&[7; 32]);
        let opened = runtime.spawn(Fleet::open(store, carrier, key));
        Replica {
            fleet: opened.await.unwrap().unwrap().0,
            runtime: Some(runtime),
        }
    }

    async fn state(&self, study: StudyId) -> RunState {
        self.bed.state(study).await
    }

    async fn director(&self, study: StudyId) -> Option<String> {
        self.store.run(study).await.unwrap().unwrap().director
    }
}

async fn lease(replica: &Replica, agent: &str) -> Option<Lease> {
    let ask = LeaseRequest {
        agent: agent.to_owned(),
        offers: vec![offer("mi300x")],
        devices: Vec::new(),
        wait_s: 1,
    };
    replica.fleet.lease(ask).await.unwrap()
}

async fn leased(replica: &Replica, agent: &str) -> Lease {
    testing::until_some(async || lease(replica, agent).await).await
}

/// Submits a study, also if the replica knows no agent yet.
async fn submit(replica: &Replica, budget: u32) -> StudyId {
    let asked = vec![asked(PROBLEM, budget)];
    let begun = replica.fleet.submit(asked, None, None).await.unwrap();
    begun.studies[0].study
}

/// One replica leases a batch, another renews it, and a third gets the results.
#[test]
async fn any_replica_gives_and_is_told() {
    let shared = Shared::new().await;
    let replicas = [
        shared.replica().await,
        shared.replica().await,
        shared.replica().await,
    ];
    // An agent asks one replica; the others learn of it.
    assert_eq!(lease(&replicas[0], "one").await, None);
    let study = submit(&replicas[1], 60).await;
    let mut watch = replicas[2].fleet.watch(study, None).await.unwrap();
    let watched = async {
        let mut trials = 0;
        let mut last = None;
        while let Some(news) = watch.next().await {
            trials += news.trials.len();
            let now = news.now;
            last = Some((now.state, now.progress.map(|progress| progress.done)));
        }
        (trials, last)
    };
    let worked = async {
        for at in 0.. {
            let at = |step: usize| &replicas[(at + step) % 3];
            match lease(at(0), "one").await {
                None if shared.state(study).await == RunState::Done => break,
                None => {}
                Some(lease) => {
                    assert!(
                        at(1)
                            .fleet
                            .renew_lease(hold(&lease))
                            .await
                            .unwrap()
                            .is_wanted
                    );
                    at(2)
                        .fleet
                        .record_report(tell(&lease, results(&lease)))
                        .await
                        .unwrap();
                }
            }
        }
    };
    let ((trials, last), ()) = tokio::join!(watched, worked);
    assert_eq!(shared.bed.trials(study).await, undisturbed(60).await);
    assert_eq!(trials, 60);
    assert_eq!(last, Some((RunState::Done, Some(60))));
    for replica in &replicas {
        let listed = replica.fleet.study(study).await.unwrap();
        assert_eq!(listed.progress.map(|progress| progress.done), Some(60));
        assert_eq!(replica.fleet.agents().len(), 1);
    }
}

/// The directing replica dies again and again; another continues.
#[test]
async fn a_killed_replica_is_replaced() {
    let shared = Shared::new().await;
    let mut replicas = vec![shared.replica().await];
    assert_eq!(lease(&replicas[0], "one").await, None);
    let study = submit(&replicas[0], 60).await;
    for _ in 0..3 {
        let lease = loop {
            if let Some(lease) = lease(&replicas[0], "one").await {
                break lease;
            }
        };
        let dead = shared.director(study).await;
        replicas.push(shared.replica().await);
        drop(replicas.remove(0));
        while shared.director(study).await == dead {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // The results of its batch count, and no director wants more.
        let told = tell(&lease, results(&lease));
        assert!(
            !replicas[0]
                .fleet
                .record_report(told)
                .await
                .unwrap()
                .is_wanted
        );
    }
    while shared.state(study).await == RunState::Running {
        if let Some(lease) = lease(&replicas[0], "one").await {
            replicas[0]
                .fleet
                .record_report(tell(&lease, results(&lease)))
                .await
                .unwrap();
        }
    }
    assert_eq!(shared.state(study).await, RunState::Done);
    assert_eq!(shared.bed.trials(study).await, undisturbed(60).await);
}

/// A replica that ends hands on its studies at once.
#[test]
async fn a_stopped_replica_hands_over_its_studies() {
    let shared = Shared::new().await;
    let one = shared.replica().await;
    assert_eq!(lease(&one, "one").await, None);
    let study = submit(&one, 60).await;
    while shared.director(study).await.is_none() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let other = shared.replica().await;
    let ended = shared.director(study).await;
    one.fleet.close().await.unwrap();
    // No silence has to pass first.
    assert_ne!(shared.director(study).await, ended);
    while shared.director(study).await.is_none() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    leased(&other, "one").await;
}

/// A replaced director that does not know it: its batches are not wanted any more, and it does
/// not end the study.
#[test]
async fn a_replaced_director_stops() {
    let shared = Shared::new().await;
    let replica = shared.replica().await;
    assert_eq!(lease(&replica, "one").await, None);
    let study = submit(&replica, 4).await;
    let lease = leased(&replica, "one").await;
    let replaced = shared.store.direct_run(study, "another", Duration::ZERO);
    assert!(replaced.await.unwrap());
    let his = store::RunReport {
        study,
        director: "another".to_owned(),
        progress: None,
    };
    let begun = Instant::now();
    while begun.elapsed() < 2 * PATIENCE {
        let reported = shared.store.report_runs(std::slice::from_ref(&his)).await;
        assert_eq!(reported.unwrap(), [study]);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let heard = replica
        .fleet
        .record_report(tell(&lease, results(&lease)))
        .await;
    assert!(!heard.unwrap().is_wanted);
    // The results count nevertheless.
    assert!(!shared.bed.trials(study).await.is_empty());
    let study_is_his = async {
        let run = shared.store.run(study).await.unwrap().unwrap();
        (run.state, run.director) == (RunState::Running, Some("another".to_owned()))
    };
    assert!(study_is_his.await);
}

/// The current director repeats abandoned trials, whichever replica gets the request; watchers
/// receive all trials again.
#[test]
async fn any_replica_has_a_study_tried_again() {
    let shared = Shared::new().await;
    let replicas = [shared.replica().await, shared.replica().await];
    assert_eq!(lease(&replicas[0], "one").await, None);
    let study = submit(&replicas[0], 30).await;
    let mut watch = replicas[0].fleet.watch(study, None).await.unwrap();
    let carried_out = async |abandoned: Option<u32>| {
        while shared.state(study).await == RunState::Running {
            let Some(lease) = lease(&replicas[0], "one").await else {
                continue;
            };
            let mut news = results(&lease);
            for one in &mut news {
                if let BatchEventKind::Trial(trial) = one
                    && Some(trial.ordinal) == abandoned
                {
                    let reason = "given up after 3 leases".to_owned();
                    trial.outcome = TrialOutcome::Failed(FailureKind::Abandoned, reason);
                    trial.error = None;
                }
            }
            replicas[0]
                .fleet
                .record_report(tell(&lease, news))
                .await
                .unwrap();
        }
        let found = replicas[0].fleet.findings(study).await.unwrap();
        assert_eq!(replicas[1].fleet.findings(study).await.unwrap(), found);
        found.report
    };
    let report = carried_out(Some(3)).await;
    let faultless = |report: &Report| report.counts.right + report.counts.timed;
    assert_eq!((faultless(&report), report.counts.failed), (29, 1));
    let mut heard = String::new();
    while let Some(news) = watch.next().await {
        heard = news.id;
    }
    assert_eq!(shared.store.forget_abandoned(study).await.unwrap(), 1);
    let requests = async || {
        let counts = shared.carrier.count().await.unwrap();
        let mut counts = counts.into_iter();
        counts.find_map(|(topic, count)| (topic.kind.as_str() == "direct").then_some(count))
    };
    while requests().await.is_some_and(|count| count > 0) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    replicas[1].fleet.try_again(study).await.unwrap();
    // The search for runs without a director, every 10 s, would find it later.
    assert_eq!(requests().await, Some(1));
    let mut watch = replicas[1].fleet.watch(study, Some(&heard)).await.unwrap();
    let report = carried_out(None).await;
    assert_eq!((faultless(&report), report.resumed), (30, 29));
    let mut trials = 0;
    while let Some(news) = watch.next().await {
        trials += news.trials.len();
    }
    assert_eq!(trials, 30);
    let unknown = replicas[1].fleet.try_again(StudyId(99)).await;
    assert!(matches!(unknown, Err(FleetError::Unknown(99))));
}

/// One replica pauses a study, and the replica that directs it stops.
#[test]
async fn a_pause_reaches_every_replica() {
    let shared = Shared::new().await;
    let one = shared.replica().await;
    assert_eq!(lease(&one, "one").await, None);
    let study = submit(&one, 60).await;
    let held = leased(&one, "one").await;
    let other = shared.replica().await;
    other.fleet.pause(study).await.unwrap();
    assert!(
        !other
            .fleet
            .renew_lease(hold(&held))
            .await
            .unwrap()
            .is_wanted
    );
    while one.fleet.renew_lease(hold(&held)).await.unwrap().is_wanted {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(lease(&one, "one").await, None);
    // All claims are free.
    let opened = shared.bed.study(study).await;
    let first = [store::Task::Trial(0)];
    let taken = shared.store.take(&opened, "nobody else", &first).await;
    assert_eq!(taken.unwrap(), first);
}

/// One replica gives out a build, a second gets the kernels, and a third leases them.
#[test]
async fn any_replica_accepts_builds() {
    let shared = Shared::new().await;
    let replicas = [
        shared.replica().await,
        shared.replica().await,
        shared.replica().await,
    ];
    assert_eq!(lease(&replicas[0], "one").await, None);
    assert_eq!(lease_build(&replicas[1].fleet, 1).await, None);
    while replicas.iter().any(|it| it.fleet.agents().len() < 2) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    submit(&replicas[2], 10).await;
    let build = lease_build(&replicas[0].fleet, 8).await.unwrap();
    let heard = replicas[1].fleet.hand_in(built(&build)).await.unwrap();
    assert!(heard.is_wanted);
    let lease = leased(&replicas[2], "one").await;
    assert!(has_kernels(&replicas[0].fleet, &lease));
}

/// Every replica learns at once of a quarantine that one replica hears of, and of its end.
#[test]
async fn replicas_hear_of_devices_that_are_left_alone() {
    let shared = Shared::new().await;
    let replicas = [shared.replica().await, shared.replica().await];
    for left_alone in [false, true, false] {
        let quarantine = left_alone.then(|| Quarantine {
            reason: "it fell".to_owned(),
            left_s: 7,
        });
        let device = Condition {
            device: 0,
            watched: None,
            quarantine,
        };
        let ask = LeaseRequest {
            agent: "one".to_owned(),
            offers: vec![offer("mi300x")],
            devices: vec![device],
            wait_s: 0,
        };
        assert_eq!(replicas[0].fleet.lease(ask).await.unwrap(), None);
        let is_known = |agents: &[PresentAgent]| {
            let devices = agents.first().map(|agent| &agent.offered.devices[..]);
            devices.is_some_and(|devices| devices[0].is_left_alone() == left_alone)
        };
        let heard = async {
            while !is_known(&replicas[1].fleet.agents()) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        // Besides, replicas exchange agents every 15 s.
        let in_time = tokio::time::timeout(Duration::from_secs(12), heard).await;
        assert!(in_time.is_ok(), "{left_alone}");
    }
}

/// Every replica knows the leases of an agent, whichever replicas it uses.
#[test]
async fn replicas_hear_of_leases() {
    let shared = Shared::new().await;
    let replicas = [shared.replica().await, shared.replica().await];
    assert_eq!(lease(&replicas[0], "one").await, None);
    submit(&replicas[0], 10).await;
    let lease = leased(&replicas[0], "one").await;
    let both_see = async |what: &[Seen]| {
        let see = async {
            while replicas.iter().any(|replica| seen(&replica.fleet) != what) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(60), see).await;
        assert!(in_time.is_ok(), "{what:?}");
    };
    both_see(&only(&lease)).await;
    let told = tell(&lease, results(&lease));
    replicas[1].fleet.record_report(told).await.unwrap();
    both_see(&[]).await;
}

/// Replicas count the leases of all of them before they give a trial up.
#[test]
async fn replicas_count_leases_together() {
    const POISON: u32 = 3;
    let shared = Shared::new().await;
    let replicas = [shared.replica().await, shared.replica().await];
    assert_eq!(lease(&replicas[0], "one").await, None);
    let study = submit(&replicas[0], 10).await;
    let mut deaths = 0;
    while shared.state(study).await == RunState::Running {
        // After each death, the agent's successor asks another replica.
        let replica = &replicas[deaths % replicas.len()];
        let Some(lease) = lease(replica, "one").await else {
            continue;
        };
        let BatchContent::Try(candidates) = &lease.batch.work else {
            panic!("no finals");
        };
        match candidates.iter().any(|one| one.ordinal == POISON) {
            true => deaths += 1,
            false => {
                let told = tell(&lease, results(&lease));
                replica.fleet.record_report(told).await.unwrap();
            }
        }
    }
    // Once in its batch, if there is one, and then alone.
    let most = DELIVERIES as usize + 1;
    assert!((most - 1..=most).contains(&deaths), "{deaths}");
    let trials = shared.bed.trials(study).await;
    let failures = trials.iter().map(|(_, _, outcome)| outcome.failure());
    let failed: Vec<usize> = (failures.enumerate())
        .filter_map(|(ordinal, failure)| failure.map(|_| ordinal))
        .collect();
    assert_eq!(failed, [POISON as usize]);
}
