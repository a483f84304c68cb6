//! Problems in a file of MLIR, as a `linalg.generic`, a `linalg.reduce`, or several operations.

use crate::support::on_file;

use std::path::Path;
use std::process::Output;

/// A matrix-vector product, as a whole module.
const DOT: &str = "\
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @f(%a: tensor<64x768xbf16>, %b: tensor<768xbf16>) -> tensor<64xf32> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<64xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %r = linalg.generic {
        indexing_maps = [#map, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
        iterator_types = [\"parallel\", \"reduction\"]
      } ins(%a, %b : tensor<64x768xbf16>, tensor<768xbf16>) outs(%init : tensor<64xf32>) {
    ^bb0(%x: bf16, %y: bf16, %acc: f32):
      %0 = arith.extf %x : bf16 to f32
      %1 = arith.extf %y : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
";

/// The file's name.
const NAME: &str = "reduction.mlir";

fn run(directory: &Path, text: &str, arguments: &[&str]) -> Output {
    on_file::run(directory, NAME, text, arguments)
}

#[track_caller]
fn check(text: &str, arguments: &[&str], exit: i32, part: &str) {
    on_file::check(NAME, text, arguments, exit, part);
}

/// Checks that an operation and its problem's text give the same answer.
#[track_caller]
fn check_same(text: &str, problem: &str, arguments: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    let of = |problem: &[&str]| run(directory.path(), text, &[arguments, problem].concat());
    let (given, written) = (of(&["--operation", "FILE"]), of(&[problem]));
    assert!(written.status.success(), "{written:?}");
    assert_eq!(given, written);
}

#[test]
fn the_operation_of_a_file_is_the_problem() {
    let dot = "dot:64x[768]xbf16,bf16(1)";
    let native = ["--generator", "native"];
    check_same(DOT, dot, &[&["space", "--count"], &native[..]].concat());
    check_same(
        DOT,
        dot,
        &[&["space", "--sample", "3"], &native[..]].concat(),
    );
    check_same(DOT, dot, &["explain", "--stage", "gridwise"]);
    let begun = DOT.replace("0.0 : f32", "1.5 : f32");
    let dot = "dot:64x[768]xbf16,bf16(1):initial=1.5";
    check_same(&begun, dot, &["explain", "--stage", "gridwise"]);
}

/// A norm, as several operations.
const NORM: &str = "\
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @f(%x: tensor<64x768xf32>, %w: tensor<768xf32>) -> tensor<64x768xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 768.0 : f32
  %epsilon = arith.constant 1.0e-05 : f32
  %row = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%row : tensor<64xf32>) -> tensor<64xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = [\"parallel\", \"reduction\"]}
      ins(%x : tensor<64x768xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %whole = tensor.empty() : tensor<64x768xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, affine_map<(d0, d1) -> (d1)>, #all],
        iterator_types = [\"parallel\", \"parallel\"]}
      ins(%x, %squares, %w : tensor<64x768xf32>, tensor<64xf32>, tensor<768xf32>) outs(%whole : tensor<64x768xf32>) {
  ^bb0(%in: f32, %sum: f32, %weight: f32, %out: f32):
    %0 = arith.divf %sum, %count : f32
    %1 = arith.addf %0, %epsilon : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %in, %2 : f32
    %4 = arith.mulf %3, %weight : f32
    linalg.yield %4 : f32
  } -> tensor<64x768xf32>
  return %r : tensor<64x768xf32>
}
";

#[test]
fn a_row_operation_is_read_from_its_chain() {
    let norm = "rms_norm:64x[768]xf32:epsilon=1e-5";
    check_same(NORM, norm, &["space", "--count", "--generator", "native"]);
    check_same(NORM, norm, &["explain", "--stage", "gridwise"]);
    let softmax = "%r = linalg.softmax dimension(1) ins(%x : tensor<64x768xf32>) \
                   outs(%e : tensor<64x768xf32>) -> tensor<64x768xf32>";
    let problem = "softmax:64x[768]xf32";
    check_same(
        softmax,
        problem,
        &["space", "--count", "--generator", "native"],
    );
    let count = ["space", "--count", "--operation", "FILE"];
    let wrong = NORM.replace("math.rsqrt", "math.tanh");
    check(
        &wrong,
        &count,
        2,
        "reduction.mlir:23:10: math.tanh of these operands is not part of any row operation",
    );
}

#[test]
fn commands_with_a_problem_take_one() {
    let directory = tempfile::tempdir().unwrap();
    let native = ["--operation", "FILE", "--generator", "native"];
    let sample = [&["space", "--sample", "1"], &native[..]].concat();
    let configuration = run(directory.path(), DOT, &sample).stdout;
    let configuration = String::from_utf8(configuration).unwrap();
    let legal = [&["check", "--configuration", &configuration], &native[..]].concat();
    check(DOT, &legal, 0, "legal");
    check(
        DOT,
        &["tune", "--operation", "FILE"],
        2,
        "apt-get install libllvm",
    );
    let lookup = ["lookup", "--target", "gfx942", "--operation", "FILE"];
    check(DOT, &lookup, 2, "`wavetune tune PROBLEM` creates it");
}

#[test]
fn errors_point_into_the_file() {
    let count = ["space", "--count", "--operation", "FILE"];
    let wrong = DOT.replace("mulf %0", "mulf %q");
    check(&wrong, &count, 2, "reduction.mlir:14:23: %q is not defined");
    let wrong = DOT.replace("-> (d1)>", "-> (d0 + d1)>");
    check(
        &wrong,
        &count,
        2,
        "reduction.mlir:8:56: the map of an operand may have dimensions",
    );
    check(
        "",
        &count,
        2,
        "reduction.mlir:1:1: there is no linalg.generic",
    );
    let missing = ["space", "--count", "--operation", "/nonexistent"];
    check("", &missing, 2, "cannot read the operation in /nonexistent");
}

#[test]
fn there_is_one_problem() {
    let count = ["space", "--count", "--operation", "FILE"];
    let both = [&count[..], &["sum:4x[8]xf32"]].concat();
    check(DOT, &both, 2, "cannot be used with '[PROBLEM]'");
    let both = [&count[..], &["--comparator", "FILE"]].concat();
    check(DOT, &both, 2, "cannot be used with '--comparator <FILE>'");
    let both = ["tune", "--operation", "FILE", "sum:4x[8]xf32"];
    check(DOT, &both, 2, "cannot be used with '[PROBLEMS]...'");
}
