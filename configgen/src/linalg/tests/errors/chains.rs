//! Tests of chains that are no row operation: the part that is not recognised.

use expect_test::{Expect, expect};

use super::super::accepted;

/// Returns the text of the chain with this problem, behind its comments.
fn text(problem: &str) -> String {
    let (text, _) = accepted().filter(|it| it.1 == problem).last().unwrap();
    let lines = text.lines().skip_while(|line| line.starts_with("// "));
    lines.map(|line| format!("{line}\n")).collect()
}

#[track_caller]
fn check(problem: &str, from: &str, to: &str, expected: Expect) {
    let text = text(problem);
    assert!(text.contains(from), "{from}");
    super::check(&text.replace(from, to), expected);
}

const RMS: &str = "rms_norm:64x[768]xbf16:epsilon=1e-5";
const LAYER: &str = "layer_norm:?x[768]xf16:epsilon=0.001";
const SOFTMAX: &str = "softmax:[8]x4xf16";
const ADD: &str = "add_rms_norm:2x3x[16]xbf16";
/// JAX's chain, the last one with this problem.
const LOG_SUM_EXP: &str = "log_sum_exp:64x[768]xf32";

#[test]
fn numbers() {
    check(
        RMS,
        "0.00130208337",
        "0.0013",
        expect![
            "line 23, column 8: this is not part of a known row operation; the nearest one is rms_norm: it has the product of 0.0013020833333333333, the sum of a row here, and this is the product of 0.0013000000035390258, the sum of a row"
        ],
    );
    check(
        RMS,
        "%two = arith.constant 2.0",
        "%two = arith.constant 3.0",
        expect![
            "line 15, column 8: this is not part of a known row operation; the nearest one is rms_norm: it has the square of arith.extf here, and this is arith.extf to the power 3"
        ],
    );
    check(
        RMS,
        "1.0e-05",
        "0.0",
        expect![
            "line 10, column 9: this is not part of a known row operation; the nearest one is rms_norm: it has 1e-6 here, and this is 0.0"
        ],
    );
    check(
        RMS,
        "1.0e-05",
        "-1.0e-05",
        expect![
            "line 24, column 8: this is not part of a known row operation; the nearest one is rms_norm: it has the sum of a product and 1e-6 here, and this is a product less 1e-5"
        ],
    );
    check(
        RMS,
        "%zero = arith.constant 0.0",
        "%zero = arith.constant 1.0",
        expect![
            "line 11, column 12: this is not part of a known row operation; the nearest one is rms_norm: it has the sum of a row of a product with the initial value 0x0 here, and this is the sum of a row of a product with the initial value 0x3f800000"
        ],
    );
    check(
        LAYER,
        "768.0",
        "767.0",
        expect![
            "line 27, column 13: this is not part of a known row operation; the nearest one is layer_norm: it has the product of 0.0013020833333333333, the sum of a row here, and this is the product of 0.001303780964797914, the sum of a row"
        ],
    );
    check(
        SOFTMAX,
        "0xFC00",
        "0x0000",
        expect![
            "line 15, column 8: this is not part of a known row operation; the nearest one is softmax: it has the maximum of a row of arith.extf with the initial value 0xff800000 here, and this is the maximum of a row of arith.extf with the initial value 0x0"
        ],
    );
}

#[test]
fn operations() {
    check(
        RMS,
        "math.sqrt",
        "math.tanh",
        expect!["line 25, column 8: math.tanh of these operands is not part of any row operation"],
    );
    check(
        RMS,
        "math.sqrt",
        "math.exp",
        expect![
            "line 30, column 8: this is not part of a known row operation; the nearest one is rms_norm: it has the product of arith.extf, 1 / the root of a sum of two values, arith.extf here, and this is the product of arith.extf, 1 / math.exp, arith.extf"
        ],
    );
    check(
        RMS,
        "arith.addf %epsilon, %0",
        "arith.subf %epsilon, %0",
        expect![
            "line 24, column 8: this is not part of a known row operation; the nearest one is rms_norm: it has the sum of a product and 1e-6 here, and this is 1e-5 less a product"
        ],
    );
    check(
        RMS,
        "arith.mulf %5, %6",
        "arith.addf %5, %6",
        expect![
            "line 30, column 8: this is not part of a known row operation; the nearest one is rms_norm: it has the product of arith.extf, 1 / the root of a sum of two values, arith.extf here, and this is the sum of arith.extf and a product"
        ],
    );
    check(
        RMS,
        "arith.mulf %5, %6 :",
        "arith.mulf %5, %6 fastmath<fast> :",
        expect![
            "line 30, column 26: fastmath flags allow several results for the same values, and a block must have one: remove them"
        ],
    );
    check(
        RMS,
        "arith.addf %out, %1",
        "arith.maximumf %out, %1",
        expect![
            "line 11, column 12: this is not part of a known row operation; the nearest one is rms_norm: it has the sum of a row of a product with the initial value 0x0 here, and this is the maximum of a row of a product with the initial value 0x0"
        ],
    );
    check(
        RMS,
        "arith.mulf %5, %6",
        "arith.mulf %3, %6",
        expect![
            "line 30, column 8: this is not part of a known row operation; the nearest one is rms_norm: its weight is missing; it must have the element type"
        ],
    );
    check(
        RMS,
        "arith.mulf %5, %6",
        "arith.mulf %5, %5",
        expect![
            "line 30, column 8: this is not part of a known row operation; the nearest one is rms_norm: it has the product of arith.extf, 1 / the root of a sum of two values, arith.extf here, and this is the product of 1 / the root of a sum of two values, 1 / the root of a sum of two values, the square of arith.extf"
        ],
    );
    check(
        RMS,
        "%sum, %inverse",
        "%weight, %inverse",
        expect![
            "line 15, column 8: math.powf is not exact to the bit: each implementation rounds it differently. Comparators, maps and functions before a reduction take exact operations only; row programs use functions within error bounds. Instead: compute it in an operation before or after"
        ],
    );
    check(
        RMS,
        "linalg.yield %8",
        "linalg.yield %7",
        expect!["line 31, column 8: the body yields f32, and this output has type bf16"],
    );
    check(
        RMS,
        "linalg.yield %8",
        "linalg.yield %q",
        expect!["line 32, column 16: %q is neither defined in this block nor a constant"],
    );
    check(
        LAYER,
        "arith.subf %in, %mean",
        "arith.addf %in, %mean",
        expect![
            "line 28, column 10: this is not part of a known row operation; the nearest one is layer_norm: it has arith.extf less a product here, and this is the sum of arith.extf and a product"
        ],
    );
    check(
        LAYER,
        "arith.addf %7, %6",
        "arith.mulf %7, %6",
        expect![
            "line 50, column 10: this is not part of a known row operation; the nearest one is standardize: it has the product of a difference, 1 / the root of a sum of two values here, and this is the product of a difference, 1 / the root of a sum of two values, arith.extf, arith.extf"
        ],
    );
    check(
        LAYER,
        "%variance, %more",
        "%variance, %variance",
        expect![
            "line 42, column 17: this is not part of a known row operation; the nearest one is layer_norm: it has 1e-5 here, and this is the product of 0.0013020833333333333, the sum of a row"
        ],
    );
    check(
        LAYER,
        "arith.addf %2, %out",
        "arith.addf %2, %0",
        expect!["line 24, column 14: the yielded value does not depend on the accumulator"],
    );
    check(
        SOFTMAX,
        "arith.maxnumf",
        "arith.minnumf",
        expect![
            "line 15, column 8: this is not part of a known row operation; the nearest one is softmax: it has the maximum of a row of arith.extf with the initial value 0xff800000 here, and this is arith.extf of another fold as f32"
        ],
    );
    check(
        SOFTMAX,
        "arith.subf %0, %1",
        "arith.subf %1, %0",
        expect![
            "line 16, column 8: this is not part of a known row operation; the nearest one is softmax: it has arith.extf less the maximum of a row here, and this is the maximum of a row less arith.extf"
        ],
    );
    check(
        SOFTMAX,
        "arith.divf %power, %total",
        "arith.divf %total, %power",
        expect![
            "line 25, column 8: this is not part of a known row operation; the nearest one is softmax: it has the product of math.exp, 1 / the sum of a row here, and this is the product of 1 / math.exp, the sum of a row"
        ],
    );
    check(
        SOFTMAX,
        "arith.divf %power, %total",
        "arith.mulf %power, %total",
        expect![
            "line 25, column 8: this is not part of a known row operation; the nearest one is softmax: it has the product of math.exp, 1 / the sum of a row here, and this is the product of math.exp, the sum of a row"
        ],
    );
}

#[test]
fn tensors() {
    check(
        RMS,
        "%w, %squares, %x :",
        "%x, %squares, %x :",
        expect!["line 21, column 9: this operand has another type elsewhere"],
    );
    check(
        RMS,
        "768xbf16>, tensor<64xf32>",
        "767xbf16>, tensor<64xf32>",
        expect![
            "line 21, column 23: dimension 1 of the iteration has another size in another operand"
        ],
    );
    check(
        RMS,
        "[#column, #row, #all, #all]",
        "[#row, #row, #all, #all]",
        expect![
            "line 21, column 13: dimension 0 of the iteration has another size in another operand"
        ],
    );
    check(
        RMS,
        "linalg.fill ins(%zero",
        "linalg.fill ins(%none",
        expect![
            "line 11, column 12: only the operation that makes the next accumulator may use the accumulator"
        ],
    );
    check(
        RMS,
        "%squares, %x :",
        "%squares, %y :",
        expect![
            "line 15, column 8: math.powf is not exact to the bit: each implementation rounds it differently. Comparators, maps and functions before a reduction take exact operations only; row programs use functions within error bounds. Instead: compute it in an operation before or after"
        ],
    );
    check(
        LAYER,
        "tensor<?x768x",
        "tensor<64x?x",
        expect![
            "line 34, column 8: dimension 1 of %x is dynamic; only the outermost one may be, and only if it is parallel"
        ],
    );
    check(
        ADD,
        "return %r, %sums",
        "return %r, %x",
        expect![
            "line 36, column 8: this is add_rms_norm, but its second result, the sums, is not a result here"
        ],
    );
    let two = "add_rms_norm:4x[8]xf32";
    check(
        two,
        "linalg.yield %3, %5",
        "linalg.yield %4, %5",
        expect![
            "line 19, column 10: this is not part of a known row operation; the nearest one is add_rms_norm: its weight is missing; it must have the element type"
        ],
    );
    check(
        two,
        "%r#1, %r#0",
        "%r#1, %r#1",
        expect![
            "line 19, column 10: this is add_rms_norm, but its second result, the sums, is not a result here"
        ],
    );
    let square = text(SOFTMAX)
        .replace("8x4", "8x8")
        .replace("tensor<4", "tensor<8");
    super::super::check(&square, "softmax:[8]x8xf16");
    let (begin, end) = square.rsplit_once("[#all").unwrap();
    let transposed = format!("{begin}[affine_map<(d0, d1) -> (d1, d0)>{end}");
    super::check(
        &transposed,
        expect![
            "line 7, column 13: this tensor is read along one dimension here and along another one elsewhere, as in a transposition"
        ],
    );
}

/// Checks torch's norm of narrow elements, which rounds each step to their type.
#[test]
fn narrow_arithmetic() {
    let text = text("layer_norm:64x[768]xf32").replace("f32", "f16");
    super::check(
        &text,
        expect![
            "line 15, column 13: arith.divf is computed in f16 here, and every part of a row operation must be computed in f32"
        ],
    );
    let wide = super::super::accepted()
        .find(|it| it.1 == "rms_norm:64x[768]xf32")
        .unwrap()
        .0;
    super::check(
        &wide.replace("768xf32>, tensor<64x1xf32>", "768xbf16>, tensor<64x1xf32>"),
        expect!["line 37, column 193: this operand has another type elsewhere"],
    );
}

/// Checks computations behind a norm and before it.
#[test]
fn more_than_a_row_operation() {
    let more = "  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = [\"parallel\", \"parallel\"]}
      ins(%r : tensor<?x768xf16>) outs(%whole : tensor<?x768xf16>) {
  ^bb0(%in: f16, %out: f16):
    %0 = arith.mulf %in, %in : f16
    linalg.yield %0 : f16
  } -> tensor<?x768xf16>
  return";
    check(
        LAYER,
        "  return",
        more,
        expect![
            "line 57, column 10: arith.mulf is computed in f16 here, and every part of a row operation must be computed in f32"
        ],
    );
    check(
        RMS,
        "math.powf %0, %two",
        "math.powf %two, %0",
        expect![
            "line 15, column 8: a power in a row operation must be a square, a square root or its reciprocal"
        ],
    );
    check(
        RMS,
        "%6 = arith.extf %in : bf16 to f32",
        "%q = arith.extf %in : bf16 to f32\n  %6 = math.exp %q : f32",
        expect![
            "line 30, column 8: this is not part of a known row operation; the nearest one is rms_norm: it has arith.extf of the elements as f32 here, and this is math.exp of arith.extf as f32"
        ],
    );
}

/// Checks guards of maxima.
///
/// Only 0 in place of an infinite maximum makes a log-sum-exp. Without it, rows of infinities are
/// NaN.
#[test]
fn guards_of_maxima() {
    check(
        LOG_SUM_EXP,
        "%6 :",
        "%3 :",
        expect![
            "line 53, column 13: this is not part of a known row operation; the nearest one is log_sum_exp: it has the maximum of a row, or 0 if that is infinite here, and this is math.log of the sum of a row as f32"
        ],
    );
    check(
        LOG_SUM_EXP,
        "arith.select %in, %in_2, %cst_1",
        "arith.select %in, %cst_1, %in_2",
        expect!["line 22, column 13: arith.select is not part of any row operation"],
    );
    check(
        LOG_SUM_EXP,
        "arith.select %in, %in_2, %cst_1",
        "arith.select %in, %in_2, %cst_0",
        expect!["line 22, column 13: arith.select is not part of any row operation"],
    );
    check(
        LOG_SUM_EXP,
        "arith.cmpf one, %17, %cst_0",
        "arith.cmpf one, %17, %cst_1",
        expect!["line 17, column 13: arith.cmpf is not part of any row operation"],
    );
    check(
        LOG_SUM_EXP,
        "arith.cmpf one, %17",
        "arith.cmpf one, %in",
        expect!["line 17, column 13: arith.cmpf is not part of any row operation"],
    );
}

/// Checks that a row operation is one problem, that its reductions are none, and that two are an
/// error.
#[test]
fn there_is_one_problem() {
    let softmax = text(SOFTMAX);
    let other = softmax.replace('%', "%other_").replace("#", "#other_");
    super::check(
        &format!("{softmax}{other}"),
        expect![
            "line 51, column 12: expected one supported reduction, and this is a second one; this text has reductions in lines 22, 51"
        ],
    );
}
