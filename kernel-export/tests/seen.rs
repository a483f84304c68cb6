//! Which problems are read from what iree-compile prints of a module, whatever stands in it.

use kernel_export::{Seen, seen};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

/// A function as iree-compile prints it, whose fold begins at `first`.
fn function(name: &str, comparison: &str, first: &str) -> String {
    format!(
        "  util.func public @{name}(%arg0: !hal.buffer_view) -> !hal.buffer_view {{
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant {first} : f32
    %0 = hal.tensor.import %arg0 \"input0\" : !hal.buffer_view -> tensor<4x64xf32>
    %1 = tensor.empty() : tensor<4xf32>
    %2 = tensor.empty() : tensor<4xi32>
    %3 = linalg.fill ins(%cst : f32) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
    %4 = linalg.fill ins(%c0_i32 : i32) outs(%2 : tensor<4xi32>) -> tensor<4xi32>
    %5:2 = iree_linalg_ext.arg_compare dimension(1) ins(%0 : tensor<4x64xf32>) outs(%3, %4 : tensor<4xf32>, tensor<4xi32>) {{
    ^bb0(%arg1: f32, %arg2: f32):
      %8 = arith.cmpf {comparison}, %arg1, %arg2 : f32
      iree_linalg_ext.yield %8 : i1
    }} -> tensor<4xf32>, tensor<4xi32>
    %6 = hal.tensor.export %5#1 \"output0\" : tensor<4xi32> -> !hal.buffer_view
    util.return %6 : !hal.buffer_view
  }}
"
    )
}

fn said(seen: &[Seen]) -> Vec<String> {
    let said = |one: &Seen| {
        let problem = match &one.problem {
            Ok(problem) => problem.to_string(),
            Err(reason) => reason.clone(),
        };
        format!("{} {problem} {}", one.count, one.form.unwrap_or("kept"))
    };
    seen.iter().map(said).collect()
}

fn check(module: &str, expected: &[&str]) {
    assert_eq!(said(&seen(module, &(1..=512))), expected, "{module}");
}

const LEAST: &str = "0xFF800000";

/// An open count has a name, which may be two.
#[test]
fn a_count_that_is_known_at_launch_only() {
    let open = function("a", "ogt", LEAST).replace("tensor<4x", "tensor<?x");
    let open = open.replace("tensor.empty() ", "tensor.empty(%count) ");
    check(&open, &["1 argmax:?x[64]xf32:i32:count=1..512 arg_compare"]);
    let found = seen(&open, &(3..=40));
    assert_eq!(
        said(&found),
        ["1 argmax:?x[64]xf32:i32:count=3..40 arg_compare"]
    );
}

/// `index` has an x, as shapes have.
#[test]
fn indices_of_type_index() {
    let most = function("a", "ogt", LEAST);
    let arg_compare = most
        .replace("constant 0 : i32", "constant 0 : index")
        .replace("%c0_i32 : i32", "%c0_i32 : index")
        .replace("tensor<4xi32>", "tensor<4xindex>");
    check(&arg_compare, &["1 argmax:4x[64]xf32:index arg_compare"]);
    let (before, rest) = arg_compare.split_once("    %5:2 = ").unwrap();
    let (_, after) = rest.split_once("tensor<4xindex>\n").unwrap();
    let generic = format!(
        "{before}    %5:2 = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]}} ins(%0 : tensor<4x64xf32>) outs(%3, %4 : tensor<4xf32>, tensor<4xindex>) {{
    ^bb0(%in: f32, %out: f32, %out_0: index):
      %8 = linalg.index 1 : index
      %9 = arith.cmpf ogt, %in, %out : f32
      %10 = arith.select %9, %in, %out : f32
      %11 = arith.select %9, %8, %out_0 : index
      linalg.yield %10, %11 : f32, index
    }} -> (tensor<4xf32>, tensor<4xindex>)\n{after}"
    );
    check(&generic, &["1 argmax:4x[64]xf32:index generic"]);
}

#[test]
fn equal_operations_are_counted() {
    let most = function("a", "ogt", LEAST);
    check(&most, &["1 argmax:4x[64]xf32:i32 arg_compare"]);
    let least = function("c", "olt", "0x7F800000");
    let module = [most.clone(), most, least].concat();
    let expected = [
        "2 argmax:4x[64]xf32:i32 arg_compare",
        "1 argmin:4x[64]xf32:i32 arg_compare",
    ];
    check(&module, &expected);
}

#[test]
fn a_name_is_another_value_in_another_function() {
    let module = [
        function("a", "ogt", LEAST),
        function("b", "ogt", "2.000000e+00"),
    ];
    let expected = [
        "1 argmax:4x[64]xf32:i32 arg_compare",
        "1 argmax:4x[64]xf32:i32:initial arg_compare",
    ];
    check(&module.concat(), &expected);
}

#[test]
fn what_is_no_problem_has_a_reason() {
    let dynamic = function("a", "ogt", LEAST).replace("4x64", "4x?");
    check(&dynamic, &["1 dimension 1 is dynamic kept"]);
    let strange = function("a", "ogt", LEAST).replace("4xi32", "4xi8");
    check(
        &strange,
        &["1 its indices are neither i32 nor i64 nor index kept"],
    );
    check("", &[]);
    check("%0 = linalg.generic", &[]);
}

/// A text that is cut, torn or repeated is read without a panic.
#[test]
fn whatever_stands_in_a_text_is_read() {
    let module = [function("a", "ogt", LEAST), function("b", "olt", LEAST)].concat();
    let mut random = Pcg64Mcg::seed_from_u64(17);
    let mut pick = |n: usize| random.random_range(0..n);
    for _ in 0..2_000 {
        let mut bytes = module.clone().into_bytes();
        for _ in 0..=pick(4) {
            let at = pick(bytes.len());
            match pick(4) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = b"%#<>(){}[]\"\\=x?, \n\xc3-"[pick(20)],
                2 => drop(bytes.drain(at..(at + 1 + pick(60)).min(bytes.len()))),
                _ => bytes.extend_from_within(at..),
            }
            bytes.push(b'%');
        }
        seen(&String::from_utf8_lossy(&bytes), &(1..=512));
    }
}
