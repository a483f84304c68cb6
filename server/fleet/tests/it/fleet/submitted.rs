//! Submissions: many studies at once, all or none, and studies for a device that no agent lends
//! yet.

use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use configgen::Target;
use server_fleet::{FleetError, StudyQuota, StudyRequest, StudyStatus, Submitter};
use store::{RunState, StudyId};

use crate::fleet::PROBLEM;
use crate::fleet::bed::{Bed, Does, asked};

/// Returns as many problems as a request may have.
fn thousand(first: u32) -> Vec<StudyRequest> {
    let problem = |rows| format!("argmax:{rows}x[30000]xf32");
    (first..first + 1000)
        .map(|rows| asked(&problem(rows), 20))
        .collect()
}

async fn all(bed: &Bed) -> Vec<StudyStatus> {
    bed.fleet.list(None, None, 5000).await.unwrap().rows
}

/// A request of a thousand problems is one transaction: no study is opened before the answer.
#[test]
async fn a_thousand_studies_are_one_transaction() {
    let (bed, counted) = Bed::counted().await;
    bed.agent_comes().await;
    let begun = bed.fleet.submit(thousand(1), None, None).await.unwrap();
    // No spawned task runs before this test awaits something.
    assert_eq!(counted.opened.load(Ordering::Relaxed), 0);
    assert_eq!(counted.submitted.load(Ordering::Relaxed), 1);
    let studies: Vec<StudyId> = begun.studies.iter().map(|one| one.study).collect();
    let listed = all(&bed).await;
    assert_eq!(
        listed.iter().map(|one| one.study).collect::<Vec<_>>(),
        studies
    );
    let problems = |listed: &[StudyStatus]| -> Vec<String> {
        let problems = listed
            .iter()
            .map(|one| one.order.plan().problem.to_string());
        problems.collect()
    };
    assert_eq!(problems(&listed), problems(&begun.studies));
    assert!(begun.waits.is_none());
}

/// A client that goes away, or a timeout, leaves all studies of the request or none.
#[test]
async fn a_submission_that_is_given_up_leaves_all_or_none() {
    let bed = Bed::new().await;
    let few = |first: u32| -> Vec<StudyRequest> {
        let problem = |rows| format!("argmax:{rows}x[64]xf32");
        (first..first + 20)
            .map(|rows| asked(&problem(rows), 20))
            .collect()
    };
    let (mut polls, mut is_done) = (0, false);
    let mut seen = [false; 2];
    while !is_done {
        let mut submitting = Box::pin(bed.fleet.submit(few(2 + 20 * polls), None, None));
        for _ in 0..=polls {
            let polled = submitting
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()));
            if let Poll::Ready(begun) = polled {
                begun.unwrap();
                is_done = true;
                break;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        drop(submitting);
        // A transaction may still end after its request.
        let listed = all(&bed).await;
        for request in 0..=polls {
            let own = few(2 + 20 * request);
            let is_own = |it: &&StudyStatus| {
                let problem = &it.order.plan().problem;
                own.iter().any(|asked| asked.plan.problem == *problem)
            };
            let count = listed.iter().filter(is_own).count();
            assert!([0, 20].contains(&count), "{count} of request {request}");
            seen[usize::from(count > 0)] = true;
        }
        polls += 1;
    }
    assert_eq!(seen, [true; 2]);
}

/// A study is accepted without an agent, with a warning, and begins when one comes.
#[test]
async fn a_study_waits_for_an_agent() {
    let bed = Bed::new().await;
    let begun = bed.fleet.submit(vec![asked(PROBLEM, 20)], None, None).await;
    let begun = begun.unwrap();
    let waits = begun.waits.unwrap();
    assert!(waits.contains("none of the 0 present agents"), "{waits}");
    let study = begun.studies[0].study;
    assert_eq!(begun.studies[0].order.device(), None);
    assert_eq!(bed.state(study).await, RunState::Waiting);
    let mut watch = bed.fleet.watch(study, None).await.unwrap();
    let first = watch.next().await.unwrap().now;
    assert_eq!((first.state, first.progress), (RunState::Waiting, None));
    bed.agent_comes().await;
    let told = bed.work("one", |_| Does::All).await;
    assert_eq!(told, (0..20).collect());
    assert_eq!(bed.ended(study).await, RunState::Done);
    // The watcher from the beginning has seen it end.
    let mut last = None;
    while let Some(news) = watch.next().await {
        last = Some(news.now.state);
    }
    assert_eq!(last, Some(RunState::Done));
    let device = bed.fleet.study(study).await.unwrap();
    assert_eq!(device.order.device(), Some("emulated:mi300x"));
}

/// A waiting study can be paused, resumed and cancelled like any other.
#[test]
async fn a_waiting_study_is_paused_and_cancelled() {
    let bed = Bed::new().await;
    let study = bed.submit(PROBLEM, 20).await;
    bed.fleet.pause(study).await.unwrap();
    bed.agent_comes().await;
    assert_eq!(bed.state(study).await, RunState::Paused);
    // It is for an absent device.
    let mut other = asked(PROBLEM, 20);
    other.target = Target::named("gfx1100").unwrap();
    let other = bed.fleet.submit(vec![other], None, None).await.unwrap();
    let other = other.studies[0].study;
    bed.fleet.pause(other).await.unwrap();
    bed.fleet.resume(other).await.unwrap();
    while bed.state(other).await != RunState::Waiting {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    bed.fleet.cancel(other).await.unwrap();
    assert_eq!(bed.state(other).await, RunState::Cancelled);
    bed.fleet.resume(study).await.unwrap();
    bed.work("one", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
}

/// A token has a quota of open studies, and a request beyond it begins none.
#[test]
async fn a_token_has_room_for_so_many() {
    let bed = Bed::new().await;
    let room = |token| {
        Some(StudyQuota {
            submitter: Submitter {
                token,
                name: "ann".to_owned(),
            },
            most: 3,
        })
    };
    let submit = async |count, token| {
        let asked = thousand(1).into_iter().take(count).collect();
        bed.fleet.submit(asked, None, room(token)).await
    };
    let first = submit(2, 1).await.unwrap().studies[0].study;
    let refused = submit(2, 1).await;
    assert!(
        matches!(refused, Err(FleetError::NoRoom { open: 2, most: 3 })),
        "{refused:?}"
    );
    assert_eq!(all(&bed).await.len(), 2);
    submit(3, 2).await.unwrap();
    bed.fleet.cancel(first).await.unwrap();
    submit(2, 1).await.unwrap();
    let submitter = all(&bed).await[0].order.submitter().cloned();
    assert_eq!(
        submitter.map(|it| (it.token, it.name)),
        Some((1, "ann".to_owned()))
    );
}
