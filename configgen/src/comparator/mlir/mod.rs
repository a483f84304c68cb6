//! Comparators as MLIR text: the block of an `iree_linalg_ext.arg_compare` operation, and the operation itself.
//!
//! ```text
//! ^bb0(%a: f32, %b: f32):
//!   %c = arith.cmpf ogt, %a, %b : f32
//!   iree_linalg_ext.yield %c : i1
//! ```
//!
//! The body of a reduction is such a block, too.
//!
//! Text from outside is read into a [`Region`](super::Region) and never kept: what a compiler sees is printed from
//! that. Errors point at line and column.

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
pub(crate) use flags::skip_flags;
pub(crate) use generic::{function_type, payload, with_attributes};
pub(crate) use literal::{constant, scalar_type};
pub(crate) use operation::ARG_COMPARE;
pub use operation::{ParsedOperation, parse_operations};
pub use print::{Block, Constant};
pub(crate) use scopes::Scopes;
pub(super) use short_form::Short;
pub use tensor::{OperandType, TensorType};
pub(crate) use tensor::{natural, splat, tensor_type};

/// The most bytes that a text with a comparator may have.
pub(crate) const MAX_BLOCK_BYTES: usize = 64 << 10;

/// The most bytes that a file with operations may have.
pub const MAX_FILE_BYTES: usize = 16 << 20;
