//! Agents without a device build for those who have one; whatever they do, trials are those of a study without them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fleet::wire::{BuildLease, BuildRequest, BuiltKernels, Lease, LeaseReference};
use fleet::{Fleet, FleetError, Purpose, Toolchain};
use store::RunState;

use super::{PROBLEM, undisturbed};
use crate::fleet::bed::{Bed, Does};
use testing_agent::{offer, results, tell};

/// Kernels of nothing: a fleet passes on what it is given.
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

/// Whether a lease has kernels, which the service has signed for it.
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

/// A device and a builder are there, and a study is asked for.
async fn begun(budget: u32) -> (Bed, store::StudyId) {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    assert_eq!(lease_build(&bed.fleet, 0).await, None);
    let study = bed.submit(PROBLEM, budget).await;
    (bed, study)
}

/// A study to its end with a builder that does this with what it gets, and how many leases of trials came with kernels and
/// how many without.
async fn carried_out(mut does: impl FnMut(&BuildLease) -> Option<BuiltKernels>) -> (usize, usize) {
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
    let (mut with, mut without) = (0, 0);
    let trying = async {
        let count = |lease: &Lease| {
            match has_kernels(&bed.fleet, lease) {
                true => with += 1,
                false => without += 1,
            }
            Does::All
        };
        bed.work("one", count).await;
        is_over.store(true, Ordering::Relaxed);
    };
    tokio::join!(building, trying);
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.trials(study).await, undisturbed(60).await);
    (with, without)
}

#[test]
async fn what_was_built_comes_to_a_device_with_a_signature() {
    let (with, without) = carried_out(|build| Some(built(build))).await;
    assert_eq!(without, 0);
    assert!(with > 2, "{with}");
}

/// What could not be built is built by who has the device.
#[test]
async fn what_could_not_be_built_comes_without_kernels() {
    let none = |build: &BuildLease| {
        let kernels = None;
        Some(BuiltKernels {
            kernels,
            ..built(build)
        })
    };
    let (with, without) = carried_out(none).await;
    assert_eq!(with, 0);
    assert!(without > 2, "{without}");
}

/// Builders that die cost time. Nothing is given up for it, and no batch is cut up, as if trying it had killed somebody.
#[test]
async fn builders_die() {
    let mut count = 0;
    let mut largest = 0;
    let dies = |build: &BuildLease| {
        count += 1;
        let tuner::BatchContent::Try(candidates) = &build.batch.work else {
            panic!("finals are not built");
        };
        largest = largest.max(candidates.len());
        (count % 3 > 0).then(|| built(build))
    };
    let (with, without) = carried_out(dies).await;
    assert!(with > 0 && without > 0, "{with} {without}");
    assert!(largest > 1);
    // One lease for each batch, whether or not it was built.
    assert_eq!(with + without, count);
}

/// Who builds is there and does nothing: a device that has nothing to do takes what is not built.
#[test]
async fn a_device_does_not_wait_for_those_who_are_busy() {
    let (bed, _) = begun(10).await;
    let begin = Instant::now();
    let lease = bed.lease("one").await.unwrap();
    assert!(lease.kernels.is_none());
    assert!(begin.elapsed() >= Duration::from_millis(900));
    bed.fleet
        .record_report(tell(&lease, results(&lease)))
        .await
        .unwrap();
}

/// What is built without anybody who builds goes to devices at once. One that waits for somebody
/// waits for a second each time.
#[test]
async fn a_device_does_not_wait_for_nobody() {
    testing::retry_within(Duration::from_millis(900), async || {
        let bed = Bed::new().await;
        bed.agent_comes().await;
        let study = bed.submit(PROBLEM, 10).await;
        bed.opened(study).await;
        let begin = Instant::now();
        assert!(bed.lease("one").await.is_some());
        let time = begin.elapsed();
        assert_eq!(lease_build(&bed.fleet, 0).await, None);
        (time, ())
    })
    .await;
}

/// Who says that it is at it keeps what it builds; who gives it back leaves it to the device.
#[test]
async fn builds_are_kept_and_given_back() {
    let (bed, study) = begun(1).await;
    let build = lease_build(&bed.fleet, 8).await.unwrap();
    let is_at_it = async {
        for _ in 0..6 {
            tokio::time::sleep(Duration::from_millis(300)).await;
            assert!(bed.fleet.renew_lease(hold(&build)).await.unwrap().is_wanted);
        }
    };
    // For longer than it may be silent.
    let (lease, ()) = tokio::join!(bed.lease("one"), is_at_it);
    assert_eq!(lease, None);
    bed.fleet.give_back(hold(&build)).await.unwrap();
    let lease = bed.lease("one").await.unwrap();
    assert!(lease.kernels.is_none());
    // What comes late is heard, and changes nothing.
    for _ in 0..2 {
        assert!(bed.fleet.hand_in(built(&build)).await.unwrap().is_wanted);
    }
    bed.fleet
        .record_report(tell(&lease, results(&lease)))
        .await
        .unwrap();
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.lease("one").await, None);
    // And then by nobody.
    assert!(!bed.fleet.hand_in(built(&build)).await.unwrap().is_wanted);
}

/// A batch that was not built comes to a device whole: nobody was lost with trying it.
#[test]
async fn what_was_given_back_is_whole() {
    let (bed, _) = begun(60).await;
    let first = lease_build(&bed.fleet, 8).await.unwrap();
    bed.fleet.hand_in(built(&first)).await.unwrap();
    let build = lease_build(&bed.fleet, 8).await.unwrap();
    let tuner::BatchContent::Try(candidates) = &build.batch.work else {
        panic!("finals are not built");
    };
    assert!(candidates.len() > 1);
    bed.fleet.give_back(hold(&build)).await.unwrap();
    let lease = bed.lease("one").await.unwrap();
    assert_eq!(lease.batch, first.batch);
    bed.fleet
        .record_report(tell(&lease, results(&lease)))
        .await
        .unwrap();
    let lease = bed.lease("one").await.unwrap();
    assert_eq!(lease.batch, build.batch);
}

/// What somebody was lost with is built by the next who tries it: it may have been the kernels.
#[test]
async fn kernels_are_given_once() {
    let (bed, _) = begun(10).await;
    let build = lease_build(&bed.fleet, 8).await.unwrap();
    bed.fleet.hand_in(built(&build)).await.unwrap();
    let lease = bed.lease("one").await.unwrap();
    assert!(has_kernels(&bed.fleet, &lease));
    bed.fleet
        .give_back(testing_agent::hold(&lease))
        .await
        .unwrap();
    let lease = bed.lease("two").await.unwrap();
    assert!(lease.kernels.is_none());
}

#[test]
async fn what_is_no_build_is_refused() {
    let (bed, study) = begun(10).await;
    let build = lease_build(&bed.fleet, 8).await.unwrap();
    let refused = async |built: BuiltKernels, expected: &str| {
        let error = bed.fleet.hand_in(built).await.unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    };
    const NO_LEASE: &str = "this is no lease of this service";
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
    // No results are told with it.
    let lease = Lease {
        token: build.token.clone(),
        batch: build.batch.clone(),
        kernels: None,
        patience_s: 1,
    };
    let told = bed.fleet.record_report(tell(&lease, results(&lease))).await;
    assert!(matches!(told, Err(FleetError::NoLease)), "{told:?}");
    assert_eq!(bed.trials(study).await.len(), 0);
    // And nothing is handed in with a lease of trials.
    bed.fleet.hand_in(good.clone()).await.unwrap();
    let lease = bed.lease("one").await.unwrap();
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
    // Who builds with something else gets nothing.
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
