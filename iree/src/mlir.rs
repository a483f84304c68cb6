//! Tensor types in MLIR's syntax, shared by printed modules and tuning specs.

use std::fmt::{self, Display, Formatter};

/// A tensor type. `Display` prints `tensor<4x32000xf32>`, or `tensor<?x32000xf32>` for an open
/// size.
#[derive(Debug, Clone, Copy)]
pub struct Tensor<'a, E> {
    /// The sizes, outermost first.
    pub sizes: &'a [u32],
    /// Flags of the open sizes; a dimension beyond the list is not open.
    ///
    /// An open size prints as `?`. Only the launch gives it, or a matcher accepts any.
    pub open: &'a [bool],
    /// The type of the elements.
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
