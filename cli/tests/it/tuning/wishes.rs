//! Tuning of wishes.

use serde_json::Value;
use testing::Failed;

use crate::tuning::{json, wavetune};

/// Checks that the most frequent wish is tuned first. A wish for another generator stays.
pub(crate) fn wishes_are_tuned() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("test.db");
    let tune = [
        "tune",
        "--wishes",
        "--budget",
        "2",
        "--output-format",
        "json",
    ];
    let output = wavetune(&db, &tune).output()?;
    assert_eq!(output.status.code(), Some(1), "nothing is wished for");
    let ask = |problem: &str, options: &[&str]| {
        let mut lookup = wavetune(&db, &["lookup", problem, "--target", "gfx942"]);
        lookup.args(options).output()
    };
    ask("argmax:[64]xi32", &[])?;
    ask("argmax:[32]xi32", &["--generator", "iree"])?;
    ask("argmin:[64]xi32", &["--device", "emulated:mi300x"])?;
    ask("argmin:[64]xi32", &[])?;
    ask("argmin:[64]xi32", &[])?;
    let output = wavetune(&db, &tune).output()?;
    let err = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(0), "{err}");
    let lines = testing_conformance::answers("tune", &output.stdout);
    let problems: Vec<&Value> = lines.iter().map(|line| &line["problem"]).collect();
    assert_eq!(problems, ["argmin:[64]xi32:i32", "argmax:[64]xi32:i32"]);
    assert!(
        err.contains("1 more wishes have another target, device or generator"),
        "{err}"
    );
    let left = json(wavetune(&db, &["wishes", "--output-format", "json"]), 0)?;
    assert_eq!(left["generator"], "iree", "{left}");
    Ok(())
}
