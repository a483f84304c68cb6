//! Tests of comparisons with preceding computations: the problems, and their parts as several
//! kernels.

use super::super::operations;
use super::module::check_parts;
use super::said;

/// Returns a sampler's choice: of %x over %t, with noise, each row's greatest by `choice`.
///
/// `choice` has %v and %p as outputs.
fn sampler(element: &str, worst: &str, body: &str, choice: &str) -> String {
    format!(
        "#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
util.func public @f(%x: tensor<4x8x{element}>, %t: tensor<{element}>, %n: tensor<4x8x{element}>) -> tensor<4xi64> {{
  %worst = arith.constant {worst} : {element}
  %first = arith.constant 0 : i64
  %no_v = tensor.empty() : tensor<4x{element}>
  %no_p = tensor.empty() : tensor<4xi64>
  %whole = tensor.empty() : tensor<4x8x{element}>
  %z = linalg.generic {{indexing_maps = [#all, affine_map<(d0, d1) -> ()>, #all, #all], iterator_types = [\"parallel\", \"parallel\"]}} ins(%x, %t, %n : tensor<4x8x{element}>, tensor<{element}>, tensor<4x8x{element}>) outs(%whole : tensor<4x8x{element}>) {{
  ^bb0(%a: {element}, %b: {element}, %c: {element}, %out: {element}):
{body}  }} -> tensor<4x8x{element}>
  %v = linalg.fill ins(%worst : {element}) outs(%no_v : tensor<4x{element}>) -> tensor<4x{element}>
  %p = linalg.fill ins(%first : i64) outs(%no_p : tensor<4xi64>) -> tensor<4xi64>
  {choice}
  util.return %r#1 : tensor<4xi64>
}}
"
    )
}

const SCALED: &str = "    %0 = arith.divf %a, %b : f32
    %1 = arith.addf %0, %c : f32
    linalg.yield %1 : f32
";

/// ONNX's and torch's forms.
const COMPARE: &str = "%r:2 = iree_linalg_ext.arg_compare dimension(1) ins(%z : tensor<4x8xf32>) outs(%v, %p : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.cmpf ogt, %a, %b : f32
    iree_linalg_ext.yield %0 : i1
  } -> tensor<4xf32>, tensor<4xi64>";

/// Returns a loop with this body, on the elements %a, the value so far %b, and its index %at.
fn of_loop(element: &str, body: &str) -> String {
    format!(
        "%r:2 = linalg.generic {{indexing_maps = [#all, #row, #row], iterator_types = [\"parallel\", \"reduction\"]}} ins(%z : tensor<4x8x{element}>) outs(%v, %p : tensor<4x{element}>, tensor<4xi64>) {{
  ^bb0(%a: {element}, %b: {element}, %at: i64):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
{body}    linalg.yield %3, %4 : {element}, i64
  }} -> (tensor<4x{element}>, tensor<4xi64>)"
    )
}

const BETTER: &str = "    %2 = arith.cmpf ogt, %a, %b : f32
    %3 = arith.select %2, %a, %b : f32
    %4 = arith.select %2, %1, %at : i64
";

const WORST: &str = "0xFF800000";

const CHOICE: &str = "argmax(3=arith.divf(0,1);arith.addf(2,3)):4x[8]xf32,f32(),f32:i64";

/// Returns a loop that is the only operation of a text.
pub(super) fn argmax() -> String {
    let text = sampler("f32", WORST, SCALED, &of_loop("f32", BETTER));
    let (before, after) = text.split_once("  %z = ").unwrap();
    let (_, after) = after.split_once("  } -> tensor<4x8xf32>\n").unwrap();
    format!("{before}{after}").replace("%z", "%x")
}

/// Checks that a kernel writes indices as i64 if the module widens them, and nothing else uses the
/// comparison.
#[test]
fn indices_are_widened() {
    let narrow = sampler("f32", WORST, SCALED, COMPARE).replace("i64", "i32");
    let widen = |result: &str, returned: &str| {
        let wide = format!(
            "%wide_to = tensor.empty() : tensor<4xi64>
  %wide = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]}} ins({result} : tensor<4xi32>) outs(%wide_to : tensor<4xi64>) {{
  ^bb0(%a: i32, %out: i64):
    %0 = arith.extsi %a : i32 to i64
    linalg.yield %0 : i64
  }} -> tensor<4xi64>
  util.return {returned}"
        );
        narrow.replace("util.return %r#1 : tensor<4xi32>", &wide)
    };
    let module = widen("%r#1", "%wide : tensor<4xi64>");
    let found = operations(&module, &(1..=1)).unwrap();
    let [found] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(found.problem.as_ref().unwrap().to_string(), CHOICE);
    assert_eq!(found.place, module.rfind("linalg.generic").unwrap());
    // The kernel's values have no place in the module.
    let outputs = found.form.as_ref().unwrap().outputs();
    assert_eq!(
        outputs.iter().map(|it| it.result).collect::<Vec<_>>(),
        [Some(1)]
    );
    let parts = found.parts.iter().map(|it| it.problem.as_ref().unwrap());
    let parts: Vec<String> = parts.map(ToString::to_string).collect();
    assert_eq!(parts, [CHOICE.replace("i64", "i32")]);
    // Another user of the narrow indices or of the values needs them.
    for returned in [
        "%wide, %r#1 : tensor<4xi64>, tensor<4xi32>",
        "%wide, %r#0 : tensor<4xi64>, tensor<4xf32>",
    ] {
        let found = operations(&widen("%r#1", returned), &(1..=1)).unwrap();
        let problem = found[0].problem.as_ref().unwrap().to_string();
        assert_eq!(problem, CHOICE.replace("i64", "i32"), "{returned}");
    }
}

#[test]
fn comparisons_use_computed_values() {
    // As two kernels: elements, temperature and noise are read, and the compared values are
    // written.
    let expected = format!("{CHOICE} [argmax:4x[8]xf32:i64] 260+128");
    check_parts(&sampler("f32", WORST, SCALED, COMPARE), &expected);
    let of_loop = of_loop("f32", BETTER);
    check_parts(&sampler("f32", WORST, SCALED, &of_loop), &expected);
    // The index may be the first result, and the comparator may belong to the last one.
    let turned = of_loop
        .replace(
            "outs(%v, %p : tensor<4xf32>, tensor<4xi64>)",
            "outs(%p, %v : tensor<4xi64>, tensor<4xf32>)",
        )
        .replace("%b: f32, %at: i64", "%at: i64, %b: f32")
        .replace("%3, %4 : f32, i64", "%4, %3 : i64, f32")
        .replace(
            "(tensor<4xf32>, tensor<4xi64>)",
            "(tensor<4xi64>, tensor<4xf32>)",
        )
        .replace("ogt", "oge");
    let last = expected.replace("argmax", "argmax_last");
    check_parts(&sampler("f32", WORST, SCALED, &turned), &last);
    assert!(turned.contains("yield %4, %3") && turned.contains("oge"));
    let results = |choice: &str| {
        let found = operations(&sampler("f32", WORST, SCALED, choice), &(1..=1)).unwrap();
        let outputs = found[0].form.as_ref().unwrap().outputs().to_vec();
        let outputs = outputs.iter().map(|it| (it.result, it.kind.to_string()));
        outputs.collect::<Vec<_>>()
    };
    let (value, place) = (
        (Some(0), "tensor<4xf32>".to_owned()),
        (Some(1), "tensor<4xi64>".to_owned()),
    );
    assert_eq!(results(&of_loop), [value.clone(), place.clone()]);
    assert_eq!(results(&turned), [place, value]);
}

/// Checks that MLIR's fold of a comparison and a selection of integers is recognised.
#[test]
fn extremes_of_integers_are_comparisons() {
    let scaled = "    %0 = arith.muli %a, %b : i32\n    linalg.yield %0 : i32\n";
    let extreme = |word: &str| {
        let body = format!(
            "    %2 = arith.cmpi sgt, %a, %b : i32
    %3 = arith.{word} %a, %b : i32
    %4 = arith.select %2, %1, %at : i64
"
        );
        said(&sampler(
            "i32",
            "-2147483648",
            scaled,
            &of_loop("i32", &body),
        ))
    };
    assert_eq!(
        extreme("maxsi"),
        ["argmax(arith.muli(0,1)):4x[8]xi32,i32():i64 chain"]
    );
    for other in ["minsi", "maxui", "addi"] {
        assert!(!extreme(other)[0].starts_with("argmax"), "{other}");
    }
}

/// Checks that one loop may do it all.
#[test]
fn computations_in_the_loop_are_equal() {
    let whole = "%r:2 = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1) -> ()>, #all, #row, #row], iterator_types = [\"parallel\", \"reduction\"]} ins(%x, %t, %n : tensor<4x8xf32>, tensor<f32>, tensor<4x8xf32>) outs(%v, %p : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %b: f32, %at: i64):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %5 = arith.divf %x0, %x1 : f32
    %a = arith.addf %5, %x2 : f32
";
    let end = "    linalg.yield %3, %4 : f32, i64\n  } -> (tensor<4xf32>, tensor<4xi64>)";
    let choice = format!("{whole}{BETTER}{end}");
    let module = sampler("f32", WORST, SCALED, &choice);
    check_parts(&module, CHOICE);
    assert_eq!(said(&module), [format!("{CHOICE} generic")]);
}

/// Checks operations without a problem.
#[test]
fn others_are_none() {
    #[track_caller]
    fn check_none(module: &str) {
        let found = said(module);
        assert!(found.iter().all(|it| it.ends_with(" none")), "{found:?}");
    }
    let of_loop = of_loop("f32", BETTER);
    for choice in [COMPARE, &of_loop] {
        let whole = sampler("f32", WORST, SCALED, choice);
        assert_eq!(said(&whole), [format!("{CHOICE} chain")]);
        // Another initial value.
        check_none(&sampler("f32", "0.0", SCALED, choice));
        check_none(&whole.replace("constant 0 : i64", "constant 1 : i64"));
        // The compared value has another user, is inexact, or is the element itself.
        check_none(&whole.replace("return %r#1 :", "return %r#1, %z :"));
        check_none(&whole.replace("  util.return", "  %s = flow.barrier %z\n  util.return"));
        check_none(&whole.replace("arith.addf %0, %c", "math.powf %0, %c"));
        check_none(&whole.replace("ins(%z", "ins(%x"));
    }
    let changed = |from: &str, to: &str| {
        let changed = of_loop.replace(from, to);
        assert_ne!(changed, of_loop, "{from}");
        check_none(&sampler("f32", WORST, SCALED, &changed));
    };
    // Another index, an index of the worse one, or a value of the worse one.
    changed("linalg.index 1", "linalg.index 0");
    changed("select %2, %1, %at", "select %2, %at, %1");
    changed("select %2, %1, %at", "select %2, %1, %1");
    changed("select %2, %a, %b", "select %2, %b, %a");
    // From a NaN element on, the value stays what it was.
    changed("select %2, %a, %b", "maximumf %a, %b");
    changed(
        "    %3 = arith.select %2, %a",
        "    %5 = arith.cmpf oge, %a, %b : f32\n    %3 = arith.select %5, %a",
    );
    // This comparator has no worst value.
    changed("cmpf ogt, %a, %b", "cmpf one, %a, %b");
    let compared = |from: &str, to: &str| {
        let changed = COMPARE.replace(from, to);
        assert_ne!(changed, COMPARE, "{from}");
        check_none(&sampler("f32", WORST, SCALED, &changed));
    };
    compared(
        "} -> tensor<4xf32>, tensor<4xi64>",
        "} -> tensor<4xf32>, tensor<4xi64>\n  %again = flow.barrier %z",
    );
    compared(
        "tensor<4xf32>, tensor<4xi64>) {",
        "tensor<4xf32>, tensor<4xi64>) index_base(%i : index) {",
    );
    compared("dimension(1)", "dimension(0)");
    compared("dimension(1)", "dimension(7)");
    compared(
        "outs(%v, %p : tensor<4xf32>,",
        "outs(%v, %p : tensor<5xf32>,",
    );
}
