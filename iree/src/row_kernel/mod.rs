//! Row operations that IREE compiles to one kernel: their MLIR in a module and in a tuning spec.
//!
//! Such a kernel has several `linalg.generic`, each with a configuration: the folds of a row,
//! then the computation of the elements. Their loops are the problem's dimensions, in order. For
//! other row operations, such as a layer norm or a log-softmax, IREE 3.13.0 makes one kernel per
//! fold.

mod rms_norm;
mod softmax;

use std::fmt::{self, Display};

pub use rms_norm::RmsNorm;
pub use softmax::Softmax;

use crate::mlir::Tensor;
use configgen::generator::iree::legality;
use configgen::reduction::RowOperation;
use configgen::{ElementType, Problem};

/// A row operation that IREE compiles to one kernel.
#[derive(Debug, Clone, Copy)]
pub enum RowKernel<'a> {
    /// A softmax.
    Softmax(Softmax<'a>),
    /// An RMS norm.
    RmsNorm(RmsNorm<'a>),
}

impl<'a> RowKernel<'a> {
    /// Returns the row kernel of a problem, if IREE has one for it.
    pub fn of(problem: &'a Problem) -> Option<Self> {
        match legality::row_kernel(problem)? {
            RowOperation::Softmax => Softmax::of(problem).map(Self::Softmax),
            RowOperation::RmsNorm => {
                let epsilon = problem.reduction.epsilon()?;
                RmsNorm::of(problem, epsilon).map(Self::RmsNorm)
            }
            _ => None,
        }
    }

    /// Returns the bits of ε, an f32, if the operation has one.
    pub(crate) fn epsilon(&self) -> Option<u64> {
        match self {
            Self::Softmax(_) => None,
            Self::RmsNorm(norm) => Some(norm.epsilon()),
        }
    }

    /// Returns the function `@main` of a module. It takes the inputs and returns the result.
    pub fn function(&self) -> impl Display + 'a {
        let this = *self;
        fmt::from_fn(move |f| match this {
            Self::Softmax(softmax) => softmax.function().fmt(f),
            Self::RmsNorm(norm) => norm.function().fmt(f),
        })
    }
}

/// Returns the reduced dimension of a problem that reduces exactly one.
fn reduced(problem: &Problem) -> Option<usize> {
    let mut reduced = problem.shape.reduced();
    reduced.next().filter(|_| reduced.next().is_none())
}

/// Returns the type of a tensor with these dimensions.
fn tensor(
    problem: &Problem,
    dimensions: impl Iterator<Item = usize>,
    element: ElementType,
) -> String {
    let sizes: Vec<u32> = dimensions.map(|d| problem.shape.sizes()[d]).collect();
    Tensor {
        sizes: &sizes,
        open: &[],
        element,
    }
    .to_string()
}

/// Returns the type of the tensor of all elements, and of the tensor of one f32 per row.
fn elements_and_rows(problem: &Problem) -> [String; 2] {
    let shape = &problem.shape;
    [
        tensor(problem, 0..shape.rank(), problem.element),
        tensor(problem, shape.parallel(), ElementType::F32),
    ]
}

/// The loops of a problem's operations, as MLIR text.
///
/// `reduction` and `parallel` are the iterator types of a fold and of the last operation. The
/// others are the maps to all dimensions, to the parallel ones and to the reduced one.
struct Loops {
    reduction: String,
    parallel: String,
    all: String,
    row: String,
    column: String,
}

impl Loops {
    fn of(problem: &Problem) -> Loops {
        // Loops are in the problem's order here; a plain reduction has the parallel ones first.
        let shape = &problem.shape;
        let names = |dimensions: &mut dyn Iterator<Item = usize>| {
            let names: Vec<String> = dimensions.map(|d| format!("d{d}")).collect();
            names.join(", ")
        };
        let loops = names(&mut (0..shape.rank()));
        let map = |dimensions: &mut dyn Iterator<Item = usize>| {
            format!("affine_map<({loops}) -> ({})>", names(dimensions))
        };
        let kinds = |reduced: &'static str| {
            let kind = |d| match shape.is_reduced(d) {
                true => reduced,
                false => "\"parallel\"",
            };
            let kinds: Vec<&str> = (0..shape.rank()).map(kind).collect();
            format!("iterator_types = [{}]", kinds.join(", "))
        };
        Loops {
            reduction: kinds("\"reduction\""),
            parallel: kinds("\"parallel\""),
            all: map(&mut (0..shape.rank())),
            row: map(&mut shape.parallel()),
            column: map(&mut shape.reduced()),
        }
    }
}
