//! Tests of the texts of plain reductions.

use super::{check, check_error};

#[test]
fn canonical_text() {
    check("sum:4x[32000]xf32", "sum:4x[32000]xf32");
    check("sum:4x[32000]xbf16:f32", "sum:4x[32000]xbf16");
    check("sum:4x[32000]xf16:f64", "sum:4x[32000]xf16:f64");
    check("sum:4x[8]xf32:initial=0", "sum:4x[8]xf32");
    check("sum:4x[8]xf32:initial=-0.0", "sum:4x[8]xf32:initial=-0.0");
    check(
        "product:[2]x3xi8:pitch=5:initial=7:i64",
        "product:[2]x3xi8:i64:initial=7:pitch=5",
    );
    check("max:4x[8]xf32:initial=-inf", "max:4x[8]xf32");
    check("umax:4x[8]xi32:initial=-1", "umax:4x[8]xi32:initial=-1");
    check("max:4x[8]xui8", "umax:4x[8]xi8");
    check("usum:4x[8]xi8", "usum:4x[8]xi8");
    // They wrap modulo two to their own number of bits.
    check("usum:4x[8]xi32", "sum:4x[8]xi32");
    check("usum:4x[8]xi32:i64", "usum:4x[8]xi32:i64");
    check("usum:4x[8]xi1", "sum:4x[8]xi1");
    check("uand:4x[8]xi1", "and:4x[8]xi1");
    check("minnum:?x[8]xf16:count=1..9", "minnum:?x[8]xf16:count=1..9");
}

#[test]
fn errors_point_at_the_character() {
    check_error(
        "sums:4x[8]xf32",
        0,
        "a plain reduction is one of sum, product",
    );
    check_error("and:4x[8]xf32", 0, "and takes i64, i32, i16, i8, i1");
    check_error("max:4x[8]xi1", 0, "is called \"or\"");
    check_error("sum:4x[8]xf8E5M2", 0, "sum takes f64, f32, f16, bf16");
    check_error("umax:4x[8]xf32", 0, "write \"max\"");
    check_error("sum:4x[8]xf32:i32", 14, "in f32 or f64");
    check_error(
        "max:4x[8]xf16:f32",
        14,
        "one of the elements, which are f16",
    );
    check_error("sum:4x[8]xf32:f64:f64", 18, "given already");
    check_error("sum:4x[8]xf32:initial", 21, "comes \"=\"");
    check_error("sum:4x[8]xf32:initial=1:initial=2", 24, "given already");
    check_error("sum:4x[8]xi8:initial=x", 21, "a number that i32 has");
    check_error(
        "sum:4x[8]xf32:index_base",
        14,
        "an option is a type for the accumulator",
    );
    check_error("sum:4x[8]xf32:pitch=4", 20, "the pitch is at least");
}
