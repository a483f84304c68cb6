//! Tests of slices in front of a problem: its first input is a view of the whole tensor.

use expect_test::{Expect, expect};

use super::said;

/// Returns a module with the sum of each row of `%s`, behind these operations.
pub(super) fn sums(slices: &str) -> String {
    format!(
        "func.func @f(%x: tensor<8x16xf32>, %y: tensor<4x8xf32>) -> tensor<4xf32> {{
  %zero = arith.constant 0.0 : f32
  {slices}
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]}} ins(%s : tensor<4x8xf32>) outs(%z : tensor<4xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  }} -> tensor<4xf32>
  return %r : tensor<4xf32>
}}
"
    )
}

/// A slice of some rows and some columns.
pub(super) const PART: &str =
    "%s = tensor.extract_slice %x[2, 8] [4, 8] [1, 1] : tensor<8x16xf32> to tensor<4x8xf32>";

/// A slice of a slice.
pub(super) const TWICE: &str =
    "%p = tensor.extract_slice %x[1, 0] [6, 16] [1, 1] : tensor<8x16xf32> to tensor<6x16xf32>
  %s = tensor.extract_slice %p[2, 3] [4, 8] [1, 1] : tensor<6x16xf32> to tensor<4x8xf32>";

#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&said(text).join("\n"));
}

#[test]
fn a_slice_is_a_view() {
    check(&sums(PART), &expect!["sum:4x[8]xf32(0+2:8,1+8:16) chain"]);
    check(&sums(TWICE), &expect!["sum:4x[8]xf32(0+3:8,1+3:16) chain"]);
    // The first columns of all rows.
    let first =
        "%w = tensor.extract_slice %x[0, 0] [8, 8] [1, 1] : tensor<8x16xf32> to tensor<8x8xf32>
  %s = tensor.extract_slice %w[0, 0] [4, 8] [1, 1] : tensor<8x8xf32> to tensor<4x8xf32>";
    check(&sums(first), &expect!["sum:4x[8]xf32(0:8,1:16) chain"]);
}

/// Checks the last of several tokens: the problem has a dimension of size 1 for its index.
#[test]
fn a_reshape_between_slices_is_a_part() {
    let last = "%l = tensor.extract_slice %w[0, 15, 0] [4, 1, 9] [1, 1, 1] : tensor<4x16x9xf32> to tensor<4x1x9xf32>
  %c = tensor.collapse_shape %l [[0, 1], [2]] : tensor<4x1x9xf32> into tensor<4x9xf32>
  %s = tensor.extract_slice %c[0, 0] [4, 8] [1, 1] : tensor<4x9xf32> to tensor<4x8xf32>";
    check(
        &sums(last),
        &expect!["sum:4x1x[8]xf32(0,1+15:16,2:9) chain"],
    );
    // Nothing is sliced behind this reshape, so it stays in the module.
    let first =
        "%c = tensor.collapse_shape %w [[0, 1], [2]] : tensor<4x1x9xf32> into tensor<4x9xf32>
  %s = tensor.extract_slice %c[0, 0] [4, 8] [1, 1] : tensor<4x9xf32> to tensor<4x8xf32>";
    check(&sums(first), &expect!["sum:4x[8]xf32(0,1:9) chain"]);
    let only =
        "%s = tensor.collapse_shape %w [[0, 1], [2]] : tensor<4x1x8xf32> into tensor<4x8xf32>";
    check(&sums(only), &expect!["sum:4x[8]xf32 chain"]);
}

#[test]
fn a_slice_with_another_user_is_a_view_too() {
    let text = sums(PART).replace("return %r", "return %s, %r");
    check(&text, &expect!["sum:4x[8]xf32(0+2:8,1+8:16) chain"]);
}

#[test]
fn a_computed_tensor_is_no_slice() {
    let whole =
        "%s = tensor.extract_slice %y[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> to tensor<4x8xf32>";
    check(&sums(whole), &expect!["sum:4x[8]xf32 chain"]);
    let strided = PART.replace("[1, 1]", "[1, 2]");
    check(&sums(&strided), &expect!["sum:4x[8]xf32 generic"]);
    // A value behind its use is invalid.
    let behind = TWICE.replace("%p[2, 3]", "%r[2, 3]");
    check(
        &sums(&behind),
        &expect!["sum:4x[8]xf32(0+2:6,1+3:16) chain"],
    );
    let itself = PART.replace("%x[2, 8]", "%s[2, 8]");
    check(
        &sums(&itself),
        &expect!["sum:4x[8]xf32(0+2:8,1+8:16) chain"],
    );
}
