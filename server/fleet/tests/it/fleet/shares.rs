//! Submitters share the agents, whatever the number and urgency of their studies.

use std::time::Duration;

use server_fleet::{StudyQuota, Submitter};
use store::{RunState, Runs as _, StudyId, TokenId};

use crate::fleet::bed::{Bed, asked};
use testing_agent::{results, tell};

/// Most directors of one submitter.
const TURNS: usize = 64;

/// More studies than that.
const MANY: u32 = 80;

async fn submit(
    bed: &Bed,
    token: i64,
    problems: &[String],
    budget: u32,
    is_urgent: bool,
) -> Vec<StudyId> {
    let asked = problems.iter().map(|problem| {
        let mut asked = asked(problem, budget);
        asked.is_urgent = is_urgent;
        asked
    });
    let room = StudyQuota {
        submitter: Submitter {
            token,
            name: format!("token {token}"),
        },
        most: u64::MAX,
    };
    let begun = bed.fleet.submit(asked.collect(), None, Some(room)).await;
    begun.unwrap().studies.iter().map(|one| one.study).collect()
}

/// Returns the number of directed studies of a submitter.
async fn directed(bed: &Bed, token: i64) -> usize {
    let running = bed.store.runs(Some(RunState::Running), None, 999).await;
    let of = Some(TokenId(token));
    let runs = running.unwrap().rows.into_iter();
    runs.filter(|run| run.priority.submitter == of && run.director.is_some())
        .count()
}

/// One submitter gets half of the directors, and others find free ones.
#[test]
async fn one_submitter_does_not_get_all_directors() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let problems: Vec<String> = (0..MANY)
        .map(|n| format!("argmax:{}x[64]xf32", n + 2))
        .collect();
    submit(&bed, 1, &problems, 4000, true).await;
    // Its number is final if it stays longer than the pause of a returned director request.
    let (mut before, mut now) = (0, directed(&bed, 1).await);
    while now < TURNS || now > before {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        (before, now) = (now, directed(&bed, 1).await);
    }
    assert_eq!(now, TURNS);
    // An agent without contact for a minute counts as gone, and studies wait for one.
    drop(bed.lease("one").await);
    let other = submit(&bed, 2, &["argmin:4x[4096]xf32".to_owned()], 4, false).await[0];
    bed.opened(other).await;
}

/// A submitter of many urgent studies leaves half of the agent to another's few trials.
#[test]
async fn many_urgent_studies_leave_others_their_share() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let problems: Vec<String> = (0..MANY)
        .map(|n| format!("argmax:{}x[64]xf32", n + 2))
        .collect();
    let urgent = submit(&bed, 1, &problems, 4000, true).await;
    let mut leases = Vec::new();
    let work = async |leases: &mut Vec<i64>| {
        let lease = bed.leased("one").await;
        leases.push(lease.batch.id.study);
        bed.fleet
            .record_report(tell(&lease, results(&lease)))
            .await
            .unwrap();
    };
    for _ in 0..5 {
        work(&mut leases).await;
    }
    // Most of the submitter's directors are ready to give batches.
    for study in &urgent[..40] {
        bed.opened(*study).await;
    }
    let other = submit(&bed, 2, &["argmin:4x[4096]xf32".to_owned()], 4, false).await[0];
    bed.opened(other).await;
    leases.clear();
    while bed.state(other).await.goes_on() {
        work(&mut leases).await;
        // Its director sees the results, sooner or later: the directors of the others work, too.
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(leases.len() < 120, "{leases:?}");
    }
    let count = leases.iter().filter(|study| **study == other.0).count();
    assert!(count >= 2, "{leases:?}");
}

/// A study without slots for a batch waits without queries to the database.
#[test]
async fn studies_without_room_do_not_ask_the_database() {
    let (bed, store) = Bed::counted().await;
    bed.agent_comes().await;
    let problems: Vec<String> = (2..10).map(|n| format!("argmax:{n}x[64]xf32")).collect();
    let studies = submit(&bed, 1, &problems, 4000, false).await;
    for study in &studies {
        bed.opened(*study).await;
    }
    // The agent ignores the batches of the first studies, whose directors look for results again
    // and again.
    while store.looked(studies[0]) < 4 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let looked: Vec<u32> = studies.iter().map(|study| store.looked(*study)).collect();
    assert!(looked[2..].iter().all(|looks| *looks <= 2), "{looked:?}");
}
