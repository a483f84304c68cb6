//! Tests of the texts of row operations.

use super::{check, check_error};
use crate::Problem;

#[test]
fn canonical_text() {
    check("softmax:64x[768]xf32", "softmax:64x[768]xf32");
    check("log_softmax:2x[7]x3xbf16", "log_softmax:2x[7]x3xbf16");
    check("log_sum_exp:[768]xf16", "log_sum_exp:[768]xf16");
    check(
        "cross_entropy:64x[32000]xf32:i32",
        "cross_entropy:64x[32000]xf32",
    );
    check(
        "cross_entropy:64x[32000]xbf16:pitch=32768:i64",
        "cross_entropy:64x[32000]xbf16:i64:pitch=32768",
    );
    check(
        "softmax:64x[768]xf32:pitch=1024",
        "softmax:64x[768]xf32:pitch=1024",
    );
    check(
        "softmax:64x[1000]xf32(0,1:1024)",
        "softmax:64x[1000]xf32(0,1:1024)",
    );
    check(
        "layer_norm:64x[768]xf16(0+3:100,1+0:768):epsilon=1e-6",
        "layer_norm:64x[768]xf16(0+3:100,1):epsilon=1e-6",
    );
    check(
        "rows(sum(x*x1)):4x[8]xf32(0,1+2:16),f32(1)",
        "rows(sum(x*x1)):4x[8]xf32(0,1+2:16),f32(1)",
    );
    check("softmax:4x[8]xf32(0,1)", "softmax:4x[8]xf32");
    check(
        "layer_norm:?x[768]xf32:count=1..9",
        "layer_norm:?x[768]xf32:count=1..9",
    );
    check(
        "layer_norm:4x[768]xf32:epsilon=0.00001",
        "layer_norm:4x[768]xf32",
    );
    check(
        "rms_norm:4x[768]xbf16:epsilon=1e-6",
        "rms_norm:4x[768]xbf16",
    );
    check(
        "rms_norm:4x[768]xf16:pitch=800:epsilon=1e-5",
        "rms_norm:4x[768]xf16:epsilon=1e-5:pitch=800",
    );
    check(
        "add_rms_norm:4x[768]xf32:epsilon=0x3f000000",
        "add_rms_norm:4x[768]xf32:epsilon=5e-1",
    );
}

#[test]
fn errors_point_at_the_character() {
    check_error("softmax:4x[8]xi8", 0, "softmax takes f32, f16, bf16");
    check_error("softmax:4x[8]xui8", 0, "softmax takes floats");
    check_error("layer_norm:4x[8]xf64", 0, "and these are f64");
    check_error("softmax(math.absf(0)):4x[8]xf32", 0, "unmodified elements");
    check_error("rms_norm:4x[8]xf32,f32(1)", 0, "has fixed operands");
    check_error(
        "softmax:4x[8]xf32:epsilon=1",
        18,
        "an option is \"pitch=SIZE\"",
    );
    check_error(
        "rms_norm:4x[8]xf32:i32",
        19,
        "an option is \"epsilon=VALUE\"",
    );
    check_error(
        "cross_entropy:4x[8]xf32:i16",
        24,
        "an option is \"i32\", \"i64\" (the type of labels), \"pitch=SIZE\"",
    );
    check_error("cross_entropy:4x[8]xf32:i32:i64", 28, "given twice");
    check_error(
        "cross_entropy:4x[8]x[3]xf32",
        0,
        "cross_entropy must reduce one dimension, in which its labels are positions",
    );
    for epsilon in ["0", "-1", "inf", "nan", "1e-40", "x"] {
        check_error(
            &format!("rms_norm:4x[8]xf32:epsilon={epsilon}"),
            27,
            "epsilon must be a positive, normal f32 number",
        );
    }
    check_error("rms_norm:4x[8]xf32:epsilon=1:epsilon=1", 29, "given twice");
}

/// Checks the inputs and outputs of a problem: dimensions, and the bytes that every kernel moves.
#[test]
fn tensors_have_the_dimensions_that_they_say() {
    #[track_caller]
    fn check(problem: &str, operands: &[&str], results: &[(&str, u64)], moved: u64) {
        let problem: Problem = problem.parse().unwrap();
        let found: Vec<String> = (problem.read_operands().iter())
            .map(|it| format!("{}({})", it.name, it.map))
            .collect();
        assert_eq!(found, operands);
        let found = problem.results();
        let found: Vec<(&str, u64)> = (found.iter())
            .map(|it| (it.name, it.bytes(&problem.shape)))
            .collect();
        assert_eq!(found, results);
        assert_eq!(problem.compulsory_bytes(), moved);
    }
    check("softmax:4x[8]x3xf16", &[], &[("values", 192)], 384);
    check("log_sum_exp:4x[8]x3xf16", &[], &[("values", 48)], 192 + 48);
    check(
        "cross_entropy:4x[8]x3xf16:i64",
        &["labels(0,2)"],
        &[("values", 48)],
        192 + 96 + 48,
    );
    check(
        "layer_norm:4x[8]xf32",
        &["weight(1)", "bias(1)"],
        &[("values", 128)],
        128 + 64 + 128,
    );
    check(
        "add_rms_norm:4x[8]xbf16",
        &["residual(0,1)", "weight(1)"],
        &[("values", 64), ("sums", 64)],
        64 + 64 + 16 + 128,
    );
    check(
        "argmax:4x[8]xf32:i32:explicit_index",
        &[],
        &[("values", 16), ("indices", 16)],
        128 + 32 + 16,
    );
}
