//! Row operations that IREE makes one kernel of: a module that has one, and the operations that IREE configures, for a spec that matches
//! those.
//!
//! They are several `linalg.generic` in one kernel, of which each has a configuration: the folds of a row, and last what is computed of
//! its elements. Their loops are the problem's dimensions, in their order. Of other row operations (a layer norm, a log-softmax) IREE 3.13.0
//! makes a kernel for each fold.

mod rms_norm;
mod softmax;

use std::fmt::{self, Display};

pub use rms_norm::RmsNorm;
pub use softmax::Softmax;

use crate::mlir::Tensor;
use crate::reduction::RowOperation;
use crate::{ElementType, Problem};

/// One of them.
#[derive(Debug, Clone, Copy)]
pub enum RowKernel<'a> {
    /// A softmax.
    Softmax(Softmax<'a>),
    /// An RMS norm.
    RmsNorm(RmsNorm<'a>),
}

impl<'a> RowKernel<'a> {
    /// That of a problem, if it is one.
    pub fn of(problem: &'a Problem) -> Option<Self> {
        let rowwise = problem.reduction.rowwise()?;
        match rowwise.row_operation() {
            RowOperation::Softmax => Softmax::of(problem).map(Self::Softmax),
            RowOperation::RmsNorm => RmsNorm::of(problem, rowwise.epsilon()).map(Self::RmsNorm),
            _ => None,
        }
    }

    /// The bits of the f32 that is added to a mean, where one is.
    pub(crate) fn epsilon(&self) -> Option<u64> {
        match self {
            Self::Softmax(_) => None,
            Self::RmsNorm(norm) => Some(norm.epsilon()),
        }
    }

    /// The function `@main` of a module: it takes the inputs and returns the result.
    pub fn function(&self) -> impl Display + 'a {
        let this = *self;
        fmt::from_fn(move |f| match this {
            Self::Softmax(softmax) => softmax.function().fmt(f),
            Self::RmsNorm(norm) => norm.function().fmt(f),
        })
    }
}

/// The dimension of a problem that reduces one.
fn reduced(problem: &Problem) -> Option<usize> {
    let mut reduced = problem.shape.reduced();
    reduced.next().filter(|_| reduced.next().is_none())
}

/// The type of a tensor of these dimensions.
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

/// The types of all elements of a problem, and of an f32 for each row.
fn elements_and_rows(problem: &Problem) -> [String; 2] {
    let shape = &problem.shape;
    [
        tensor(problem, 0..shape.rank(), problem.element),
        tensor(problem, shape.parallel(), ElementType::F32),
    ]
}

/// The loops of a problem's operations: which are reduced where a row is folded, and the maps to all dimensions, to the parallel ones and to
/// the reduced one.
struct Loops {
    reduction: String,
    parallel: String,
    all: String,
    row: String,
    column: String,
}

impl Loops {
    fn of(problem: &Problem) -> Loops {
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
