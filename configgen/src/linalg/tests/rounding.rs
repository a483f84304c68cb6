//! Roundings: modes in the generic form of operations, and constants.

use super::programs::{map, module, rms_norm};
use super::{COUNTS, operations, said};

#[test]
fn other_rounding_modes_are_refused() {
    let program = |attributes: &str| {
        let rsqrt = "%0 = math.rsqrt %a : f32\nlinalg.yield %0 : f32";
        let product = format!(
            "%1 = arith.extf %a : f16 to f32
%2 = \"arith.truncf\"(%1){attributes} : (f32) -> f16
%0 = arith.mulf %2, %b : f16
linalg.yield %0 : f16"
        );
        said(&rms_norm(rsqrt, &product))
    };
    let usual = program("");
    assert!(usual[0].contains("*x1"), "{usual:?}");
    assert_eq!(program(" <{roundingmode = 0 : i32}>"), usual);
    assert_ne!(program(" <{roundingmode = 1 : i32}>"), usual);
}

/// IREE folds the conversion of a constant only if that rounds nothing.
#[test]
fn a_rounded_constant_is_a_part_of_the_form() {
    let body = |number: &str| {
        format!(
            "%e = arith.truncf {number} : f32 to f16\n%s = arith.addf %a, %e : f16\n%y = math.exp %s : f16\nlinalg.yield %y : f16"
        )
    };
    let text = |number: &str| {
        let operation = map(("y", "ef16"), &[("x", "ef16")], &body(number));
        module("0.0", &[operation])
    };
    let found = operations(&text("%epsilon"), &COUNTS).unwrap();
    let [found] = &found[..] else {
        panic!("{found:?}");
    };
    let problem = found.problem.as_ref().unwrap();
    assert_eq!(problem.to_string(), "rows(exp(x+1e-6)):4x8xf16");
    let form = found.form.as_ref().unwrap().to_string();
    assert!(form.contains("arith.truncf"), "{form}");
    assert!(said(&text("%one")).is_empty());
}
