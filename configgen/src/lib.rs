//! What can be tuned: problems, targets and devices, configurations, which of them are legal, and how to enumerate them.
//!
//! The words of this crate: a [`Problem`] is what is computed, a [`Target`] the ISA it is computed on, a
//! [`Device`] a concrete part with that ISA, a [`Configuration`] one way to distribute the work, and a [`Generator`] what
//! turns a configuration into a kernel.
//!
//! Start reading at [`Configuration`]; then [`layout`] says which elements a thread works on, [`legality`] which
//! configurations a generator can build, [`space`] how they are counted, listed and sampled, [`default_rule`] which one is
//! used when nobody chooses, [`linalg`] how people have reductions in MLIR, [`attribute`] how IREE writes them, and [`scalars`] the numbers that they are made of. [`mlir`] is what texts
//! for IREE share, [`operation`], [`generic`] and [`row_kernel`] are IREE's operations of problems, and [`spec`] the file by which it is compiled with a configuration.
//!
//! ```
//! use configgen::{Generator, Problem, Space, Target, check};
//!
//! let problem: Problem = "argmax:4x[32000]xf32".parse()?;
//! let target: &Target = "gfx942".parse()?;
//! let space = Space::new(&problem, target, Generator::NATIVE);
//! for configuration in space.sample(3, 42) {
//!     check(&problem, target, Generator::NATIVE, &configuration)?;
//!     println!("{configuration}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! *Invariants.* What [`check`] accepts can be built, and what it rejects breaks a rule that it names; a space holds
//! nothing that `check` rejects; nothing here panics on outside input.
//!
//! This crate knows nothing of kernels, of time, or of where results are kept. It does no input or output.

pub mod arg_compare_operation;
pub mod attribute;
mod canonical;
mod clock;
pub mod comparator;
mod configuration;
pub mod default_rule;
mod device;
mod element;
mod fit;
pub mod function;
mod generator;
pub mod generic;
mod index_map;
mod knobs;
pub mod layout;
pub mod legality;
pub mod linalg;
mod literal;
pub mod mlir;
mod problem;
mod range;
pub mod reduction;
pub mod row_kernel;
pub mod scalars;
pub mod seeded_random;
mod shape;
pub mod space;
pub mod spec;
mod summation;
mod target;
pub mod view;

pub use attribute::{AttributeError, TranslationInfo};
pub use clock::Clock;
pub use configuration::{Basis, Configuration, LoweringConfig, Tiles};
pub use default_rule::{Pipeline, TileAndFuse, default_configuration, native_default};
pub use device::{DEVICES, Device, Figure, Reach, RuntimeDevice, Saturation};
pub use element::{ElementType, IndexType};
pub use fit::fit;
pub use function::Function;
pub use generator::{Generator, Rules, UnknownGenerator};
pub use index_map::IndexMap;
pub use knobs::{Accumulators, Knobs};
pub use layout::Layout;
pub use legality::iree::RULES_OF as IREE_RULES_OF;
pub use legality::iree::split_reduction::{ATTRIBUTE as SPLIT_REDUCTION, SplitReduction};
pub use legality::{Rejection, check, check_problem};
pub use problem::{Problem, ProblemError, ProblemInput};
pub use range::{Range, SizeRange};
pub use reduction::{ArgCompare, IndexMode, Initial, Reduction};
pub use shape::{MAX_ELEMENTS, MAX_RANK, Shape};
pub use space::Space;
pub use summation::summation_depth;
pub use target::{IsaFamily, TARGETS, Target, UnknownTarget};
pub use view::View;
