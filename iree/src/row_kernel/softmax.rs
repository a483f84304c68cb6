//! A softmax: a `linalg.softmax`.
//!
//! IREE decomposes it into the greatest number of a row, the sum of exponentials, and the
//! quotients.

use std::fmt::{self, Display};

use super::{Loops, elements_and_rows, reduced, tensor};
use configgen::{ElementType, Problem};

/// IREE's operation of a softmax problem: its types and its MLIR text.
#[derive(Debug, Clone, Copy)]
pub struct Softmax<'a> {
    problem: &'a Problem,
    dimension: usize,
}

impl<'a> Softmax<'a> {
    /// Returns the operation of a softmax along one dimension.
    pub(super) fn of(problem: &'a Problem) -> Option<Self> {
        let dimension = reduced(problem)?;
        Some(Self { problem, dimension })
    }

    /// Returns the function `@main`.
    ///
    /// For narrow elements it extends them to f32 and computes a softmax of f32. IREE's softmax
    /// of narrow elements computes in their type: it rounds each exponential and each sum, which
    /// is another operation.
    pub(super) fn function(self) -> impl Display + 'a {
        fmt::from_fn(move |f| {
            let [elements, _] = elements_and_rows(self.problem);
            let (element, dimension) = (self.problem.element, self.dimension);
            writeln!(f, "func.func @main(%input: {elements}) -> {elements} {{")?;
            // The result of a softmax does not depend on the contents of its output.
            writeln!(f, "  %none = tensor.empty() : {elements}")?;
            // `linalg.softmax` of f32 needs no conversion, and IREE fuses the two conversions
            // differently.
            if element == ElementType::F32 {
                writeln!(
                    f,
                    "  %result = linalg.softmax dimension({dimension}) ins(%input : {elements}) outs(%none : {elements}) -> {elements}"
                )?;
            } else {
                let all = 0..self.problem.shape.rank();
                let singles = tensor(self.problem, all, ElementType::F32);
                let Loops { parallel, all, .. } = Loops::of(self.problem);
                write!(
                    f,
                    "  %no_singles = tensor.empty() : {singles}
  %wide = linalg.generic {{indexing_maps = [{all}, {all}], {parallel}}} ins(%input : {elements}) outs(%no_singles : {singles}) {{
  ^bb0(%a: {element}, %b: f32):
    %c = arith.extf %a : {element} to f32
    linalg.yield %c : f32
  }} -> {singles}
  %quotients = linalg.softmax dimension({dimension}) ins(%wide : {singles}) outs(%no_singles : {singles}) -> {singles}
  %result = linalg.generic {{indexing_maps = [{all}, {all}], {parallel}}} ins(%quotients : {singles}) outs(%none : {elements}) {{
  ^bb0(%a: f32, %b: {element}):
    %c = arith.truncf %a : f32 to {element}
    linalg.yield %c : {element}
  }} -> {elements}
"
                )?;
            }
            writeln!(f, "  return %result : {elements}")?;
            writeln!(f, "}}")
        })
    }

    /// Returns the block of a matcher: the three operations, with any initial values.
    ///
    /// The last operation is the root.
    pub(crate) fn parts(&self) -> impl Display + 'a {
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
            let element = problem.element;
            // The text before and behind a body's operations, and the names of an element and of
            // the result.
            let [before, x, behind, y] = match element {
                ElementType::F32 => ["", "%a", "", "%h"].map(str::to_owned),
                narrow => [
                    format!("        %x = arith.extf %a : {narrow} to f32\n"),
                    "%x".to_owned(),
                    format!("        %y = arith.truncf %h : f32 to {narrow}\n"),
                    "%y".to_owned(),
                ],
            };
            // The initial values are arguments of the block, so that a matcher accepts any.
            write!(
                f,
                "    ^bb0(%input: {elements}, %none: {elements}, %least: {rows}, %zero: {rows}):
      %greatest = linalg.generic {{indexing_maps = [{all}, {row}], {reduction}}} ins(%input : {elements}) outs(%least : {rows}) {{
      ^bb0(%a: {element}, %b: f32):
{before}        %c = arith.maxnumf {x}, %b : f32
        linalg.yield %c : f32
      }} -> {rows}
      %sum = linalg.generic {{indexing_maps = [{all}, {row}, {row}], {reduction}}} ins(%input, %greatest : {elements}, {rows}) outs(%zero : {rows}) {{
      ^bb0(%a: {element}, %b: f32, %c: f32):
{before}        %d = arith.subf {x}, %b : f32
        %e = math.exp %d : f32
        %g = arith.addf %e, %c : f32
        linalg.yield %g : f32
      }} -> {rows}
      %result = linalg.generic {{indexing_maps = [{all}, {row}, {row}, {all}], {parallel}}} ins(%input, %greatest, %sum : {elements}, {rows}, {rows}) outs(%none : {elements}) {{
      ^bb0(%a: {element}, %b: f32, %c: f32, %d: {element}):
{before}        %e = arith.subf {x}, %b : f32
        %g = math.exp %e : f32
        %h = arith.divf %g, %c : f32
{behind}        linalg.yield {y} : {element}
      }} -> {elements}
"
            )
        })
    }
}
