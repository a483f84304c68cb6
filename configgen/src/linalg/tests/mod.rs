//! Tests of the texts in `accepted.mlir`, `chains.mlir` and `products.mlir`, with their problems.
//!
//! Further tests cover other texts and the positions of errors.

mod compared;
mod concatenations;
mod errors;
mod fused;
mod gathers;
mod indices;
mod module;
mod mutations;
mod programs;
mod rounding;
mod several_results;
mod slices;

use std::ops::RangeInclusive;

use super::{ModuleReduction, operations, read_reduction};

/// The range of open sizes.
const COUNTS: RangeInclusive<u32> = 2..=9;

/// Returns each operation as `problem form`.
fn said(module: &str) -> Vec<String> {
    found(module).into_iter().map(|it| it.0).collect()
}

/// Returns each operation as `problem form`, and the numbers of the results that its forms have.
fn found(module: &str) -> Vec<(String, Vec<usize>)> {
    let said = |found: &ModuleReduction| {
        let problem = match &found.problem {
            Ok(problem) => problem.to_string(),
            Err(error) => error.message.clone(),
        };
        let form = found.form.as_ref().map_or("none", |it| it.name());
        let forms = found.form.iter().chain(&found.beside);
        let results = forms.flat_map(|form| form.outputs().iter().filter_map(|it| it.result));
        (format!("{problem} {form}"), results.collect())
    };
    operations(module, &COUNTS)
        .unwrap()
        .iter()
        .map(said)
        .collect()
}

/// Returns the texts, each with its problem. codegen asks iree-compile to accept them, except
/// products.
fn accepted() -> impl Iterator<Item = (&'static str, &'static str)> {
    let files = [
        include_str!("accepted.mlir"),
        include_str!("chains.mlir"),
        include_str!("products.mlir"),
    ];
    let texts = files.map(|text| text.split("// -----\n").skip(1));
    texts.into_iter().flatten().map(|text| {
        let line = text.lines().find_map(|it| it.strip_prefix("// problem: "));
        (text, line.unwrap_or_else(|| panic!("no problem in {text}")))
    })
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let problem = read_reduction(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let expected: crate::Problem = expected.parse().unwrap();
    assert_eq!(problem.to_string(), expected.to_string(), "{text}");
    assert_eq!(problem, expected, "{text}");
}

#[test]
fn every_text_is_its_problem() {
    for (text, problem) in accepted() {
        check(text, problem);
    }
    assert!(accepted().count() >= 20);
}

/// Returns a sum that keeps the dimension of its rows, as torch's `keepdim` does.
fn kept(element: &str) -> String {
    format!(
        "func.func @f(%x: tensor<4x8x{element}>) -> tensor<4x1x{element}> {{
  %zero = arith.constant 0.0 : {element}
  %e = tensor.empty() : tensor<4x1x{element}>
  %z = linalg.fill ins(%zero : {element}) outs(%e : tensor<4x1x{element}>) -> tensor<4x1x{element}>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = [\"parallel\", \"reduction\"]}} ins(%x : tensor<4x8x{element}>) outs(%z : tensor<4x1x{element}>) {{
  ^bb0(%a: {element}, %o: {element}):
    %s = arith.addf %a, %o : {element}
    linalg.yield %s : {element}
  }} -> tensor<4x1x{element}>
  return %r : tensor<4x1x{element}>
}}
"
    )
}

/// Checks that a constant 0 in a map is no reason for a refusal, and hides no other.
#[test]
fn rows_may_be_kept_as_dimensions_of_size_1() {
    check(&kept("f32"), "sum:4x[8]xf32");
    let error = read_reduction(&kept("bf16")).unwrap_err();
    let message = "sum of bf16 is accumulated in f32 or f64 (the problem \"sum:4x[8]xbf16:bf16\")";
    assert_eq!(error.message, message);
    let long = kept("f32").replace("4x1x", "4x2x");
    let message = read_reduction(&long).unwrap_err().message;
    assert!(message.contains("longer than 1"), "{message}");
}

/// Checks that the only reduction of a text may be an argmax of two results, as in a module.
#[test]
fn a_loop_of_two_results_is_an_argmax() {
    let text = compared::argmax();
    check(&text, "argmax:4x[8]xf32:i64");
    let other = text.replace("arith.constant 0 : i64", "arith.constant 1 : i64");
    let message = read_reduction(&other).unwrap_err().message;
    assert!(message.contains("a value and its index"), "{message}");
}
