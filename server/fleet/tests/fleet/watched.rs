//! Who watches a study hears of every trial, whenever he comes and however often he goes away.

use std::collections::BTreeSet;

use fleet::Watch;
use store::RunState;

use super::PROBLEM;
use crate::bed::{Bed, Does};

/// Hears a study to its end; goes away and comes back after so many news.
async fn hear(bed: &Bed, study: store::StudyId, stays: usize) -> (BTreeSet<u32>, usize, RunState) {
    let come = |heard: Option<&str>| -> Option<Watch> { bed.fleet.watch(study, heard) };
    let mut watch = come(None).unwrap();
    let (mut ordinals, mut trials, mut state) = (BTreeSet::new(), 0, RunState::Running);
    let mut heard = 0;
    while let Some(news) = watch.next().await {
        trials += news.trials.len();
        ordinals.extend(news.trials.iter().map(|note| note.ordinal));
        state = news.now.state;
        heard += 1;
        if heard % stays == 0
            && let Some(again) = come(Some(&news.id))
        {
            watch = again;
        }
    }
    (ordinals, trials, state)
}

#[tokio::test]
async fn every_trial_is_heard_of_once() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 60).await;
    let (one, other, worked) = tokio::join!(
        hear(&bed, study, usize::MAX),
        hear(&bed, study, 3),
        bed.work("one", |_| Does::All),
    );
    assert_eq!(worked, (0..60).collect());
    for (ordinals, trials, state) in [one, other] {
        assert_eq!(ordinals, (0..60).collect());
        assert_eq!(trials, 60);
        assert_eq!(state, RunState::Done);
    }
    // Who comes when it is over hears it all the same.
    assert_eq!(hear(&bed, study, usize::MAX).await.1, 60);
    assert!(bed.fleet.watch(store::StudyId(99), None).is_none());
}

#[tokio::test]
async fn who_heard_of_another_service_hears_all_again() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 60).await;
    let mut watch = bed.fleet.watch(study, None).unwrap();
    let (heard, _) = tokio::join!(watch.next(), async {
        let lease = bed.lease("one").await.unwrap();
        let told = crate::agent::tell(&lease, crate::agent::results(&lease));
        bed.fleet.tell(told).await.unwrap();
    });
    let id = heard.unwrap().id;
    let bed = bed.again().await;
    bed.fleet.resume_all().await.unwrap();
    for heard in [
        Some(id.as_str()),
        Some(""),
        Some("a.b"),
        Some(".99999999999999999999"),
        None,
    ] {
        let mut watch = bed.fleet.watch(study, heard).unwrap();
        let mut trials = 0;
        while trials == 0 {
            trials += watch.next().await.unwrap().trials.len();
        }
        assert_eq!(trials, 1, "{heard:?}");
    }
}
