//! Tests of texts that are no problem: message and position.

mod chains;
mod parts;
mod softmax;

use expect_test::{Expect, expect};

use super::super::read_reduction;

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&read_reduction(text).unwrap_err().to_string());
}

/// A fill in lines 1 to 3, and the sum of products of two inputs from line 4 on.
const DOT: &str = "\
%zero = arith.constant 0.0 : f32
%empty = tensor.empty() : tensor<4xf32>
%init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
%r = linalg.generic {
  indexing_maps = [
    affine_map<(d0, d1) -> (d0, d1)>,
    affine_map<(d0, d1) -> (d1)>,
    affine_map<(d0, d1) -> (d0)>],
  iterator_types = [\"parallel\", \"reduction\"]}
  ins(%a, %b : tensor<4x8xf32>, tensor<8xf32>)
  outs(%init : tensor<4xf32>) {
^bb0(%x: f32, %y: f32, %acc: f32):
  %0 = arith.mulf %x, %y : f32
  %1 = arith.addf %acc, %0 : f32
  linalg.yield %1 : f32
} -> tensor<4xf32>
";

/// Checks that text with `from` replaced.
#[track_caller]
fn check_with(from: &str, to: &str, expected: Expect) {
    assert!(DOT.contains(from), "{from}");
    check(&DOT.replace(from, to), expected);
}

/// Checks the sum of a row by this operation.
#[track_caller]
fn check_reduce(operation: &str, expected: Expect) {
    let fill: Vec<&str> = DOT.lines().take(3).collect();
    check(&format!("{}\n{operation}", fill.join("\n")), expected);
}

#[test]
fn the_text_itself_is_a_problem() {
    super::check(DOT, "dot:4x[8]xf32,f32(1)");
}

#[test]
fn maps() {
    check_with(
        "(d0, d1)>",
        "(d1, d0)>",
        expect![
            "line 10, column 33: dimension 1 of the iteration has size 8 here, and 4 elsewhere"
        ],
    );
    check_with(
        "(d0, d1) -> (d0, d1)>",
        "(d0, d1) -> (d0)>",
        expect!["line 10, column 16: this operand has rank 2, and its map gives it rank 1"],
    );
    check_with(
        "-> (d1)>",
        "-> (d1, d1)>",
        expect![
            "line 7, column 33: an operand has dimensions of the iteration, such as d0, each once at most, and 0; other constants, sums and products are not taken"
        ],
    );
    check_with(
        "-> (d1)>",
        "-> (d0 + d1)>",
        expect![
            "line 7, column 29: an operand has dimensions of the iteration, such as d0, each once at most, and 0; other constants, sums and products are not taken"
        ],
    );
    check_with(
        "-> (d1)>",
        "-> (2 * d1)>",
        expect![
            "line 7, column 29: an operand has dimensions of the iteration, such as d0, each once at most, and 0; other constants, sums and products are not taken"
        ],
    );
    check_with(
        "-> (d1)>",
        "-> (0)>",
        expect![
            "line 10, column 33: dimension 0 of this operand is longer than 1, and its map reads the first place of it alone"
        ],
    );
    check_with(
        "-> (d1)>",
        "-> (d2)>",
        expect![
            "line 7, column 29: an operand has dimensions of the iteration, such as d0, each once at most, and 0; other constants, sums and products are not taken"
        ],
    );
    check_with(
        "(d0, d1) -> (d1)>",
        "(d0, d1)[s0] -> (d1)>",
        expect![[
            r#"line 7, column 24: expected "->" after the dimensions; a map of an operand has no symbols, found "[""#
        ]],
    );
    check_with(
        "(d0, d1) -> (d1)>",
        "(d0) -> (d0)>",
        expect![
            "line 7, column 5: the operation has 2 iterators, and a map as many dimensions; this one has 1"
        ],
    );
    check_with(
        "(d0, d1) -> (d1)>",
        "(d0, d0) -> (d0)>",
        expect!["line 7, column 21: d0 is defined already"],
    );
    check_with(
        "-> (d0)>",
        "-> (d1)>",
        expect!["line 8, column 5: the output has the parallel dimensions, which are (d0)"],
    );
    check_with(
        "-> (d0)>",
        "-> ()>",
        expect!["line 8, column 5: the output has the parallel dimensions, which are (d0)"],
    );
    check_with(
        "    affine_map<(d0, d1) -> (d1)>,\n",
        "",
        expect!["line 5, column 19: 3 operands have 3 maps"],
    );
    check_with(
        "affine_map<(d0, d1) -> (d1)>",
        "#map",
        expect!["line 7, column 5: #map is no map that is defined before this place"],
    );
    check_with(
        "indexing_maps",
        "maps",
        expect!["line 4, column 6: the operation has no indexing_maps or no iterator_types"],
    );
    // A product of two matrices, and one with a transposed output.
    let two = DOT.replace("\"parallel\"", "\"parallel\", \"parallel\"");
    let two = two.replace("(d0, d1) -> (d0, d1)>", "(d0, d1, d2) -> (d0, d2)>");
    let two = two.replace("(d0, d1) -> (d1)>", "(d0, d1, d2) -> (d1, d2)>");
    let two = two.replace("(d0, d1) -> (d0)>", "(d0, d1, d2) -> (d0, d1)>");
    let two = two.replace("tensor<8xf32>", "tensor<5x8xf32>");
    let two = two.replace("tensor<4xf32>", "tensor<4x5xf32>");
    check(
        &two,
        expect![
            "line 6, column 5: no input has all dimensions of the iteration, (d0, d1, d2), with the parallel ones in the order of the output; a problem's first input has, but for some of size 1"
        ],
    );
    let transposed = two.replace("-> (d0, d2)>", "-> (d0, d1, d2)>");
    let transposed = transposed.replace("-> (d0, d1)>", "-> (d1, d0)>");
    let transposed = transposed.replace("tensor<4x8xf32>", "tensor<4x5x8xf32>");
    let transposed = transposed.replace("tensor<4x5xf32>", "tensor<5x4xf32>");
    check(
        &transposed,
        expect![
            "line 6, column 5: no input has all dimensions of the iteration, (d0, d1, d2), with the parallel ones in the order of the output; a problem's first input has, but for some of size 1"
        ],
    );
}

#[test]
fn iterators() {
    let first = "\"parallel\", ";
    check_with(
        first,
        "\"window\", ",
        expect![[
            r#"line 9, column 21: expected "parallel" or "reduction", found the string "window""#
        ]],
    );
    check_with(
        first,
        &first.repeat(6),
        expect!["line 9, column 93: a problem has at most 6 dimensions"],
    );
    check_with(
        first,
        "",
        expect![
            "line 6, column 5: the operation has 1 iterators, and a map as many dimensions; this one has 2"
        ],
    );
    check_with(
        "\"reduction\"",
        "\"parallel\"",
        expect![
            "line 1, column 1: there is no linalg.generic or linalg.reduce with a reduced dimension, no linalg.softmax, and no product with a vector"
        ],
    );
    check_with(
        "\"reduction\"]",
        "\"reduction\"",
        expect!["line 4, column 21: attributes that never end"],
    );
}

#[test]
fn operands() {
    // A size from another operand.
    let said = DOT.replace("tensor<4x8xf32>", "tensor<?x?xf32>");
    super::check(&said, "dot:4x[8]xf32,f32(1)");
    check_with(
        "tensor<8xf32>",
        "tensor<9xf32>",
        expect![
            "line 10, column 33: dimension 1 of the iteration has size 9 here, and 8 elsewhere"
        ],
    );
    check_with(
        "tensor<8xf32>",
        "tensor<4x8xf32>",
        expect!["line 10, column 33: this operand has rank 2, and its map gives it rank 1"],
    );
    check_with(
        "tensor<8xf32>)",
        "tensor<8xf16>)",
        expect![
            "line 11, column 31: the body has an argument for each operand, of the type of its elements: f32, f16, f32"
        ],
    );
    check_with(
        "tensor<8xf32>",
        "tensor<8xindex>",
        expect!["line 10, column 33: elements are integers or floats, and these are indices"],
    );
    check_with(
        "tensor<8xf32>",
        "tensor<8xi4>",
        expect![[
            r#"line 10, column 33: in a type such as tensor<4x?xf32> sizes and an integer or floating-point type are expected, not "8xi4""#
        ]],
    );
    check_with(
        "tensor<8xf32>",
        "memref<8xf32>",
        expect![[
            r#"line 10, column 33: expected a tensor, such as "tensor<4x32000xf32>", found "memref""#
        ]],
    );
    check_with(
        "tensor<8xf32>",
        "tensor<8xf32, #it>",
        expect![
            "line 10, column 33: a tensor that lies in memory row by row, without an encoding, is expected"
        ],
    );
    check_with(
        ", tensor<8xf32>",
        "",
        expect!["line 10, column 6: 2 operands need 2 types, not 1"],
    );
    check_with(
        "%a, %b :",
        "%a, b :",
        expect![[r#"line 10, column 11: expected a value, such as "%x", found "b""#]],
    );
    check_with(
        "%a, %b :",
        &"%a, ".repeat(10),
        expect!["line 10, column 45: a problem has at most 8 inputs"],
    );
    check_with(
        "outs(%init : tensor<4xf32>)",
        "outs(%init, %init : tensor<4xf32>, tensor<4xf32>)",
        expect![
            "line 11, column 15: a second output: of two results a value and its index are read, as argmax has them; others are two operations"
        ],
    );
    check_with(
        "  outs(%init : tensor<4xf32>) {",
        "{",
        expect![[r#"line 4, column 6: a reduction has "ins(…)", "outs(…)" and a body"#]],
    );
    let open = DOT
        .replace("4x8x", "?x?x")
        .replace("tensor<8xf32>", "tensor<?xf32>");
    check(
        &open,
        expect![
            "line 10, column 16: dimension 1 is dynamic; only the outermost one may be, where it is parallel"
        ],
    );
    let open = DOT.replace("(d1)>", "(d1, d0)>").replace("4x8x", "?x8x");
    let open = open.replace("<8x", "<8x?x").replace("<4x", "<?x");
    check(
        &open,
        expect![[
            r#"line 4, column 6: a dimension whose size is known at launch only is an input's outermost one (the problem "sum(arith.mulf(0,1)):?x[8]xf32,f32(1,0):f32")"#
        ]],
    );
    check_with(
        "4x8x",
        "4x3000000000x",
        expect![
            "line 10, column 42: dimension 1 of the iteration has size 8 here, and 3000000000 elsewhere"
        ],
    );
}
