//! What our MLIR texts have in common: types and comparisons in MLIR's syntax.
//!
//! It knows no operation; who prints a module or a tuning spec puts these into it.

use std::fmt::{self, Display, Formatter};

use crate::{ElementType, Operation};

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

/// The comparison that decides whether a new element beats the best so far: strict, and of floats ordered.
pub fn comparison(operation: Operation, element: ElementType) -> &'static str {
    match (operation, element.is_float()) {
        (Operation::Argmax, true) => "arith.cmpf ogt",
        (Operation::Argmin, true) => "arith.cmpf olt",
        (Operation::Argmax, false) => "arith.cmpi sgt",
        (Operation::Argmin, false) => "arith.cmpi slt",
    }
}
