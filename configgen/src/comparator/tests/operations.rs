//! Tests of `arg_compare` operations in files: the found operations, and positions of errors.

use std::time::Instant;

use expect_test::expect;

use super::super::mlir::{OperandType, parse_operations};
use super::super::scalar::ScalarType;
use super::super::{Comparator, ParsedOperation};

#[track_caller]
fn operations(text: &str) -> Vec<ParsedOperation> {
    parse_operations(text).unwrap_or_else(|error| panic!("{error}"))
}

const FILE: &str = r#"
#map = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<4x?xf32>, %ov: tensor<4xf32>, %oi: tensor<4xi32>, %name: tensor<2xindex>) {
  // iree_linalg_ext.arg_compare in a comment, and "iree_linalg_ext.arg_compare in a string"
  %cst = arith.constant 2.0 : f32
  %ib = arith.constant 5 : index
  %r:2 = iree_linalg_ext.arg_compare {some = "thing", other = {deep = [1]}} dimension(1)
    ins(%x : tensor<4x?xf32>) outs(%ov, %oi : tensor<4xf32>, tensor<4xi32>) index_base(%ib : index) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %cst : f32
    %c = arith.cmpf ogt, %m, %b : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<4xf32>, tensor<4xi32>
  %s:2 = iree_linalg_ext.arg_compare dimension(0)
    ins(%v, %i : memref<8x2xi8, strided<[2, 1]>>, memref<8x2xindex>) outs(%w, %j : memref<2xi8>, memref<2xindex>) {
  ^bb0(%a: i8, %b: i8):
    %c = arith.cmpi ult, %a, %b : i8
    iree_linalg_ext.yield %c : i1
  }
  return
}
"#;

#[test]
fn operations_in_a_file() {
    let found = operations(FILE);
    assert_eq!(found.len(), 2);
    let [first, second] = &found[..] else {
        unreachable!()
    };
    assert_eq!((first.line, first.column, first.dimension), (7, 10, 1));
    assert_eq!(first.values.sizes, [Some(4), None]);
    assert_eq!(first.values.element, OperandType::Scalar(ScalarType::F32));
    assert_eq!(
        first.outputs[1].element,
        OperandType::Scalar(ScalarType::I32)
    );
    assert!(first.has_index_base && first.indices.is_none());
    let comparator = Comparator::new(&first.region).unwrap();
    assert_eq!(
        comparator.compact(),
        "2=arith.constant(f32,40000000);3=arith.mulf(0,2);arith.cmpf(olt,1,3)"
    );
    assert_eq!(
        (second.line, second.dimension, second.has_index_base),
        (14, 0, false)
    );
    assert_eq!(second.indices.as_ref().unwrap().element, OperandType::Index);
    assert_eq!(second.values.sizes, [Some(8), Some(2)]);
    assert_eq!(
        Comparator::new(&second.region).unwrap().name(),
        Some("argmin.ult")
    );
    assert_eq!(operations("module {}"), []);
}

#[test]
fn operations_in_the_generic_form() {
    let text = r#"
    %2:2 = "iree_linalg_ext.arg_compare"(%arg0, %arg1, %arg2, %1) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1, 1, 1>}> ({
    ^bb0(%arg3: f32, %arg4: f32):
      %11 = "arith.cmpf"(%arg3, %arg4) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      "iree_linalg_ext.yield"(%11) : (i1) -> ()
    }) : (tensor<4x32000xf32>, tensor<4xf32>, tensor<4xi32>, index) -> (tensor<4xf32>, tensor<4xi32>)"#;
    let found = operations(text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].values.sizes, [Some(4), Some(32000)]);
    assert_eq!(found[0].outputs[0].sizes, [Some(4)]);
    assert!(found[0].has_index_base && found[0].indices.is_none());
    assert_eq!(
        Comparator::new(&found[0].region).unwrap().name(),
        Some("argmax")
    );
}

#[test]
fn errors_of_operations_in_a_file() {
    let replacements = [
        ("dimension(1)", ""),
        ("dimension(1)", "dimension(2)"),
        ("dimension(1)", "dimension(x)"),
        ("ins(%x : tensor<4x?xf32>)", ""),
        ("ins(%x : tensor<4x?xf32>)", "ins(%x : vector<4xf32>)"),
        (
            "ins(%x : tensor<4x?xf32>)",
            "ins(%x : tensor<4x?xcomplex<f32>>)",
        ),
        ("ins(%x : tensor<4x?xf32>)", "ins(%x : tensor<4x?xf16>)"),
        ("ins(%x :", "ins(%x, %y :"),
        (
            "tensor<4xf32>, tensor<4xi32>) index",
            "tensor<4xf32>) index",
        ),
        ("%cst = arith", "%cut = arith"),
        (
            "arith.constant 2.0 : f32",
            "arith.constant dense<2.0> : tensor<4xf32>",
        ),
    ];
    let errors = replacements.map(|(from, to)| {
        assert!(FILE.contains(from));
        let error = parse_operations(&FILE.replacen(from, to, 1)).unwrap_err();
        format!("{from} => {to:?}\n    {error}\n")
    });
    expect![[r#"
        dimension(1) => ""
            comparator, line 7, column 10: the operation has no "dimension(…)"
        dimension(1) => "dimension(2)"
            comparator, line 7, column 10: the number of the reduced dimension must be less than the rank of the values
        dimension(1) => "dimension(x)"
            comparator, line 7, column 87: expected a number of at least 0, found "x"
        ins(%x : tensor<4x?xf32>) => ""
            comparator, line 7, column 10: the operation has one input, the values, or two: values and indices
        ins(%x : tensor<4x?xf32>) => "ins(%x : vector<4xf32>)"
            comparator, line 8, column 14: expected a type, such as "tensor<4x32000xf32>", found "vector"
        ins(%x : tensor<4x?xf32>) => "ins(%x : tensor<4x?xcomplex<f32>>)"
            comparator, line 8, column 14: expected sizes and an integer or floating-point type, as in tensor<4x?xf32>, found "4x?xcomplex<f32>"
        ins(%x : tensor<4x?xf32>) => "ins(%x : tensor<4x?xf16>)"
            comparator, line 7, column 10: the comparator's arguments must have the type of the values
        ins(%x : => "ins(%x, %y :"
            comparator, line 8, column 33: 2 operands need 2 types, not 1
        tensor<4xf32>, tensor<4xi32>) index => "tensor<4xf32>) index"
            comparator, line 8, column 60: 2 operands need 2 types, not 1
        %cst = arith => "%cut = arith"
            comparator, line 10, column 25: %cst is not defined before this position
        arith.constant 2.0 : f32 => "arith.constant dense<2.0> : tensor<4xf32>"
            comparator, line 5, column 25: expected a number, "true" or "false" as the constant, found "dense"
    "#]].assert_eq(&errors.concat());
}

/// An operation on one line.
const SHORT: &str = "%r:2 = iree_linalg_ext.arg_compare dimension(0) ins(%x : tensor<7xf32>) \
    outs(%v, %i : tensor<f32>, tensor<i32>) { ^bb0(%a: f32, %b: f32): %c = arith.cmpf ogt, %a, %b : f32 \
    iree_linalg_ext.yield %c : i1 } -> tensor<f32>, tensor<i32>";

#[test]
fn each_operation_has_its_place() {
    let text = format!("é {SHORT} {SHORT}\n{SHORT}\r\n\n  // é\n é{SHORT}");
    let places = operations(&text);
    let places: Vec<_> = places
        .iter()
        .map(|found| (found.line, found.column))
        .collect();
    let length = SHORT.chars().count();
    assert_eq!(places, [(1, 10), (1, 11 + length), (2, 8), (5, 10)]);
}

#[test]
fn a_constant_is_that_of_the_innermost_bracket() {
    // The constant that an operation at `HERE` refers to.
    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let here = SHORT.replace("%a, %b : f32", "%a, %k : f32");
        match (parse_operations(&text.replace("HERE", &here)), expected) {
            (Ok(found), Some(expected)) => {
                let compact = Comparator::new(&found[0].region)
                    .unwrap()
                    .compact()
                    .to_owned();
                assert!(compact.contains(expected), "{compact}");
            }
            (Err(error), None) => assert!(error.message.contains("%k is not defined"), "{error}"),
            (found, expected) => panic!("{found:?}, not {expected:?}"),
        }
    }
    let (one, two) = (
        "%k = arith.constant 1.0 : f32",
        "%k = arith.constant 2.0 : f32",
    );
    let (one_bits, two_bits) = (Some("3f800000"), Some("40000000"));
    check(&format!("{one} HERE"), one_bits);
    check(&format!("{one} {{ {two} HERE }}"), two_bits);
    check(&format!("{one} {{ {two} }} HERE"), one_bits);
    check(&format!("{{ {one} {{ }} HERE }}"), one_bits);
    check(&format!("{{ {one} {{ {two} {two} }} }} HERE"), None);
    check(&format!("{one} }} HERE"), one_bits);
    check(&format!("{one} {two} HERE"), two_bits);
    check("HERE", None);
}

/// Returns the seconds that parsing takes.
fn seconds(text: &str, expected: usize) -> f64 {
    let start = Instant::now();
    assert_eq!(operations(text).len(), expected);
    start.elapsed().as_secs_f64()
}

/// Checks that parsing is linear in the size of the text.
///
/// Quadratic parsing takes a hundred times as long for ten times as much text in every
/// measurement. Linear parsing does so only if others use the machine meanwhile.
#[track_caller]
fn check_linear(few: &str, many: &str, operations: [usize; 2]) {
    let factor = || seconds(many, operations[1]) / seconds(few, operations[0]);
    let least = (0..8).map(|_| factor()).find(|factor| *factor < 40.0);
    assert!(least.is_some(), "more than 40 times as long, eight times");
}

#[test]
fn long_files_are_read_in_time_that_grows_with_their_length() {
    for line in [format!("{SHORT}\n"), format!("{SHORT} ")] {
        check_linear(&line.repeat(300), &line.repeat(3_000), [300, 3_000]);
    }
    // Constants that are looked up from deep inside of brackets.
    let deep = |size: usize| {
        let here = SHORT.replace("%a, %b : f32", "%a, %k : f32") + "\n";
        format!(
            "%k = arith.constant 1.0 : f32 {}{}",
            "{".repeat(10 * size),
            here.repeat(size)
        )
    };
    check_linear(&deep(300), &deep(3_000), [300, 3_000]);
}
