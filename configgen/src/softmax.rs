//! `linalg.softmax` in MLIR's syntax, for a module that has it, and the operations that IREE makes of it before it configures them, for a
//! spec that matches those.
//!
//! They are three `linalg.generic`, in one kernel: the greatest number of a row, the sum of its exponentials, and the quotients. Their loops
//! are the problem's dimensions, in their order.

use std::fmt::{self, Display, Formatter};

use crate::mlir::Tensor;
use crate::reduction::RowOperation;
use crate::{ElementType, Problem};

/// The operation of a problem: its types, and how it is written.
#[derive(Debug, Clone, Copy)]
pub struct Softmax<'a> {
    problem: &'a Problem,
    dimension: usize,
}

impl<'a> Softmax<'a> {
    /// The operation of a problem: a softmax of f32 along one dimension. IREE's softmax of other types computes in them, and is another
    /// operation.
    pub fn of(problem: &'a Problem) -> Option<Self> {
        let is_softmax = |it: RowOperation| matches!(it, RowOperation::Softmax);
        let rowwise = problem.reduction.rowwise()?;
        let mut reduced = problem.shape.reduced();
        let dimension = reduced.next().filter(|_| reduced.next().is_none())?;
        let is_taken = is_softmax(rowwise.row_operation()) && problem.element == ElementType::F32;
        is_taken.then_some(Self { problem, dimension })
    }

    /// The type of the elements, and of the results.
    pub fn elements(&self) -> impl Display + 'a {
        tensor(self.problem, (0..self.problem.shape.rank()).collect())
    }

    /// The type of a value for each row.
    fn rows(&self) -> impl Display + 'a {
        tensor(self.problem, self.problem.shape.parallel().collect())
    }

    /// The operation, of `%input`, into `%none`.
    pub fn written(&self) -> impl Display + 'a {
        let (elements, dimension) = (self.elements(), self.dimension);
        fmt::from_fn(move |f| {
            write!(
                f,
                "linalg.softmax dimension({dimension}) ins(%input : {elements}) outs(%none : {elements}) -> {elements}"
            )
        })
    }

    /// The block of a matcher: the three operations, the last of which is the root, wherever they begin.
    pub fn parts(&self) -> impl Display + 'a {
        let this = *self;
        fmt::from_fn(move |f| this.write_parts(f))
    }

    fn write_parts(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (elements, rows) = (self.elements(), self.rows());
        let shape = &self.problem.shape;
        let names = |dimensions: &mut dyn Iterator<Item = usize>| {
            let names: Vec<String> = dimensions.map(|d| format!("d{d}")).collect();
            names.join(", ")
        };
        let loops = names(&mut (0..shape.rank()));
        let all = format!("affine_map<({loops}) -> ({loops})>");
        let row = format!(
            "affine_map<({loops}) -> ({})>",
            names(&mut shape.parallel())
        );
        let kinds = |reduced: &'static str| {
            let kind = |d| match shape.is_reduced(d) {
                true => reduced,
                false => "\"parallel\"",
            };
            let kinds: Vec<&str> = (0..shape.rank()).map(kind).collect();
            kinds.join(", ")
        };
        let (reduction, parallel) = (kinds("\"reduction\""), kinds("\"parallel\""));
        write!(
            f,
            "    ^bb0(%input: {elements}, %none: {elements}, %least: {rows}, %zero: {rows}):
      %greatest = linalg.generic {{indexing_maps = [{all}, {row}], iterator_types = [{reduction}]}} ins(%input : {elements}) outs(%least : {rows}) {{
      ^bb0(%a: f32, %b: f32):
        %c = arith.maxnumf %a, %b : f32
        linalg.yield %c : f32
      }} -> {rows}
      %sum = linalg.generic {{indexing_maps = [{all}, {row}, {row}], iterator_types = [{reduction}]}} ins(%input, %greatest : {elements}, {rows}) outs(%zero : {rows}) {{
      ^bb0(%a: f32, %b: f32, %c: f32):
        %d = arith.subf %a, %b : f32
        %e = math.exp %d : f32
        %g = arith.addf %e, %c : f32
        linalg.yield %g : f32
      }} -> {rows}
      %result = linalg.generic {{indexing_maps = [{all}, {row}, {row}, {all}], iterator_types = [{parallel}]}} ins(%input, %greatest, %sum : {elements}, {rows}, {rows}) outs(%none : {elements}) {{
      ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
        %e = arith.subf %a, %b : f32
        %g = math.exp %e : f32
        %h = arith.divf %g, %c : f32
        linalg.yield %h : f32
      }} -> {elements}
"
        )
    }
}

/// The type of a tensor of these dimensions.
fn tensor(problem: &Problem, dimensions: Vec<usize>) -> impl Display + '_ {
    fmt::from_fn(move |f| {
        let sizes: Vec<u32> = dimensions
            .iter()
            .map(|&d| problem.shape.sizes()[d])
            .collect();
        let tensor = Tensor {
            sizes: &sizes,
            open: &[],
            element: problem.element,
        };
        tensor.fmt(f)
    })
}
