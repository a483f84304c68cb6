//! Tests of the log of a study.

use std::time::Duration;

use crate::study::bed::{ALL_RIGHT, Bed, Planted};
use crate::study::plan;
use testing::CapturedLog;

/// The prefix of a study's events.
const STUDY: &str = "study{number=1 problem=argmax:4x[100]xf32:i32 target=\"gfx942\" device=\"host\" generator=\"native\"}: \
                     tuner::director: ";

#[track_caller]
fn check(log: &CapturedLog, part: &str, count: usize) {
    let lines = log.lines(part);
    assert_eq!(lines.len(), count, "{part}: {lines:?}");
}

#[tokio::test]
async fn a_study_is_told_from_its_beginning_to_its_end() {
    let (log, _hears) = CapturedLog::capture();
    let bed = Bed::new(ALL_RIGHT);
    bed.report(&plan(30), 2).await;
    let opened = format!("INFO {STUDY}study opened strategy=\"evolution\" seed=1 total=30 space=");
    check(&log, &opened, 1);
    check(&log, "study resumed", 0);
    check(
        &log,
        &format!("TRACE {STUDY}trial stored batch=1 ordinal=0 status=\"right\" time_us="),
        1,
    );
    check(&log, "trial stored", 30);
    let batches = log.lines(&format!("DEBUG {STUDY}batch given batch=")).len();
    // Nobody waits for an agent's events after the last trial.
    let told = log.lines(&format!("DEBUG {STUDY}batch told batch=")).len();
    assert!(0 < told && told <= batches, "{told} of {batches}");
    check(&log, ": tuner::agent: batch built kernels=", batches);
    check(
        &log,
        &format!("INFO {STUDY}study ended trials=30 made=30 best_us="),
        1,
    );
    bed.report(&plan(50), 2).await;
    check(&log, &format!("INFO {STUDY}study resumed trials=30"), 1);
    check(
        &log,
        &format!("INFO {STUDY}study ended trials=50 made=20 best_us="),
        1,
    );
    assert!(log.lines("WARN").is_empty() && log.lines("ERROR").is_empty());
}

#[tokio::test]
async fn an_agent_that_dies_is_told() {
    let (log, _hears) = CapturedLog::capture();
    let planted = Planted {
        deadly_every: 7,
        deaths: 1,
        ..ALL_RIGHT
    };
    Bed::new(planted).report(&plan(60), 2).await;
    check(&log, "WARN tuner::pool: an agent died agent=", 1);
    check(&log, " again=true", 1);
    check(&log, "study given up", 0);
    let all_die = Planted {
        deaths: 9,
        ..planted
    };
    let bed = Bed::new(all_die);
    bed.run(&plan(60), 2, None).await.unwrap().unwrap_err();
    check(&log, "WARN tuner::pool: an agent died agent=", 3);
    check(&log, &format!("ERROR {STUDY}study given up error="), 1);
}

/// Checks that candidates of a silent process are taken over, and that the log says so.
#[tokio::test]
async fn work_that_is_taken_over_is_told() {
    let bed = Bed::new(ALL_RIGHT);
    // Longer than the start of the second process.
    let store = bed.store().await.with_patience(Duration::from_secs(3));
    {
        let pool = bed.pool(2).unwrap();
        let (sender, mut reported) = tokio::sync::mpsc::unbounded_channel();
        let plan = plan(60);
        let study = tuner::run(&plan, None, &pool, &store, |now| {
            sender.send(now.done).unwrap()
        });
        let killed = async { while reported.recv().await.is_some_and(|done| done < 13) {} };
        tokio::select! {
            biased;
            () = killed => {}
            report = study => panic!("{report:?}"),
        }
    }
    let (log, _hears) = CapturedLog::capture();
    let pool = bed.pool(2).unwrap();
    tuner::run(&plan(60), None, &pool, &store, |_| {})
        .await
        .unwrap();
    let taken = format!("INFO {STUDY}taken over from a process that is gone candidates=");
    assert!(!log.lines(&taken).is_empty(), "{:?}", log.lines(STUDY));
}
