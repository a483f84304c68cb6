//! Native kernels inside of IREE: a transform spec by which an unmodified iree-compile puts code objects in place of operations.
//!
//! ```text
//! problem ──Operation──▶ forms ──Pattern──▶ matchers ──┐
//! compiled kernel ──Launch──▶ Dispatch, a util.func ───┴─▶ Spec
//! ```
//!
//! An operation is replaced before IREE forms dispatches, so that a problem arrives in several *forms* (`form.rs`): as
//! `iree_linalg_ext.arg_compare`, or as one of the `linalg.generic` that IREE makes of torch's max.dim, of a reduction of
//! StableHLO with two results, and of tosa.argmax. A matcher compares the whole form: types, dimension, comparator, ties, NaN and
//! the pair that the fold begins with, down to the constants. What differs is left as it is.
//!
//! `seen.rs` reads what iree-compile makes of a model before it forms dispatches, and finds the problems in it: a form is
//! recognised by the pattern that a matcher has.
//!
//! Of elements that are equal and not the same, which are the two zeros, a form that is no `arg_compare` promises neither; the
//! kernel gives the first. `maximumf` and `minimumf` of max.dim and min.dim are taken for what iree-compile makes of them,
//! which passes over NaN in the value as `cmpf` does in the index.

mod counted_launch;
mod dispatch;
mod extern_dispatch;
mod frontend_form;
mod linalg;
mod module_arg_compare;
mod module_problems;
mod module_text;
mod pattern;
mod spec;
mod unify;

pub(crate) use module_arg_compare::ModuleArgCompare;
pub use module_arg_compare::ModuleArgCompareError;
pub use module_problems::{ModuleProblem, find_problems};
pub(crate) use spec::{Replacement, Spec};
