//! Values that products make. IREE computes pointwise users as a part of the product.

use crate::comparator::{Cursor, MlirToken, Scopes};

/// The first letters of named operations. IREE fuses pointwise users into them.
const SUMS: [&str; 7] = [
    "linalg.matmul",
    "linalg.batch_",
    "linalg.matvec",
    "linalg.vecmat",
    "linalg.mmt4d",
    "linalg.quantized_",
    "linalg.conv_",
];

/// Returns whether an operation of this name is a product or a convolution.
pub(super) fn is_product(maker: &str) -> bool {
    SUMS.iter().any(|it| maker.starts_with(it))
}

/// The largest number of reshapes between a product and its user.
const MAX_RESHAPES: usize = 4;

/// Returns whether a product makes this value, with any reshapes behind it.
pub(super) fn is_behind_product(name: &str, scopes: &Scopes<'_>) -> bool {
    let mut name = name;
    for _ in 0..=MAX_RESHAPES {
        let (base, _) = name.split_once('#').unwrap_or((name, ""));
        let Some(mut operation) = scopes.find(base) else {
            return false;
        };
        match operation.next() {
            MlirToken::Word(maker) | MlirToken::Quoted(maker) if is_product(maker) => return true,
            MlirToken::Word("tensor.expand_shape" | "tensor.collapse_shape") => {}
            _ => return false,
        }
        let MlirToken::Value(before) = operation.next() else {
            return false;
        };
        name = before;
    }
    false
}

/// Returns the name of the operation at this position.
pub(super) fn operation_name(mut operation: Cursor<'_>) -> &str {
    match operation.next() {
        MlirToken::Word(name) | MlirToken::Quoted(name) => name,
        _ => "",
    }
}
