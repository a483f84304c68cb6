//! Build agents: whatever they do, the trials are those of a study without them.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use server_fleet::wire::{BuildLease, BuildRequest, BuiltKernels, Lease, LeaseReference};
use server_fleet::{Fleet, FleetError, Purpose, Toolchain};
use store::RunState;
use tuner::BatchId;

use super::{PROBLEM, undisturbed};
use crate::fleet::bed::{Bed, Does};
use testing_agent::{offer, results, tell};

/// An empty pack of kernels: a fleet passes on any content.
pub(crate) const PACK: &str = r#"{"compile_ms":1.0,"code_objects":[],"kernels":[]}"#;

fn toolchain() -> Toolchain {
    Toolchain::from(&offer("mi300x").provenance)
}

pub(crate) async fn lease_build(fleet: &Fleet, wait_s: u32) -> Option<BuildLease> {
    let ask = BuildRequest {
        agent: "builder".to_owned(),
        builds: vec![toolchain()],
        wait_s,
    };
    fleet.lease_build(ask).await.unwrap()
}

pub(crate) async fn leased_build(fleet: &Fleet) -> BuildLease {
    testing::until_some(async || lease_build(fleet, 1).await).await
}

pub(crate) fn built(build: &BuildLease) -> BuiltKernels {
    BuiltKernels {
        token: build.token.clone(),
        batch: build.batch.clone(),
        kernels: Some(PACK.to_owned()),
    }
}

fn hold(build: &BuildLease) -> LeaseReference {
    LeaseReference {
        token: build.token.clone(),
        batch: build.batch.id.clone(),
    }
}

/// Returns true if a lease has kernels with a valid signature.
pub(crate) fn has_kernels(fleet: &Fleet, lease: &Lease) -> bool {
    let toolchain = toolchain();
    let purpose = Purpose {
        batch: &lease.batch,
        toolchain: &toolchain,
        target: offer("mi300x").provenance.target,
    };
    let key = fleet.public_key();
    lease.kernels.as_ref().is_some_and(|kernels| {
        assert_eq!(kernels.verified(&key, purpose), Ok(PACK));
        true
    })
}

/// Begins a study with a device and a builder.
async fn begun(budget: u32) -> (Bed, store::StudyId) {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    assert_eq!(lease_build(&bed.fleet, 0).await, None);
    let study = bed.submit(PROBLEM, budget).await;
    (bed, study)
}

/// Carries out a study with a builder of this behaviour. Returns the batches of trials that were
/// leased with kernels, and without.
async fn carried_out(
    mut does: impl FnMut(&BuildLease) -> Option<BuiltKernels>,
) -> [HashSet<BatchId>; 2] {
    let (bed, study) = begun(60).await;
    let is_over = AtomicBool::new(false);
    let building = async {
        while !is_over.load(Ordering::Relaxed) {
            if let Some(build) = lease_build(&bed.fleet, 1).await
                && let Some(built) = does(&build)
            {
                bed.fleet.hand_in(built).await.unwrap();
            }
        }
    };
    let [mut with, mut without] = [HashSet::new(), HashSet::new()];
    let trying = async {
        let count = |lease: &Lease| {
            let leased = match has_kernels(&bed.fleet, lease) {
                true => &mut with,
                false => &mut without,
            };
            // One lease per batch, built or not.
            assert!(leased.insert(lease.batch.id.clone()));
            Does::All
        };
        bed.work("one", count).await;
        is_over.store(true, Ordering::Relaxed);
    };
    tokio::join!(building, trying);
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.trials(study).await, undisturbed(60).await);
    [with, without]
}

#[test]
async fn built_kernels_reach_a_device_with_a_signature() {
    let [with, without] = carried_out(|build| Some(built(build))).await;
    assert!(without.is_empty(), "{without:?}");
    assert!(with.len() > 2, "{with:?}");
}

/// If a build fails, the agent with the device builds.
#[test]
async fn failed_builds_reach_a_device_without_kernels() {
    let none = |build: &BuildLease| {
        let kernels = None;
        Some(BuiltKernels {
            kernels,
            ..built(build)
        })
    };
    let [with, without] = carried_out(none).await;
    assert!(with.is_empty(), "{with:?}");
    assert!(without.len() > 2, "{without:?}");
}

/// Builders that die cost time. No trial is abandoned for it, and no batch is split as if a trial
/// had killed an agent.
#[test]
async fn builders_die() {
    let (mut count, mut largest) = (0, 0);
    let mut begun = HashSet::new();
    let dies = |build: &BuildLease| {
        count += 1;
        begun.insert(build.batch.id.clone());
        let tuner::BatchContent::Try(candidates) = &build.batch.work else {
            panic!("finals are not built");
        };
        largest = largest.max(candidates.len());
        (count % 3 > 0).then(|| built(build))
    };
    let [with, without] = carried_out(dies).await;
    assert!(!with.is_empty() && !without.is_empty());
    assert!(largest > 1);
    assert!(with.is_disjoint(&without));
    // A slow builder may begin a batch again, or not at all, but each reaches a device.
    assert!(begun.is_subset(&(&with | &without)));
}

/// If the builder is idle, a free device takes batches that are not built.
#[test]
async fn a_device_does_not_wait_for_busy_builders() {
    let (bed, _) = begun(10).await;
    let begin = Instant::now();
    let lease = bed.leased("one").await;
    assert!(lease.kernels.is_none());
    assert!(begin.elapsed() >= Duration::from_millis(900));
    bed.fleet
        .record_report(tell(&lease, results(&lease)))
        .await
        .unwrap();
}

/// Without a builder, batches go to devices at once. A device that waits for a builder loses a
/// second each time.
#[test]
async fn a_device_does_not_wait_for_nobody() {
    testing::retry_within(Duration::from_millis(900), async || {
        let bed = Bed::new().await;
        bed.agent_comes().await;
        let study = bed.submit(PROBLEM, 10).await;
        bed.opened(study).await;
        let begin = Instant::now();
        bed.leased("one").await;
        let time = begin.elapsed();
        assert_eq!(lease_build(&bed.fleet, 0).await, None);
        (time, ())
    })
    .await;
}

/// A builder that renews keeps its build; one that gives it back leaves it to the device.
#[test]
async fn builds_are_kept_and_given_back() {
    let (bed, study) = begun(1).await;
    let build = leased_build(&bed.fleet).await;
    let is_at_it = async {
        for _ in 0..6 {
            tokio::time::sleep(Duration::from_millis(300)).await;
            assert!(bed.fleet.renew_lease(hold(&build)).await.unwrap().is_wanted);
        }
    };
    // Longer than the longest silence.
    let (lease, ()) = tokio::join!(bed.lease("one"), is_at_it);
    assert_eq!(lease, None);
    bed.fleet.give_back(hold(&build)).await.unwrap();
    let lease = bed.leased("one").await;
    assert!(lease.kernels.is_none());
    // A late hand-in is accepted, and changes nothing.
    for _ in 0..2 {
        assert!(bed.fleet.hand_in(built(&build)).await.unwrap().is_wanted);
    }
    bed.fleet
        .record_report(tell(&lease, results(&lease)))
        .await
        .unwrap();
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.lease("one").await, None);
    // After the study, no director wants it.
    assert!(!bed.fleet.hand_in(built(&build)).await.unwrap().is_wanted);
}

/// A batch that was not built comes to a device whole, because no agent died while it tried it.
#[test]
async fn returned_builds_are_whole() {
    let (bed, _) = begun(60).await;
    let first = leased_build(&bed.fleet).await;
    bed.fleet.hand_in(built(&first)).await.unwrap();
    // The other batches wait for the default's result.
    let lease = bed.leased("one").await;
    assert_eq!(lease.batch, first.batch);
    bed.fleet
        .record_report(tell(&lease, results(&lease)))
        .await
        .unwrap();
    let build = leased_build(&bed.fleet).await;
    let tuner::BatchContent::Try(candidates) = &build.batch.work else {
        panic!("finals are not built");
    };
    assert!(candidates.len() > 1);
    bed.fleet.give_back(hold(&build)).await.unwrap();
    let lease = bed.leased("one").await;
    assert_eq!(lease.batch, build.batch);
}

/// The next agent builds the kernels itself after a lost lease, because the kernels may be the
/// cause.
#[test]
async fn kernels_are_given_once() {
    let (bed, _) = begun(10).await;
    let build = leased_build(&bed.fleet).await;
    bed.fleet.hand_in(built(&build)).await.unwrap();
    let lease = bed.leased("one").await;
    assert!(has_kernels(&bed.fleet, &lease));
    bed.fleet
        .give_back(testing_agent::hold(&lease))
        .await
        .unwrap();
    let lease = bed.leased("two").await;
    assert!(lease.kernels.is_none());
}

#[test]
async fn invalid_builds_are_refused() {
    let (bed, study) = begun(10).await;
    let build = leased_build(&bed.fleet).await;
    let refused = async |built: BuiltKernels, expected: &str| {
        let error = bed.fleet.hand_in(built).await.unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    };
    const NO_LEASE: &str = "this lease is not from this service";
    let good = built(&build);
    let mut other = good.clone();
    other.token.replace_range(0..4, "AAAA");
    refused(other, NO_LEASE).await;
    let mut other = good.clone();
    other.batch.id.number += 1;
    refused(other, NO_LEASE).await;
    let mut other = good.clone();
    other.batch.job.input_seed += 1;
    refused(other, NO_LEASE).await;
    for text in [
        "",
        "garbage",
        "{}",
        &format!("{PACK}{}", " ".repeat(1 << 20)),
    ] {
        let mut other = good.clone();
        other.kernels = Some(text.to_owned());
        refused(other, "not the kernels of a batch: ").await;
    }
    // The token of a build reports no results.
    let lease = Lease {
        token: build.token.clone(),
        batch: build.batch.clone(),
        kernels: None,
        patience_s: 1,
    };
    let told = bed.fleet.record_report(tell(&lease, results(&lease))).await;
    assert!(matches!(told, Err(FleetError::NoLease)), "{told:?}");
    assert_eq!(bed.trials(study).await.len(), 0);
    // The token of a lease of trials accepts no kernels.
    bed.fleet.hand_in(good.clone()).await.unwrap();
    let lease = bed.leased("one").await;
    let mut other = good;
    other.token.clone_from(&lease.token);
    refused(other, NO_LEASE).await;
    for count in [0, 65] {
        let ask = BuildRequest {
            agent: "builder".to_owned(),
            builds: vec![toolchain(); count],
            wait_s: 0,
        };
        let error = bed.fleet.lease_build(ask).await.unwrap_err();
        assert!(matches!(error, FleetError::Said(_)), "{error}");
    }
    // A builder with another toolchain gets nothing.
    let ask = BuildRequest {
        agent: "builder".to_owned(),
        builds: vec![Toolchain {
            compiler_version: "2".to_owned(),
            ..toolchain()
        }],
        wait_s: 1,
    };
    assert_eq!(bed.fleet.lease_build(ask).await.unwrap(), None);
}
