//! An RMS norm: the sum of a row's squares, then the elements scaled by its root and their
//! weights.
//!
//! iree-compile hoists constants out of the bodies of operations, and a matcher finds no body
//! that uses an outer value. It does find a single operation of a body, together with all
//! operations that its operands need, constants included. The root of a match is therefore the
//! last operation of the last body. Matchers recognise the operations around it by their types.

use std::fmt::{self, Display, Formatter};

use super::{Loops, elements_and_rows, reduced, tensor};
use configgen::comparator::{Constant, ScalarType};
use configgen::{ElementType, Problem};

/// IREE's operations of an RMS norm problem: their types and their MLIR text.
#[derive(Debug, Clone, Copy)]
pub struct RmsNorm<'a> {
    problem: &'a Problem,
    epsilon: u64,
    form: RmsNormForm,
}

/// The form of the squares, and the order of the last product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RmsNormForm {
    /// Squares as products, and the weight as the last factor.
    Products,
    /// torch's form for f32: squares as powers, and the weight as the first factor.
    Torch,
}

impl<'a> RmsNorm<'a> {
    /// Returns the operations of an RMS norm along one dimension, with this ε (the bits of an
    /// f32).
    pub(super) fn of(problem: &'a Problem, epsilon: u64) -> Option<Self> {
        reduced(problem)?;
        Some(Self {
            problem,
            epsilon,
            form: RmsNormForm::Products,
        })
    }

    /// Returns the operations in torch's form, or none if torch computes these elements
    /// differently.
    pub fn of_torch(self) -> Option<Self> {
        let is_single = self.problem.element == ElementType::F32;
        is_single.then_some(Self {
            form: RmsNormForm::Torch,
            ..self
        })
    }

    pub(super) fn epsilon(&self) -> u64 {
        self.epsilon
    }

    pub(super) fn function(self) -> impl Display + 'a {
        fmt::from_fn(move |f| {
            let [elements, rows] = elements_and_rows(self.problem);
            let (weights, element) = (self.weights(), self.problem.element);
            let Loops {
                parallel,
                all,
                row,
                column,
                ..
            } = Loops::of(self.problem);
            write!(
                f,
                "func.func @main(%input: {elements}, %weight: {weights}) -> {elements} {{
  %zero = arith.constant 0.0 : f32
{}  %no_sum = tensor.empty() : {rows}
  %first = linalg.fill ins(%zero : f32) outs(%no_sum : {rows}) -> {rows}
  {}
  %none = tensor.empty() : {elements}
  %result = linalg.generic {{indexing_maps = [{all}, {row}, {column}, {all}], {parallel}}} ins(%input, %sum, %weight : {elements}, {rows}, {weights}) outs(%none : {elements}) {{
  ^bb0(%x: {element}, %s: f32, %w: {element}, %o: {element}):
{}    linalg.yield %y : {element}
  }} -> {elements}
  return %result : {elements}
}}
",
                self.constants(2),
                self.sum(2),
                self.body(4),
            )
        })
    }

    /// Returns the operation `%sum` of the squares of `%input`, with `%first` as the initial
    /// value.
    fn sum(self, indent: usize) -> impl Display + 'a {
        fmt::from_fn(move |f| {
            let [elements, rows] = elements_and_rows(self.problem);
            let Loops {
                reduction,
                all,
                row,
                ..
            } = Loops::of(self.problem);
            let (element, x) = (self.problem.element, self.wide("x"));
            writeln!(
                f,
                "%sum = linalg.generic {{indexing_maps = [{all}, {row}], {reduction}}} ins(%input : {elements}) outs(%first : {rows}) {{"
            )?;
            writeln!(f, "{:indent$}^bb0(%x: {element}, %o: f32):", "")?;
            // The sum is always an f32, and a narrow element is extended first.
            let square = format!("%q = arith.mulf {x}, {x} : f32");
            let lines = [square, "%r = arith.addf %q, %o : f32".to_owned()];
            let lines = self.extended("x").into_iter().chain(lines);
            lines_of(f, indent + 2, lines)?;
            writeln!(f, "{:indent$}  linalg.yield %r : f32", "")?;
            write!(f, "{:indent$}}} -> {rows}", "")
        })
    }

    /// Returns the constants of the last body.
    fn constants(self, indent: usize) -> impl Display {
        let number = |bits: u64| Constant(bits, ScalarType::F32);
        let count = ScalarType::F32.round(self.problem.shape.reduced_size() as f64);
        let lines = [("n", count), ("epsilon", self.epsilon)]
            .map(|(name, bits)| format!("%{name} = arith.constant {}", number(bits)));
        fmt::from_fn(move |f| lines_of(f, indent, lines.clone()))
    }

    /// Returns the last body, with the element `%x`, its weight `%w` and the sum `%s`.
    ///
    /// Its last operation computes the result, `%y`.
    fn body(self, indent: usize) -> impl Display + 'a {
        let [x, w] = ["x", "w"].map(|name| self.wide(name));
        let mut lines = vec![
            "%mean = arith.divf %s, %n : f32".to_owned(),
            "%more = arith.addf %mean, %epsilon : f32".to_owned(),
            "%scale = math.rsqrt %more : f32".to_owned(),
        ];
        lines.extend(self.extended("x"));
        lines.push(format!("%scaled = arith.mulf {x}, %scale : f32"));
        lines.extend(self.extended("w"));
        let element = self.problem.element;
        let weighted = match self.form {
            RmsNormForm::Products => format!("arith.mulf %scaled, {w} : f32"),
            RmsNormForm::Torch => format!("arith.mulf {w}, %scaled : f32"),
        };
        match element {
            ElementType::F32 => lines.push(format!("%y = {weighted}")),
            // A narrow result is rounded once, at the end.
            narrow => lines.extend([
                format!("%weighted = {weighted}"),
                format!("%y = arith.truncf %weighted : f32 to {narrow}"),
            ]),
        }
        fmt::from_fn(move |f| lines_of(f, indent, lines.clone()))
    }

    /// Returns the block of a matcher with the last operation of the last body as its root.
    pub(crate) fn scalars(self) -> impl Display + 'a {
        fmt::from_fn(move |f| {
            let element = self.problem.element;
            writeln!(f, "    ^bb0(%x: {element}, %s: f32, %w: {element}):")?;
            write!(f, "{}{}", self.constants(6), self.body(6))
        })
    }

    /// Returns the operands of the last operation that are inputs, each with its number and its
    /// type.
    pub(crate) fn inputs(self) -> [(usize, String); 2] {
        let [elements, _] = elements_and_rows(self.problem);
        match self.form {
            RmsNormForm::Products => [(0, elements), (2, self.weights())],
            // torch multiplies the weight first, so the other operands move by one.
            RmsNormForm::Torch => [(1, elements), (0, self.weights())],
        }
    }

    /// Returns the number of the operand of the last operation that is the sum.
    pub(crate) fn number_of_sum(self) -> usize {
        match self.form {
            RmsNormForm::Products => 1,
            RmsNormForm::Torch => 2,
        }
    }

    /// Returns the block of a matcher with the sum as its root, or none if its body has a
    /// constant.
    pub(crate) fn matched_sum(self) -> Option<impl Display + 'a> {
        let [elements, rows] = elements_and_rows(self.problem);
        // torch's powers have the exponent 2.0 as a constant, which iree-compile hoists.
        (self.form == RmsNormForm::Products).then(|| {
            fmt::from_fn(move |f| {
                writeln!(f, "    ^bb0(%input: {elements}, %first: {rows}):")?;
                writeln!(f, "      {}", self.sum(6))
            })
        })
    }

    fn weights(self) -> String {
        let columns = self.problem.shape.reduced();
        tensor(self.problem, columns, self.problem.element)
    }

    /// Returns the conversion of a narrow element of this name to f32; none if it is an f32.
    fn extended(self, name: &str) -> Option<String> {
        let element = self.problem.element;
        let is_narrow = element != ElementType::F32;
        is_narrow.then(|| format!("%{name}_wide = arith.extf %{name} : {element} to f32"))
    }

    /// Returns the name of the element as an f32.
    fn wide(self, name: &str) -> String {
        match self.extended(name) {
            None => format!("%{name}"),
            Some(_) => format!("%{name}_wide"),
        }
    }
}

/// Writes lines with this indentation.
fn lines_of(
    f: &mut Formatter<'_>,
    indent: usize,
    lines: impl IntoIterator<Item = String>,
) -> fmt::Result {
    let mut lines = lines.into_iter();
    lines.try_for_each(|line| writeln!(f, "{:indent$}{line}", ""))
}
