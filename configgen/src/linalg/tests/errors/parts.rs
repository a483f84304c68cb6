//! Tests of errors in bodies, initial values and whole texts.

use expect_test::expect;

use super::super::check as check_problem;
use super::{DOT, check, check_reduce, check_with};
use crate::comparator::MAX_FILE_BYTES;

#[test]
fn bodies() {
    check_with(
        "mulf %x, %y",
        "mulf %x, %x",
        expect!["line 10, column 11: the body does not use %b"],
    );
    check_with(
        "mulf %x, %y",
        "mulf %acc, %y",
        expect![
            "line 11, column 31: only the operation whose result is yielded may use the accumulator, the last argument, and only once"
        ],
    );
    check_with(
        "addf %acc, %0",
        "addf %acc, %acc",
        expect![
            "line 11, column 31: only the operation whose result is yielded may use the accumulator, the last argument, and only once"
        ],
    );
    check_with(
        "addf %acc, %0",
        "addf %0, %0",
        expect![
            "line 11, column 31: only the operation whose result is yielded may use the accumulator, the last argument, and only once"
        ],
    );
    check_with(
        "addf %acc, %0",
        "subf %acc, %0",
        expect![
            "line 11, column 31: the body must combine the accumulator, its last argument, with another value by one of these, and yield the result: arith.addf, addi, mulf, muli, maximumf, maxsi, maxui, minimumf, minsi, minui, maxnumf, minnumf, andi, ori, xori"
        ],
    );
    check_with(
        "yield %1",
        "yield %acc",
        expect![
            "line 11, column 31: the body must combine the accumulator, its last argument, with another value by one of these, and yield the result: arith.addf, addi, mulf, muli, maximumf, maxsi, maxui, minimumf, minsi, minui, maxnumf, minnumf, andi, ori, xori"
        ],
    );
    check_with(
        "arith.mulf %x, %y",
        "math.powf %x, %y",
        expect![
            "line 13, column 8: math.powf is not exact to the bit: each implementation rounds it differently. Comparators, maps and functions before a reduction take exact operations only; row programs use functions within error bounds. Instead: compute it in an operation before or after"
        ],
    );
    check_with(
        "linalg.yield",
        "iree_linalg_ext.yield",
        expect![[
            r#"line 15, column 3: expected an operation, such as "%0 = arith.addf %acc, %x : f32", or "linalg.yield", found "iree_linalg_ext.yield""#
        ]],
    );
    check_with(
        "yield %1 : f32",
        "yield %1 : f16",
        expect!["line 15, column 16: this value is f32"],
    );
    check_with(
        "%y: f32, ",
        "",
        expect!["line 13, column 23: %y is not defined before this position"],
    );
    check_with(
        "%y: f32, ",
        "%x: f32, ",
        expect!["line 12, column 15: %x is an argument already"],
    );
    check_with(
        "%y: f32, ",
        &"%y: f32, ".repeat(9),
        expect!["line 12, column 24: %y is an argument already"],
    );
    check_with(
        "%1 = arith.addf %acc, %0",
        "%1 = arith.addf %acc, %0 fastmath<fast>",
        expect![
            "line 14, column 28: fastmath flags allow several results for the same values, and a block must have one: remove them"
        ],
    );
    let many: String = (0..9).map(|it| format!("%y{it}: f32, ")).collect();
    check_with(
        "%y: f32, ",
        &many,
        expect!["line 12, column 95: at most 9 arguments"],
    );
}

#[test]
fn initial_values_of_folds() {
    check_with(
        "%init = ",
        "%other = ",
        expect![
            "line 11, column 8: the initial value of the fold is not known: set %init by a linalg.fill with an arith.constant, both in this text"
        ],
    );
    check_with(
        "linalg.fill ins(%zero : f32)",
        "linalg.fill ins(%one : f32)",
        expect![
            "line 11, column 8: the initial value of the fold is not known: set %init by a linalg.fill with an arith.constant, both in this text"
        ],
    );
    check_with(
        "linalg.fill",
        "linalg.copy",
        expect![
            "line 11, column 8: the initial value of the fold is not known: set %init by a linalg.fill with an arith.constant, both in this text"
        ],
    );
    check_with(
        "arith.constant 0.0 : f32",
        "arith.constant 0 : i32",
        expect!["line 11, column 8: the fill of the output is i32, and its elements are f32"],
    );
    check_with(
        "arith.constant 0.0 : f32",
        "arith.constant 0 : f32",
        expect![
            "line 1, column 24: a constant of type f32 needs a decimal point, as in 0.0, or its bits in hexadecimal"
        ],
    );
    check_with(
        "arith.constant 0.0 : f32",
        "arith.sqrt %it : f32",
        expect![
            "line 11, column 8: the initial value of the fold is not known: set %init by a linalg.fill with an arith.constant, both in this text"
        ],
    );
    // A definition inside of other braces is invisible.
    check(
        &format!("{{\n{}", DOT.replace("%r =", "}\n%r =")),
        expect![
            "line 13, column 8: the initial value of the fold is not known: set %init by a linalg.fill with an arith.constant, both in this text"
        ],
    );
}

#[test]
fn reduce() {
    check_reduce(
        "linalg.reduce { arith.addf } ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [2]",
        expect![
            "line 4, column 98: the input has 2 dimensions, counted from 0, and each may be reduced once"
        ],
    );
    check_reduce(
        "linalg.reduce { arith.addf } ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1, 1]",
        expect![
            "line 4, column 101: the input has 2 dimensions, counted from 0, and each may be reduced once"
        ],
    );
    check_reduce(
        "linalg.reduce { arith.addf } ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = []",
        expect![[r#"line 4, column 98: expected a number of at least 0, found "]""#]],
    );
    check_reduce(
        "linalg.reduce { arith.addf } ins(%a : tensor<8x4xf32>) outs(%init : tensor<4xf32>) dimensions = [1]",
        expect!["line 4, column 69: dimension 0 of the iteration has size 4 here, and 8 elsewhere"],
    );
    check_reduce(
        "linalg.reduce { arith.addf } ins(%a : tensor<4x8xf32>) outs(%init : tensor<f32>) dimensions = [1]",
        expect!["line 4, column 69: this operand has rank 0, and its map gives it rank 1"],
    );
    check_reduce(
        "linalg.reduce { arith.addi } ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]",
        expect!["line 4, column 17: arith.addi takes an integer type, not f32"],
    );
    check_reduce(
        "linalg.reduce { math.sin } ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]",
        expect![[
            r#"line 4, column 17: expected an operation of two values, such as "arith.addf", found "math.sin""#
        ]],
    );
    check_reduce(
        "linalg.reduce { arith.addf {fastmath = #arith.fastmath<fast>} } ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]",
        expect![
            "line 4, column 29: fastmath flags allow several results for the same values, and a block must have one: remove them"
        ],
    );
    check_reduce(
        "linalg.reduce { arith.addf } ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]",
        expect![
            "line 4, column 1: expected a linalg.reduce with dimensions, one input and one output"
        ],
    );
    check_reduce(
        "linalg.reduce { arith.addf } ins(%a : tensor<2x2x2x2x2x2x2xf32>) outs(%init : tensor<4xf32>) dimensions = [1]",
        expect!["line 4, column 107: a problem may have at most 6 dimensions"],
    );
    check_reduce(
        "linalg.reduce ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>)",
        expect![[
            r#"line 4, column 68: expected "ins", "outs", "dimensions" or the body in braces, found the end of the text"#
        ]],
    );
}

#[test]
fn texts_of_none_and_of_several() {
    check(
        "",
        expect![
            "line 1, column 1: there is no linalg.generic or linalg.reduce with a reduced dimension, no linalg.softmax, and no product with a vector"
        ],
    );
    check(
        "func.func @f() { return }\n",
        expect![
            "line 1, column 1: there is no linalg.generic or linalg.reduce with a reduced dimension, no linalg.softmax, and no product with a vector"
        ],
    );
    check(
        &DOT.repeat(2),
        expect![
            "line 20, column 6: expected one supported reduction, and this is a second one; this text has reductions in lines 4, 20"
        ],
    );
    check(
        &DOT.repeat(12),
        expect![
            "line 20, column 6: expected one supported reduction, and this is a second one; this text has reductions in lines 4, 20, 36, 52, 68, 84, 100, 116, …"
        ],
    );
    check(
        &DOT.replace("addf", "subf").repeat(3),
        expect![
            "line 11, column 31: the body must combine the accumulator, its last argument, with another value by one of these, and yield the result: arith.addf, addi, mulf, muli, maximumf, maxsi, maxui, minimumf, minsi, minui, maxnumf, minnumf, andi, ori, xori; no other reduction in lines 4, 20, 36 is supported either"
        ],
    );
    check(
        &DOT.replace("addf", "subf").repeat(257),
        expect!["line 4100, column 6: a text may have at most 256 reductions"],
    );
    check(
        "linalg.generic now",
        expect![[
            r#"line 1, column 16: expected attributes, "ins", "outs" or the body in braces, found "now""#
        ]],
    );
    check(
        &" ".repeat(MAX_FILE_BYTES + 1),
        expect!["line 1, column 1: a file may have at most 16777216 bytes, not 16777217"],
    );
    // One reduction is a problem.
    check_problem(
        &format!("{}{DOT}", DOT.replace("addf", "subf")),
        "dot:4x[8]xf32,f32(1)",
    );
}
