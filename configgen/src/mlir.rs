//! What our MLIR texts have in common: types in MLIR's syntax.
//!
//! It knows no operation; who prints a module or a tuning spec puts these into it.

use std::fmt::{self, Display, Formatter};

/// A tensor type: sizes, outermost first, and what the elements are. `Display` prints `tensor<4x32000xf32>`.
#[derive(Debug, Clone, Copy)]
pub struct Tensor<'a, E>(pub &'a [u32], pub E);

impl<E: Display> Display for Tensor<'_, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for size in self.0 {
            write!(f, "{size}x")?;
        }
        write!(f, "{}>", self.1)
    }
}
