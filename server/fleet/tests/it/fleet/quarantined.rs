//! Devices in quarantine: they get no batches, and every replica shows the reason.

use std::time::{Duration, Instant};

use server_fleet::wire::{Condition, Lease, LeaseRequest, Quarantine};
use server_fleet::{DriftStatus, PresentAgent};

use crate::fleet::bed::{Bed, Does};
use crate::fleet::{PROBLEM, undisturbed};
use testing_agent::{offer, results, tell};

/// Returns the request of a device in this state, with a wait of 1 s.
fn ask(agent: &str, device: u32, reason: Option<&str>) -> LeaseRequest {
    let quarantine = reason.map(|reason| Quarantine {
        reason: reason.to_owned(),
        left_s: 7,
    });
    LeaseRequest {
        agent: agent.to_owned(),
        offers: vec![offer("mi300x")],
        devices: vec![Condition {
            device,
            watched: Some(DriftStatus::Wrong),
            quarantine,
        }],
        wait_s: 1,
    }
}

async fn lease(bed: &Bed, ask: LeaseRequest) -> Option<Lease> {
    bed.fleet.lease(ask).await.unwrap()
}

async fn leased(bed: &Bed, ask: impl Fn() -> LeaseRequest) -> Lease {
    testing::until_some(async || lease(bed, ask()).await).await
}

/// Returns the quarantined devices of an agent, with the reasons.
fn left_alone(bed: &Bed, agent: &str) -> Vec<(u32, String)> {
    let present: Vec<PresentAgent> = bed.fleet.agents();
    let agent = present.into_iter().find(|present| present.name == agent);
    let devices = agent.unwrap().offered.devices.into_iter();
    let left_alone = devices.filter_map(|it| Some((it.device, it.quarantine?.reason)));
    left_alone.collect()
}

#[test]
async fn quarantined_devices_get_no_work() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 60).await;
    // The request does not wait its second either.
    testing::retry_within(Duration::from_millis(900), async || {
        let begin = Instant::now();
        assert_eq!(lease(&bed, ask("two", 0, Some("it fell"))).await, None);
        (begin.elapsed(), ())
    })
    .await;
    assert_eq!(left_alone(&bed, "two"), [(0, "it fell".to_owned())]);
    // Another device of the same agent gets a batch; that does not affect the first.
    leased(&bed, || ask("two", 1, None)).await;
    assert_eq!(left_alone(&bed, "two"), [(0, "it fell".to_owned())]);
    leased(&bed, || ask("two", 0, None)).await;
    assert_eq!(left_alone(&bed, "two"), []);
    bed.work("one", |_| Does::All).await;
    bed.ended(study).await;
    assert_eq!(bed.trials(study).await, undisturbed(60).await);
}

/// The conditions of devices take bounded memory.
#[test]
async fn reports_about_devices_are_bounded() {
    let bed = Bed::new().await;
    let long = "ä".repeat(10_000);
    for device in 0..300 {
        lease(&bed, ask("one", device, Some(&long))).await;
    }
    let left_alone = left_alone(&bed, "one");
    assert_eq!(left_alone.len(), 256);
    let is_short = |(_, reason): &(u32, String)| *reason == "ä".repeat(500);
    assert!(left_alone.iter().all(is_short));
}

/// If all of its devices are in quarantine, an agent is present and studies are accepted, but no
/// batch is put for it.
#[test]
async fn studies_are_taken_meanwhile() {
    let bed = Bed::new().await;
    lease(&bed, ask("one", 0, Some("it fell"))).await;
    let study = bed.submit(PROBLEM, 60).await;
    bed.work("one", |_| Does::All).await;
    bed.ended(study).await;
    assert_eq!(bed.trials(study).await, undisturbed(60).await);
}

/// Batches are put only for agents that can do some.
#[test]
async fn no_batch_is_published_for_quarantined_devices() {
    let mut sent_out = Vec::new();
    for reason in [None, Some("it fell")] {
        let bed = Bed::new().await;
        bed.agent_comes().await;
        for agent in ["two", "three"] {
            assert_eq!(lease(&bed, ask(agent, 0, reason)).await, None);
        }
        bed.submit(PROBLEM, 60).await;
        let soon = || LeaseRequest {
            wait_s: 0,
            ..ask("first", 0, None)
        };
        // The other batches wait for the default's result.
        let default = leased(&bed, || ask("first", 0, None)).await;
        (bed.fleet.record_report(tell(&default, results(&default))))
            .await
            .unwrap();
        leased(&bed, || ask("first", 0, None)).await;
        // The director gives all that it may at once.
        tokio::time::sleep(Duration::from_millis(500)).await;
        let mut leases = 1;
        while lease(&bed, soon()).await.is_some() {
            leases += 1;
        }
        sent_out.push(leases);
    }
    assert_eq!(sent_out, [6, 2]);
}
