//! A problem as an operation of a module.

use configgen::comparator::ScalarType;
use configgen::mlir::Tensor;
use configgen::reduction::Scalar;
use configgen::{ArgCompare, ElementType, IndexMode, IndexType, Initial, Problem};

const VALUE_COUNT: &str = "%value_count";
const INDEX_COUNT: &str = "%index_count";

/// A problem that a module can say.
#[derive(Debug, Clone)]
pub(crate) struct ModuleArgCompare<'a> {
    pub(super) problem: &'a Problem,
    pub(super) arg_compare: &'a ArgCompare,
    pub(super) first: InitialState,
    /// The reduced dimension.
    pub(super) dimension: usize,
    /// Sizes of the parallel dimensions.
    rows: Vec<u32>,
}

/// What the fold begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InitialState {
    /// The bits of the worst value, and index 0.
    Worst(u64),
    /// The bits of another value, and an index; or that value with another index.
    Pair(u64, i64),
    /// Whatever the operation is given.
    Given,
}

/// Why a problem is no operation of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ModuleArgCompareError {
    /// Another reduction.
    #[error("this is no arg_compare")]
    Reduction,
    /// iree-compile fuses pointwise operations itself.
    #[error(
        "a map takes the place of no operation of a model, where iree-compile fuses what is pointwise; `wavetune export kernels 'map(math.absf(0)):64x768xf32' --target gfx942 --out kernels` exports one for a program that launches kernels itself"
    )]
    Map,
    /// A model has an operation of its own before this one.
    #[error(
        "an input of this is a view, which a model has as an operation of its own: a slice, pad, transposition or gather, which stays there; write the problem without the view"
    )]
    View,
    /// No matcher finds it.
    #[error(
        "no form is known in which iree-compile has this operation; a model that has it shows one: `wavetune export iree-kernels model.mlir --target gfx942 --out kernels`"
    )]
    Form,
    /// IREE's operation reduces exactly one dimension.
    #[error("IREE's arg_compare reduces one dimension, this problem {0}")]
    Dimensions(usize),
    /// No matcher finds it.
    #[error(
        "its comparator has constants, which iree-compile takes out of it before it asks a spec: no matcher finds such an operation"
    )]
    Constants,
    /// Gaps between rows.
    #[error("a tensor of a module has no pitch")]
    Pitch,
    /// The fold begins nowhere.
    #[error(
        "of this comparator no worst value is known to begin with; write the problem with the option initial"
    )]
    NoWorst,
    /// The workgroups of a launch follow from its count.
    #[error("it is not known how the workgroups of this kernel follow from the count")]
    Grid,
    /// HAL hands over words of 32 bits, each by itself.
    #[error("IREE gives kernels numbers of 32 bits only, and this index base has 64")]
    WideBase,
    /// HAL has numbers after buffers, native kernels have the workspace last.
    #[error(
        "a kernel takes no index base beside a workspace in IREE; a configuration that does not split rows does"
    )]
    BaseAndWorkspace,
}

impl<'a> ModuleArgCompare<'a> {
    /// The operation that a problem is.
    pub(crate) fn of(problem: &'a Problem) -> Result<Self, ModuleArgCompareError> {
        let arg_compare = problem
            .arg_compare()
            .ok_or(ModuleArgCompareError::Reduction)?;
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

    /// The type of explicit indices, and of an iota along the rows.
    pub(super) fn input_indices(&self) -> Tensor<'_, IndexType> {
        self.tensor(self.problem.shape.sizes(), self.arg_compare.index)
    }

    pub(super) fn values(&self) -> Tensor<'_, ElementType> {
        self.tensor(&self.rows, self.problem.element)
    }

    pub(super) fn indices(&self) -> Tensor<'_, IndexType> {
        self.tensor(&self.rows, self.arg_compare.index)
    }

    /// Whether the indices have another type in a buffer: no `index` crosses the boundary of a dispatch.
    pub(super) fn casts_indices(&self) -> bool {
        self.arg_compare.index == IndexType::Index
    }

    /// The type of the indices in a buffer.
    pub(super) fn stored_indices(&self) -> Tensor<'_, ScalarType> {
        self.tensor(&self.rows, self.stored())
    }

    /// The type of explicit indices in a buffer.
    pub(super) fn stored_input_indices(&self) -> Tensor<'_, ScalarType> {
        self.tensor(self.problem.shape.sizes(), self.stored())
    }

    fn stored(&self) -> ScalarType {
        Scalar::Index(self.arg_compare.index).into()
    }

    /// What is open is a parallel dimension, and so one of the rows as well.
    fn tensor<'b, E>(&self, sizes: &'b [u32], element: E) -> Tensor<'b, E> {
        Tensor {
            sizes,
            open: if self.is_open() { &[true] } else { &[] },
            element,
        }
    }

    /// Whether the outermost size is known at launch only.
    pub(super) fn is_open(&self) -> bool {
        self.problem.shape.counts().is_some()
    }

    /// The counts that empty tensors of values and of indices are given: none where all sizes are known.
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

    /// Whether the fold begins at any pair, which the operation is given.
    pub(super) fn begins_at_operands(&self) -> bool {
        self.first == InitialState::Given
    }

    /// The values that the operation is given, with their types: in the order in which a matcher gives them to a kernel.
    pub(super) fn operands(&self) -> Vec<(&'static str, String)> {
        let mut operands = vec![("%input", self.input().to_string())];
        if self.is_explicit() {
            operands.push(("%explicit", self.input_indices().to_string()));
        }
        if self.begins_at_operands() {
            operands.push(("%values", self.values().to_string()));
            operands.push(("%indices", self.indices().to_string()));
        } else if self.is_open() {
            // Of what is filled. A module may know one size by several names.
            operands.push((VALUE_COUNT, "index".to_owned()));
            operands.push((INDEX_COUNT, "index".to_owned()));
        }
        if self.is_based() {
            operands.push(("%base", "index".to_owned()));
        }
        operands
    }
}

/// Operands as the arguments of a block or of a function.
pub(super) fn arguments(operands: &[(&'static str, String)]) -> String {
    let operands = operands
        .iter()
        .map(|(name, kind)| format!("{name}: {kind}"));
    operands.collect::<Vec<_>>().join(", ")
}
