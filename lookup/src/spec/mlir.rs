//! Types and comparisons in MLIR's syntax.

use std::fmt::{self, Display, Formatter};

use configgen::{ElementType, Operation};

/// A tensor type: sizes, outermost first, and what the elements are.
pub(super) struct Tensor<'a, E>(pub(super) &'a [u32], pub(super) E);

impl<E: Display> Display for Tensor<'_, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for size in self.0 {
            write!(f, "{size}x")?;
        }
        write!(f, "{}>", self.1)
    }
}

/// The comparison that decides whether a new element beats the best so far.
pub(super) fn comparison(operation: Operation, element: ElementType) -> &'static str {
    match (operation, element.is_float()) {
        (Operation::Argmax, true) => "arith.cmpf ogt",
        (Operation::Argmin, true) => "arith.cmpf olt",
        (Operation::Argmax, false) => "arith.cmpi sgt",
        (Operation::Argmin, false) => "arith.cmpi slt",
    }
}
