//! `wavetune try`: one configuration gets the verdict and the time of a study.

use serde_json::Value;
use testing::Failed;

use super::{json, wavetune};

const PROBLEM: &str = "argmax:4x[4096]xf32";

pub(crate) fn one_configuration_is_tried() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("test.db");
    let tried = |configuration: &str, exit: i32| -> Result<Value, Failed> {
        let of = ["try", PROBLEM, "--configuration", configuration];
        let arguments = [&of[..], &["--output-format", "json"]].concat();
        json(wavetune(&db, &arguments), exit)
    };
    // `try` stores nothing: the study below still makes all its trials.
    let sample = ["space", PROBLEM, "--sample", "3", "--seed", "7"];
    let sampled = wavetune(&db, &sample).output()?;
    let sampled = String::from_utf8(sampled.stdout)?;
    for configuration in sampled.lines() {
        let answer = tried(configuration, 0)?;
        assert_eq!(answer["status"], "right");
        assert_eq!(answer["legality"]["legal"], true);
        assert!(answer["time_us"].as_f64() >= answer["bound_us"].as_f64());
    }
    let tune = ["tune", PROBLEM, "--budget", "8", "--output-format", "json"];
    let tuned = json(wavetune(&db, &tune), 0)?;
    assert_eq!(tuned["trials"]["resumed"], 0);
    let best = &tuned["best"];
    let answer = tried(&best["configuration"].to_string(), 0)?;
    assert_eq!(answer["time_us"], best["time_us"]);
    assert_eq!(answer["bound_us"], tuned["bound_us"]);

    let illegal = best["configuration"].to_string().replacen("[0,", "[7,", 1);
    assert_ne!(illegal, best["configuration"].to_string());
    let answer = tried(&illegal, 1)?;
    assert_eq!(answer["status"], "failed");
    assert_eq!(answer["legality"]["legal"], false);
    let rule = answer["legality"]["rule"].as_str().unwrap_or_default();
    let message = answer["message"].as_str().unwrap_or_default();
    assert!(message.contains(rule) && !rule.is_empty(), "{answer}");
    Ok(())
}
