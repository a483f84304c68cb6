//! Native kernels inside of IREE: a transform spec by which an unmodified iree-compile replaces
//! operations with code objects.
//!
//! ```text
//! problem ──ModuleArgCompare──▶ forms ──MatcherPattern──▶ matchers ──┐
//! compiled kernel ──Launches──▶ Dispatch, a util.func ───────────────┴─▶ Spec
//! ```
//!
//! An operation is replaced before IREE forms dispatches. A problem then has several *forms*
//! (`frontend_form.rs`). One is `iree_linalg_ext.arg_compare`. The others are `linalg.generic`
//! that IREE makes of torch's max.dim, of tosa.argmax, or of a StableHLO reduction with two
//! results. A matcher compares the whole form: types, dimension, comparator, ties, NaN and the
//! initial pair, down to the constants. A different operation stays as it is.
//!
//! `module_problems.rs` reads iree-compile's output before it forms dispatches, and finds the
//! problems of a model. The pattern of a matcher recognises each form.
//!
//! Two zeros may be equal and differ in sign. A form other than `arg_compare` guarantees neither
//! of them, and the kernel returns the first. This crate takes `maximumf` and `minimumf` of
//! max.dim and min.dim for the code that iree-compile makes of them. It ignores NaN in the value,
//! as `cmpf` does for the index.

mod arg_compare_candidates;
mod constant_scalars;
mod counted_launch;
mod dispatch;
mod extern_dispatch;
mod frontend_form;
mod gathers;
mod kept_results;
mod linalg;
mod module_arg_compare;
mod module_problems;
mod module_text;
mod operation_place;
mod pattern;
mod sequences;
mod spec;
mod unify;

pub use constant_scalars::read_module;
pub(crate) use module_arg_compare::ModuleArgCompare;
pub use module_arg_compare::ModuleArgCompareError;
pub use module_problems::{ModuleProblem, find_problems};
pub use operation_place::OperationPlace;
pub(crate) use spec::{Replacement, Spec};
