//! `wavetune rule`: its three forms, and unknown operations.

use testing_conformance as conformance;

use crate::offline::{check_output, run, text};

#[test]
fn a_rule_is_printed_in_three_forms() {
    let folder = tempfile::tempdir().unwrap();
    let of = ["rule", "--target", "gfx942", "--operation", "argmax"];
    let form = |name| {
        run(
            folder.path(),
            &[&of[..], &["--output-format", name]].concat(),
        )
    };
    let answer = conformance::answer("rule", &form("json").stdout);
    let rows = answer["rows"].as_array().unwrap();
    assert!(rows.len() > 1, "{answer}");
    assert_eq!(answer["device"], "emulated:mi300x");
    assert!(answer["mean_regret"].as_f64().unwrap() < 0.1, "{answer}");
    let told = run(folder.path(), &of);
    check_output(&told, 0, "mean regret ");
    // The worst shapes are named.
    let worst = answer["worst"][0]["problem"].as_str().unwrap();
    let told = text(&told.stdout);
    assert!(told.contains(worst), "{told}");
    assert_eq!(told.matches("thread ").count(), rows.len(), "{told}");
    let cpp = form("cpp");
    check_output(&cpp, 0, "setReductionConfig(IREE::GPU::TargetAttr target,");
    assert_eq!(text(&cpp.stdout).matches("thread = ").count(), rows.len());
}

#[test]
fn an_unknown_operation_has_no_rule() {
    let folder = tempfile::tempdir().unwrap();
    let ask = ["rule", "--target", "gfx942", "--operation", "argmix"];
    check_output(
        &run(folder.path(), &ask),
        2,
        "the time model knows no reduction of rows by argmix on mi300x",
    );
}
