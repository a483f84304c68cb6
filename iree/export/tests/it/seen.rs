//! Tests of the problems that are found in iree-compile's output, whatever it contains.

use crate::torn;

use configgen::Target;
use iree_export::{ModuleProblem, find_problems};

/// Returns iree-compile's output for a function with the initial value `first`.
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

fn said(seen: &[ModuleProblem]) -> Vec<String> {
    let said = |one: &ModuleProblem| {
        let problem = match &one.problem {
            Ok(problem) => problem.to_string(),
            Err(reason) => reason.clone(),
        };
        format!("{} {problem} {}", one.count, one.form.unwrap_or("kept"))
    };
    seen.iter().map(said).collect()
}

fn check(module: &str, expected: &[&str]) {
    assert_eq!(
        said(&find_problems(module, &(1..=512))),
        expected,
        "{module}"
    );
}

const LEAST: &str = "0xFF800000";

/// Checks that an open count is recognised with one name or with two.
#[test]
fn a_count_that_is_known_at_launch_only() {
    let open = function("a", "ogt", LEAST).replace("tensor<4x", "tensor<?x");
    let open = open.replace("tensor.empty() ", "tensor.empty(%count) ");
    check(&open, &["1 argmax:?x[64]xf32:i32:count=1..512 arg_compare"]);
    let found = find_problems(&open, &(3..=40));
    assert_eq!(
        said(&found),
        ["1 argmax:?x[64]xf32:i32:count=3..40 arg_compare"]
    );
}

/// Checks that `index` is parsed as a type, although it contains an x like shapes.
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
fn other_operations_have_a_reason() {
    let dynamic = function("a", "ogt", LEAST).replace("4x64", "4x?");
    check(&dynamic, &["1 dimension 1 is dynamic kept"]);
    let strange = function("a", "ogt", LEAST).replace("4xi32", "4xi8");
    check(&strange, &["1 its indices must be i32, i64 or index kept"]);
    check("", &[]);
    check("%0 = linalg.generic", &[]);
}

/// An argmax of rows of f32, whose result is reduced again.
const CHAIN: &str = "  util.func public @a(%arg0: tensor<4x32x64xf32>) -> tensor<4xi32> {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 0xFF800000 : f32
    %1 = tensor.empty() : tensor<4x32xf32>
    %2 = tensor.empty() : tensor<4x32xi32>
    %3 = linalg.fill ins(%cst : f32) outs(%1 : tensor<4x32xf32>) -> tensor<4x32xf32>
    %4 = linalg.fill ins(%c0_i32 : i32) outs(%2 : tensor<4x32xi32>) -> tensor<4x32xi32>
    %5:2 = iree_linalg_ext.arg_compare dimension(2) ins(%arg0 : tensor<4x32x64xf32>) outs(%3, %4 : tensor<4x32xf32>, tensor<4x32xi32>) {
    ^bb0(%arg1: f32, %arg2: f32):
      %20 = arith.cmpf ogt, %arg1, %arg2 : f32
      iree_linalg_ext.yield %20 : i1
    } -> tensor<4x32xf32>, tensor<4x32xi32>
    %6 = tensor.empty() : tensor<4xf32>
    %7 = tensor.empty() : tensor<4xi32>
    %8 = linalg.fill ins(%cst : f32) outs(%6 : tensor<4xf32>) -> tensor<4xf32>
    %9 = linalg.fill ins(%c0_i32 : i32) outs(%7 : tensor<4xi32>) -> tensor<4xi32>
    %10:2 = iree_linalg_ext.arg_compare dimension(1) ins(%5#0 : tensor<4x32xf32>) outs(%8, %9 : tensor<4xf32>, tensor<4xi32>) {
    ^bb0(%arg1: f32, %arg2: f32):
      %20 = arith.cmpf ogt, %arg1, %arg2 : f32
      iree_linalg_ext.yield %20 : i1
    } -> tensor<4xf32>, tensor<4xi32>
    %11:2 = iree_linalg_ext.arg_compare dimension(1) ins(%5#0 : tensor<4x32xf32>) outs(%10#0, %10#1 : tensor<4xf32>, tensor<4xi32>) {
    ^bb0(%arg1: f32, %arg2: f32):
      %20 = arith.cmpf ogt, %arg1, %arg2 : f32
      iree_linalg_ext.yield %20 : i1
    } -> tensor<4xf32>, tensor<4xi32>
    util.return %11#1 : tensor<4xi32>
  }
";

#[test]
fn an_operand_is_one_of_several_results() {
    let expected = [
        "1 argmax:4x32x[64]xf32:i32 arg_compare",
        "1 argmax:4x[32]xf32:i32 arg_compare",
        "1 argmax:4x[32]xf32:i32:initial arg_compare",
    ];
    check(CHAIN, &expected);
}

/// Checks that an initializer has its own scope of names, and that a spec leaves it alone.
#[test]
fn initializers_are_left_alone() {
    let function = function("a", "ogt", LEAST);
    let (_, body) = function.split_once('\n').unwrap();
    let body = body.replace("0xFF800000", "0x7F800000");
    for head in ["util.initializer {", "util.initializer attributes {a} {"] {
        let expected = [
            "1 argmax:4x[64]xf32:i32 arg_compare",
            "1 it is in an initializer, which the export does not change kept",
        ];
        check(&format!("{function}  {head}\n{body}"), &expected);
        let expected = [expected[1], expected[0]];
        check(&format!("  {head}\n{body}{function}"), &expected);
    }
    // Every operation with a symbol and a region has its own scope of names.
    let executable = function.replace("util.func public", "hal.executable private");
    let other = function.replace("0xFF800000", "2.000000e+00");
    let expected = [
        "1 argmax:4x[64]xf32:i32:initial arg_compare",
        "1 argmax:4x[64]xf32:i32 arg_compare",
    ];
    check(&format!("{other}{executable}"), &expected);
}

/// Checks that two integers with the same f64 are different numbers.
#[test]
fn constants_are_compared_to_the_last_bit() {
    let integers = |worst: &str| {
        let text = function("a", "ogt", worst).replace("f32", "i64");
        text.replace("cmpf ogt", "cmpi sgt")
    };
    check(
        &integers("-9223372036854775808"),
        &["1 argmax:4x[64]xi64:i32 arg_compare"],
    );
    check(
        &integers("-9223372036854775807"),
        &["1 argmax:4x[64]xi64:i32:initial arg_compare"],
    );
}

/// Checks that constants of floats compare as numbers, because iree-compile and a pattern print
/// them differently.
#[test]
fn constants_of_floats_are_numbers() {
    let small = |worst: &str| function("a", "ogt", worst).replace("f32", "f8E4M3FN");
    let from_worst = "1 argmax:4x[64]xf8E4M3FN:i32 arg_compare";
    check(&small("-4.480000e+02"), &[from_worst]);
    check(
        &small("-4.160000e+02"),
        &["1 argmax:4x[64]xf8E4M3FN:i32:initial arg_compare"],
    );
}

/// Checks that a call, which has a symbol too, begins no function.
#[test]
fn a_call_is_no_function() {
    let call = "    util.call @other(%0) : (tensor<4x64xf32>) -> ()\n    %5:2 =";
    let module = function("a", "ogt", LEAST).replace("    %5:2 =", call);
    check(&module, &["1 argmax:4x[64]xf32:i32 arg_compare"]);
}

/// Checks that a comparison with exchanged operands is the same problem, but replaced by no
/// kernel.
#[test]
fn other_spellings_are_the_same_problem() {
    let about = |first: &str| {
        let text = function("a", "olt", first);
        text.replace("olt, %arg1, %arg2", "olt, %arg2, %arg1")
    };
    check(&about(LEAST), &["1 argmax:4x[64]xf32:i32 kept"]);
    check(
        &about("2.000000e+00"),
        &["1 argmax:4x[64]xf32:i32:initial kept"],
    );
}

/// Checks that cut, torn and repeated texts are read without a panic.
#[test]
fn arbitrary_text_is_read() {
    let module = [
        function("a", "ogt", LEAST),
        function("b", "olt", LEAST),
        of_products(),
    ]
    .concat();
    torn::are_read(&module, 400, 17);
}

/// Returns an argmax of each row's products with a weight.
fn of_products() -> String {
    const PRODUCT: &str = "    %9 = tensor.empty() : tensor<4x64xf32>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%0, %w : tensor<4x64xf32>, tensor<64xf32>) outs(%9 : tensor<4x64xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %8 = arith.mulf %in, %in_0 : f32
      linalg.yield %8 : f32
    } -> tensor<4x64xf32>
    %5:2 = ";
    function("a", "ogt", LEAST)
        .replace("    %5:2 = ", PRODUCT)
        .replace(
            "ins(%0 : tensor<4x64xf32>) outs(%3",
            "ins(%10 : tensor<4x64xf32>) outs(%3",
        )
}

/// Checks that a comparison may use computed values, and that a tuning spec reaches the
/// comparison alone.
#[test]
fn comparisons_of_what_is_computed_before() {
    let module = of_products();
    let computed = "1 argmax(arith.mulf(0,1)):4x[64]xf32,f32(1):i32 chain";
    check(&module, &[computed]);
    let found = find_problems(&module, &(1..=512));
    let gfx942 = Target::named("gfx942").unwrap();
    let in_specs = found[0].spec_problems(gfx942).into_iter();
    let in_specs: Vec<String> = in_specs.map(ToString::to_string).collect();
    assert_eq!(in_specs, ["argmax:4x[64]xf32:i32"]);
    // Several equal operations are counted.
    let twice = module.replace("public @a", "public @b") + &module;
    check(&twice, &[&computed.replacen('1', "2", 1)]);
}
