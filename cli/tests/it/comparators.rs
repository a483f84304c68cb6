//! Problems with a comparator in a file.

use crate::support::on_file;

use std::path::Path;
use std::process::Output;

/// The file's name.
const NAME: &str = "comparator.mlir";

fn run(directory: &Path, text: &str, arguments: &[&str]) -> Output {
    on_file::run(directory, NAME, text, arguments)
}

#[track_caller]
fn check(text: &str, arguments: &[&str], exit: i32, part: &str) {
    on_file::check(NAME, text, arguments, exit, part);
}

const ARGMAX: &str = "^bb0(%a: f32, %b: f32):
  %c = arith.cmpf ogt, %a, %b : f32
  iree_linalg_ext.yield %c : i1
";

/// A comparator: the element farthest from 3 wins.
const FARTHEST: &str = "^bb0(%a: f32, %b: f32):
  %k = arith.constant 3.0 : f32
  %x = arith.subf %a, %k : f32
  %y = arith.subf %b, %k : f32
  %v = math.absf %x : f32
  %w = math.absf %y : f32
  %c = arith.cmpf ogt, %v, %w : f32
  iree_linalg_ext.yield %c : i1
";

const NO_ORDER: &str = "^bb0(%a: i32, %b: i32):
  %c = arith.cmpi ne, %a, %b : i32
  iree_linalg_ext.yield %c : i1
";

/// Returns an operation over `values`, with `rest` after its outputs.
fn operation(inputs: &str, indices: &str, rest: &str) -> String {
    format!(
        "func.func @f() {{
  %r:2 = iree_linalg_ext.arg_compare dimension(1)
    {inputs}
    outs(%v, %i : tensor<4xf32>, tensor<4x{indices}>) {rest} {{
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    iree_linalg_ext.yield %c : i1
  }} -> tensor<4xf32>, tensor<4x{indices}>
  return
}}"
    )
}

const COUNT: [&str; 4] = ["space", "--count", "--comparator", "FILE"];

#[test]
fn a_block_takes_its_place_in_the_problem() {
    let space = |text: &str, problem: &str, exit, part: &str| {
        check(text, &[&COUNT[..], &[problem]].concat(), exit, part);
    };
    // A comparator with a name is equivalent to that name.
    let named = {
        let directory = tempfile::tempdir().unwrap();
        let output = run(
            directory.path(),
            "",
            &["space", "--count", "argmax:4x[320]xf32"],
        );
        String::from_utf8(output.stdout).unwrap()
    };
    space(ARGMAX, "arg_compare:4x[320]xf32", 0, &named);
    space(
        ARGMAX,
        "arg_compare:4x[320]xi32",
        2,
        "the comparator compares f32, not i32",
    );
    space(
        ARGMAX,
        "argmax:4x[320]xf32",
        2,
        "write \"arg_compare\" for it",
    );
    space(
        ARGMAX,
        "arg_compare:4x[0]xf32",
        2,
        "character 16: a dimension must be at least 1",
    );
    let one_line = |arguments: &[&str], part: &str| check(ARGMAX, arguments, 2, part);
    one_line(&COUNT, "comparator.mlir:1:1: a block has no shape");
    one_line(&["space", "--count"], "not provided: <PROBLEM>");
    one_line(
        &["space", "--count", "arg_compare:[8]xf32"],
        "a comparator comes in braces after \"arg_compare\"",
    );
    one_line(
        &[
            "space",
            "--count",
            "argmax:[8]xf32",
            "--unordered-comparator",
        ],
        "--comparator <FILE>",
    );
}

#[test]
fn every_command_with_a_problem_takes_one() {
    let problem = "arg_compare:4x[320]xf32";
    let name = "arith.cmpf(ogt";
    for (command, exit, part) in [
        (
            &["lookup", "--target", "gfx942"][..],
            2,
            "`wavetune tune PROBLEM` creates it",
        ),
        (&["tune"], 2, "apt-get install libllvm"),
        (&["explain", "--stage", "gridwise"], 0, "gridwise"),
        (&["check", "--configuration", "{}"], 2, "missing field"),
        (
            &["export", "iree-spec", "--target", "gfx942"],
            2,
            "`wavetune tune PROBLEM` creates it",
        ),
    ] {
        let arguments = [command, &[problem, "--comparator", "FILE"]].concat();
        check(ARGMAX, &arguments, exit, part);
        check(name, &arguments, 2, "comparator.mlir:1:1: ");
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("problems.txt");
    std::fs::write(&file, "arg_compare:4x[320]xf32\nargmax:[8]xf32\n").unwrap();
    let problems = [
        "tune",
        "--comparator",
        "FILE",
        "--problems",
        file.to_str().unwrap(),
    ];
    check(
        ARGMAX,
        &problems,
        2,
        "problems.txt, line 2: character 1: the comparator is already given",
    );
}

#[test]
fn errors_point_into_the_file() {
    let space = |text: &str, part: &str| {
        check(
            text,
            &[&COUNT[..], &["arg_compare:[8]xf32"]].concat(),
            2,
            part,
        );
    };
    space(&ARGMAX.replace("ogt", "more"), "comparator.mlir:2:19: ");
    space(
        &ARGMAX.replace("%b : f32", "%q : f32"),
        "comparator.mlir:2:28: ",
    );
    space(
        &operation("ins(%x : tensor<4x8xf32>)", "i32", "").replace("ogt", "more"),
        "comparator.mlir:6:21: ",
    );
    let twice = operation("ins(%x : tensor<4x8xf32>)", "i32", "").repeat(2);
    space(
        &twice,
        "comparator.mlir:11:10: the file has a second operation",
    );
    space("", "comparator.mlir:1:1: ");
    let missing = [
        "space",
        "--count",
        "arg_compare:[8]xf32",
        "--comparator",
        "/nonexistent",
    ];
    check(
        "",
        &missing,
        2,
        "cannot read the comparator in /nonexistent",
    );
}

#[test]
fn unordered_comparators_are_refused_with_a_counterexample() {
    let space = |more: &[&str], part: &str| {
        check(NO_ORDER, &[&COUNT[..], more].concat(), 2, part);
    };
    let problem = "arg_compare:4x[8]xi32";
    space(
        &[problem],
        "comparator.mlir:1:1: this comparator is not an order: 1 replaces 0, and 0 replaces 1; --unordered-comparator",
    );
    space(
        &[problem, "--unordered-comparator"],
        "this comparator has no known worst value",
    );
    let taken = [
        "arg_compare:4x[8]xi32:i32:initial",
        "--unordered-comparator",
        "--generator=iree",
    ];
    check(NO_ORDER, &[&COUNT[..], &taken[..2]].concat(), 0, "");
    let refusal = "no iree configuration of unordered{arith.cmpi(ne,0,1)}:4x[8]xi32:i32:initial";
    check(NO_ORDER, &[&COUNT[..], &taken].concat(), 1, refusal);
}

/// max(a, b) != b: an order that the prover does not prove.
const UNPROVED: &str = "^bb0(%a: i32, %b: i32):
  %m = arith.maxsi %a, %b : i32
  %c = arith.cmpi ne, %m, %b : i32
  iree_linalg_ext.yield %c : i1
";

#[test]
fn unproved_orders_are_serial_or_promised() {
    let directory = tempfile::tempdir().unwrap();
    let space = |text: &str, more: &[&str]| {
        let problem = "arg_compare:64x[4096]xi32";
        let output = run(
            directory.path(),
            text,
            &[&COUNT[..], &[problem], more].concat(),
        );
        let count = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (count.trim().parse::<u64>().ok(), said)
    };
    let (serial, note) = space(UNPROVED, &[]);
    assert!(note.starts_with("note: arg_compare{"), "{note}");
    assert!(
        note.contains("--assume-order") && note.contains("--unordered-comparator"),
        "{note}"
    );
    assert_eq!(
        space(UNPROVED, &["--unordered-comparator"]),
        (serial, String::new())
    );
    let (parallel, silence) = space(UNPROVED, &["--assume-order"]);
    assert_eq!(silence, "");
    assert!(
        parallel > serial.map(|serial| serial * 10),
        "{parallel:?} of {serial:?}"
    );
    let (proved, silence) = space(
        ARGMAX
            .replace("f32", "i32")
            .replace("cmpf ogt", "cmpi sgt")
            .as_str(),
        &["--assume-order"],
    );
    assert_eq!((proved > serial, silence.as_str()), (true, ""));
    let problem = ["arg_compare:[8]xi32", "--assume-order"];
    check(
        NO_ORDER,
        &[&COUNT[..], &problem].concat(),
        2,
        "1 replaces 0, and 0 replaces 1",
    );
    check(
        UNPROVED,
        &[&COUNT[..], &problem, &["--unordered-comparator"]].concat(),
        2,
        "cannot be used with",
    );
}

/// Checks the problem of an operation. The generator refuses it and names it, since there are no
/// rules for the target.
#[track_caller]
fn check_operation(text: &str, expected: &str) {
    let refused = ["--generator", "iree", "--target", "gfx906"];
    let directory = tempfile::tempdir().unwrap();
    let output = run(directory.path(), text, &[&COUNT[..], &refused].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(expected), "{said}");
}

#[test]
fn an_operation_is_a_problem() {
    let values = "ins(%x : tensor<4x320xf32>)";
    check_operation(
        &operation(values, "i32", ""),
        "of argmax:4x[320]xf32:i32 is legal: rule 0",
    );
    check_operation(&operation(values, "i64", ""), "argmax:4x[320]xf32:i64");
    check_operation(
        &operation(values, "i64", "index_base(%n : index)"),
        "argmax:4x[320]xf32:i64:index_base",
    );
    check_operation(
        &operation(
            "ins(%x, %j : tensor<4x320xf32>, tensor<4x320xi32>)",
            "i32",
            "",
        ),
        "argmax:4x[320]xf32:i32:explicit_index",
    );
    check_operation(
        &operation("ins(%x : tensor<4x?xf32>)", "i32", ""),
        "comparator.mlir:2:10: dimension 1 is dynamic; write the problem",
    );
    check_operation(
        &operation(values, "index", ""),
        "of argmax:4x[320]xf32:index is legal: rule 0",
    );
    let strange = operation(values, "i32", "").replace(
        "%c = arith.cmpf ogt, %a, %b : f32",
        &FARTHEST[FARTHEST.find("%k").unwrap()..FARTHEST.find("  iree").unwrap()],
    );
    check_operation(&strange, "of arg_compare{2=arith.constant(f32,40400000)");
}
