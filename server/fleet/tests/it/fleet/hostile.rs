//! A service checks the statements of agents.

use std::time::{Duration, UNIX_EPOCH};

use server_fleet::wire::{BuildRequest, Lease, LeaseReport, LeaseRequest};
use server_fleet::{FleetError, PresentAgent, Toolchain};
use store::{Timing, TrialOutcome};
use tuner::{BatchContent, BatchEventKind};

use super::PROBLEM;
use crate::fleet::bed::Bed;
use testing_agent::{hold, offer, results, tell, trial};

/// Checks that a report is refused, and that nothing of it is stored.
async fn check(bed: &Bed, tell: LeaseReport, expected: &str) {
    let study = store::StudyId(tell.batch.id.study);
    let before = bed.trials(study).await;
    let error = bed.fleet.record_report(tell).await.unwrap_err();
    assert_eq!(error.to_string(), expected);
    assert_eq!(bed.trials(study).await, before);
}

const NO_LEASE: &str = "this lease is not from this service, or has ended";

#[test]
async fn unrequested_results_are_refused() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 40).await;
    let default = bed.leased("one").await;
    bed.fleet
        .record_report(tell(&default, results(&default)))
        .await
        .unwrap();
    let lease = bed.leased("one").await;
    let BatchContent::Try(candidates) = lease.batch.work.clone() else {
        panic!("no finals");
    };
    let good = trial(&lease, &candidates[0]);
    let say = |change: &dyn Fn(&mut store::Trial)| {
        let mut trial = good.clone();
        change(&mut trial);
        tell(&lease, vec![BatchEventKind::Trial(Box::new(trial))])
    };
    let not_asked = |ordinal| format!("trial {ordinal} is not part of the lease");
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
    assert_eq!(bed.trials(study).await.len(), 1);
    let mut other = lease.clone();
    other.batch.work = BatchContent::Try(Vec::new());
    check(&bed, tell(&other, vec![BatchEventKind::Done]), NO_LEASE).await;
    let mut other = lease.clone();
    other.batch.id.study += 1;
    let error = bed
        .fleet
        .record_report(tell(&other, vec![BatchEventKind::Done]))
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
    let news = "an event that agents do not report";
    check(&bed, tell(&lease, vec![BatchEventKind::Stored]), news).await;
    check(&bed, tell(&lease, vec![BatchEventKind::Died]), news).await;
    let finals = BatchEventKind::Finals(Err("none".to_owned()));
    check(
        &bed,
        tell(&lease, vec![finals]),
        "finals of a lease of trials",
    )
    .await;
    // The lease is still valid after all refusals.
    assert!(bed.fleet.renew_lease(hold(&lease)).await.unwrap().is_wanted);
    let heard = bed
        .fleet
        .record_report(tell(&lease, results(&lease)))
        .await
        .unwrap();
    assert!(!heard.is_wanted);
}

/// A field of a trial has a value that no kernel gives.
#[test]
async fn a_trial_that_makes_no_sense_is_refused() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    bed.submit(PROBLEM, 40).await;
    let lease = bed.leased("one").await;
    let BatchContent::Try(candidates) = lease.batch.work.clone() else {
        panic!("no finals");
    };
    let good = trial(&lease, &candidates[0]);
    let refused = async |part: &str, change: fn(&mut store::Trial)| {
        let mut trial = good.clone();
        change(&mut trial);
        let news = vec![BatchEventKind::Trial(Box::new(trial))];
        let error = bed
            .fleet
            .record_report(tell(&lease, news))
            .await
            .unwrap_err();
        assert!(matches!(error, FleetError::Said(_)), "{error:?}");
        let said = error.to_string();
        let expected = format!("trial {}: {part}", good.ordinal);
        assert!(said.starts_with(&expected), "{said}, not {expected}");
        assert_eq!(bed.trials(store::StudyId(lease.batch.id.study)).await, []);
    };
    refused("error: the error 7 is not a fraction", |trial| {
        trial.error = Some(7.0)
    })
    .await;
    // Years that RFC 3339 cannot express, and no clock shows.
    for seconds in [253_402_300_800, 9_000_000_000_000] {
        let mut trial = good.clone();
        trial.ended = UNIX_EPOCH + Duration::from_secs(seconds);
        let news = vec![BatchEventKind::Trial(Box::new(trial))];
        let error = bed
            .fleet
            .record_report(tell(&lease, news))
            .await
            .unwrap_err();
        let said = error.to_string();
        assert!(
            said.ends_with("ended: before 1970, or after the year 9999"),
            "{said}"
        );
    }
    refused("ended: more than a year", |trial| {
        trial.ended += Duration::from_hours(24 * 365 * 200);
    })
    .await;
    refused("ended: before it was started", |trial| {
        trial.ended = trial.started - Duration::from_millis(1);
    })
    .await;
    refused("compile_ms: -1 ms", |trial| trial.compile_ms = Some(-1.0)).await;
    // The samples 9, 9, 9 allow no other time.
    refused(
        "time_us: 4 µs is not the median of its samples, 9 µs",
        |trial| {
            trial.outcome = TrialOutcome::Right(timing(4.0, vec![9.0; 3]));
        },
    )
    .await;
    refused("samples_us: a time without samples", |trial| {
        trial.outcome = TrialOutcome::Right(timing(4.0, Vec::new()));
    })
    .await;
    for us in [1e-300, 0.000_999, 0.0, -1.0, f64::NAN, f64::INFINITY, 1e13] {
        let mut trial = good.clone();
        trial.outcome = TrialOutcome::Right(timing(us, vec![us]));
        let news = vec![BatchEventKind::Trial(Box::new(trial))];
        let error = bed
            .fleet
            .record_report(tell(&lease, news))
            .await
            .unwrap_err();
        let said = error.to_string();
        assert!(said.contains("samples_us: "), "{said}");
    }
    refused("time_us: 0.01 µs is modelled, and the bound", |trial| {
        trial.outcome = TrialOutcome::Right(timing(0.01, vec![0.01]));
    })
    .await;
    refused("samples_us: 10001 samples", |trial| {
        trial.outcome = TrialOutcome::Right(timing(9.0, vec![9.0; 10_001]));
    })
    .await;
    refused("protocol: has a NUL", |trial| {
        let protocol = Some("\0".to_owned());
        trial.outcome = TrialOutcome::Right(Timing {
            protocol,
            ..timing(9.0, vec![9.0])
        });
    })
    .await;
    refused("protocol: has a control character", |trial| {
        let protocol = Some("\u{1b}[2J".to_owned());
        trial.outcome = TrialOutcome::Right(Timing {
            protocol,
            ..timing(9.0, vec![9.0])
        });
    })
    .await;
    refused("protocol: 300000 bytes", |trial| {
        let protocol = Some("x".repeat(300_000));
        trial.outcome = TrialOutcome::Right(Timing {
            protocol,
            ..timing(9.0, vec![9.0])
        });
    })
    .await;
    refused("message: 300000 bytes", |trial| {
        trial.error = None;
        trial.outcome = TrialOutcome::Wrong("x".repeat(300_000));
    })
    .await;
    // The lease is still valid, and clocks may be wrong by days, also behind the service's.
    for days in [40, -40] {
        let mut trial = good.clone();
        let day = Duration::from_hours(24 * 40);
        match days > 0 {
            true => (trial.started, trial.ended) = (trial.started + day, trial.ended + day),
            false => (trial.started, trial.ended) = (trial.started - day, trial.ended - day),
        }
        let news = vec![BatchEventKind::Trial(Box::new(trial))];
        bed.fleet.record_report(tell(&lease, news)).await.unwrap();
    }
}

fn timing(time_us: f64, samples_us: Vec<f64>) -> Timing {
    Timing {
        time_us,
        samples_us,
        protocol: None,
    }
}

#[test]
async fn names_of_agents_have_a_limit() {
    let bed = Bed::new().await;
    let asked = async |agent: &str| {
        let ask = LeaseRequest {
            agent: agent.to_owned(),
            offers: vec![offer("mi300x")],
            devices: Vec::new(),
            wait_s: 0,
        };
        let builds = BuildRequest {
            agent: agent.to_owned(),
            builds: vec![Toolchain::from(&offer("mi300x").provenance)],
            wait_s: 0,
        };
        let refused = |error: FleetError| match error {
            FleetError::Said(said) => {
                assert!(
                    said.starts_with("agent: a name must have 1 to 200"),
                    "{said}"
                )
            }
            other => panic!("{other}"),
        };
        let lent = bed.fleet.lease(ask).await.map(drop);
        let built = bed.fleet.lease_build(builds).await.map(drop);
        assert_eq!(lent.is_ok(), built.is_ok(), "{agent:?}");
        lent.map_err(refused).is_ok()
    };
    assert!(asked("rack-7.a-machine-with-a-very-long-name.example.org/emulated:mi300x").await);
    assert!(asked(&"é".repeat(200)).await);
    let mega = "x".repeat(1_000_000);
    for name in [
        "",
        " ",
        "a\nb",
        "\u{1b}[31mred",
        "\u{202E}abc",
        "a\0",
        &mega,
        &"x".repeat(201),
    ] {
        assert!(
            !asked(name).await,
            "{:?}",
            name.chars().take(9).collect::<String>()
        );
    }
    assert_eq!(bed.fleet.agents().len(), 2);
}

/// Many names and offers take bounded memory.
#[test]
async fn records_of_agents_are_bounded() {
    let bed = Bed::new().await;
    let mut long = offer("mi300x");
    long.provenance.driver_version = "x".repeat(1500);
    for number in 0..160 {
        let ask = LeaseRequest {
            agent: format!("agent {number}"),
            offers: vec![long.clone(); 64],
            devices: Vec::new(),
            wait_s: 0,
        };
        assert_eq!(bed.fleet.lease(ask).await.unwrap(), None);
    }
    let known = bed.fleet.agents();
    let bytes = |agent: &PresentAgent| serde_json::to_vec(&agent.offered).unwrap().len();
    let bytes: usize = known.iter().map(bytes).sum();
    assert!((15 << 20..=16 << 20).contains(&bytes), "{bytes}");
    long.provenance.driver_version = "x".repeat(2500);
    for (part, wrong) in [
        ("identity: ", long),
        ("device: ", {
            let mut offer = offer("mi300x");
            offer.provenance.device = "x".repeat(201);
            offer
        }),
        ("batch: ", {
            let mut offer = offer("mi300x");
            offer.batch = usize::MAX;
            offer
        }),
    ] {
        let ask = LeaseRequest {
            agent: "one".to_owned(),
            offers: vec![wrong],
            devices: Vec::new(),
            wait_s: 0,
        };
        let said = bed.fleet.lease(ask).await.unwrap_err().to_string();
        assert!(said.starts_with(part), "{said}");
    }
}

#[test]
async fn repeated_reports_are_stored_once() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 40).await;
    let lease = bed.leased("one").await;
    for _ in 0..3 {
        bed.fleet
            .record_report(tell(&lease, results(&lease)))
            .await
            .unwrap();
    }
    assert_eq!(bed.trials(study).await.len(), 1);
}

#[test]
async fn empty_and_excessive_offers_are_refused() {
    let bed = Bed::new().await;
    for count in [0, 65] {
        let ask = LeaseRequest {
            agent: "one".to_owned(),
            offers: vec![offer("mi300x"); count],
            devices: Vec::new(),
            wait_s: 0,
        };
        let error = bed.fleet.lease(ask).await.unwrap_err();
        assert!(matches!(error, FleetError::Said(_)), "{error}");
    }
}
