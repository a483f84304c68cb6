//! Rounding modes in the generic form of operations.

use super::programs::rms_norm;
use super::said;

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
