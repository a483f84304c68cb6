//! What agents say is looked at before it is believed.

use fleet::FleetError;
use fleet::wire::{Ask, Lease, Tell};
use tuner::{News, Work};

use super::PROBLEM;
use crate::agent::{hold, offer, results, tell, trial};
use crate::bed::Bed;

/// That this is refused, and that nothing was stored of it.
async fn check(bed: &Bed, tell: Tell, expected: &str) {
    let study = store::StudyId(tell.batch.id.study);
    let before = bed.trials(study).await;
    let error = bed.fleet.tell(tell).await.unwrap_err();
    assert_eq!(error.to_string(), expected);
    assert_eq!(bed.trials(study).await, before);
}

const NO_LEASE: &str = "this is no lease of this service, or it has ended";

#[tokio::test]
async fn what_was_not_asked_for_is_refused() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 40).await;
    let default = bed.lease("one").await.unwrap();
    bed.fleet
        .tell(tell(&default, results(&default)))
        .await
        .unwrap();
    let lease = bed.lease("one").await.unwrap();
    let Work::Try(candidates) = lease.batch.work.clone() else {
        panic!("no finals");
    };
    let good = trial(&lease, &candidates[0]);
    let say = |change: &dyn Fn(&mut store::Trial)| {
        let mut trial = good.clone();
        change(&mut trial);
        tell(&lease, vec![News::Trial(Box::new(trial))])
    };
    let not_asked = |ordinal| format!("trial {ordinal} is not what the lease asks for");
    check(&bed, say(&|trial| trial.ordinal = 900), &not_asked(900)).await;
    let ordinal = good.ordinal;
    check(
        &bed,
        say(&|trial| trial.configuration = None),
        &not_asked(ordinal),
    )
    .await;
    check(
        &bed,
        say(&|trial| trial.role = store::Role::Default),
        &not_asked(ordinal),
    )
    .await;
    check(
        &bed,
        say(&|trial| trial.input_seed = 1),
        &not_asked(ordinal),
    )
    .await;
    // More than is right: the store refuses it.
    let more = say(&|trial| trial.error = Some(7.0));
    let refused = bed.fleet.tell(more).await.unwrap_err().to_string();
    let expected = format!("trial {ordinal}: an error of 7, which is no share of what is right");
    assert!(refused.ends_with(&expected), "{refused}");
    assert_eq!(bed.trials(study).await.len(), 1);
    let mut other = lease.clone();
    other.batch.work = Work::Try(Vec::new());
    check(&bed, tell(&other, vec![News::Done]), NO_LEASE).await;
    let mut other = lease.clone();
    other.batch.id.study += 1;
    let error = bed
        .fleet
        .tell(tell(&other, vec![News::Done]))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), NO_LEASE);
    let forged = |token: String| Lease {
        token,
        ..lease.clone()
    };
    for token in [
        String::new(),
        lease.token[1..].to_owned(),
        default.token.clone(),
    ] {
        check(&bed, tell(&forged(token), results(&lease)), NO_LEASE).await;
    }
    let news = "news that an agent has none of";
    check(&bed, tell(&lease, vec![News::Stored]), news).await;
    check(&bed, tell(&lease, vec![News::Died]), news).await;
    let finals = News::Finals(Err("none".to_owned()));
    check(
        &bed,
        tell(&lease, vec![finals]),
        "finals of a lease of trials",
    )
    .await;
    // After all that the lease is still one.
    assert!(bed.fleet.stay(hold(&lease)).await.unwrap().is_wanted);
    let heard = bed.fleet.tell(tell(&lease, results(&lease))).await.unwrap();
    assert!(!heard.is_wanted);
}

#[tokio::test]
async fn what_is_told_twice_is_stored_once() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 40).await;
    let lease = bed.lease("one").await.unwrap();
    for _ in 0..3 {
        bed.fleet.tell(tell(&lease, results(&lease))).await.unwrap();
    }
    assert_eq!(bed.trials(study).await.len(), 1);
}

#[tokio::test]
async fn who_offers_nothing_or_too_much_is_refused() {
    let bed = Bed::new().await;
    for count in [0, 65] {
        let ask = Ask {
            agent: "one".to_owned(),
            offers: vec![offer("mi300x"); count],
            devices: Vec::new(),
            wait_s: 0,
        };
        let error = bed.fleet.lease(ask).await.unwrap_err();
        assert!(matches!(error, FleetError::Said(_)), "{error}");
    }
}
