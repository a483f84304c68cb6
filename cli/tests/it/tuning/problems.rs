//! Tunable problems: from a file, one after the other, and with a user's own comparators.

use std::path::Path;

use serde_json::Value;
use testing::Failed;

use crate::support::faultless;
use crate::tuning::{json, wavetune};

pub(crate) fn a_file_of_problems_is_tuned_line_by_line() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("problems.txt");
    std::fs::write(
        &file,
        "argmin:3x[100]xi32\tsmall\n# a comment\nargmax:[65]xbf16\nargmax:2000000x[1000]xf64\n",
    )?;
    let db = directory.path().join("test.db");
    let mut command = wavetune(&db, &["tune", "--budget", "3", "--output-format", "json"]);
    let output = command.arg("--problems").arg(&file).output()?;
    assert_eq!(
        output.status.code(),
        Some(1),
        "the last problem is too large"
    );
    let lines = testing_conformance::answers("tune", &output.stdout);
    let progress = String::from_utf8(output.stderr)?;
    for part in [
        "[1/3] argmin:3x[100]xi32:i32: 3 of 3 trials, best ",
        "[2/3] argmax:[65]xbf16:i32: 3 of 3 trials, best ",
    ] {
        assert!(progress.contains(part), "{progress}");
    }
    assert_eq!([&lines[0], &lines[1]].map(faultless), [3, 3]);
    assert_eq!(lines[2]["rule"], Value::Null);
    let message = lines[2]["message"].as_str().unwrap();
    assert!(message.contains("too large to be verified"), "{message}");
    Ok(())
}

pub(crate) fn a_comparator_that_orders_nothing_is_tuned() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("test.db");
    let file = directory.path().join("comparator.mlir");
    std::fs::write(
        &file,
        "^bb0(%a: i32, %b: i32):\n  %c = arith.cmpi ne, %a, %b : i32\n  iree_linalg_ext.yield %c : i1\n",
    )?;
    let problem = "arg_compare:70x[60]xi32:i32:initial";
    let options = ["--budget", "6", "--output-format", "json"];
    let mut tune = wavetune(&db, &["tune", problem, "--unordered-comparator"]);
    tune.args(options).arg("--comparator").arg(&file);
    let answer = json(tune, 0)?;
    assert_eq!(faultless(&answer), 6, "{answer}");
    // A comparator that orders only part of the values.
    let mut tune = wavetune(&db, &["tune", "argmax.ugt:[300]xf32"]);
    tune.args(options);
    let answer = json(tune, 0)?;
    assert_eq!(faultless(&answer), 6, "{answer}");
    Ok(())
}

/// Checks that each correct trial stores its error, as another run finds it.
///
/// Only sums and products of floats have one.
fn errors_are_stored(db: &Path) -> Result<(), Failed> {
    let mut exact = Vec::new();
    for (study, problem) in (1..).zip(PROBLEMS) {
        let study = study.to_string();
        let trials = ["trials", &study, "--output-format", "json"];
        let trials = wavetune(db, &trials).output()?.stdout;
        let trials = testing_conformance::answers("trial", &trials);
        assert_eq!(trials.len(), 4, "{problem}");
        let mut farthest = 0.0;
        for trial in trials {
            // A trial that is clearly slower is only timed.
            let is_right = trial["status"] == "right";
            assert_eq!(trial["error"].is_f64(), is_right, "{problem}: {trial}");
            let Some(error) = trial["error"].as_f64() else {
                continue;
            };
            assert!((0.0..=1.0).contains(&error), "{problem}: {trial}");
            if error == 0.0 {
                continue;
            }
            farthest = error.max(farthest);
            let configuration = trial["configuration"].to_string();
            let of = ["try", problem, "--configuration", &configuration];
            let again = [&of[..], &["--output-format", "json"]].concat();
            let again = json(wavetune(db, &again), 0)?;
            assert_eq!(again["error"], trial["error"], "{problem}");
        }
        if farthest == 0.0 {
            exact.push(problem);
        }
    }
    let of_one_result = [&PROBLEMS[2..5], &PROBLEMS[6..]].concat();
    assert_eq!(exact, of_one_result);
    Ok(())
}

/// Plain reductions, and a comparison.
const PROBLEMS: [&str; 7] = [
    "sum:4x[3000]xbf16",
    "product:[700]xf64:initial=-2.0",
    "max:9x[130]xf16",
    "usum:5x[90]xi8:i64",
    "or:3x[500]xi1",
    "sum:?x[300]xf32:count=1..9",
    "argmax:4x[3000]xf32:i32",
];

/// Reductions of computed values.
const COMPUTED: [&str; 4] = [
    "dot:40x[300]xbf16,bf16(1)",
    "sum(3=arith.mulf(0,1);4=arith.extf(2,f32);arith.addf(3,4)):6x[90]x5xf32,f32(2,0),f16:f64",
    "argmax(arith.addf(0,1)):6x[90]xf32,f32(1):i32",
    "sum:9x[300]xf32(0,-1+301:290=1.0)",
];

/// Checks that plain reductions are tuned like comparisons, except by IREE.
pub(crate) fn plain_reductions_are_tuned() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("test.db");
    let options = ["--budget", "4", "--output-format", "json"];
    for problem in PROBLEMS.into_iter().chain(COMPUTED) {
        let mut tune = wavetune(&db, &["tune", problem]);
        tune.args(options);
        let answer = json(tune, 0)?;
        assert_eq!(answer["problem"], problem);
        assert_eq!(faultless(&answer), 4, "{answer}");
    }
    errors_are_stored(&db)?;
    let ask = ["--target", "gfx942", "--output-format", "json"];
    let mut lookup = wavetune(&db, &["lookup", "sum:4x[3000]xbf16:f32"]);
    lookup.args(ask);
    let answer = json(lookup, 0)?;
    assert_eq!(answer["answer"], "exact");
    // This accumulator type was not tuned.
    let mut lookup = wavetune(&db, &["lookup", "sum:4x[3000]xbf16:f64"]);
    lookup.args(ask);
    let answer = json(lookup, 1)?;
    assert_eq!(answer["answer"], "default");
    // Another size is a neighbour; another map or view of an operand is another problem.
    for (asked, rung) in [
        ("dot:50x[300]xbf16,bf16(1)", "neighbour"),
        ("dot:40x[300]xbf16,bf16", "default"),
        ("sum:12x[300]xf32(0,-1+301:290=1.0)", "neighbour"),
        ("sum:9x[300]xf32(0,-1+301:290)", "default"),
        ("sum:9x[300]xf32(0,-1+302:290=1.0)", "default"),
    ] {
        let mut lookup = wavetune(&db, &["lookup", asked]);
        lookup.args(ask);
        let answer = json(lookup, 1)?;
        assert_eq!(answer["answer"], rung, "{answer}");
    }
    let tune = ["tune", "log_softmax:4x[3000]xbf16", "--generator", "iree"];
    let output = wavetune(&db, &tune).output()?;
    let said = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("is not supported; the rules cover arg_compare"),
        "{said}"
    );
    let out = directory.path().join("kernels");
    let mut export = wavetune(&db, &["export", "iree-kernels", "--target", "gfx942"]);
    let output = export.arg("--out").arg(&out).output()?;
    let said = String::from_utf8(output.stderr)?;
    assert!(
        said.contains("skipped: sum:9x[300]xf32(0,-1+301:290=1.0): an input is a view"),
        "{said}"
    );
    Ok(())
}
