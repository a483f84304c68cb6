//! What our MLIR texts have in common: types in MLIR's syntax.
//!
//! It knows no operation; who prints a module or a tuning spec puts these into it.

use std::fmt::{self, Display, Formatter};

/// A tensor type. `Display` prints `tensor<4x32000xf32>`, or `tensor<?x32000xf32>` where the outermost size alone is open.
#[derive(Debug, Clone, Copy)]
pub struct Tensor<'a, E> {
    /// Sizes, outermost first.
    pub sizes: &'a [u32],
    /// Which sizes are open, whatever `sizes` has there: known at launch only or, where types are matched, any. Those of dimensions
    /// that are not in it are not.
    pub open: &'a [bool],
    /// What the elements are.
    pub element: E,
}

impl<E: Display> Display for Tensor<'_, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for (d, size) in self.sizes.iter().enumerate() {
            match self.open.get(d) == Some(&true) {
                true => f.write_str("?x")?,
                false => write!(f, "{size}x")?,
            }
        }
        write!(f, "{}>", self.element)
    }
}
