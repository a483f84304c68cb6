//! `wavetune emulate` on the emulator's committed code object: argmax of rows, f32, one wave per
//! row.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::error_lines;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpu/emulator/fixtures/argmax_f32x4.hsaco")
}

/// Three rows of 256 ascending numbers, with buffers for values and indices, four elements at a
/// time.
const ROWS: [&str; 12] = [
    "--grid",
    "3",
    "--block",
    "64",
    "--arg",
    "buf:3K:iota",
    "--arg",
    "buf:12",
    "--arg",
    "buf:12",
    "--arg",
    "i32:64",
];

fn emulate(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command
        .arg("emulate")
        .arg(fixture())
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json(arguments: &[&str], exit: i32) -> Value {
    let all = [&ROWS, arguments, &["--output-format", "json"]].concat();
    let output = emulate(&all);
    assert_eq!(output.status.code(), Some(exit), "{}", text(&output.stderr));
    testing_conformance::answer("emulate", &output.stdout)
}

/// Checks that an error is one line with advice.
#[track_caller]
fn refused(arguments: &[&str], part: &str) {
    let output = emulate(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(
        message.contains(part) && !message.contains("panicked"),
        "{message}"
    );
    assert_eq!(error_lines(&message), 1, "{message}");
}

#[test]
fn a_kernel_runs_and_its_buffers_are_printed() {
    let answer = json(
        &[
            "--check",
            "--dump",
            "2:i32",
            "--dump",
            "1:u32:1",
            "--device",
            "emulated:mi300a",
        ],
        0,
    );
    assert_eq!(
        answer["dumps"][0]["values"],
        serde_json::json!([255, 255, 255])
    );
    assert_eq!(answer["dumps"][1]["values"], serde_json::json!([255]));
    assert_eq!(answer["device"], "emulated:mi300a");
    assert_eq!(answer["clock"], "modelled");
    assert_eq!(
        (&answer["waves"], &answer["bytes_written"]),
        (&3.into(), &24.into())
    );
    // The rows, and the arguments of three waves.
    assert!(
        (3072..4096).contains(&answer["bytes_read"].as_u64().unwrap()),
        "{answer}"
    );
    assert!(answer["time_us"].as_f64().unwrap() > 1.0, "{answer}");
    assert!(answer.get("time_unknown").is_none(), "{answer}");
    assert!(answer["seconds"].as_f64().unwrap() < 10.0, "{answer}");
    assert!(
        answer["occupancy"]["waves_per_simd"].as_u64().unwrap() >= 1,
        "{answer}"
    );
    assert!(answer["occupancy"]["limited_by"].is_string(), "{answer}");
    let bottlenecks = [
        "launch", "dram", "llc", "l2", "l1", "lds", "valu", "matrix", "salu", "latency",
    ];
    assert!(
        bottlenecks.iter().any(|name| answer["bottleneck"] == *name),
        "{answer}"
    );
    assert_eq!(answer["findings"], serde_json::json!([]));
}

#[test]
fn the_answer_for_people() {
    let output = emulate(&[&ROWS[..], &["--dump", "2:i32:2"]].concat());
    let answer = text(&output.stdout);
    for part in [
        "argmax_f32x4 on emulated:mi300x (gfx942)",
        "us (modelled",
        "argument 2 as i32: 255 255\n",
    ] {
        assert!(answer.contains(part), "no {part} in {answer}");
    }
}

#[test]
fn buffers_are_saved_and_read_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("input:1");
    let numbers: Vec<u8> = (0..256)
        .rev()
        .flat_map(|number| (number as f32).to_le_bytes())
        .collect();
    std::fs::write(&file, numbers).unwrap();
    let saved = folder.path().join("indices");
    let input = format!("buf:3K:{}", file.display());
    let dump = format!("2:{}", saved.display());
    let output = emulate(&[
        "--grid",
        "3",
        "--block",
        "64,1,1",
        "--arg",
        &input,
        "--arg",
        "buf:12",
        "--arg",
        "buf:12:zero",
        "--arg",
        "u32:64",
        "--dump-file",
        &dump,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // The buffer of indices is all zeros.
    assert_eq!(std::fs::read(&saved).unwrap(), [0; 12]);
}

#[test]
fn bugs_are_found_or_end_the_run() {
    let small = |check: &[&'static str]| {
        let mut arguments = ROWS.to_vec();
        arguments[5] = "buf:2K:iota";
        [&arguments, check].concat()
    };
    let output = emulate(&small(&["--check", "--output-format", "json"]));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let answer = testing_conformance::answer("emulate", &output.stdout);
    let finding = &answer["findings"][0];
    assert_eq!(finding["kind"], "out-of-bounds");
    assert!(
        finding["instruction"]
            .as_str()
            .unwrap()
            .starts_with("global_load_dwordx4"),
        "{finding}"
    );
    assert_eq!(finding["workgroup"], serde_json::json!([2, 0, 0]));
    assert_eq!(finding["lane"], 0);
    // Without the checker the kernel faults, so it has no time.
    assert!(answer["time_us"].is_null(), "{answer}");
    let reason = answer["time_unknown"].as_str().unwrap_or_default();
    assert!(reason.contains("outside of every allocation"), "{answer}");
    let said = text(&emulate(&small(&["--check"])).stdout);
    assert!(said.contains(&format!("unknown: {reason}")), "{said}");
    refused(&small(&[]), "global_load_dwordx4");
}

#[test]
fn invalid_launches_are_refused_with_advice() {
    refused(
        &["--grid", "1", "--block", "64"],
        "has 4 arguments, but --arg occurs 0 times; the arguments are buf:SIZE, buf:SIZE",
    );
    refused(&["--grid", "0", "--block", "64"], "not a positive number");
    refused(&["--arg", "float:1"], "not a kind of argument");
    let with = |index: usize, value: &'static str| {
        let mut arguments = ROWS.to_vec();
        arguments[index] = value;
        arguments
    };
    refused(
        &with(11, "i64:64"),
        "argument 3 of kernel argmax_f32x4 is a value of 4 bytes (i32, u32 or f32), not i64:64",
    );
    refused(&with(5, "buf:4:/nonexistent"), "cannot read /nonexistent");
    refused(&with(3, "2048"), "exceeds");
    refused(
        &[&ROWS[..], &["--kernel", "other"]].concat(),
        "no kernel \"other\"; the file has argmax_f32x4",
    );
    refused(
        &[&ROWS[..], &["--device", "emulated:rx7900xtx"]].concat(),
        "is for gfx942",
    );
    refused(
        &[&ROWS[..], &["--device", "mi30x"]].concat(),
        "unknown device",
    );
    refused(
        &[&ROWS[..], &["--dump", "3:i32"]].concat(),
        "argument 3 is not a buffer",
    );
    refused(&[&ROWS[..], &["--instruction-limit", "10"]].concat(), "10");
}

#[test]
fn files_that_are_no_code_are_named() {
    let run = |file: &Path| {
        let output = Command::new(env!("CARGO_BIN_EXE_wavetune"))
            .arg("emulate")
            .arg(file)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    assert!(run(Path::new("/nonexistent")).contains("cannot read /nonexistent"));
    let message = run(&std::env::current_exe().unwrap());
    assert!(
        message.contains("without a section .hip_fatbin"),
        "{message}"
    );
    let message = run(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    assert!(
        message.contains("neither an ELF nor an offload bundle"),
        "{message}"
    );
}

/// Checks the time limit, one for all waves of a launch: with countless workgroups, and with rows
/// of 2^33 elements. The checker continues after accesses out of bounds.
#[test]
fn a_launch_ends_when_its_time_is_over() {
    for (grid, columns, of) in [
        ("4294967295", "i32:64", "of 4294967295 workgroups"),
        ("64", "i32:2147483647", "0 of 64 workgroups"),
    ] {
        let mut arguments = ROWS;
        (arguments[1], arguments[11]) = (grid, columns);
        let output = emulate(&[&arguments[..], &["--check", "--time-limit", "1"]].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        for part in [of, "instructions", "longer than 1 s", "--time-limit"] {
            assert!(message.contains(part), "{message}");
        }
    }
    // A sufficient limit, and no limit.
    for limit in ["60", "0"] {
        json(&["--check", "--time-limit", limit], 0);
    }
}
