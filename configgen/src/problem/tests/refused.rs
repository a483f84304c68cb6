//! Tests of texts that are no problem, each with position and message; users read the golden
//! file.

use std::fmt::Write;

use expect_test::expect_file;

use crate::Problem;

const TEXTS: &[&str] = &[
    // Names.
    "",
    "argmux:4x[8]xf32",
    "sums:4x[8]xf32",
    "softmx:4x[8]xf32",
    "frobnicate:4x[8]xi8",
    "frobnicate:4x[8]xui8",
    "amax:4x[8]xf32",
    "reduce_min:4x[8]xf32",
    "prod:4x[8]xf32",
    "logsumexp:4x[8]xf32",
    "layernorm:4x[8]xf32",
    "transpose:4x8xf32",
    "mean:4x[8]xf32",
    "var:4x[8]xf32",
    "norm:4x[8]xf32",
    "topk:4x[8]xf32",
    "cumsum:4x[8]xf32",
    "any:4x[8]xf32",
    "all:4x[8]xi1",
    "gelu:4x8xf32",
    "argmax_nan:4x[8]xi32",
    "argmax.ogt:4x[8]xi8",
    "argmin.slt:4x[8]xf32",
    "argmax.ugt:4x[8]xui8",
    "arg_compare:4x[8]xf32",
    "argmax{arith.cmpf(ogt,0,1)}:4x[8]xf32",
    "arg_compare{arith.cmpf(ogt,0,1):4x[8]xf32",
    // Shapes and types.
    "argmax 4x[8]xf32",
    "argmax:4x8xf32",
    "argmax:4x[0]xf32",
    "argmax:4x[8xf32",
    "argmax:4x[8]",
    "argmax:4x[8]xf31",
    "argmax:4x[8]xuf32",
    "argmax:4x[8]xi4",
    "argmax:[?]xf32",
    "argmax:4x?x[8]xf32",
    "argmax:[65536]x[65536]xf32",
    "softmax:4x[8]xf64",
    "softmax:4x[8]xi8",
    "softmax:4x[8]xui8",
    "sum:4x[8]xf8E5M2",
    "max:4x[8]xi1",
    "umin:4x[8]xi1",
    "maxnum:4x[8]xi32",
    "xor:4x[8]xbf16",
    "umax:4x[8]xf32",
    "abs_max:4x[8]xi32",
    "map(arith.addf(0,1)):4x[8]xf32,f32",
    // Options.
    "argmax:4x[8]xf32:i8",
    "argmax:4x[8]xf32:index_base",
    "argmax:4x[8]xf32:i32:initial:initial",
    "argmax:4x[8]xf32:i32:index_base:explicit_index",
    "argmax:4x[8]xf32:i32:explicit_index:index_base",
    "argmax:4x[8]xf32:i32:pitch=7",
    "argmax:4x[8]xf32:i32:count=1..4",
    "argmax:4x[8]xf32:i32:epsilon=1",
    "sum:4x[8]xbf16:bf16",
    "sum:4x[8]xf32:i32",
    "max:4x[8]xf16:f32",
    "sum:4x[8]xf32:initial=x",
    "rms_norm:4x[8]xf32:epsilon=0",
    "softmax:4x[8]xf32:epsilon=1",
    "argmax:4x[8]xf32 ",
    // Functions and operands.
    "argmax(0):3x[20]xf32",
    "dot(0):3x[20]xf32,f32",
    "sum(1):3x[20]xf32,f32(1)",
    "sum(math.absf(0):4x[8]xf32",
    "sum(math.exp(0)):4x[8]xf32",
    "map(math.tanh(0)):16xf32",
    "map(math.erf(0)):16xf32",
    "map(math.rsqrt(0)):16xf32",
    "map(math.powf(0,0)):16xf32",
    "arg_compare{2=math.log(0);3=math.log(1);arith.cmpf(ogt,2,3)}:4x[8]xf32",
    "map(math.isnan(0)):16xf32",
    "sum(exp(0)):4x[8]xf32",
    "map(max(0,0)):16xf32",
    "map(math.foo(0)):16xf32",
    "map(foo):16xf32",
    "map(5=math.absf(0);math.sqrt(5)):16xf32",
    "map(0;math.sqrt(0)):16xf32",
    "map(math.absf(3)):16xf32",
    "map(arith.addf(0,0)):16xi32",
    "map():16xf32",
    "map:16xf32",
    "copy(math.absf(0)):16xf32",
    "sum(arith.mulf(0,1)):4x[8]xf32",
    "sum:4x[8]xf32,f32(1)",
    "dot:4x[8]xf32",
    "rms_norm:4x[8]xf32,f32(1)",
    "softmax(math.absf(0)):4x[8]xf32",
    "sum(arith.mulf(0,1)):4x[8]xf32,f32(2)",
    "dot:4x[8]xi8,ui8(1)",
    "arg_compare{math.absf(0)}:4x[8]xf32",
    "arg_compare{arith.cmpf(ne,0,1)}:4x[8]xf32",
    "arg_compare{arith.cmpi(ne,0,1)}:4x[8]xi32",
];

/// Checks the text, a caret below the first wrong character, and the message.
#[test]
fn refusals_have_a_reason_and_advice() {
    let mut all = String::new();
    for text in TEXTS {
        let error = text.parse::<Problem>().unwrap_err();
        let caret = " ".repeat(error.position);
        writeln!(all, "{text}\n{caret}^ {}", error.message).unwrap();
    }
    expect_file!["refused.txt"].assert_eq(&all);
}
