//! An arg_compare problem as an operation of a module.

use configgen::comparator::ScalarType;
use configgen::reduction::Scalar;
use configgen::{ArgCompare, ElementType, IndexMode, IndexType, Initial, Problem};
use iree::mlir::Tensor;

const VALUE_COUNT: &str = "%value_count";
const INDEX_COUNT: &str = "%index_count";

/// A problem that a module can express.
#[derive(Debug, Clone)]
pub(crate) struct ModuleArgCompare<'a> {
    pub(super) problem: &'a Problem,
    pub(super) arg_compare: &'a ArgCompare,
    pub(super) first: InitialState,
    /// The reduced dimension.
    pub(super) dimension: usize,
    /// The sizes of the parallel dimensions.
    rows: Vec<u32>,
}

/// The initial pair of the fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InitialState {
    /// The bits of the worst value, with index 0.
    Worst(u64),
    /// The bits of a value and an index, other than the worst value with index 0.
    Pair(u64, i64),
    /// The operation's operands.
    Given,
}

/// The reason why no operation of a module expresses a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ModuleArgCompareError {
    /// Another reduction.
    #[error("this is not an arg_compare")]
    Reduction,
    /// A map: iree-compile fuses pointwise operations itself.
    #[error(
        "a map cannot replace an operation of a model, because iree-compile fuses pointwise operations. `wavetune \
         export kernels 'map(math.absf(0)):64x768xf32' --target gfx942 --out kernels` exports one for a program that \
         launches kernels itself"
    )]
    Map,
    /// A view: a model has a separate operation for it before this one.
    #[error(
        "an input is a view, and a model has a view as a separate slice, pad, transposition or gather: write the \
         problem without the view"
    )]
    View,
    /// An operation without a known form, so that no matcher finds it.
    #[error(
        "the form of this operation in iree-compile is not known; a model that has the operation shows it: `wavetune \
         export iree-kernels model.mlir --target gfx942 --out kernels`"
    )]
    Form,
    /// Several reduced dimensions: IREE's operation reduces exactly one.
    #[error("IREE's arg_compare reduces one dimension, this problem {0}")]
    Dimensions(usize),
    /// Constants in the comparator: no matcher finds such an operation.
    #[error(
        "iree-compile moves the constants out of its comparator before it applies a spec, so no matcher finds the \
         operation"
    )]
    Constants,
    /// Gaps between rows.
    #[error("a tensor of a module cannot have a pitch")]
    Pitch,
    /// A comparator without a worst value, so that the fold has no initial value.
    #[error("this comparator has no known worst value; write the problem with the option initial")]
    NoWorst,
    /// A kernel without a known grid: the workgroups of a launch must follow from its count.
    #[error("the number of workgroups of this kernel for a given count is not known")]
    Grid,
    /// A 64-bit index base: HAL passes separate words of 32 bits.
    #[error("IREE passes only 32-bit numbers to kernels, and this index base has 64 bits")]
    WideBase,
    /// An index base with a workspace: HAL passes numbers after buffers, and native kernels take
    /// the workspace last.
    #[error(
        "in IREE a kernel with a workspace cannot take an index base; use a configuration that does not split rows"
    )]
    BaseAndWorkspace,
}

impl<'a> ModuleArgCompare<'a> {
    /// Returns the operation that expresses a problem.
    pub(crate) fn of(problem: &'a Problem) -> Result<Self, ModuleArgCompareError> {
        let arg_compare = problem
            .arg_compare()
            .ok_or(ModuleArgCompareError::Reduction)?;
        // iree-compile hoists constants out of the region before it runs the spec.
        if arg_compare.comparator.region().has_constants() {
            return Err(ModuleArgCompareError::Constants);
        }
        let reduced: Vec<usize> = problem.shape.reduced().collect();
        let &[dimension] = &reduced[..] else {
            return Err(ModuleArgCompareError::Dimensions(reduced.len()));
        };
        if !problem.shape.is_dense() {
            return Err(ModuleArgCompareError::Pitch);
        }
        let first = match (arg_compare.initial, arg_compare.comparator.order().worst) {
            (Initial::Worst, None) => return Err(ModuleArgCompareError::NoWorst),
            (Initial::Worst, Some(worst)) => InitialState::Worst(worst.bits),
            (Initial::Pair(value, index), _) => InitialState::Pair(value, index),
            (Initial::Outputs, _) => InitialState::Given,
        };
        if arg_compare.index_mode == IndexMode::Based && arg_compare.index.bits() > 32 {
            return Err(ModuleArgCompareError::WideBase);
        }
        let sizes = problem.shape.sizes();
        Ok(ModuleArgCompare {
            problem,
            arg_compare,
            first,
            dimension,
            rows: problem.shape.parallel().map(|d| sizes[d]).collect(),
        })
    }

    pub(super) fn rank(&self) -> usize {
        self.problem.shape.rank()
    }

    pub(super) fn input(&self) -> Tensor<'_, ElementType> {
        self.tensor(self.problem.shape.sizes(), self.problem.element)
    }

    /// Returns the type of explicit indices, and of an iota along the rows.
    pub(super) fn input_indices(&self) -> Tensor<'_, IndexType> {
        self.tensor(self.problem.shape.sizes(), self.arg_compare.index)
    }

    pub(super) fn values(&self) -> Tensor<'_, ElementType> {
        self.tensor(&self.rows, self.problem.element)
    }

    pub(super) fn indices(&self) -> Tensor<'_, IndexType> {
        self.tensor(&self.rows, self.arg_compare.index)
    }

    /// Returns true if buffers store the indices in another type: no `index` crosses the boundary
    /// of a dispatch.
    pub(super) fn casts_indices(&self) -> bool {
        self.arg_compare.index == IndexType::Index
    }

    /// Returns the type of the indices in a buffer.
    pub(super) fn stored_indices(&self) -> Tensor<'_, ScalarType> {
        self.tensor(&self.rows, self.stored())
    }

    /// Returns the type of explicit indices in a buffer.
    pub(super) fn stored_input_indices(&self) -> Tensor<'_, ScalarType> {
        self.tensor(self.problem.shape.sizes(), self.stored())
    }

    fn stored(&self) -> ScalarType {
        Scalar::Index(self.arg_compare.index).into()
    }

    /// Returns a tensor type. An open dimension is parallel, so the rows have it, too.
    fn tensor<'b, E>(&self, sizes: &'b [u32], element: E) -> Tensor<'b, E> {
        Tensor {
            sizes,
            open: if self.is_open() { &[true] } else { &[] },
            element,
        }
    }

    /// Returns true if the outermost size is known at launch only.
    pub(super) fn is_open(&self) -> bool {
        self.problem.shape.counts().is_some()
    }

    /// Returns the counts of empty tensors of values and of indices. The names are empty if all
    /// sizes are known.
    pub(super) fn counts(&self) -> [&'static str; 2] {
        match self.is_open() {
            true => [VALUE_COUNT, INDEX_COUNT],
            false => ["", ""],
        }
    }

    pub(super) fn is_based(&self) -> bool {
        self.arg_compare.index_mode == IndexMode::Based
    }

    pub(super) fn is_explicit(&self) -> bool {
        self.arg_compare.index_mode == IndexMode::Explicit
    }

    /// Returns true if the operation's operands are the initial pair.
    pub(super) fn begins_at_operands(&self) -> bool {
        self.first == InitialState::Given
    }

    /// Returns the operation's operands with their types, in the order in which a matcher passes
    /// them to a kernel.
    pub(super) fn operands(&self) -> Vec<(&'static str, String)> {
        let mut operands = vec![("%input", self.input().to_string())];
        if self.is_explicit() {
            operands.push(("%explicit", self.input_indices().to_string()));
        }
        if self.begins_at_operands() {
            // The order is that of the operation's own operands, from which the matcher takes
            // them.
            operands.push(("%values", self.values().to_string()));
            operands.push(("%indices", self.indices().to_string()));
        } else if self.is_open() {
            // The counts of both filled tensors: a module may have several names for one size.
            operands.push((VALUE_COUNT, "index".to_owned()));
            operands.push((INDEX_COUNT, "index".to_owned()));
        }
        if self.is_based() {
            operands.push(("%base", "index".to_owned()));
        }
        operands
    }
}

/// Returns operands as the arguments of a block or a function.
pub(super) fn arguments(operands: &[(&'static str, String)]) -> String {
    let operands = operands
        .iter()
        .map(|(name, kind)| format!("{name}: {kind}"));
    operands.collect::<Vec<_>>().join(", ")
}
