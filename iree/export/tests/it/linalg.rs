//! Tests of the operations of linalg that are found in iree-compile's output.

use crate::torn;

use iree_export::{ModuleProblem, find_problems};

/// Returns iree-compile's output for a function: the sum of each row of its first argument, with
/// the initial value `first`, and the other lines.
fn function(head: &str, first: &str, rest: &str) -> String {
    format!(
        "  {head} {{
    %cst = arith.constant {first} : f32
    %0 = hal.tensor.import %arg0 \"input0\" : !hal.buffer_view -> tensor<4x64xf32>
    %1 = tensor.empty() : tensor<4xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
    %3 = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]}} ins(%0 : tensor<4x64xf32>) outs(%2 : tensor<4xf32>) {{
    ^bb0(%in: f32, %out: f32):
      %8 = arith.addf %in, %out : f32
      linalg.yield %8 : f32
    }} -> tensor<4xf32>
{rest}    util.return %3 : tensor<4xf32>
  }}
"
    )
}

const FUNCTION: &str = "util.func public @a(%arg0: !hal.buffer_view) -> tensor<4xf32>";

/// The elements minus the mean of their row, with its sum.
const CENTRED: &str = "    %cst_0 = arith.constant 6.400000e+01 : f32
    %4 = tensor.empty() : tensor<4x64xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%0, %3 : tensor<4x64xf32>, tensor<4xf32>) outs(%4 : tensor<4x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %8 = arith.divf %in_1, %cst_0 : f32
      %9 = arith.subf %in, %8 : f32
      linalg.yield %9 : f32
    } -> tensor<4x64xf32>
";

/// A softmax, and a matrix product that is no reduction of rows.
const OTHERS: &str = "    %4 = tensor.empty() : tensor<4x64xf32>
    %5 = linalg.softmax dimension(1) ins(%0 : tensor<4x64xf32>) outs(%4 : tensor<4x64xf32>) -> tensor<4x64xf32>
    %6 = linalg.softmax dimension(1) ins(%5 : tensor<4x64xf32>) outs(%4 : tensor<4x64xf32>) -> tensor<4x64xf32>
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} ins(%0, %b : tensor<4x64xf32>, tensor<64x64xf32>) outs(%4 : tensor<4x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %8 = arith.mulf %in, %in_1 : f32
      %9 = arith.addf %8, %out : f32
      linalg.yield %9 : f32
    } -> tensor<4x64xf32>
";

const NO_PRODUCT: &str = "1 no input has all dimensions of the iteration, (d0, d1, d2), with the parallel ones in the order of the output. The first input of a problem must have all but those of size 1 kept";

#[track_caller]
fn check(module: &str, expected: &[&str]) {
    let said = |one: &ModuleProblem| {
        let problem = match &one.problem {
            Ok(problem) => problem.to_string(),
            Err(reason) => reason.clone(),
        };
        format!("{} {problem} {}", one.count, one.form.unwrap_or("kept"))
    };
    let seen: Vec<String> = find_problems(module, &(2..=9)).iter().map(said).collect();
    assert_eq!(seen, expected, "{module}");
}

#[test]
fn each_kind_is_counted() {
    let one = function(FUNCTION, "0.000000e+00", OTHERS);
    let another = function(FUNCTION, "1.000000e+00", "");
    check(
        &[one.clone(), another, one.replace(OTHERS, "")].concat(),
        &[
            "2 sum:4x[64]xf32 generic",
            "2 softmax:4x[64]xf32 softmax",
            NO_PRODUCT,
            "1 sum:4x[64]xf32:initial=1.0 generic",
        ],
    );
}

/// Checks that an operation of a chain with other uses is a result.
#[test]
fn values_with_other_uses_are_results() {
    check(
        &function(FUNCTION, "0.000000e+00", CENTRED),
        &["1 rows(r1=sum(x);x-r1/64,r1):4x[64]xf32 chain"],
    );
}

/// Checks that an open size gets the given counts, because a module does not bound it.
#[test]
fn counts_are_those_that_are_given() {
    let one = function(FUNCTION, "0.000000e+00", OTHERS);
    check(
        &one.replace("tensor<4x", "tensor<?x"),
        &[
            "1 sum:?x[64]xf32:count=2..9 generic",
            "2 softmax:?x[64]xf32:count=2..9 softmax",
            NO_PRODUCT,
        ],
    );
    check(
        &NORM.replace("tensor<4x", "tensor<?x"),
        &["1 rms_norm:?x[64]xf32:count=2..9 chain"],
    );
}

#[test]
fn unreplaced_operations_have_a_reason() {
    let one = function(FUNCTION, "0.000000e+00", "");
    check(
        &one.replace(FUNCTION, "util.initializer"),
        &["1 it is in an initializer, which the export does not change kept"],
    );
    check(
        &one.replace("%in, %out : f32", "%in, %out fastmath<fast> : f32"),
        &[
            "1 fastmath flags allow several results for the same values, and a block must have one: remove them kept",
        ],
    );
}

/// An RMS norm of the argument, in iree-compile's output.
const NORM: &str = "  util.func public @norm(%0: tensor<4x64xf32>, %weight: tensor<64xf32>) -> tensor<4x64xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 6.400000e+01 : f32
    %cst_1 = arith.constant 9.99999997E-7 : f32
    %1 = tensor.empty() : tensor<4xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%0 : tensor<4x64xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %8 = arith.mulf %in, %in : f32
      %9 = arith.addf %8, %out : f32
      linalg.yield %9 : f32
    } -> tensor<4xf32>
    %4 = tensor.empty() : tensor<4x64xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%0, %3, %weight : tensor<4x64xf32>, tensor<4xf32>, tensor<64xf32>) outs(%4 : tensor<4x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %in_2: f32, %out: f32):
      %8 = arith.divf %in_1, %cst_0 : f32
      %9 = arith.addf %8, %cst_1 : f32
      %10 = math.rsqrt %9 : f32
      %11 = arith.mulf %in, %10 : f32
      %12 = arith.mulf %11, %in_2 : f32
      linalg.yield %12 : f32
    } -> tensor<4x64xf32>
    util.return %5 : tensor<4x64xf32>
  }
";

/// Checks that a chain is one operation and that its parts do not count.
#[test]
fn a_chain_is_counted_once() {
    check(NORM, &["1 rms_norm:4x[64]xf32 chain"]);
    check(&NORM.repeat(3), &["3 rms_norm:4x[64]xf32 chain"]);
    // The norm's intermediate value is used elsewhere, so it is one more result.
    let kept = NORM.replace("util.return %5", "util.return %3, %5");
    let program = "rows(r1=sum(x*x);x*rsqrt(r1/64+1e-6)*x1,r1):4x[64]xf32,f32(1)";
    check(&kept, &[&format!("1 {program} chain")]);
}

/// Checks that another epsilon makes another problem, and another constant makes none.
#[test]
fn chains_that_differ_are_other_problems() {
    check(
        &NORM.replace("9.99999997E-7", "9.99999974E-6"),
        &["1 rms_norm:4x[64]xf32:epsilon=1e-5 chain"],
    );
    check(
        &NORM.replace("6.400000e+01", "6.300000e+01"),
        &["1 rows(x*rsqrt(sum(x*x)/63+1e-6)*x1):4x[64]xf32,f32(1) chain"],
    );
    check(
        &NORM.replace("math.rsqrt", "math.sqrt"),
        &["1 rows(x*sqrt(sum(x*x)/64+1e-6)*x1):4x[64]xf32,f32(1) chain"],
    );
    check(
        &NORM.replace("arith.mulf %11, %in_2", "arith.addf %11, %in_2"),
        &["1 rows(x*rsqrt(sum(x*x)/64+1e-6)+x1):4x[64]xf32,f32(1) chain"],
    );
}

/// Checks that cut, torn and repeated texts are read without a panic.
#[test]
fn arbitrary_text_is_read() {
    let module = [
        function(FUNCTION, "0.000000e+00", OTHERS),
        function(FUNCTION, "0.000000e+00", CENTRED),
        NORM.to_owned(),
    ];
    let module = module.concat();
    torn::are_read(&module, 500, 23);
}

/// Checks a model with many layers.
#[test]
fn many_operations_are_counted() {
    let module = [NORM, &function(FUNCTION, "0.000000e+00", OTHERS)].concat();
    let seen = find_problems(&module.repeat(500), &(1..=512));
    assert_eq!(seen.iter().map(|it| it.count).sum::<usize>(), 500 * 5);
}

/// Checks torch's softmax, which computes the maximum of a row with its index. Alone, that would
/// be an argmax.
#[test]
fn operations_of_a_chain_are_not_listed_again() {
    let torch = include_str!("../../../../configgen/src/linalg/frontend_forms/softmax.mlir");
    let torch = torch.replace("ROWS", "4").replace("COLUMNS", "64");
    check(&torch, &["1 softmax:4x[64]xf32 chain"]);
}
