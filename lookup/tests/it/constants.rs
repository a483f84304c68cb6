//! Constants from a table: their text, their compilation, and cargo's reaction to a changed
//! table.

use testing_tables::tuned_table;

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};
use lookup::constants::modules;
use lookup::table_file::TableQuestion;
use lookup_table::Table;

fn asked(problem: &str) -> TableQuestion<'_> {
    TableQuestion {
        problem,
        ..TableQuestion::default()
    }
}

fn table() -> Table {
    Table::read(tuned_table::table(lookup::family)).unwrap()
}

#[track_caller]
fn check(name: &str, asked: TableQuestion<'_>, expected: Expect) {
    let made = modules(&table(), &[(name, asked)]);
    expected.assert_eq(&made.unwrap_or_else(|error| format!("{error}\n")));
}

#[test]
fn an_answer_is_a_module() {
    check(
        "logits",
        asked("argmax:4x[32000]xf32"),
        expect![[r##"
            #[allow(dead_code)]
            pub mod logits {
                pub const PROBLEM: &str = "argmax:4x[32000]xf32:i32";
                pub const TARGET: &str = "gfx942";
                pub const RUNG: &str = "exact";
                pub const GENERATOR: &str = "native";
                pub const CONFIGURATION: &str = "{\"workgroup\":[1,0],\"partial_reduction\":[0,2048],\"thread\":[0,4],\"lane_basis\":[[1,64],[0,1]],\"subgroup_basis\":[[1,8],[0,1]],\"subgroup_size\":64,\"workgroup_size\":[512,1,1],\"split\":16}";
                pub const STATUS: Option<&str> = Some("right");
                pub const TIME_US: Option<f64> = Some(5.0);
                pub const TUNED_PROBLEM: Option<&str> = None;
                pub const TUNED_STATUS: Option<&str> = None;
                pub const TUNED_TIME_US: Option<f64> = None;
                pub const WORKGROUP: [u64; 2] = [1, 0];
                pub const PARTIAL_REDUCTION: [u64; 2] = [0, 2048];
                pub const THREAD: [u64; 2] = [0, 4];
                pub const LANE_BASIS: [u64; 2] = [1, 64];
                pub const LANE_ORDER: [u8; 2] = [0, 1];
                pub const SUBGROUP_BASIS: [u64; 2] = [1, 8];
                pub const SUBGROUP_ORDER: [u8; 2] = [0, 1];
                pub const SUBGROUP_SIZE: u64 = 64;
                pub const WORKGROUP_SIZE: u64 = 512;
                pub const SPLIT: u64 = 16;
                pub const LAZY_INDEX: bool = false;
                pub const ACCUMULATORS: &str = "vector";
            }
        "##]],
    );
    check(
        "near",
        asked("argmax:4x[31000]xf32"),
        expect![[r##"
            #[allow(dead_code)]
            pub mod near {
                pub const PROBLEM: &str = "argmax:4x[31000]xf32:i32";
                pub const TARGET: &str = "gfx942";
                pub const RUNG: &str = "neighbour";
                pub const GENERATOR: &str = "native";
                pub const CONFIGURATION: &str = "{\"workgroup\":[1,0],\"partial_reduction\":[0,2048],\"thread\":[0,4],\"lane_basis\":[[1,64],[0,1]],\"subgroup_basis\":[[1,8],[0,1]],\"subgroup_size\":64,\"workgroup_size\":[512,1,1],\"split\":16}";
                pub const STATUS: Option<&str> = None;
                pub const TIME_US: Option<f64> = None;
                pub const TUNED_PROBLEM: Option<&str> = Some("argmax:4x[32000]xf32:i32");
                pub const TUNED_STATUS: Option<&str> = Some("right");
                pub const TUNED_TIME_US: Option<f64> = Some(5.0);
                pub const WORKGROUP: [u64; 2] = [1, 0];
                pub const PARTIAL_REDUCTION: [u64; 2] = [0, 2048];
                pub const THREAD: [u64; 2] = [0, 4];
                pub const LANE_BASIS: [u64; 2] = [1, 64];
                pub const LANE_ORDER: [u8; 2] = [0, 1];
                pub const SUBGROUP_BASIS: [u64; 2] = [1, 8];
                pub const SUBGROUP_ORDER: [u8; 2] = [0, 1];
                pub const SUBGROUP_SIZE: u64 = 64;
                pub const WORKGROUP_SIZE: u64 = 512;
                pub const SPLIT: u64 = 16;
                pub const LAZY_INDEX: bool = false;
                pub const ACCUMULATORS: &str = "vector";
            }
        "##]],
    );
}

#[test]
fn refused_constants_have_a_reason() {
    let exact = TableQuestion {
        at_least: Some("exact"),
        ..asked("argmax:4x[8]xf32")
    };
    check(
        "logits",
        exact,
        expect![[r#"
        logits: argmax:4x[8]xf32:i32 is not in this table for gfx942
    "#]],
    );
    check(
        "logits",
        asked("argmax:4x[x]xf32"),
        expect![[r#"
            logits: problem "argmax:4x[x]xf32", character 11: a dimension must be a positive number
        "#]],
    );
    for name in ["a b", "9a", "", "fn", "_"] {
        let error = modules(&table(), &[(name, asked(tuned_table::TUNED[0]))]).unwrap_err();
        let expected = format!(
            "{name:?} is not a module name: use lower-case letters, digits and _; the first character may not be a digit"
        );
        assert_eq!(error.to_string(), expected);
    }
}

const PROGRAM: &str = r#"
include!("kernels.rs");
fn main() {
    println!("{} {} {:?} {:?}", logits::RUNG, logits::SUBGROUP_SIZE, logits::WORKGROUP, logits::TIME_US);
}
"#;

/// Checks that the text is Rust with the right values.
#[test]
fn a_program_is_compiled_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let made = modules(&table(), &[("logits", asked("argmax:4x[32000]xf32"))]).unwrap();
    fs::write(folder.path().join("kernels.rs"), made).unwrap();
    fs::write(folder.path().join("main.rs"), PROGRAM).unwrap();
    let compiler = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let mut compile = Command::new(compiler);
    compile.args(["--edition", "2024", "-D", "warnings", "main.rs"]);
    said(compile.current_dir(folder.path()));
    let text = said(&mut Command::new(folder.path().join("main")));
    assert_eq!(text, "exact 64 [1, 0] Some(5.0)\n");
}

#[track_caller]
fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Checks the example of the manual as a project of cargo.
#[test]
#[ignore = "full: builds lookup once more, for a project of its own"]
fn a_project_follows_its_table() {
    let manual = include_str!("../../../docs/bindings.md");
    let snippet = |file: &str| {
        let begin = format!("```rust\n// {file}\n");
        let rest = manual.split_once(&begin).unwrap().1;
        rest.split_once("```").unwrap().0.to_owned()
    };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = format!(
        "[package]\nname = \"asks\"\nedition = \"2024\"\n[build-dependencies]\nlookup = {{ path = {package:?} }}\n[workspace]\n"
    );
    fs::create_dir(at("src")).unwrap();
    fs::write(at("Cargo.toml"), manifest).unwrap();
    fs::copy(package.join("../Cargo.lock"), at("Cargo.lock")).unwrap();
    fs::write(at("build.rs"), snippet("build.rs")).unwrap();
    fs::write(at("src/main.rs"), snippet("main.rs")).unwrap();
    let run = || {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["run", "--quiet", "--offline"])
            .current_dir(folder.path());
        said(cargo.env("CARGO_TARGET_DIR", at("target")))
    };
    fs::write(at("gfx942.wtab"), tuned_table::table(lookup::family)).unwrap();
    assert_eq!(run(), "exact: 64 lanes, Some(5.0) µs\n");
    // Only the table has changed. Without an entry, the time model answers.
    let mut writer = lookup_table::TableWriter::new();
    writer.metadatum("target", "gfx942").unwrap();
    writer.write(at("gfx942.wtab")).unwrap();
    assert_eq!(run(), "predicted: 64 lanes, None µs\n");
}
