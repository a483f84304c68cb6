//! Tests of printed specs, and of entries that make none.

use super::*;

pub(super) fn pipeline(text: &str) -> Pipeline {
    Pipeline::VectorDistribute(serde_json::from_str(text).unwrap())
}

pub(super) const ROW: &str = r#"{"workgroup": [1, 0], "partial_reduction": [0, 1024], "thread": [0, 4],
    "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[1, 1], [0, 1]], "subgroup_size": 64,
    "workgroup_size": [64, 1, 1]}"#;

pub(super) fn target() -> &'static Target {
    Target::named("gfx942").unwrap()
}

/// Returns an entry per problem, with these pipelines in turn.
fn entries<'a>(
    problems: &'a [Problem],
    pipelines: impl IntoIterator<Item = &'a Pipeline>,
    provenance: &'a str,
) -> Vec<SpecEntry<'a>> {
    let all = problems.iter().zip(pipelines);
    let entry = |(problem, pipeline)| SpecEntry {
        problem,
        range: None,
        pipeline,
        provenance,
    };
    all.map(entry).collect()
}

#[test]
fn golden() {
    let pipeline = pipeline(ROW);
    let problems: Vec<Problem> = [
        "argmax:?x[4096]xf32",
        "argmax:4x[4096]xf32",
        "argmin:8x[4096]xbf16:i64",
        "argmax_nan:8x[4096]xbf16:i64:index_base",
        "argmax_last:4x[4096]xf16:i32:explicit_index",
    ]
    .map(|text| text.parse().unwrap())
    .into();
    let of = "7.5 us on mi300x\n}} (modelled)";
    let entries = entries(&problems, std::iter::repeat(&pipeline), of);
    let spec = Spec::new(target(), "iree-compile 3.13.0", &entries).unwrap();
    expect_test::expect_file!["golden.mlir"].assert_eq(&spec.to_string());
}

/// Checks each reduction in all its forms, with its configuration in the order of the loops.
#[test]
fn golden_of_plain_reductions() {
    let row = pipeline(ROW);
    let columns = r#"{"workgroup": [0, 64], "partial_reduction": [16, 0], "thread": [1, 4],
        "lane_basis": [[2, 16], [0, 1]], "subgroup_basis": [[2, 1], [0, 1]], "subgroup_size": 64,
        "workgroup_size": [128, 1, 1]}"#;
    let columns = pipeline(columns);
    let rows = r#"{"workgroup": [1, 2, 0], "partial_reduction": [0, 0, 512], "thread": [0, 1, 8],
        "lane_basis": [[1, 1, 64], [0, 1, 2]], "subgroup_basis": [[1, 2, 1], [0, 1, 2]], "subgroup_size": 64,
        "workgroup_size": [128, 1, 1]}"#;
    let rows = pipeline(rows);
    let problems: Vec<Problem> = [
        "sum:?x[4096]xf16",
        "umax:[100]x768xi16",
        "sum:64x[4096]xf64",
        "dot:64x[4096]xf16,f16(1)",
        "sum(2=arith.subf(0,1);arith.mulf(2,2)):8x[512]xf32,f32(0)",
        "softmax:64x[768]xf32",
        "softmax:2x64x[768]xf16",
        "rms_norm:64x[768]xf32",
        "rms_norm:64x[768]xbf16",
    ]
    .map(|text| text.parse().unwrap())
    .into();
    let pipelines = [&row, &columns, &row, &row, &row, &row, &rows, &row, &row];
    let entries = entries(&problems, pipelines, "a test");
    let spec = Spec::new(target(), "iree-compile 3.13.0", &entries).unwrap();
    expect_test::expect_file!["plain.mlir"].assert_eq(&spec.to_string());
}

const PIECES: &str = r#"{"workgroup": [1, 0], "partial_reduction": [0, 256], "thread": [0, 4],
    "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[1, 1], [0, 1]], "subgroup_size": 64,
    "workgroup_size": [64, 1, 1], "split": 125}"#;

/// Checks split rows: their entries match the pieces, and a piece's own entry takes precedence.
#[test]
fn golden_of_splits() {
    let [row, pieces] = [ROW, PIECES].map(pipeline);
    let problems: Vec<Problem> = [
        "argmax:4x[32000]xf32",
        "argmax:4x[32000]xf32",
        "argmin:4x[32000]xf64:i64:explicit_index",
        "argmax:4x[256]xf32:i32:index_base",
    ]
    .map(|text| text.parse().unwrap())
    .into();
    let entries = entries(&problems, [&row, &pieces, &pieces, &row], "a test");
    let spec = Spec::new(target(), "iree-compile 3.13.0", &entries).unwrap();
    expect_test::expect_file!["pieces.mlir"].assert_eq(&spec.to_string());
    let splits = spec.splits().unwrap();
    expect_test::expect_file!["splits.mlir"].assert_eq(&splits.to_string());
    let whole = Spec::new(target(), "", &entries[..1]).unwrap();
    assert!(whole.splits().is_none());
    let twice = [entries[1].clone(), entries[1].clone()];
    Spec::new(target(), "", &twice).unwrap_err();
}

#[track_caller]
fn check_error(problems: &[&str], expected: &str) {
    let problems: Vec<Problem> = problems.iter().map(|text| text.parse().unwrap()).collect();
    let pipeline = pipeline(ROW);
    let entries = entries(&problems, std::iter::repeat(&pipeline), "");
    let error = Spec::new(target(), "", &entries).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn errors() {
    check_error(&[], "no configuration to export");
    check_error(
        &["argmax:4x[8]xf32", "argmax:[4]x[8]xf32"],
        "argmax:[4]x[8]xf32:i32: IREE's arg_compare reduces one dimension, this problem 2",
    );
    check_error(
        &[
            "argmax:4x[8]xf32",
            "argmin:4x[8]xf32",
            "argmax:4x[8]xf32:i32",
        ],
        "argmax:4x[8]xf32:i32: two configurations for one operation",
    );
    check_error(
        &["argmax:?x[8]xf32", "argmax:?x[8]xf32:i32:count=1..2"],
        "argmax:?x[8]xf32:i32:count=1..2: two configurations for one operation",
    );
}

#[test]
fn no_spec_matches_row_operations() {
    let target = target();
    let problem: Problem = "log_softmax:4x[50]xf16".parse().unwrap();
    let pipeline = Pipeline::VectorDistribute(configgen::native_default(&problem, target).unwrap());
    let entry = SpecEntry {
        range: None,
        problem: &problem,
        pipeline: &pipeline,
        provenance: "",
    };
    let entries = [entry];
    let error = Spec::new(target, "", &entries).unwrap_err();
    assert_eq!(
        error.to_string(),
        "log_softmax:4x[50]xf16: a spec matches only arg_compare, plain reductions, softmax and rms_norm along a dimension"
    );
}
