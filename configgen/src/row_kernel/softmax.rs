//! A softmax: a `linalg.softmax`, of which IREE makes the greatest number of a row, the sum of its exponentials, and the quotients.

use std::fmt::{self, Display};

use super::{Loops, elements_and_rows, reduced};
use crate::{ElementType, Problem};

/// The operation of a problem: its types, and how it is written.
#[derive(Debug, Clone, Copy)]
pub struct Softmax<'a> {
    problem: &'a Problem,
    dimension: usize,
}

impl<'a> Softmax<'a> {
    /// The operation of a softmax of f32 along one dimension. IREE's softmax of other types computes in them, and is another
    /// operation.
    pub(super) fn of(problem: &'a Problem) -> Option<Self> {
        let dimension = reduced(problem)?;
        let is_taken = problem.element == ElementType::F32;
        is_taken.then_some(Self { problem, dimension })
    }

    pub(super) fn function(self) -> impl Display + 'a {
        fmt::from_fn(move |f| {
            let [elements, _] = elements_and_rows(self.problem);
            let dimension = self.dimension;
            write!(
                f,
                "func.func @main(%input: {elements}) -> {elements} {{
  %none = tensor.empty() : {elements}
  %result = linalg.softmax dimension({dimension}) ins(%input : {elements}) outs(%none : {elements}) -> {elements}
  return %result : {elements}
}}
"
            )
        })
    }

    /// The block of a matcher: the three operations, the last of which is the root, wherever they begin.
    pub fn parts(&self) -> impl Display + 'a {
        let problem = self.problem;
        fmt::from_fn(move |f| {
            let [elements, rows] = elements_and_rows(problem);
            let Loops {
                reduction,
                parallel,
                all,
                row,
                ..
            } = Loops::of(problem);
            write!(
                f,
                "    ^bb0(%input: {elements}, %none: {elements}, %least: {rows}, %zero: {rows}):
      %greatest = linalg.generic {{indexing_maps = [{all}, {row}], {reduction}}} ins(%input : {elements}) outs(%least : {rows}) {{
      ^bb0(%a: f32, %b: f32):
        %c = arith.maxnumf %a, %b : f32
        linalg.yield %c : f32
      }} -> {rows}
      %sum = linalg.generic {{indexing_maps = [{all}, {row}, {row}], {reduction}}} ins(%input, %greatest : {elements}, {rows}) outs(%zero : {rows}) {{
      ^bb0(%a: f32, %b: f32, %c: f32):
        %d = arith.subf %a, %b : f32
        %e = math.exp %d : f32
        %g = arith.addf %e, %c : f32
        linalg.yield %g : f32
      }} -> {rows}
      %result = linalg.generic {{indexing_maps = [{all}, {row}, {row}, {all}], {parallel}}} ins(%input, %greatest, %sum : {elements}, {rows}, {rows}) outs(%none : {elements}) {{
      ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
        %e = arith.subf %a, %b : f32
        %g = math.exp %e : f32
        %h = arith.divf %g, %c : f32
        linalg.yield %h : f32
      }} -> {elements}
"
            )
        })
    }
}
