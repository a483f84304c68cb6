//! The rungs below the exact answer: the choice, its content, and the reasons of the rungs above.

use crate::asked;
use testing_sqlite as support;

use answers::lookup::ExpectedTime;
use asked::{MI300X, check_read_back, instead, new_store, request, source, tune};
use configgen::{Configuration, Generator, Target};
use expect_test::{Expect, expect};
use lookup::{LookupAnswer, LookupRequest, Rung, answer, open_wishes};
use store::{Catalogue as _, FailureKind, Ties, Trial, TrialOutcome};
use store_sqlite::Sqlite;
use support::{right, timing, trial};

const MI300A: &str = "emulated:mi300a";

/// Checks the printed answer, and that it is read back.
async fn check(store: &Sqlite, request: &LookupRequest, expected: Expect) {
    let line = answers::line(&answer(store, request).await.unwrap());
    expected.assert_eq(&line);
    check_read_back(&line);
}

#[test]
async fn a_sibling_has_the_same_target() {
    let (_directory, store) = new_store().await;
    tune(
        &store,
        "argmax:4x[32000]xf32",
        MI300A,
        Generator::NATIVE,
        &[trial(0, 1024, right(9.0))],
    )
    .await;
    let on = |device: &str| LookupRequest {
        device: Some(device.to_owned()),
        ..request("argmax:4x[32000]xf32")
    };
    check(&store, &on(MI300X), expect![[r#"{"answer":"sibling","problem":"argmax:4x[32000]xf32:i32","target":"gfx942","configuration":{"workgroup":[1,0],"partial_reduction":[0,1024],"thread":[0,4],"lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]},"generator":"native","tuned":{"answer":"exact","problem":"argmax:4x[32000]xf32:i32","target":"gfx942","configuration":{"workgroup":[1,0],"partial_reduction":[0,1024],"thread":[0,4],"lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]},"generator":"native","status":"right","time_us":9.0,"default_time_us":null,"speedup":null,"clock":"modelled","provenance":{"device":"emulated:mi300a","driver":"wavetune emulator 0.1.0, model 01234567","compiler":"LLVM","compiler_version":"22.1.0, LLD 22.1.0","generator_version":"0.1.0","clock":"modelled","input_seed":18446744073709551614,"samples":3,"timing":"cold, inputs 2","when":"2026-05-28T20:26:41Z"}},"tried":[{"rung":"exact","reason":"argmax:4x[32000]xf32:i32 was tuned for gfx942, but only on emulated:mi300a by native"}],"wished":true}"#]]).await;
    assert_eq!(source(&store, &on(MI300A)).await, "exact emulated:mi300a");
    // Another target's configuration is no sibling, nor is another generator's.
    let elsewhere = LookupRequest {
        target: Target::named("gfx90a"),
        ..on(MI300X)
    };
    assert_eq!(source(&store, &elsewhere).await, "predicted");
    let iree = LookupRequest {
        generator: Some(Generator::IREE),
        ..on(MI300X)
    };
    assert_eq!(source(&store, &iree).await, "default");
    let bounded = LookupRequest {
        at_least: Rung::Exact,
        ..on(MI300X)
    };
    assert_eq!(source(&store, &bounded).await, "none");
}

#[test]
async fn the_nearest_legal_one_is_taken() {
    let (_directory, store) = new_store().await;
    let native = Generator::NATIVE;
    for (problem, step) in [
        ("argmax:4x[32000]xf32", 4096),
        ("argmax:4x[40000]xf32", 2048),
        ("argmax:8x[32000]xf32", 1024),
        ("argmax:4x[32000]xf16", 1024),
        ("argmin:4x[33000]xf32", 1024),
        ("argmax:4x[33000]xf32:i64", 1024),
        ("argmax:4x[33000]xf32:i32:initial", 1024),
        ("argmax:[33000]x4xf32", 1024),
        ("argmax:4x[33000]xf32:i32:pitch=33024", 1024),
    ] {
        tune(
            &store,
            problem,
            MI300X,
            native,
            &[trial(0, step, right(9.0))],
        )
        .await;
    }
    let neighbour = async |problem: &str| source(&store, &request(problem)).await;
    check(&store, &request("argmax:4x[33000]xf32"), expect![[r#"{"answer":"neighbour","problem":"argmax:4x[33000]xf32:i32","target":"gfx942","configuration":{"workgroup":[1,0],"partial_reduction":[0,4096],"thread":[0,4],"lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]},"generator":"native","tuned":{"answer":"exact","problem":"argmax:4x[32000]xf32:i32","target":"gfx942","configuration":{"workgroup":[1,0],"partial_reduction":[0,4096],"thread":[0,4],"lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]},"generator":"native","status":"right","time_us":9.0,"default_time_us":null,"speedup":null,"clock":"modelled","provenance":{"device":"emulated:mi300x","driver":"wavetune emulator 0.1.0, model 01234567","compiler":"LLVM","compiler_version":"22.1.0, LLD 22.1.0","generator_version":"0.1.0","clock":"modelled","input_seed":18446744073709551614,"samples":3,"timing":"cold, inputs 2","when":"2026-05-28T20:26:41Z"}},"tried":[{"rung":"exact","reason":"argmax:4x[33000]xf32:i32 was never tuned; `wavetune tune 'argmax:4x[33000]xf32:i32' --device emulated:mi300x` tunes it"},{"rung":"sibling","reason":"the request names no device, so every device of the target was considered"}],"wished":true}"#]]).await;
    for (asked, expected) in [
        (
            "argmax:4x[33000]xf32",
            "neighbour argmax:4x[32000]xf32:i32 emulated:mi300x",
        ),
        (
            "argmax:4x[38000]xf32",
            "neighbour argmax:4x[40000]xf32:i32 emulated:mi300x",
        ),
        (
            "argmax:7x[31000]xf32",
            "neighbour argmax:8x[32000]xf32:i32 emulated:mi300x",
        ),
        (
            "argmax:4x[16000]xf32",
            "neighbour argmax:4x[32000]xf32:i32 emulated:mi300x",
        ),
        ("argmax:4x[15999]xf32", "predicted"),
        ("argmax:17x[32000]xf32", "predicted"),
        (
            "argmax:16x[64000]xf32",
            "neighbour argmax:8x[32000]xf32:i32 emulated:mi300x",
        ),
        ("argmax:2x2x[32000]xf32", "predicted"),
        ("argmax:4x[32000]xf64", "default"),
        (
            "argmax:4x[32000]xf32:i32:pitch=40000",
            "neighbour argmax:4x[33000]xf32:i32:pitch=33024 emulated:mi300x",
        ),
    ] {
        assert_eq!(neighbour(asked).await, expected, "{asked}");
    }
    // An illegal configuration is skipped: the nearest problem has a step that no rule accepts.
    let next = "argmax:4x[50000]xf32";
    tune(&store, next, MI300X, native, &[trial(0, 100, right(1.0))]).await;
    assert_eq!(
        neighbour("argmax:4x[49000]xf32").await,
        "neighbour argmax:4x[40000]xf32:i32 emulated:mi300x"
    );
    let alone = "argmin:4x[33000]xf64";
    tune(&store, alone, MI300X, native, &[trial(0, 100, right(1.0))]).await;
    check(&store, &request("argmin:4x[33001]xf64"), expect![[r#"{"answer":"default","problem":"argmin:4x[33001]xf64:i32","target":"gfx942","configuration":{"workgroup":[1,0],"partial_reduction":[0,1024],"thread":[0,2],"lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,8],[0,1]],"subgroup_size":64,"workgroup_size":[512,1,1],"split":64},"generator":"native","tried":[{"rung":"exact","reason":"argmin:4x[33001]xf64:i32 was never tuned; `wavetune tune 'argmin:4x[33001]xf64:i32' --device emulated:mi300x` tunes it"},{"rung":"sibling","reason":"the request names no device, so every device of the target was considered"},{"rung":"neighbour","reason":"1 problem of similar sizes is tuned for gfx942, and none of their configurations is legal here; that of argmin:4x[33000]xf64:i32: rule N7: partial_reduction 100 on dimension 1 is not a positive multiple of 1 subgroups x 64 lanes x 4 elements = 256"},{"rung":"predicted","reason":"the time model was not trained on problems like this one for mi300x"}],"wished":true}"#]]).await;
    // With a bound, the ladder goes no further.
    let bounded = LookupRequest {
        at_least: Rung::Neighbour,
        ..request("argmin:4x[33001]xf64")
    };
    check(&store, &bounded, expect![[r#"{"answer":"none","problem":"argmin:4x[33001]xf64:i32","target":"gfx942","reason":"argmin:4x[33001]xf64:i32 was never tuned; `wavetune tune 'argmin:4x[33001]xf64:i32' --device emulated:mi300x` tunes it","tried":[{"rung":"exact","reason":"argmin:4x[33001]xf64:i32 was never tuned; `wavetune tune 'argmin:4x[33001]xf64:i32' --device emulated:mi300x` tunes it"},{"rung":"sibling","reason":"the request names no device, so every device of the target was considered"},{"rung":"neighbour","reason":"1 problem of similar sizes is tuned for gfx942, and none of their configurations is legal here; that of argmin:4x[33000]xf64:i32: rule N7: partial_reduction 100 on dimension 1 is not a positive multiple of 1 subgroups x 64 lanes x 4 elements = 256"}],"wished":true}"#]]).await;
}

#[test]
async fn of_equals_the_device_goes_first_and_ties_go_last() {
    let (_directory, store) = new_store().await;
    let (native, iree) = (Generator::NATIVE, Generator::IREE);
    let tie = |time| TrialOutcome::Tie(timing(time), "row 0: index 3 for 1".to_owned());
    tune(
        &store,
        "argmax:4x[32768]xf32",
        MI300X,
        native,
        &[trial(0, 1024, right(9.0))],
    )
    .await;
    tune(
        &store,
        "argmax:4x[32768]xf32",
        MI300A,
        native,
        &[trial(0, 1024, right(8.0))],
    )
    .await;
    tune(
        &store,
        "argmax:4x[32768]xf32",
        "hip:0",
        iree,
        &[trial(0, 1024, tie(1.0))],
    )
    .await;
    let asked = request("argmax:4x[40960]xf32");
    let with = async |device: Option<&str>, generator, ties| {
        let asked = LookupRequest {
            device: device.map(str::to_owned),
            generator,
            ties,
            ..asked.clone()
        };
        source(&store, &asked).await
    };
    let from = |device: &str| format!("neighbour argmax:4x[32768]xf32:i32 {device}");
    assert_eq!(with(None, None, Ties::Fold).await, from(MI300A));
    assert_eq!(with(Some(MI300X), None, Ties::Fold).await, from(MI300X));
    assert_eq!(with(None, None, Ties::Any).await, from("hip:0"));
    assert_eq!(with(None, Some(iree), Ties::Fold).await, from("hip:0"));
    // Also if one with another tie-break is nearer.
    tune(
        &store,
        "argmax:4x[40448]xf32",
        "hip:0",
        iree,
        &[trial(0, 512, tie(1.0))],
    )
    .await;
    assert_eq!(with(None, None, Ties::Fold).await, from(MI300A));
    let nearer = "neighbour argmax:4x[40448]xf32:i32 hip:0";
    assert_eq!(with(None, None, Ties::Any).await, nearer);
}

/// Checks a prediction: it has an expected time on the requested device, and becomes a wish. It
/// answers no question about better rungs or another generator.
#[test]
async fn a_prediction_has_an_expected_time() {
    let (_directory, store) = new_store().await;
    let asked = request("rms_norm:20x[3456]xbf16");
    check(&store, &asked, expect![[r#"{"answer":"predicted","problem":"rms_norm:20x[3456]xbf16","target":"gfx942","configuration":{"workgroup":[1,0],"partial_reduction":[0,4096],"thread":[0,8],"lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,4],[0,1]],"subgroup_size":64,"workgroup_size":[256,1,1]},"generator":"native","expected":{"time_us":4.9404,"low_us":4.287,"high_us":6.609,"device":"emulated:mi300x"},"tried":[{"rung":"exact","reason":"rms_norm:20x[3456]xbf16 was never tuned; `wavetune tune 'rms_norm:20x[3456]xbf16' --device emulated:mi300x` tunes it"},{"rung":"sibling","reason":"the request names no device, so every device of the target was considered"},{"rung":"neighbour","reason":"no problem for gfx942 with half to twice as many rows and columns has a configuration"}],"wished":true}"#]]).await;
    for (device, expected) in [
        (None, MI300X),
        (Some(MI300A), MI300A),
        // The model has no figures of a GPU's number.
        (Some("hip:0"), MI300X),
    ] {
        let asked = LookupRequest {
            device: device.map(str::to_owned),
            ..asked.clone()
        };
        let LookupAnswer::Predicted(found) = answer(&store, &asked).await.unwrap() else {
            panic!("no prediction");
        };
        assert!(found.wished);
        let ExpectedTime {
            time_us,
            low_us,
            high_us,
            device,
        } = found.expected.unwrap();
        assert_eq!(device, expected);
        assert!(low_us < time_us && time_us < high_us);
    }
    for other in [
        LookupRequest {
            at_least: Rung::Neighbour,
            ..asked.clone()
        },
        LookupRequest {
            generator: Some(Generator::IREE),
            ..asked.clone()
        },
    ] {
        assert_ne!(source(&store, &other).await, "predicted");
    }
}

#[test]
async fn the_default_is_the_generators() {
    let (_directory, store) = new_store().await;
    check(&store, &request("argmax:4x[4096]xf64"), expect![[r#"{"answer":"default","problem":"argmax:4x[4096]xf64:i32","target":"gfx942","configuration":{"workgroup":[1,0],"partial_reduction":[0,512],"thread":[0,2],"lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,4],[0,1]],"subgroup_size":64,"workgroup_size":[256,1,1],"split":8},"generator":"native","tried":[{"rung":"exact","reason":"argmax:4x[4096]xf64:i32 was never tuned; `wavetune tune 'argmax:4x[4096]xf64:i32' --device emulated:mi300x` tunes it"},{"rung":"sibling","reason":"the request names no device, so every device of the target was considered"},{"rung":"neighbour","reason":"no problem for gfx942 with half to twice as many rows and columns has a configuration"},{"rung":"predicted","reason":"the time model was not trained on problems like this one for mi300x"}],"wished":true}"#]]).await;
    let iree = |problem| LookupRequest {
        generator: Some(Generator::IREE),
        ..request(problem)
    };
    for problem in ["argmax:4x[4095]xf32", "argmax:[4]x[8]xf32"] {
        let answer = answer(&store, &iree(problem)).await.unwrap();
        let LookupAnswer::None(miss) = answer else {
            panic!("{answer:?}")
        };
        assert_eq!(miss.tried.len(), 5);
        let expected = match problem {
            "argmax:4x[4095]xf32" => "the default of iree does not distribute over lanes",
            _ => "the iree generator does not support the problem: rule 0",
        };
        let reason = &miss.tried[4].reason;
        assert!(reason.starts_with(expected), "{reason}");
    }
    // A request without a target.
    let open = LookupRequest {
        target: None,
        ..request("argmax:4x[4096]xf32")
    };
    assert_eq!(source(&store, &open).await, "none");
}

/// Checks that an answer below `exact` leaves a wish until there is an exact one.
#[test]
async fn inexact_answers_become_wishes() {
    let (_directory, store) = new_store().await;
    tune(
        &store,
        "argmax:4x[32000]xf32",
        MI300A,
        Generator::NATIVE,
        &[trial(0, 1024, right(9.0))],
    )
    .await;
    let sibling = LookupRequest {
        device: Some(MI300X.to_owned()),
        ..request("argmax:4x[32000]xf32")
    };
    let all = [
        sibling,
        request("argmax:4x[33000]xf32"),
        request("argmax:9x[7]xf32"),
    ];
    for asked in &all {
        assert!(instead(&answer(&store, asked).await.unwrap()).wished);
    }
    assert!(
        answer(&store, &request("argmax:4x[32000]xf32"))
            .await
            .unwrap()
            .found()
            .is_some()
    );
    store.flush_wishes().await.unwrap();
    let open = async || open_wishes(&store).await.unwrap().rows.len();
    assert_eq!(open().await, 3);
    tune(
        &store,
        "argmax:4x[33000]xf32",
        MI300A,
        Generator::NATIVE,
        &[trial(0, 1024, right(9.0))],
    )
    .await;
    assert_eq!(open().await, 2);
    tune(
        &store,
        "argmax:4x[32000]xf32",
        MI300X,
        Generator::NATIVE,
        &[trial(0, 1024, right(9.0))],
    )
    .await;
    assert_eq!(open().await, 1);
}

/// Checks that a configuration that failed for the requested problem is never its answer, on any
/// rung.
#[test]
async fn wrong_configurations_are_not_served() {
    let (_directory, store) = new_store().await;
    let native = Generator::NATIVE;
    let asked = "argmax:4x[33000]xf32";
    let wrong = |ordinal, step| trial(ordinal, step, TrialOutcome::Wrong("row 0".to_owned()));
    for (problem, step) in [
        ("argmax:4x[32000]xf32", 4096),
        ("argmax:4x[40000]xf32", 2048),
    ] {
        let trials = [trial(0, step, right(9.0))];
        tune(&store, problem, MI300X, native, &trials).await;
    }
    let from = |columns: u32| format!("neighbour argmax:4x[{columns}]xf32:i32 {MI300X}");
    assert_eq!(source(&store, &request(asked)).await, from(32_000));
    tune(&store, asked, MI300A, native, &[wrong(0, 4096)]).await;
    assert_eq!(source(&store, &request(asked)).await, from(40_000));
    // The verdict says nothing about another problem.
    let other = request("argmax:4x[33001]xf32");
    assert_eq!(source(&store, &other).await, from(32_000));
    tune(&store, asked, MI300A, native, &[wrong(1, 2048)]).await;
    let LookupAnswer::Predicted(predicted) = answer(&store, &request(asked)).await.unwrap() else {
        panic!("no prediction");
    };
    let reason = &predicted.tried.last().unwrap().reason;
    let expected = "2 problems of similar sizes are tuned for gfx942, and none of their configurations can be \
                    served; that of argmax:4x[32000]xf32:i32 was tried for this problem, and is wrong";
    assert_eq!(reason, expected);
    let failed = |ordinal, configuration: &Configuration| Trial {
        configuration: Some(configuration.clone()),
        ..trial(
            ordinal,
            1,
            TrialOutcome::Failed(FailureKind::Compile, "no".to_owned()),
        )
    };
    tune(
        &store,
        asked,
        MI300A,
        native,
        &[failed(2, &predicted.configuration)],
    )
    .await;
    // The prediction is the default here.
    let LookupAnswer::None(miss) = answer(&store, &request(asked)).await.unwrap() else {
        panic!("something is served");
    };
    let reasons: Vec<&str> = miss.tried.iter().map(|it| it.reason.as_str()).collect();
    let expected = [
        "the predicted configuration was tried for this problem, and is failed",
        "the untuned configuration of native was tried for this problem, and is failed",
    ];
    assert!(reasons.ends_with(&expected), "{reasons:?}");

    // The last verdict of a configuration counts; that of the requested device, if it has tried
    // it.
    let on = |device: &str| LookupRequest {
        device: Some(device.to_owned()),
        ..request(asked)
    };
    tune(&store, asked, MI300X, native, &[trial(0, 2048, right(5.0))]).await;
    assert_eq!(
        source(&store, &on("hip:0")).await,
        format!("sibling {asked}:i32 {MI300X}")
    );
    assert_eq!(source(&store, &on(MI300A)).await, "none");
    tune(
        &store,
        asked,
        MI300A,
        native,
        &[wrong(3, 512), trial(4, 4096, right(7.0))],
    )
    .await;
    assert_eq!(source(&store, &on(MI300A)).await, format!("exact {MI300A}"));
}
