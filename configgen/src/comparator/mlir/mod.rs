//! The MLIR text of comparators: the block of an `iree_linalg_ext.arg_compare`, and the
//! operation.
//!
//! ```text
//! ^bb0(%a: f32, %b: f32):
//!   %c = arith.cmpf ogt, %a, %b : f32
//!   iree_linalg_ext.yield %c : i1
//! ```
//!
//! The body of a reduction is such a block too.
//!
//! Foreign text becomes a [`Region`](super::Region) and is then dropped; a compiler's input is
//! printed from the region. Errors have a line and a column.

mod block;
mod cursor;
mod flags;
mod generic;
mod literal;
mod operation;
mod print;
mod scopes;
mod short_form;
mod tensor;

pub(crate) use block::{BlockKind, body_with_arguments, braced, skip_location};
pub(crate) use cursor::{Cursor, MlirToken};
pub(crate) use flags::{OTHER_ROUNDING, skip_flags};
pub(crate) use generic::{function_type, payload, with_attributes};
pub(crate) use literal::{constant, scalar_type};
pub(crate) use operation::ARG_COMPARE;
pub use operation::{ParsedOperation, parse_operations};
pub use print::{Block, Constant};
pub(crate) use scopes::Scopes;
pub(super) use short_form::Short;
pub use tensor::{OperandType, TensorType};
pub(crate) use tensor::{natural, splat, tensor_type};

/// The largest size of a text with a comparator, in bytes.
pub(crate) const MAX_BLOCK_BYTES: usize = 64 << 10;

/// The largest size of a file with operations, in bytes.
pub const MAX_FILE_BYTES: usize = 16 << 20;
