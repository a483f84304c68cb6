//! Operations, as a model's module has them before IREE forms dispatches.

use std::fmt::Write as _;

use configgen::{Generator, Target, check_problem};

use crate::iree_rows::element::Element;

/// The kind of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    LayerNorm,
    RmsNorm,
    /// `linalg.softmax` of the elements as they are.
    Softmax,
    /// The same in f32, between a widening and a narrowing.
    SoftmaxInF32,
    /// `linalg.reduce`.
    Sum,
    /// `linalg.matvec`: rows times one vector, f32 results.
    Dot,
}

/// An operation on elements of this shape; one dimension is reduced.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) kind: Kind,
    pub(crate) sizes: Vec<usize>,
    pub(crate) reduced: usize,
    pub(crate) element: Element,
}

/// Returns an operation that reduces rows, of any kind but a plain sum.
pub(crate) fn rows(kind: Kind, count: usize, length: usize, element: Element) -> Operation {
    Operation {
        kind,
        sizes: vec![count, length],
        reduced: 1,
        element,
    }
}

impl Operation {
    /// Returns the number of elements of a row.
    pub(crate) fn length(&self) -> usize {
        self.sizes[self.reduced]
    }

    /// Returns the problem with `--generator iree` of this operation, if the generator supports
    /// it for this target. IREE merges the dimensions before the reduced one of a sum, and those
    /// behind it.
    pub(crate) fn problem_of_iree(&self, target: &'static Target) -> Option<String> {
        let text = match self.kind {
            // IREE then rounds each step to the type, which is another operation.
            Kind::Softmax if self.element != Element::F32 => return None,
            Kind::Sum => {
                let (before, rest) = self.sizes.split_at(self.reduced);
                let mut sizes = vec![before.iter().product(), rest[0]];
                let behind: Option<usize> = (rest.len() > 1).then(|| rest[1..].iter().product());
                sizes.extend(behind);
                let merged = Self {
                    sizes,
                    reduced: 1,
                    ..self.clone()
                };
                merged.problem()
            }
            Kind::Dot | Kind::LayerNorm | Kind::RmsNorm | Kind::Softmax | Kind::SoftmaxInF32 => {
                self.problem()
            }
        };
        let problem = text.parse().expect("a problem's text");
        check_problem(&problem, target, Generator::IREE).ok()?;
        Some(text)
    }

    /// Returns the problem's text.
    pub(crate) fn problem(&self) -> String {
        let name = match self.kind {
            Kind::LayerNorm => "layer_norm",
            Kind::RmsNorm => "rms_norm",
            Kind::Softmax | Kind::SoftmaxInF32 => "softmax",
            Kind::Sum => "sum",
            Kind::Dot => "dot",
        };
        let element = self.element.name();
        let mut text = format!("{name}:");
        for (dimension, size) in self.sizes.iter().enumerate() {
            let _ = match dimension == self.reduced {
                true => write!(text, "[{size}]x"),
                false => write!(text, "{size}x"),
            };
        }
        text += element;
        if self.kind == Kind::Dot {
            text += &format!(",{element}({})", self.reduced);
        }
        text
    }

    /// Returns the form in IREE, if there are two.
    pub(crate) fn form(&self) -> &'static str {
        match self.kind {
            Kind::SoftmaxInF32 => "in f32",
            Kind::Softmax if self.element != Element::F32 => "in its own type",
            _ => "",
        }
    }

    /// Returns the types of the inputs.
    pub(crate) fn inputs(&self) -> Vec<(Vec<usize>, Element)> {
        let vectors = match self.kind {
            Kind::LayerNorm => 2,
            Kind::RmsNorm | Kind::Dot => 1,
            Kind::Softmax | Kind::SoftmaxInF32 | Kind::Sum => 0,
        };
        let mut inputs = vec![(self.sizes.clone(), self.element)];
        inputs.extend((0..vectors).map(|_| (vec![self.length()], self.element)));
        inputs
    }

    /// Returns the element type of the result.
    pub(crate) fn result(&self) -> Element {
        match self.kind {
            Kind::Sum | Kind::Dot => Element::F32,
            _ => self.element,
        }
    }

    /// Returns the module with the function `main`.
    pub(crate) fn mlir(&self) -> String {
        let all = tensor(&self.sizes, self.element);
        match self.kind {
            Kind::Softmax => format!(
                "func.func @main(%x: {all}) -> {all} {{
  %e = tensor.empty() : {all}
  %r = linalg.softmax dimension({}) ins(%x : {all}) outs(%e : {all}) -> {all}
  return %r : {all}
}}
",
                self.reduced
            ),
            Kind::SoftmaxInF32 => self.softmax_in_f32(),
            Kind::Sum => {
                let mut kept = self.sizes.clone();
                kept.remove(self.reduced);
                let kept = tensor(&kept, Element::F32);
                format!(
                    "func.func @main(%x: {all}) -> {kept} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {kept}
  %z = linalg.fill ins(%zero : f32) outs(%e : {kept}) -> {kept}
  %r = linalg.reduce {{ arith.addf }} ins(%x : {all}) outs(%z : {kept}) dimensions = [{}]
  return %r : {kept}
}}
",
                    self.reduced
                )
            }
            Kind::Dot => {
                let vector = tensor(&[self.length()], self.element);
                let kept = tensor(&self.sizes[..1], Element::F32);
                format!(
                    "func.func @main(%x: {all}, %v: {vector}) -> {kept} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {kept}
  %z = linalg.fill ins(%zero : f32) outs(%e : {kept}) -> {kept}
  %r = linalg.matvec ins(%x, %v : {all}, {vector}) outs(%z : {kept}) -> {kept}
  return %r : {kept}
}}
"
                )
            }
            Kind::LayerNorm | Kind::RmsNorm => self.norm(),
        }
    }

    fn softmax_in_f32(&self) -> String {
        let (all, wide) = (
            tensor(&self.sizes, self.element),
            tensor(&self.sizes, Element::F32),
        );
        let t = self.element.name();
        let head = format!("{{indexing_maps = [{ALL}, {ALL}], {PARALLEL}}}");
        format!(
            "func.func @main(%x: {all}) -> {all} {{
  %we = tensor.empty() : {wide}
  %w = linalg.generic {head} ins(%x : {all}) outs(%we : {wide}) {{
  ^bb0(%a: {t}, %o: f32):
    %r = arith.extf %a : {t} to f32
    linalg.yield %r : f32
  }} -> {wide}
  %s = linalg.softmax dimension(1) ins(%w : {wide}) outs(%we : {wide}) -> {wide}
  %e = tensor.empty() : {all}
  %r = linalg.generic {head} ins(%s : {wide}) outs(%e : {all}) {{
  ^bb0(%a: f32, %o: {t}):
    %r = arith.truncf %a : f32 to {t}
    linalg.yield %r : {t}
  }} -> {all}
  return %r : {all}
}}
"
        )
    }

    /// Returns the text of a norm: sums in f32, a value of each row, and the normalised elements.
    fn norm(&self) -> String {
        let is_layer = self.kind == Kind::LayerNorm;
        let (all, row) = (
            tensor(&self.sizes, self.element),
            tensor(&self.sizes[..1], Element::F32),
        );
        let column = tensor(&[self.length()], self.element);
        let t = self.element.name();
        let (bias, epsilon) = match is_layer {
            true => (format!(", %bias: {column}"), "1.0e-5"),
            false => (String::new(), "1.0e-6"),
        };
        let mut text = format!(
            "func.func @main(%x: {all}, %weight: {column}{bias}) -> {all} {{
  %zero = arith.constant 0.0 : f32
  %n = arith.constant {}.0 : f32
  %epsilon = arith.constant {epsilon} : f32
  %row = tensor.empty() : {row}
  %z = linalg.fill ins(%zero : f32) outs(%row : {row}) -> {row}
",
            self.length()
        );
        let (a, wide) = self.wide("a");
        if is_layer {
            text += &format!(
                "  %sum = linalg.generic {{indexing_maps = [{ALL}, {ROW}], {REDUCTION}}} ins(%x : {all}) outs(%z : {row}) {{
  ^bb0(%a: {t}, %o: f32):
{a}    %r = arith.addf {wide}, %o : f32
    linalg.yield %r : f32
  }} -> {row}
  %mean = linalg.generic {{indexing_maps = [{EACH}, {EACH}], {ONE}}} ins(%sum : {row}) outs(%row : {row}) {{
  ^bb0(%a: f32, %o: f32):
    %r = arith.divf %a, %n : f32
    linalg.yield %r : f32
  }} -> {row}
"
            );
        }
        // The squared value: the element, or its distance from the mean.
        let (maps, operands, types, arguments, far, d) = match is_layer {
            true => (
                format!("{ALL}, {ROW}"),
                "%x, %mean",
                format!("{all}, {row}"),
                format!("%a: {t}, %m: f32"),
                format!("{a}    %d = arith.subf {wide}, %m : f32\n"),
                "%d".to_owned(),
            ),
            false => (
                ALL.to_owned(),
                "%x",
                all.clone(),
                format!("%a: {t}"),
                a,
                wide,
            ),
        };
        text += &format!(
            "  %squares = linalg.generic {{indexing_maps = [{maps}, {ROW}], {REDUCTION}}} ins({operands} : {types}) outs(%z : {row}) {{
  ^bb0({arguments}, %o: f32):
{far}    %q = arith.mulf {d}, {d} : f32
    %r = arith.addf %q, %o : f32
    linalg.yield %r : f32
  }} -> {row}
  %scale = linalg.generic {{indexing_maps = [{EACH}, {EACH}], {ONE}}} ins(%squares : {row}) outs(%row : {row}) {{
  ^bb0(%a: f32, %o: f32):
    %v = arith.divf %a, %n : f32
    %p = arith.addf %v, %epsilon : f32
    %r = math.rsqrt %p : f32
    linalg.yield %r : f32
  }} -> {row}
  %e = tensor.empty() : {all}
"
        );
        let (more, more_types, more_maps, more_arguments, shift, y) = match is_layer {
            true => {
                let (b, wide) = self.wide("b");
                (
                    ", %bias",
                    format!(", {column}"),
                    format!(", {COLUMN}"),
                    format!(", %b: {t}"),
                    format!("{b}    %y = arith.addf %h, {wide} : f32\n"),
                    "%y",
                )
            }
            false => (
                "",
                String::new(),
                String::new(),
                String::new(),
                String::new(),
                "%h",
            ),
        };
        let (weight, g) = self.wide("g");
        let (narrow, result) = match self.element {
            Element::F32 => (String::new(), y),
            _ => (format!("    %t = arith.truncf {y} : f32 to {t}\n"), "%t"),
        };
        text + &format!(
            "  %result = linalg.generic {{indexing_maps = [{maps}, {ROW}, {COLUMN}{more_maps}, {ALL}], {PARALLEL}}}
      ins({operands}, %scale, %weight{more} : {types}, {row}, {column}{more_types}) outs(%e : {all}) {{
  ^bb0({arguments}, %i: f32, %g: {t}{more_arguments}, %o: {t}):
{far}    %s = arith.mulf {d}, %i : f32
{weight}    %h = arith.mulf %s, {g} : f32
{shift}{narrow}    linalg.yield {result} : {t}
  }} -> {all}
  return %result : {all}
}}
"
        )
    }

    /// Returns a line that converts `%name` to f32, if necessary, and the name of the f32.
    fn wide(&self, name: &str) -> (String, String) {
        match self.element {
            Element::F32 => (String::new(), format!("%{name}")),
            element => (
                format!(
                    "    %{name}.wide = arith.extf %{name} : {} to f32\n",
                    element.name()
                ),
                format!("%{name}.wide"),
            ),
        }
    }
}

const ALL: &str = "affine_map<(d0, d1) -> (d0, d1)>";
const ROW: &str = "affine_map<(d0, d1) -> (d0)>";
const COLUMN: &str = "affine_map<(d0, d1) -> (d1)>";
const EACH: &str = "affine_map<(d0) -> (d0)>";
const PARALLEL: &str = "iterator_types = [\"parallel\", \"parallel\"]";
const REDUCTION: &str = "iterator_types = [\"parallel\", \"reduction\"]";
const ONE: &str = "iterator_types = [\"parallel\"]";

fn tensor(sizes: &[usize], element: Element) -> String {
    format!("tensor<{}x{}>", joined(sizes), element.name())
}

/// Formats `4x32000`.
pub(crate) fn joined(sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    sizes.join("x")
}
