//! Exported kernels match their manifest: `wavetune emulate` runs each with only the manifest's
//! arguments, and its outputs equal the host's fold. A service exports the same files. Needs
//! libLLVM and lld.

use crate::support::{error_lines, running};

mod forms;
mod poisoned;
mod served;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use codegen::cache::Cache;
use codegen::native::Native;
use configgen::{IndexMode, Initial, Problem};
use serde_json::Value;
use store_sqlite::Sqlite;
use testing::{Failed, Trial};
use testing_store_contract::block_on;
use testing_store_contract::samples::{key, record, right, trial};

type Test = fn() -> Result<(), Failed>;

const TESTS: [(&str, Test); 12] = [
    (
        "the_manifest_launches_its_kernels",
        the_manifest_launches_its_kernels,
    ),
    (
        "the_manifest_has_the_tensors_of_views",
        the_manifest_has_the_tensors_of_views,
    ),
    ("tuned_problems_are_exported", tuned_problems_are_exported),
    (
        "everything_that_is_known_is_exported",
        everything_that_is_known_is_exported,
    ),
    (
        "a_poisoned_database_is_exported",
        poisoned::a_poisoned_database_is_exported,
    ),
    (
        "a_given_configuration_is_exported",
        a_given_configuration_is_exported,
    ),
    (
        "a_kernel_with_a_workspace_is_launched",
        a_kernel_with_a_workspace_is_launched,
    ),
    (
        "a_service_exports_the_same_files",
        served::a_service_exports_the_same_files,
    ),
    (
        "a_cancelled_export_builds_nothing",
        served::a_cancelled_export_builds_nothing,
    ),
    (
        "a_service_without_tools_says_so",
        served::a_service_without_tools_says_so,
    ),
    (
        "each_operation_is_replaced_in_its_form",
        forms::each_operation_is_replaced_in_its_form,
    ),
    (
        "unexportable_problems_are_reported",
        unexportable_problems_are_reported,
    ),
];

/// Returns the tests. Without libLLVM they are ignored, with the reason as their kind; in CI they
/// fail.
pub(crate) fn trials() -> Vec<Trial> {
    let missing = Native::load(Cache::of_environment())
        .err()
        .map(|error| error.to_string());
    let trials = TESTS.map(|(name, test)| match missing.clone() {
        None => Trial::test(name, test),
        Some(reason) => Trial::test(name, test)
            .with_kind(reason)
            .with_ignored_flag(std::env::var_os("CI").is_none()),
    });
    trials.into()
}

fn wavetune(directory: &Path, arguments: &[&str]) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command
        .args(arguments)
        .env("WAVETUNE_DB", directory.join("test.db"))
        .stdin(Stdio::null());
    Ok(command.output()?)
}

fn succeeded(output: &Output) -> Result<(), Failed> {
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

/// Exports into a directory and reads the manifest.
fn export(directory: &Path, arguments: &[&str]) -> Result<Value, Failed> {
    let out = directory.join("kernels");
    let out = out.to_str().ok_or("a path that is no text")?;
    let all = [&["export", "kernels", "--out", out][..], arguments].concat();
    succeeded(&wavetune(directory, &all)?)?;
    let manifest = std::fs::read(directory.join("kernels/manifest.json"))?;
    let manifest = serde_json::from_slice(&manifest)?;
    testing_conformance::check("manifest", &manifest);
    Ok(manifest)
}

const PROBLEMS: [&str; 8] = [
    "argmax:4x[1000]xf32",
    "argmin:[33]x7xi32",
    "argmin:3x[100]xi32:i32:pitch=128",
    "argmax:300x[9]xi32",
    "argmax:4x[1000]xf32:i64:index_base",
    "argmin:5x[70]xi32:i32:index_base:initial",
    "argmax:[33]x7xi32:i32:explicit_index",
    "argmin:3x[100]xf32:i64:explicit_index:initial:pitch=128",
];

/// The arguments of kernels with such options.
const INDEX_BASE: i64 = 1000;
const INITIAL: (i32, i64) = (-49, -7);

/// Returns the explicit index of element `number`, without gaps.
fn explicit_index(number: usize) -> i64 {
    3 * number as i64 - 50
}

fn the_manifest_launches_its_kernels() -> Result<(), Failed> {
    for target in ["gfx942", "gfx1100"] {
        let directory = tempfile::tempdir()?;
        let arguments = [&PROBLEMS[..], &["--target", target]].concat();
        let manifest = export(directory.path(), &arguments)?;
        assert_eq!(
            (&manifest["format"], &manifest["target"]),
            (&1.into(), &target.into())
        );
        let kernels = manifest["kernels"].as_array().ok_or("no kernels")?;
        assert_eq!(kernels.len(), PROBLEMS.len());
        for kernel in kernels {
            assert_eq!(kernel["chosen"], "default");
            assert_eq!(kernel["made_by"]["compiler"], "LLVM");
            let source = kernel["source"].as_str().ok_or("no source")?;
            let source = std::fs::read_to_string(directory.path().join("kernels").join(source))?;
            assert!(source.contains(kernel["symbol"].as_str().ok_or("no symbol")?));
            launch(directory.path(), kernel)?;
        }
    }
    Ok(())
}

fn the_manifest_has_the_tensors_of_views() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let problem = "dot:4x[100]xf32(1+3:200,0),f16(-1+50:60)";
    let manifest = export(directory.path(), &[problem, "--target", "gfx942"])?;
    let arguments = &manifest["kernels"][0]["arguments"];
    for (argument, shape, strides, bytes) in [
        (&arguments[0], vec![200, 4], vec![4, 1], 3200),
        (&arguments[1], vec![60], vec![1], 120),
        (&arguments[2], vec![4], vec![1], 16),
    ] {
        assert_eq!(argument["shape"], Value::from(shape));
        assert_eq!(argument["strides"], Value::from(strides));
        assert_eq!(argument["bytes"], bytes);
    }
    Ok(())
}

fn a_kernel_with_a_workspace_is_launched() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let configuration = r#"{"workgroup":[1,0],"partial_reduction":[0,256],"thread":[0,4],
        "lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,
        "workgroup_size":[64,1,1],"split":4}"#;
    let problem = "argmin:3x[2000]xi32";
    let manifest = export(
        directory.path(),
        &[
            problem,
            "--target",
            "gfx942",
            "--configuration",
            configuration,
        ],
    )?;
    let kernel = &manifest["kernels"][0];
    assert_eq!(kernel["arguments"][3]["name"], "workspace");
    launch(directory.path(), kernel)
}

/// Runs a kernel on numbers that each occur several times, and compares the results.
fn launch(directory: &Path, kernel: &Value) -> Result<(), Failed> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let problem: Problem = text(&kernel["problem"]).parse()?;
    let code = directory.join("kernels").join(text(&kernel["file"]));
    let rows = problem.shape.rows() as usize;
    let elements: Vec<i32> = (0..problem.shape.span() as i32)
        .map(|number| number.wrapping_mul(7919) % 101 - 50)
        .collect();
    let file = |name: &str, kind: &str, numbers: &mut dyn Iterator<Item = i64>| {
        let bytes = |number: i64| match kind {
            "f32" => (number as f32).to_le_bytes().to_vec(),
            "i32" => (number as i32).to_le_bytes().to_vec(),
            _ => number.to_le_bytes().to_vec(),
        };
        let path = directory.join(format!("{name}.bin"));
        let content: Vec<u8> = numbers.flat_map(bytes).collect();
        std::fs::write(&path, content).map(|()| path.display().to_string())
    };

    let extent = |value: &Value| {
        let sizes = value.as_array().into_iter().flatten();
        sizes.map(Value::to_string).collect::<Vec<_>>().join(",")
    };
    let mut command = vec![
        "emulate".to_owned(),
        code.display().to_string(),
        "--check".to_owned(),
        format!("--kernel={}", text(&kernel["symbol"])),
        format!("--grid={}", extent(&kernel["grid"])),
        format!("--block={}", extent(&kernel["block"])),
        "--output-format=json".to_owned(),
    ];
    let arguments = kernel["arguments"].as_array().ok_or("no arguments")?;
    let mut end = 0;
    for (number, argument) in arguments.iter().enumerate() {
        let (name, kind) = (text(&argument["name"]), text(&argument["type"]));
        let size = argument["size"].as_u64().ok_or("no size")?;
        let offset = u64::next_multiple_of(end, size);
        assert_eq!(argument["offset"], offset, "{problem}: {name}");
        end = offset + size;
        if argument["kind"] == "value" {
            command.push(format!("--arg={kind}:{INDEX_BASE}"));
            continue;
        }
        let count = argument["bytes"].as_u64().ok_or("no bytes")? as usize;
        let content = match name.as_str() {
            "input" => file(&name, &kind, &mut elements.iter().map(|&n| n.into()))?,
            "explicit_indices" => file(
                &name,
                &kind,
                &mut (0..)
                    .map(explicit_index)
                    .take(problem.shape.elements() as usize),
            )?,
            "values" => file(
                &name,
                &kind,
                &mut std::iter::repeat_n(INITIAL.0.into(), rows),
            )?,
            _ => file(&name, &kind, &mut std::iter::repeat_n(INITIAL.1, rows))?,
        };
        let content = match text(&argument["access"]).as_str() {
            "write" => String::new(),
            "workspace" => ":zero".to_owned(),
            _ => format!(":{content}"),
        };
        command.push(format!("--arg=buf:{count}{content}"));
        if argument["access"] == "workspace" {
            let zero = &argument["zero"];
            let end = zero["offset"].as_u64().zip(zero["bytes"].as_u64());
            assert_eq!(
                end.map(|(offset, bytes)| offset + bytes),
                argument["bytes"].as_u64()
            );
        } else if argument["access"] != "read" {
            command.push(format!("--dump={number}:{kind}"));
        }
    }
    assert!(kernel["kernarg_bytes"].as_u64() >= Some(end));
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let output = wavetune(directory, &command)?;
    succeeded(&output)?;
    let answer = testing_conformance::answer("emulate", &output.stdout);
    let dumped = |number: usize| {
        let values = answer["dumps"][number]["values"].as_array();
        values.into_iter().flatten().map(|value| value.as_f64())
    };
    let found: Vec<_> = dumped(0).zip(dumped(1)).collect();
    let expected: Vec<_> = fold(&problem, &elements)
        .into_iter()
        .map(|(value, index)| (Some(f64::from(value)), Some(index as f64)))
        .collect();
    assert_eq!(found.len(), expected.len(), "{problem}");
    let mut rows = found.iter().zip(&expected).enumerate();
    match rows.find(|(_, (found, expected))| found != expected) {
        None => Ok(()),
        Some((row, (found, expected))) => {
            Err(format!("{problem}, row {row}: {found:?}, not {expected:?}").into())
        }
    }
}

/// Returns the fold of each row, for shapes of up to two dimensions.
fn fold(problem: &Problem, elements: &[i32]) -> Vec<(i32, i64)> {
    let shape = &problem.shape;
    let place = |row: usize, position: usize, strides: [usize; 2]| match shape.is_reduced(0) {
        true => position * strides[0] + row * strides[1],
        false => row * strides[0] + position * strides[1],
    };
    let innermost = shape.sizes()[1] as usize;
    let better = |a: i32, b: i32| match problem.arg_compare().unwrap().comparator.name() {
        Some("argmax") => a > b,
        _ => a < b,
    };
    let fold = |row: usize| {
        let mut best = match problem.arg_compare().unwrap().initial {
            Initial::Outputs => Some(INITIAL),
            Initial::Worst | Initial::Pair(..) => None,
        };
        for position in 0..shape.reduced_size() as usize {
            let value = elements[place(row, position, [shape.pitch() as usize, 1])];
            if best.is_none_or(|(best, _)| better(value, best)) {
                let index = match problem.arg_compare().unwrap().index_mode {
                    IndexMode::Position => position as i64,
                    IndexMode::Based => position as i64 + INDEX_BASE,
                    IndexMode::Explicit => explicit_index(place(row, position, [innermost, 1])),
                };
                best = Some((value, index));
            }
        }
        best.unwrap_or_default()
    };
    (0..shape.rows() as usize).map(fold).collect()
}

fn tuned_problems_are_exported() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let problem = "argmax:4x[1000]xf32";
    let tuned = wavetune(
        directory.path(),
        &["tune", problem, "--budget", "6", "--output-format", "json"],
    )?;
    succeeded(&tuned)?;
    let tuned = testing_conformance::answer("tune", &tuned.stdout);
    let manifest = export(directory.path(), &[problem, "--device", "emulated:mi300x"])?;
    let kernel = &manifest["kernels"][0];
    assert_eq!(kernel["configuration"], tuned["best"]["configuration"]);
    assert_eq!(kernel["time_us"], tuned["best"]["time_us"]);
    assert_eq!(
        (&kernel["chosen"], &kernel["clock"]),
        (&"tuned".into(), &"modelled".into())
    );
    assert_eq!(kernel["tuned_with"]["device"], "emulated:mi300x");
    launch(directory.path(), kernel)?;
    // This device has no tuned configuration.
    let manifest = export(directory.path(), &[problem, "--device", "emulated:mi300a"])?;
    assert_eq!(manifest["kernels"][0]["chosen"], "default");
    Ok(())
}

fn everything_that_is_known_is_exported() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let problems = ["argmax:4x[1000]xf32:i32", "argmin:7x[64]xi32:i32"];
    let tune = ["tune", problems[0], problems[1], "--budget", "1"];
    succeeded(&wavetune(directory.path(), &tune)?)?;
    let manifest = export(directory.path(), &["--target", "gfx942"])?;
    let kernels = manifest["kernels"].as_array().ok_or("no kernels")?;
    let exported: Vec<&Value> = kernels.iter().map(|kernel| &kernel["problem"]).collect();
    assert_eq!(exported, problems);
    assert!(kernels.iter().all(|kernel| kernel["chosen"] == "tuned"));
    // The export leaves out a configuration that is no longer legal, and says so.
    let db = directory.path().join("test.db");
    block_on(async {
        let store = Sqlite::open(db.to_str().unwrap()).await.unwrap();
        record(&store, &key(), &[trial(1, 2, right(8.0))]).await;
        store.close().await;
    });
    let out = directory.path().join("kernels");
    let out = out.to_str().ok_or("not UTF-8")?;
    let all = ["export", "kernels", "--target", "gfx942", "--out", out];
    let output = wavetune(directory.path(), &all)?;
    succeeded(&output)?;
    let said = String::from_utf8(output.stderr)?;
    assert!(
        said.contains("skipped: argmax:4x[32000]xf32:i32: rule N7"),
        "{said}"
    );
    assert!(said.contains("2 kernels for gfx942"), "{said}");
    // Other targets and devices have no configurations.
    for other in [["--target", "gfx950"], ["--device", "emulated:mi300a"]] {
        let out = directory.path().join("none");
        let out = ["--out", out.to_str().ok_or("not UTF-8")?];
        let output = wavetune(
            directory.path(),
            &[&["export", "kernels"], &other[..], &out].concat(),
        )?;
        assert_eq!(output.status.code(), Some(1), "{other:?}");
        let said = String::from_utf8(output.stderr)?;
        assert!(said.contains("nothing to export for gfx9"), "{said}");
    }
    Ok(())
}

fn a_given_configuration_is_exported() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let problem = "argmin:3x[100]xi32:i32:pitch=128";
    let sample = wavetune(
        directory.path(),
        &["space", problem, "--sample", "1", "--seed", "3"],
    )?;
    let json = String::from_utf8(sample.stdout)?;
    let arguments = [
        problem,
        "--target",
        "gfx942",
        "--configuration",
        json.trim(),
    ];
    let manifest = export(directory.path(), &arguments)?;
    let kernel = &manifest["kernels"][0];
    assert_eq!(kernel["chosen"], "given");
    assert_eq!(
        kernel["configuration"],
        serde_json::from_str::<Value>(&json)?
    );
    assert_eq!(kernel["arguments"][0]["shape"], serde_json::json!([3, 100]));
    assert_eq!(
        kernel["arguments"][0]["strides"],
        serde_json::json!([128, 1])
    );
    launch(directory.path(), kernel)
}

fn unexportable_problems_are_reported() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let problem = "argmax:4x[8]xf32";
    let out = directory.path().join("kernels");
    let check = |arguments: &[&str], exit: i32, part: &str| -> Result<(), Failed> {
        let out = out.to_str().unwrap_or_default();
        let all = [&["export", "kernels", "--out", out][..], arguments].concat();
        let output = wavetune(directory.path(), &all)?;
        let said = String::from_utf8(output.stderr)?;
        assert_eq!(output.status.code(), Some(exit), "{said}");
        assert!(said.contains(part), "{said}");
        assert_eq!(error_lines(&said), 1, "{said}");
        Ok(())
    };
    check(
        &["--target", "gfx942"],
        2,
        "does not exist; `wavetune tune PROBLEM` creates it",
    )?;
    let none = ["--target", "gfx942", "--configuration", "{}"];
    check(&none, 2, "needs exactly one problem, not 0")?;
    check(&[problem], 2, "--target")?;
    check(&[problem, "--device", "mi30x"], 2, "unknown device")?;
    let both = ["--device", "emulated:mi300x", "--target", "gfx1100"];
    check(
        &[&[problem], &both[..]].concat(),
        2,
        "the ISA of the device is gfx942, not gfx1100",
    )?;
    let configured = ["--target", "gfx942", "--configuration", "{}"];
    check(&[&[problem], &configured[..]].concat(), 2, "missing field")?;
    let two = [problem, "argmin:[8]xf32"];
    check(
        &[&two[..], &configured].concat(),
        2,
        "needs exactly one problem, not 2",
    )?;
    let sample = wavetune(
        directory.path(),
        &["space", "argmax:[8]xf32", "--sample", "1"],
    )?;
    let other = String::from_utf8(sample.stdout)?;
    let configured = ["--target", "gfx942", "--configuration", other.trim()];
    check(&[&[problem], &configured[..]].concat(), 1, "rule N2")?;
    assert!(!out.exists());
    std::fs::write(&out, "")?;
    check(
        &[problem, "--target", "gfx942"],
        2,
        "cannot create the directory",
    )
}
