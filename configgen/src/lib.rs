//! Tuning inputs: problems, targets and devices, configurations, legality rules and spaces.
//!
//! A [`Problem`] is the computation, a [`Target`] its instruction set, and a [`Device`] a part with
//! that instruction set. A [`Configuration`] is one way to distribute the work. A [`Generator`]
//! turns a configuration into a kernel.
//!
//! Start reading at [`Configuration`]. The modules then answer these questions:
//!
//! - [`layout`]: the elements of each thread;
//! - [`generator`]: the generators, each with its numbered rules and its untuned configuration;
//! - [`legality`]: the parts that rules share;
//! - [`space`]: counting, listing and sampling of the legal configurations;
//! - [`linalg`]: reductions in MLIR, as people write them;
//! - [`attribute`]: configurations in IREE's syntax, and [`scalars`] their numbers.
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
//! # Reductions
//!
//! A reduction is a list of statements: folds, each with a combiner, and outputs. `arg_compare`,
//! a plain reduction, a row operation and a map are such lists. Spaces, legality and defaults ask
//! for properties: the state of an accumulator, the start of a fold, the effect of order and
//! repetition.
//!
//! - A comparator is a region of MLIR: a canonical list of operations, a class of order, and an
//!   evaluator that is exact to the bit.
//! - A function is such a region, too. It computes the reduced element from the input and from
//!   operands.
//! - An index map gives an operand its dimensions. A view gives it a tensor with sizes of its own.
//!   Slices, pads, reversals, transpositions and gathers are therefore addresses and cost no
//!   kernel.
//! - A row operation is a sequence of folds of one row. Each fold may use the results of earlier
//!   ones, and the outputs use all. Its regions may call `exp`, `log` and `rsqrt`.
//! - A map has a function and no fold: each element is a row of its own.
//!
//! `linalg/` reads reductions from any MLIR text. A plain one is a `linalg.generic`, a
//! `linalg.reduce` or a named product. Operations in front of it without another user become its
//! function. `linalg/chain/` makes one expression of the operations of a softmax or a norm and
//! compares it with the regions of the row operations. It refuses an expression that differs in
//! more than the rounding of single results, and names the place.
//!
//! # Invariants
//!
//! - Nothing here does input or output, reads a clock, or has randomness of its own: every result
//!   is a function of its arguments.
//! - Every figure of a device has its source.
//! - A space holds each meaning once: of configurations with equal meaning, only the canonical one
//!   is a member.
//! - A space has the members of a filtered product of all attributes, and makes none that it drops.
//!   Bounds give its count before the first configuration is made.
//! - A comparator is defined for all bits, and its canonical form gives the same result for each of
//!   them.
//! - An order is proved, by the form of the comparator or by all values of a type of at most 8
//!   bits. Trial values can refute an order and never admit one. Only the user's promise, as part
//!   of the problem, replaces a proof.
//! - No crate asks for the name of its generator, unless it serves the kernels of one: stages to
//!   explain, code objects to export, tuning specs. It asks the generator for a property.
//! - Spaces, layouts, the rules of native kernels and the stages of `codegen` know no comparator.
//!   Code for `arg_compare` alone refuses other reductions.
//! - Few places tell combiners apart: those that make an operation of MLIR, a kernel or a
//!   reference of one. A test has their list.

pub mod attribute;
mod canonical;
mod clock;
pub mod comparator;
mod configuration;
mod device;
mod element;
mod fit;
pub mod function;
pub mod generator;
mod index_map;
mod knobs;
pub mod layout;
pub mod legality;
pub mod linalg;
mod literal;
mod pipeline;
mod problem;
pub mod reduction;
pub mod scalars;
pub mod seeded_random;
mod shape;
pub mod space;
mod space_contents;
mod summation;
mod target;
pub mod view;

pub use attribute::{AttributeError, TranslationInfo};
pub use clock::Clock;
pub use configuration::{Basis, Configuration, LoweringConfig, Tiles};
pub use device::{DEVICES, Device, Figure, Reach, RuntimeDevice, Saturation};
pub use element::{ElementType, IndexType};
pub use fit::fit;
pub use function::Function;
pub use generator::iree::legality::RULES_OF as IREE_RULES_OF;
pub use generator::iree::legality::split_reduction::{
    ATTRIBUTE as SPLIT_REDUCTION, SplitReduction,
};
pub use generator::iree::{Range, SizeRange};
pub use generator::native::native_default;
pub use generator::{
    Generator, Rules, UnknownGenerator, check, check_problem, default_configuration,
};
pub use index_map::IndexMap;
pub use knobs::{Accumulators, Knobs};
pub use layout::Layout;
pub use legality::Rejection;
pub use pipeline::{Pipeline, TileAndFuse};
pub use problem::{Problem, ProblemError, ProblemInput, nearest_name, operation_names};
pub use reduction::{ArgCompare, IndexMode, Initial, Reduction};
pub use shape::{MAX_ELEMENTS, MAX_RANK, Shape};
pub use space::Space;
pub use summation::summation_depth;
pub use target::{IsaFamily, TARGETS, Target, UnknownTarget};
pub use view::View;
