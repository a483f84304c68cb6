//! Studies of a service with agents that work, die, lie and come back.

mod bed;
mod builds;
mod faulty;
mod figures;
mod finals;
mod found;
mod garbled;
mod hostile;
mod known;
mod leases;
mod quarantined;
mod replicas;
mod shares;
mod submitted;
mod watched;

use std::collections::BTreeMap;
use std::time::Duration;

use server_fleet::{DELIVERIES, FleetError};
use store::{FailureKind, Ledger as _, RunState, TrialOutcome};

use bed::{Bed, Does, asked};

const PROBLEM: &str = "argmax:4x[4096]xf64";

/// Returns the trials of an undisturbed study.
async fn undisturbed(budget: u32) -> Vec<(u32, String, TrialOutcome)> {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, budget).await;
    let told = bed.work("one", |_| Does::All).await;
    assert_eq!(told, (0..budget).collect());
    assert_eq!(bed.ended(study).await, RunState::Done);
    bed.trials(study).await
}

#[test]
async fn a_study_is_carried_on_to_its_end() {
    let trials = undisturbed(60).await;
    let ordinals: Vec<u32> = trials.iter().map(|(ordinal, ..)| *ordinal).collect();
    assert_eq!(ordinals, (0..60).collect::<Vec<u32>>());
}

/// The agent of these tests invents the errors from the times.
#[test]
async fn errors_are_stored_as_they_were_told() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 20).await;
    bed.work("one", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    let study = bed.study(study).await;
    let trials = bed.store.trials_of(&study).await.unwrap();
    assert_eq!(trials.len(), 20);
    for trial in trials {
        let time_us = trial.outcome.timing().unwrap().time_us;
        assert_eq!(trial.error, Some(testing_agent::error(time_us)));
    }
}

/// Agents that die with a lease, or in the middle of one, cost time and nothing else.
#[test]
async fn agents_die() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 60).await;
    let mut leases = 0;
    let dies = |_: &_| {
        leases += 1;
        match leases % 7 {
            2 => Does::Nothing,
            5 => Does::First,
            _ => Does::All,
        }
    };
    bed.work("one", dies).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.trials(study).await, undisturbed(60).await);
}

/// An agent loses some results and reports the end: another agent does the rest.
#[test]
async fn agents_lose_results() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 60).await;
    let told = bed.work("one", |_| Does::FirstAndEnds).await;
    assert_eq!(told, (0..60).collect());
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.trials(study).await, undisturbed(60).await);
}

/// Several agents make the same trials, each once.
#[test]
async fn several_agents() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 60).await;
    let told = tokio::join!(
        bed.work("one", |_| Does::All),
        bed.work("two", |_| Does::All),
        bed.work("three", |_| Does::All),
    );
    let told = &(&told.0 | &told.1) | &told.2;
    assert_eq!(told, (0..60).collect());
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.trials(study).await, undisturbed(60).await);
}

/// A trial that kills every agent is given up alone; the others of its batch are tried.
#[test]
async fn impossible_batches_are_given_up() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 40).await;
    let poison = undisturbed(40).await[11].1.clone();
    let mut deaths = 0;
    let dies = |lease: &server_fleet::wire::Lease| {
        let tuner::BatchContent::Try(candidates) = &lease.batch.work else {
            panic!("no finals");
        };
        let configuration = |one: &tuner::Candidate| format!("{:?}", one.choice.configuration());
        let is_deadly = candidates.iter().any(|one| configuration(one) == poison);
        deaths += u64::from(is_deadly);
        match is_deadly {
            true => Does::Nothing,
            false => Does::All,
        }
    };
    bed.work("one", dies).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    let trials = bed.trials(study).await;
    let kinds = trials
        .iter()
        .map(|(ordinal, _, outcome)| (*ordinal, outcome.failure()));
    let failed: BTreeMap<u32, Option<FailureKind>> =
        kinds.filter(|(_, failure)| failure.is_some()).collect();
    assert_eq!(failed, BTreeMap::from([(11, Some(FailureKind::Abandoned))]));
    assert_eq!(
        trials[11].2.message(),
        Some("given up after 3 leases, none of which ended with a report")
    );
    // Once in its batch, if there is one, and then alone.
    assert!((DELIVERIES..=DELIVERIES + 1).contains(&deaths), "{deaths}");
    assert_eq!(trials.len(), 40);
}

#[test]
async fn a_study_waits_and_goes_on() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 60).await;
    let lease = bed.leased("one").await;
    bed.fleet.pause(study).await.unwrap();
    assert_eq!(bed.state(study).await, RunState::Paused);
    // The holder learns that no director wants the lease.
    assert!(
        !bed.fleet
            .renew_lease(testing_agent::hold(&lease))
            .await
            .unwrap()
            .is_wanted
    );
    let heard = bed
        .fleet
        .record_report(testing_agent::tell(&lease, testing_agent::results(&lease)));
    assert!(!heard.await.unwrap().is_wanted);
    assert_eq!(bed.lease("one").await, None);
    assert!(matches!(
        bed.fleet.pause(study).await,
        Err(FleetError::State {
            state: RunState::Paused,
            ..
        })
    ));
    bed.fleet.resume(study).await.unwrap();
    bed.work("one", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.trials(study).await, undisturbed(60).await);
}

#[test]
async fn a_service_that_is_started_again_goes_on() {
    let mut bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 60).await;
    for _ in 0..5 {
        let lease = bed.leased("one").await;
        bed.fleet
            .record_report(testing_agent::tell(&lease, testing_agent::results(&lease)))
            .await
            .unwrap();
        let open = bed.lease("one").await;
        let again = bed.again().await;
        assert_eq!(again.1, 1);
        bed = again.0;
        // A lease of the ended service is void, or no director wants it.
        if let Some(open) = open {
            let heard = bed
                .fleet
                .record_report(testing_agent::tell(&open, testing_agent::results(&open)));
            assert!(!heard.await.unwrap().is_wanted);
        }
    }
    bed.work("one", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.trials(study).await, undisturbed(60).await);
}

#[test]
async fn a_cancelled_study_is_resumed_only_when_that_is_asked_for() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 20).await;
    bed.fleet.cancel(study).await.unwrap();
    assert_eq!(bed.lease("one").await, None);
    let (bed, under_way) = bed.again().await;
    assert_eq!(under_way, 0);
    bed.fleet.resume(study).await.unwrap();
    bed.work("one", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert!(matches!(
        bed.fleet.resume(study).await,
        Err(FleetError::State {
            state: RunState::Done,
            ..
        })
    ));
    assert!(matches!(
        bed.fleet.cancel(store::StudyId(7)).await,
        Err(FleetError::Unknown(7))
    ));
}

/// A larger budget continues after the smaller one.
#[test]
async fn a_larger_budget_goes_on() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 20).await;
    bed.work("one", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    let larger = bed.submit(PROBLEM, 60).await;
    assert_eq!(bed.opened(larger).await, study);
    let told = bed.work("one", |_| Does::All).await;
    assert_eq!(told, (20..60).collect());
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.trials(study).await, undisturbed(60).await);
}

#[test]
async fn a_repeated_request_has_the_same_answer() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let ask = async |problem, key| {
        let begun = bed.fleet.submit(vec![asked(problem, 20)], key, None).await;
        begun.map(|begun| begun.studies[0].study)
    };
    let first = ask(PROBLEM, Some("a")).await.unwrap();
    bed.opened(first).await;
    bed.fleet.cancel(first).await.unwrap();
    // It is not restarted.
    assert_eq!(ask(PROBLEM, Some("a")).await.unwrap(), first);
    assert_eq!(bed.state(first).await, RunState::Cancelled);
    assert!(matches!(
        ask("argmin:4x[4096]xf32", Some("a")).await,
        Err(FleetError::OtherRequest(_))
    ));
    let again = ask(PROBLEM, Some("b")).await.unwrap();
    assert_eq!(bed.opened(again).await, first);
    assert_eq!(bed.state(first).await, RunState::Running);
}

/// All studies of a request begin, or none.
#[test]
async fn impossible_studies_are_refused_at_once() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let mut other = asked(PROBLEM, 20);
    other.device = Some("emulated:mi250x".to_owned());
    let vast = asked("argmax:1048576x[1048576]xf64", 20);
    for asked in [
        vec![asked(PROBLEM, 20), other],
        vec![asked(PROBLEM, 20), vast],
    ] {
        let refused = bed.fleet.submit(asked, None, None).await;
        assert!(
            matches!(refused, Err(FleetError::Refused { .. })),
            "{refused:?}"
        );
        assert_eq!(bed.lease("one").await, None);
        assert_eq!(bed.fleet.list(None, None, 9).await.unwrap().rows, []);
    }
}

/// Urgent studies go first.
#[test]
async fn urgent_studies_go_first() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let first = bed.submit(PROBLEM, 20).await;
    let mut urgent = asked("argmin:4x[4096]xf32", 20);
    urgent.is_urgent = true;
    let urgent = bed.fleet.submit(vec![urgent], None, None).await.unwrap();
    let urgent = urgent.studies[0].study;
    // Both directors have given out their first batch by then.
    for study in [first, urgent] {
        while bed.fleet.study(study).await.unwrap().progress.is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let lease = bed.leased("one").await;
    assert_eq!(lease.batch.id.study, urgent.0);
}
