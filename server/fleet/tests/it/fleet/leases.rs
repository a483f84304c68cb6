//! The lease registry: every replica shows the holders of leases and their times.

use server_fleet::wire::Lease;
use server_fleet::{DELIVERIES, Fleet, LeaseActivity};
use store::RunState;
use tuner::{BatchContent, BatchEventKind};

use crate::fleet::bed::{Bed, Does};
use crate::fleet::builds::{built, lease_build, leased_build};
use crate::fleet::{PROBLEM, undisturbed};
use testing_agent::{hold, results, tell};

/// A displayed lease: the agent, the study, the activity, and the number of configurations.
pub(crate) type Seen = (String, i64, LeaseActivity, u32);

pub(crate) fn seen(fleet: &Fleet) -> Vec<Seen> {
    let agents = fleet.agents().into_iter();
    let leases = agents.flat_map(|agent| {
        let name = agent.name;
        let task = move |task: server_fleet::LeaseSummary| {
            (name.clone(), task.study, task.doing, task.configurations)
        };
        agent.leases.into_iter().map(task)
    });
    leases.collect()
}

/// Returns the display if only agent "one" holds this lease.
pub(crate) fn only(lease: &Lease) -> [Seen; 1] {
    let BatchContent::Try(candidates) = &lease.batch.work else {
        panic!("it is of finals");
    };
    let study = lease.batch.id.study;
    [(
        "one".to_owned(),
        study,
        LeaseActivity::Try,
        candidates.len() as u32,
    )]
}

#[test]
async fn a_lease_is_seen_until_it_is_over() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    assert_eq!(seen(&bed.fleet), []);
    let study = bed.submit(PROBLEM, 20).await;

    let first = bed.leased("one").await;
    assert_eq!(seen(&bed.fleet), only(&first));
    assert!(bed.fleet.renew_lease(hold(&first)).await.unwrap().is_wanted);
    assert_eq!(seen(&bed.fleet), only(&first));
    bed.fleet.give_back(hold(&first)).await.unwrap();
    assert_eq!(seen(&bed.fleet), []);

    // An agent with partial results still works; one that ends does not.
    let again = bed.leased("one").await;
    let some: Vec<BatchEventKind> = results(&again).into_iter().take(1).collect();
    bed.fleet.record_report(tell(&again, some)).await.unwrap();
    assert_eq!(seen(&bed.fleet), only(&again));
    bed.fleet
        .record_report(tell(&again, results(&again)))
        .await
        .unwrap();
    assert_eq!(seen(&bed.fleet), []);

    // A lease that no director wants is over when its holder learns it.
    let last = bed.leased("one").await;
    bed.fleet.cancel(study).await.unwrap();
    assert!(!bed.fleet.renew_lease(hold(&last)).await.unwrap().is_wanted);
    assert_eq!(seen(&bed.fleet), []);
}

/// Agents that leave, as in a queue of short jobs, are no reason to give a trial up.
#[test]
async fn leases_that_are_given_back_are_not_counted() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 10).await;
    for _ in 0..3 * DELIVERIES {
        let lease = bed.leased("one").await;
        bed.fleet.give_back(hold(&lease)).await.unwrap();
    }
    bed.work("one", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.trials(study).await, undisturbed(10).await);
}

#[test]
async fn a_builder_is_listed_until_it_reports() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    assert_eq!(lease_build(&bed.fleet, 0).await, None);
    let study = bed.submit(PROBLEM, 10).await;
    let build = leased_build(&bed.fleet).await;
    let [(agent, of, doing, _)] = &seen(&bed.fleet)[..] else {
        panic!("nobody builds");
    };
    let builder = (agent.as_str(), *of, *doing);
    assert_eq!(builder, ("builder", study.0, LeaseActivity::Build));
    bed.fleet.hand_in(built(&build)).await.unwrap();
    assert_eq!(seen(&bed.fleet), []);
    // Then an agent tries the built batch.
    let lease = bed.leased("one").await;
    assert_eq!(seen(&bed.fleet), only(&lease));
}
