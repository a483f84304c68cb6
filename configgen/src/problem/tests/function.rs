//! Tests of the texts of functions.

use super::{check, check_error};
use crate::{ElementType, Problem};

#[test]
fn canonical_text() {
    check("dot:4x[32000]xf32,f32(1)", "dot:4x[32000]xf32,f32(1)");
    check(
        "sum(arith.mulf(1,0)):4x[32000]xf32,f32(1):f32",
        "dot:4x[32000]xf32,f32(1)",
    );
    check(
        "sum(2=arith.extf(0,f32);3=arith.extf(1,f32);arith.mulf(2,3)):[8]xbf16,f16(0)",
        "dot:[8]xbf16,f16",
    );
    check("dot:4x[8]x2xi8,i8(0,1,2)", "dot:4x[8]x2xi8,i8");
    check("dot:4x[8]x2xi8,i8(2,0)", "dot:4x[8]x2xi8,i8(2,0)");
    check("dot:4x[8]xf32,f64()", "dot:4x[8]xf32,f64()");
    // Products are computed in the accumulator's type, in every spelling.
    check("dot:4x[8]xf32,f32:f64", "dot:4x[8]xf32,f32:f64");
    check("square_sum:4x[8]xbf16:f64", "square_sum:4x[8]xbf16:f64");
    check(
        "sum(2=arith.extf(0,f64);3=arith.extf(1,f64);arith.mulf(2,3)):4x[8]xf32,f32(1)",
        "dot:4x[8]xf32,f32(1):f64",
    );
    check(
        "sum(arith.mulf(0,1)):4x[8]xf32,f32:f64",
        "sum(arith.mulf(0,1)):4x[8]xf32,f32:f64",
    );
    check(
        "udot:4x[8]xi32,i16:i64:initial=3",
        "udot:4x[8]xi32,i16:i64:initial=3",
    );
    check("udot:4x[8]xi8,i16(1)", "udot:4x[8]xi8,i16(1)");
    check("dot:4x[8]xui8,i16(1)", "udot:4x[8]xi8,i16(1)");
    // Signedness changes nothing here.
    check("udot:4x[8]xi32,i32(1)", "dot:4x[8]xi32,i32(1)");
    check("dot:4x[8]xi1,i1(1):i64", "dot:4x[8]xi1,i1(1):i64");
    check("udot:4x[8]xi8,i8:i64", "udot:4x[8]xi8,i8:i64");
    check(
        "sum(2=arith.extui(0,i32);3=arith.extui(1,i32);arith.muli(2,3)):[8]xi8,i8:i64",
        "sum(2=arith.extui(0,i32);3=arith.extui(1,i32);arith.muli(2,3)):[8]xi8,i8:i64",
    );
    check("square_sum:64x[768]xbf16", "square_sum:64x[768]xbf16");
    check(
        "abs_max:64x[768]xbf16:pitch=800",
        "abs_max:64x[768]xbf16:pitch=800",
    );
    check("max(math.absf(0)):64x[768]xf16", "abs_max:64x[768]xf16");
    check(
        "argmax(2=arith.extf(0,f32);arith.addf(2,1)):4x[8]xf16,f32(1)",
        "argmax(2=arith.extf(0,f32);arith.addf(1,2)):4x[8]xf16,f32(1):i32",
    );
    check(
        "argmax_nan(math.absf(0)):4x[8]xf32:i64:explicit_index",
        "argmax_nan(math.absf(0)):4x[8]xf32:i64:explicit_index",
    );
    check(
        "arg_compare{2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)}(arith.negf(0)):[8]xf16",
        "arg_compare{2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)}(arith.negf(0)):[8]xf16:i32",
    );
    check(
        "sum(arith.extf(0,f32)):4x[8]xf8E4M3FN:f64:initial=1",
        "sum(arith.extf(0,f32)):4x[8]xf8E4M3FN:f64:initial=1.0",
    );
    check(
        "sum(3=arith.mulf(1,0);arith.addf(3,2)):?x[8]xf32,f32(0,1),f32(1):count=1..9",
        "sum(3=arith.mulf(0,1);arith.addf(2,3)):?x[8]xf32,f32,f32(1):count=1..9",
    );
}

#[test]
fn products_are_as_wide_as_the_accumulator() {
    let function = |text: &str| text.parse::<Problem>().unwrap().function.unwrap();
    for (text, result) in [
        ("dot:[8]xf32,f32", ElementType::F32),
        ("dot:[8]xf32,f32:f64", ElementType::F64),
        ("dot:[8]xf16,bf16:f64", ElementType::F64),
        ("square_sum:[8]xbf16:f64", ElementType::F64),
        ("dot:[8]xi32,i8:i64", ElementType::I64),
        // These products fit 32 bits.
        ("udot:[8]xi16,i16:i64", ElementType::I32),
    ] {
        assert_eq!(function(text).result(), result, "{text}");
    }
    let product = |text, factor: u64| function(text).evaluator().result(&[factor, factor]);
    let factor = 1.0 + f32::EPSILON;
    let exact = f64::from(factor) * f64::from(factor);
    let found = product("dot:[8]xf32,f32:f64", factor.to_bits().into());
    assert_eq!(f64::from_bits(found), exact);
    assert_eq!(product("dot:[8]xi32,i32:i64", 3_000_000), 9_000_000_000_000);
}

#[test]
fn errors_point_at_the_character() {
    check_error("dot:4x[8]xf32", 0, "dot takes two inputs");
    check_error("dot:4x[8]xf32,f32,f32", 0, "dot takes two inputs");
    check_error("square_sum:4x[8]xf32,f32", 0, "square_sum takes one input");
    check_error("dot:4x[8]xf32,i32", 0, "floats or integers");
    check_error("udot:4x[8]xf32,f32", 0, "write \"dot\"");
    check_error("abs_max:4x[8]xi32", 0, "takes floats");
    check_error("sum:4x[8]xf32,f32", 0, "several inputs need a function");
    check_error("argmax:4x[8]xf32,f32", 0, "several inputs need a function");
    check_error(
        "dot(arith.mulf(0,1)):4x[8]xf32,f32",
        0,
        "dot has its own function",
    );
    check_error(
        "argmux(math.absf(0)):4x[8]xf32",
        0,
        "a comparator of f32 is one of",
    );
    check_error(
        "argmax.sgt(math.absf(0)):4x[8]xf32",
        0,
        "compares integers, and these are f32",
    );
    check_error(
        "argmax(arith.addi(0,0)):4x[8]xui8",
        0,
        "the function determines the sign",
    );
    check_error("dot:4x[8]xf32,f31", 14, "an element type is one of");
    check_error("dot:4x[8]xi8,ui8", 13, "\"udot\"");
    check_error("dot:4x[8]xf32,f32(2)", 18, "counted from 0 to 1");
    check_error("dot:4x[8]xf32,f32(1,1)", 20, "dimensions once");
    check_error("dot:4x[8]xf32,f32(1", 19, "such as \"(0,1)\"");
    check_error("dot:?x[8]xf32,f32(1,0)", 20, "outermost one");
    check_error("sum(arith.mulf(0,1):4x[8]xf32", 29, "ends with \")\"");
    check_error(
        "sum(arith.mulf(0,1)):4x[8]xf32",
        17,
        "a value that is defined",
    );
    check_error(
        "sum(arith.addf(0,0)):4x[8]xf32,f32",
        0,
        "the function does not use input 1",
    );
    check_error("sum():4x[8]xf32", 4, "expected an operation");
    check_error(
        "sum(2=math.absf(0);arith.subf(2,2)):4x[8]xi8",
        4,
        "the next value is 1",
    );
    check_error(
        "sum(math.absf(0)):4x[8]xi8",
        4,
        "takes a floating-point type",
    );
    check_error("and(math.absf(0)):4x[8]xf32", 0, "and takes i64");
    check_error("sum:4x[8]xf8E5M2", 0, "as in sum(arith.extf(0,f32))");
    check_error("sum(math.absf(0)):4x[8]xf32:i32", 28, "in f32 or f64");
    let many = format!("sum(math.absf(0)):4x[8]xf32{}", ",f32".repeat(8));
    check_error(&many, 55, "at most 7 operands");
}

#[test]
fn operands_are_moved_once() {
    let problem: Problem = "dot:4096x[11008]xbf16,f32(1)".parse().unwrap();
    assert_eq!(problem.input_bytes(), 4096 * 11008 * 2);
    assert_eq!(problem.operand_bytes(), 11008 * 4);
    assert_eq!(problem.output_bytes(), 4096 * 4);
    assert_eq!(
        problem.compulsory_bytes(),
        4096 * 11008 * 2 + 11008 * 4 + 4096 * 4
    );
}

#[test]
fn inputs_may_be_views() {
    check("sum:64x[768]xf32(0,-1+767)", "sum:64x[768]xf32(0,-1+767)");
    check("sum:64x[768]xf32(0,1)", "sum:64x[768]xf32");
    check("sum:64x[768]xf32(0,1:1000)", "sum:64x[768]xf32(0,1:1000)");
    check("usum:8x[9]xui8(1)", "usum:8x[9]xi8(1)");
    check("sum:8x[9]xi8(0,1-1:5=-1)", "sum:8x[9]xi8(0,1-1:5=-1)");
    check("argmax:8x[9]xf32(1,0)", "argmax:8x[9]xf32(1,0):i32");
    check(
        "argmin:?x[9]xf32(0,1-2:5=-inf):i64:count=1..4",
        "argmin:?x[9]xf32(0,1-2:5=-inf):i64:count=1..4",
    );
    check(
        "dot:8x[9]xf32(0,1-1:7),f32(1-1:7=nan)",
        "dot:8x[9]xf32(0,1-1:7),f32(1-1:7=nan)",
    );
    check(
        "sum(arith.mulf(0,0)):8x[9]xf32(0+1:10,1)",
        "square_sum:8x[9]xf32(0+1:10,1)",
    );
    check_error("sum:8x[9]xf32(0,2)", 16, "counted from 0 to 1");
    check_error("sum:8x[9]xf32(0,0)", 16, "dimensions once");
    check_error("sum:8x[9]xf32(0,1", 17, "needs the numbers");
    check_error("sum:8x[9]xf32(0,1-)", 18, "an offset must be a number");
    check_error("sum:8x[9]xf32(0,1-2147483648)", 18, "at most 2147483647");
    check_error("sum:8x[9]xf32(0,1:0)", 18, "at least 1");
    check_error("sum:8x[9]xf32(0,1:2147483648)", 18, "at most 2147483647");
    check_error("sum:8x[9]xf32(0,1-9:8)", 16, "does not read any element");
    check_error("sum:8x[9]xf32(0,-1-1)", 16, "does not read any element");
    check_error("sum:8x[9]xf32(0,1--2)", 18, "an offset must be a number");
    check_error("sum:8x[9]xf32(0,1-+2)", 18, "an offset must be a number");
    check_error("sum:8x[9]xf32(0,)", 16, "needs the numbers");
    check_error("sum:8x[9]xf32(,1)", 14, "needs the numbers");
    check_error(
        "sum:8x[9]xf32(0,1-1=x)",
        20,
        "the value outside of the tensor must be a number",
    );
    check_error("sum:8x[9]xf32(0,1-1=1", 21, "needs the numbers");
    check_error(
        "sum:8x[9]xf32(0,1-1:7):pitch=10",
        29,
        "may not have a pitch",
    );
    check_error("sum:?x[9]xf32(0+1,1)", 14, "may not be reversed");
    check_error("sum:?x[9]xf32(1,0)", 16, "outermost one");
    check_error("cross_entropy:8x[9]xf32(0,1-1:7)", 0, "may not be a view");
    check_error(
        "rows(sum(x)+at(x,3)):8x[9]xf32(0,1-1:7)",
        0,
        "may not be a view",
    );
    check_error("softmax:8x[9]xf32(@1:7,1),i32(0)", 0, "has fixed operands");
    check_error(
        "sum:8x[9]xf32(0:2147483647,1:2147483647)",
        27,
        "more than 2^40 elements",
    );
    let message = "several inputs need a function";
    check_error("sum:8x[9]xf32(0,1-1:7),f32", 0, message);
}

#[test]
fn inputs_may_be_gathered_and_places_be_known() {
    check(
        "sum:64x[10]x768xf32(@1:50000,2),i32(0,1)",
        "sum:64x[10]x768xf32(@1:50000,2),i32(0,1)",
    );
    check(
        "sum(arith.addf(0,1)):6x[8]xf32,f32(-@2+9:10,1=1),i8(0)",
        "sum(arith.addf(0,1)):6x[8]xf32,f32(-@2+9:10,1=1.0),i8(0)",
    );
    check(
        "sum(3=arith.constant(i32,4);4=arith.cmpi(ult,2,3);arith.select(4,0,1)):6x[8]xf32(0,1:4),f32(0,1-4:4),index(1)",
        "sum(3=arith.constant(i32,4);4=arith.cmpi(ult,2,3);arith.select(4,0,1)):6x[8]xf32(0,1:4),f32(0,1-4:4),index(1)",
    );
    check_error("sum:6x[8]xf32(@1,1),i32(0)", 14, "must have a size");
    check_error("sum:6x[8]xf32(@2:9,1),i32(0)", 14, "no input 2");
    check_error("sum:6x[8]xf32(@0:9,1)", 14, "may not hold the indices");
    check_error("sum:6x[8]xf32(@1:9,1),f32(0)", 14, "input 1 has f32");
    check_error("sum:6x[8]xf32(@1:9,1),i1(0)", 14, "input 1 has i1");
    check_error(
        "sum:6x[8]xf32(@1:9,1),index(0)",
        14,
        "number of the dimension",
    );
    check_error(
        "sum:6x[8]xi32(@1:9,1),i32(@0:9)",
        14,
        "may not hold the indices",
    );
    check_error("sum:6x[8]xf32(@:9,1),i32(0)", 15, "number of an input");
    check_error(
        "sum:6x[8]xf32(@1:9,1),i32(0),f32",
        0,
        "the function does not use input 2",
    );
    check_error("dot:6x[8]xf32,index(2)", 20, "counted from 0 to 1");
    check_error("dot:6x[8]xi32,index(1", 21, "position along a dimension");
    check_error(
        "sum:6x[8]xf32(@1:9,@1:9,@1:9,@1:9,@1:9,@1:9,@1:9),i32(0)",
        44,
        "at most 6 dimensions",
    );
}
