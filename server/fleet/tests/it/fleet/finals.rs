//! Finals on devices with varying times: one agent holds them, and the replica that gets the
//! report stores them.

use std::time::Duration;

use bench_harness::Clock;
use server_fleet::FleetError;
use server_fleet::wire::{Lease, LeaseRequest};
use store::{Ledger as _, RunState, StudyId, Ties};
use tuner::{BatchContent, BatchEventKind, FinalsOutcome, Report};

use super::PROBLEM;
use crate::fleet::bed::Bed;
use testing_agent::{offer_by, results, tell};

const BUDGET: u32 = 12;

async fn lease(bed: &Bed) -> Option<Lease> {
    let ask = LeaseRequest {
        agent: "one".to_owned(),
        offers: vec![offer_by("mi300x", Clock::Measured)],
        devices: Vec::new(),
        wait_s: 1,
    };
    bed.fleet.lease(ask).await.unwrap()
}

/// Checks that finals of other finalists are refused.
async fn refuses_others(bed: &Bed, lease: &Lease) {
    let mut news = results(lease);
    let Some(BatchEventKind::Finals(Ok(finals))) = news.first_mut() else {
        panic!("{news:?}");
    };
    finals.first = 99;
    let refused = bed.fleet.record_report(tell(lease, news)).await;
    assert!(matches!(refused, Err(FleetError::Said(_))), "{refused:?}");
}

/// Carries out a study with these events about its finals. Checks the number of their leases,
/// their stored form, and the findings of any service.
async fn check(
    bed: Bed,
    told: impl Fn(&Lease) -> Vec<BatchEventKind>,
) -> (usize, Option<store::Finals>, Report) {
    let (bed, study, finals) = carried_out(bed, told).await;
    let stored = bed.store.finals_of(study, BUDGET, Ties::Fold).await;
    let found = bed.fleet.findings(study).await.unwrap();
    let (again, _) = bed.again().await;
    assert_eq!(again.fleet.findings(study).await.unwrap(), found);
    (finals, stored.unwrap(), found.report)
}

async fn carried_out(
    bed: Bed,
    told: impl Fn(&Lease) -> Vec<BatchEventKind>,
) -> (Bed, StudyId, usize) {
    assert_eq!(lease(&bed).await, None);
    let study = bed.submit(PROBLEM, BUDGET).await;
    let mut finals = 0;
    while bed.state(study).await == RunState::Running {
        let Some(lease) = lease(&bed).await else {
            continue;
        };
        let news = match &lease.batch.work {
            BatchContent::Try(_) => results(&lease),
            BatchContent::Finals {
                finalists, terms, ..
            } => {
                assert!(!finalists.is_empty());
                assert_eq!((terms.trials, terms.ties), (BUDGET, Ties::Fold));
                finals += 1;
                refuses_others(&bed, &lease).await;
                told(&lease)
            }
        };
        bed.fleet.record_report(tell(&lease, news)).await.unwrap();
        // The director may need a moment to react.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(bed.state(study).await, RunState::Done);
    (bed, study, finals)
}

#[test]
async fn finals_are_held_once_and_written() {
    let bed = Bed::new().await;
    let (leases, stored, report) = check(bed, results).await;
    assert_eq!(leases, 1);
    let stored = stored.unwrap();
    assert_ne!(stored.winner, 0);
    assert!(stored.speedup > 1.0, "{}", stored.speedup);
    assert!(matches!(report.finals, Some(FinalsOutcome::Held { .. })));
    assert_eq!(report.speedup(), Some(stored.speedup));
}

/// An agent that reports the end without finals has lost them.
#[test]
async fn finals_that_were_lost_are_held_again() {
    let bed = Bed::new().await;
    let lost = std::cell::Cell::new(false);
    let (leases, stored, _) = check(bed, |lease| match lost.replace(true) {
        false => vec![BatchEventKind::Done],
        true => results(lease),
    })
    .await;
    assert_eq!(leases, 2);
    assert!(stored.is_some());
}

/// Finals that no agent can hold are given up, and the study ends without them.
#[test]
async fn finals_that_nobody_can_hold_are_given_up() {
    let bed = Bed::new().await;
    let noisy = |_: &Lease| {
        vec![
            BatchEventKind::Finals(Err("too noisy".to_owned())),
            BatchEventKind::Done,
        ]
    };
    let (leases, stored, report) = check(bed, noisy).await;
    assert_eq!(leases, server_fleet::DELIVERIES as usize);
    assert_eq!(stored, None);
    let reason = "given up after 3 leases; one: too noisy".to_owned();
    assert_eq!(report.finals, Some(FinalsOutcome::Abandoned(reason)));
}
