//! The choice of an answer to a request, and the content of the answer.

use crate::asked::check_read_back;
use testing_sqlite as support;

use configgen::{Generator, Target};
use expect_test::{Expect, expect};
use lookup::{LookupRequest, answer, open_wishes};
use store::{
    Catalogue as _, Clock, FailureKind, Ledger as _, StudyKey, Ties, Trial, TrialOutcome, Wish,
};
use store_sqlite::Sqlite;
use support::{default_trial, key, key_made, right, spoil, timing, trial};
use tempfile::TempDir;

async fn new_store() -> (TempDir, Sqlite) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trials.db");
    let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
    (directory, store)
}

async fn record(store: &Sqlite, key: &StudyKey, trials: &[Trial]) {
    let study = store.open_study(key, Some(5.0)).await.unwrap();
    for trial in trials {
        store.record_trial(&study, trial).await.unwrap();
    }
}

fn request() -> LookupRequest {
    LookupRequest::new(key().problem, key().provenance.target)
}

async fn check(store: &Sqlite, request: &LookupRequest, expected: Expect) {
    let line = answers::line(&answer(store, request).await.unwrap());
    expected.assert_eq(&line);
    check_read_back(&line);
}

#[test]
async fn an_exact_answer_has_its_provenance() {
    let (_directory, store) = new_store().await;
    let trials = [
        default_trial(0, 1, right(61.0)),
        trial(1, 2, right(8.0)),
        trial(2, 3, right(9.0)),
    ];
    record(&store, &key(), &trials).await;
    check(&store, &request(), expect![[r#"{"answer":"exact","problem":"argmax:4x[32000]xf32:i32","target":"gfx942","configuration":{"workgroup":[1,0],"partial_reduction":[0,2],"thread":[0,4],"lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]},"generator":"native","status":"right","time_us":8.0,"default_time_us":61.0,"speedup":7.625,"clock":"modelled","provenance":{"device":"emulated:mi300x","driver":"wavetune emulator 0.1.0, model 01234567","compiler":"LLVM","compiler_version":"22.1.0, LLD 22.1.0","generator_version":"0.1.0","clock":"modelled","input_seed":18446744073709551614,"samples":3,"timing":"cold, inputs 2","when":"2026-05-28T20:26:42Z"}}"#]]).await;
}

#[test]
async fn a_default_without_a_time_has_no_speedup() {
    let (_directory, store) = new_store().await;
    let mut iree = key();
    iree.provenance.generator = Generator::IREE;
    let failed = TrialOutcome::Failed(FailureKind::Compile, "failed to distribute".to_owned());
    let tie = TrialOutcome::Tie(timing(8.0), "row 0: index 3 for 1".to_owned());
    record(
        &store,
        &iree,
        &[default_trial(0, 1, failed), trial(1, 2, tie)],
    )
    .await;
    check(&store, &request(), expect![[r#"{"answer":"exact","problem":"argmax:4x[32000]xf32:i32","target":"gfx942","configuration":{"workgroup":[1,0],"partial_reduction":[0,2],"thread":[0,4],"lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]},"generator":"iree","status":"tie","time_us":8.0,"default_time_us":null,"speedup":null,"clock":"modelled","provenance":{"device":"emulated:mi300x","driver":"wavetune emulator 0.1.0, model 01234567","compiler":"LLVM","compiler_version":"22.1.0, LLD 22.1.0","generator_version":"0.1.0","clock":"modelled","input_seed":18446744073709551614,"samples":3,"timing":"cold, inputs 2","when":"2026-05-28T20:26:42Z"}}"#]]).await;
}

#[test]
async fn measured_goes_before_modelled_and_then_the_fastest() {
    let (_directory, store) = new_store().await;
    let mut studies = [key(), key(), key(), key()];
    studies[1].provenance.generator = Generator::IREE;
    studies[2].provenance.device = "emulated:mi300a".to_owned();
    studies[3].provenance.device = "hip:0".to_owned();
    studies[3].provenance.clock = Clock::Measured;
    for (time_us, study) in [8.0, 7.0, 6.0, 90.0].into_iter().zip(&studies) {
        record(&store, study, &[trial(0, 1, right(time_us))]).await;
    }
    let served = async |device: Option<&str>, generator| {
        let device = device.map(str::to_owned);
        let request = LookupRequest {
            device,
            generator,
            ..request()
        };
        let answer = answer(&store, &request).await.unwrap();
        answer.found().map(|found| found.time_us)
    };
    assert_eq!(served(None, None).await, Some(90.0));
    assert_eq!(served(Some("emulated:mi300x"), None).await, Some(7.0));
    assert_eq!(
        served(Some("emulated:mi300x"), Some(Generator::NATIVE)).await,
        Some(8.0)
    );
    assert_eq!(served(None, Some(Generator::IREE)).await, Some(7.0));
    assert_eq!(
        served(Some("emulated:mi300a"), Some(Generator::IREE)).await,
        None
    );
}

#[test]
async fn a_miss_names_known_neighbours() {
    let (_directory, store) = new_store().await;
    check(&store, &request(), expect![[r#"{"answer":"none","problem":"argmax:4x[32000]xf32:i32","target":"gfx942","reason":"argmax:4x[32000]xf32:i32 was never tuned; `wavetune tune 'argmax:4x[32000]xf32:i32' --device emulated:mi300x` tunes it","wished":true}"#]]).await;

    let mut other = key();
    other.provenance.target = Target::named("gfx950").unwrap();
    record(&store, &other, &[trial(0, 1, right(8.0))]).await;
    check(&store, &request(), expect![[r#"{"answer":"none","problem":"argmax:4x[32000]xf32:i32","target":"gfx942","reason":"argmax:4x[32000]xf32:i32 was never tuned for gfx942, only for gfx950","wished":true}"#]]).await;

    let failed = || TrialOutcome::Failed(FailureKind::Timeout, "10 s".to_owned());
    let wrong = TrialOutcome::Wrong("row 0".to_owned());
    let tie = TrialOutcome::Tie(timing(8.0), "row 0: index 3 for 1".to_owned());
    let trials = [
        trial(0, 1, failed()),
        trial(1, 2, failed()),
        trial(2, 3, wrong),
        trial(3, 4, tie),
    ];
    record(&store, &key(), &trials).await;
    check(&store, &request(), expect![[r#"{"answer":"none","problem":"argmax:4x[32000]xf32:i32","target":"gfx942","reason":"argmax:4x[32000]xf32:i32 was tried on gfx942, and no configuration is served: 1 tie, 1 wrong, 2 failed","wished":true}"#]]).await;

    let elsewhere = LookupRequest {
        generator: Some(Generator::IREE),
        ..request()
    };
    check(&store, &elsewhere, expect![[r#"{"answer":"none","problem":"argmax:4x[32000]xf32:i32","target":"gfx942","reason":"argmax:4x[32000]xf32:i32 was tuned for gfx942, but only on emulated:mi300x by native","wished":true}"#]]).await;
}

/// Checks two generators: one has correct kernels, and the other faster ones with another
/// tie-break.
#[test]
async fn right_goes_before_a_faster_tie_unless_any_index_will_do() {
    let (_directory, store) = new_store().await;
    let iree = key_made(|made| made.generator = Generator::IREE);
    let tie = TrialOutcome::Tie(timing(7.0), "row 0: index 3 for 1".to_owned());
    record(&store, &key(), &[trial(0, 1, right(9.0))]).await;
    record(&store, &iree, &[trial(0, 1, right(8.0)), trial(1, 2, tie)]).await;
    let served = async |ties, generator| {
        let request = LookupRequest {
            ties,
            generator,
            ..request()
        };
        let answer = answer(&store, &request).await.unwrap();
        let found = answer.found().unwrap();
        (found.generator, found.status.name(), found.time_us)
    };
    let (native, iree) = (Generator::NATIVE, Generator::IREE);
    for (ties, generator, expected) in [
        (Ties::Fold, None, (iree, "right", 8.0)),
        (Ties::Fold, Some(iree), (iree, "right", 8.0)),
        (Ties::Any, None, (iree, "tie", 7.0)),
        (Ties::Any, Some(native), (native, "right", 9.0)),
    ] {
        assert_eq!(served(ties, generator).await, expected, "{ties}");
    }
}

/// Checks that a request without a target means the only tuned target.
#[test]
async fn a_target_that_is_left_open() {
    let (_directory, store) = new_store().await;
    let open = LookupRequest {
        target: None,
        ..request()
    };
    check(&store, &open, expect![[r#"{"answer":"none","problem":"argmax:4x[32000]xf32:i32","target":null,"reason":"argmax:4x[32000]xf32:i32 was never tuned; `wavetune tune 'argmax:4x[32000]xf32:i32'` tunes it. A request without --target may have an answer","wished":false}"#]]).await;

    let failed = TrialOutcome::Failed(FailureKind::Timeout, "10 s".to_owned());
    record(&store, &key(), &[trial(0, 1, failed)]).await;
    check(&store, &open, expect![[r#"{"answer":"none","problem":"argmax:4x[32000]xf32:i32","target":null,"reason":"argmax:4x[32000]xf32:i32 was tried on gfx942, and no configuration is served: 1 failed","wished":false}"#]]).await;

    // A target without a correct configuration does not count as tuned.
    let mut other = key();
    other.provenance.target = Target::named("gfx950").unwrap();
    other.provenance.device = "emulated:mi350x".to_owned();
    record(&store, &other, &[trial(0, 1, right(8.0))]).await;
    let asked = LookupRequest {
        target: Some(other.provenance.target),
        ..request()
    };
    let expected = answer(&store, &asked).await.unwrap();
    assert_eq!(answer(&store, &open).await.unwrap(), expected);
    assert!(expected.found().is_some());

    record(&store, &key(), &[trial(1, 2, right(9.0))]).await;
    check(&store, &open, expect![[r#"{"answer":"none","problem":"argmax:4x[32000]xf32:i32","target":null,"reason":"argmax:4x[32000]xf32:i32 was tuned for gfx942, gfx950; name one of them as the target","wished":false}"#]]).await;
    // The device also determines the target.
    let device = LookupRequest {
        device: Some("emulated:mi350x".to_owned()),
        ..open
    };
    assert_eq!(answer(&store, &device).await.unwrap(), expected);
}

/// Checks that a hit and a miss report the rows that this build cannot read.
#[test]
async fn unreadable_rows_are_reported() {
    let (_directory, store) = new_store().await;
    let trials = [trial(0, 1, right(8.0)), trial(1, 2, right(9.0))];
    record(&store, &key(), &trials).await;
    let knob = "UPDATE trial SET configuration = '{\"a\": 1}' WHERE ordinal = 0";
    spoil(&store, knob).await;
    let found = answer(&store, &request()).await.unwrap();
    assert_eq!(found.found().map(|found| found.time_us), Some(9.0));
    check_read_back(&answers::line(&found));
    let json: serde_json::Value = serde_json::from_str(&answers::line(&found)).unwrap();
    assert_eq!(json["unreadable"]["rows"], 1);
    let first = json["unreadable"]["first"][0].as_str().unwrap();
    assert!(
        first.starts_with("trial 1, configuration: unknown field `a`"),
        "{first}"
    );

    spoil(&store, "UPDATE trial SET configuration = '{}'").await;
    let miss = answer(&store, &request()).await.unwrap();
    assert!(miss.found().is_none());
    check_read_back(&answers::line(&miss));
    let json: serde_json::Value = serde_json::from_str(&answers::line(&miss)).unwrap();
    assert_eq!(json["unreadable"]["rows"], 2, "{json}");
}

/// Checks that a wish is open until a lookup would answer it, with its device and its generator.
#[test]
async fn wishes_end_when_they_are_fulfilled() {
    let (_directory, store) = new_store().await;
    let of_device = LookupRequest {
        device: Some("hip:0".to_owned()),
        ..request()
    };
    let of_generator = LookupRequest {
        generator: Some(Generator::IREE),
        ..request()
    };
    let elsewhere = LookupRequest::new(key().problem, Target::named("gfx950").unwrap());
    let requests = [request(), of_device, of_generator, elsewhere];
    for request in &requests {
        assert!(answer(&store, request).await.unwrap().found().is_none());
    }
    store.flush_wishes().await.unwrap();
    let check = async |expected: &[bool]| {
        // A removed wish stays removed, and an open one stays open.
        for _ in 0..2 {
            let open = open_wishes(&store).await.unwrap().rows;
            let is_open = requests.iter().map(|request| {
                let LookupRequest {
                    problem,
                    target,
                    device,
                    generator,
                    ..
                } = request.clone();
                let wish = Wish {
                    problem,
                    target: target.unwrap(),
                    device,
                    generator,
                };
                open.iter().any(|wished| wished.wish == wish)
            });
            assert_eq!(is_open.collect::<Vec<bool>>(), expected);
        }
    };
    check(&[true, true, true, true]).await;
    let wrong = TrialOutcome::Wrong("row 0".to_owned());
    record(&store, &key(), &[trial(0, 1, wrong)]).await;
    check(&[true, true, true, true]).await;
    record(&store, &key(), &[trial(1, 2, right(8.0))]).await;
    check(&[false, true, true, true]).await;
    let mut iree = key();
    iree.provenance.generator = Generator::IREE;
    let tie = TrialOutcome::Tie(timing(8.0), "row 0: index 3 for 1".to_owned());
    record(&store, &iree, &[trial(0, 1, tie)]).await;
    check(&[false, true, false, true]).await;
    iree.provenance.device = "hip:0".to_owned();
    record(&store, &iree, &[trial(0, 1, right(8.0))]).await;
    check(&[false, false, false, true]).await;
}
