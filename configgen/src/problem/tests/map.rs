//! Tests of the texts of maps.

use super::{check, check_error};
use crate::Problem;

#[test]
fn canonical_text() {
    check("copy:64x768xf32", "copy:64x768xf32");
    check("copy:768x64xf32(1,0)", "copy:768x64xf32(1,0)");
    check("copy:64x768xf32(0,1)", "copy:64x768xf32");
    check("copy:64x768xf32:pitch=800", "copy:64x768xf32:pitch=800");
    check("copy:?x768xi1", "copy:?x768xi1:count=1..512");
    check("copy:?xf32", "copy:?xf32:count=1..512");
    check(
        "copy:10x768xf32(@1:50000,1),i32(0)",
        "copy:10x768xf32(@1:50000,1),i32(0)",
    );
    check(
        "map(arith.addf(1,0)):64x768xf32,f32(1)",
        "map(arith.addf(0,1)):64x768xf32,f32(1)",
    );
    check(
        "map(arith.cmpf(olt,0,1)):64xf32,f32",
        "map(arith.cmpf(olt,0,1)):64xf32,f32",
    );
}

#[test]
fn errors_point_at_the_character() {
    check_error(
        "copy:64x[768]xf32",
        8,
        "copy does not reduce, so no dimension",
    );
    check_error("map(math.absf(0)):[768]xf32", 18, "map does not reduce");
    check_error(
        "map:64x768xf32",
        0,
        "this map computes nothing: write \"copy\"",
    );
    check_error("copy(math.absf(0)):64x768xf32", 0, "copy may not have one");
    check_error("copy:64x768xf32:i32", 16, "an option is \"pitch=SIZE\" or");
    check_error("copy:64x768xf32,f32", 0, "several inputs");
    check_error("sum:64x768xf32", 11, "no dimension is reduced");
    check_error(
        "map(arith.andi(0,0)):64xi32(-0+63)",
        0,
        "this map computes nothing: write \"copy\"",
    );
}

#[test]
fn moved_elements_of_maps() {
    let bytes = |text: &str| {
        let problem: Problem = text.parse().unwrap();
        (problem.compulsory_bytes(), problem.output_bytes())
    };
    assert_eq!(bytes("copy:64x768xf32"), (2 * 64 * 768 * 4, 64 * 768 * 4));
    assert_eq!(
        bytes("map(arith.addf(0,1)):64x768xf32,f32(1)"),
        ((2 * 64 + 1) * 768 * 4, 64 * 768 * 4)
    );
    assert_eq!(bytes("map(arith.cmpf(olt,0,1)):64xf32,f32"), (64 * 9, 64));
}
