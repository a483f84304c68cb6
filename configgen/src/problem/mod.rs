//! Problems: computations and their canonical text, such as `argmax:4x[32000]xf32:i32`.
//!
//! ```text
//! problem    = comparator [ "(" function ")" ] ":" inputs [ ":" index { ":" option } ]
//!            | fold [ "(" function ")" ] ":" inputs { ":" option }
//!            | ( "dot" | "square_sum" | "abs_max" ) ":" inputs { ":" option }
//!            | row ":" dimensions "x" element { ":" option }
//!            | ( "map" "(" function ")" | "copy" ) ":" inputs { ":" option }
//! row        = "softmax" | "log_softmax" | "log_sum_exp" | "cross_entropy" | "layer_norm"
//!            | "standardize" | "rms_norm" | "add_rms_norm"
//!              (options: "epsilon=" value of norms, "i32" | "i64" of labels, "pitch=" size,
//!              "count=" size ".." size)
//! inputs     = dimensions "x" input { "," operand }
//! dimensions = dimension { "x" dimension }
//! comparator = name | "arg_compare{" compact "}" | "unordered{" compact "}"
//! dimension  = size | "[" size "]" | "?"    (bracketed: reduced)
//! option     = "index_base" | "explicit_index" | "initial" [ "=" value [ "@" index ] ]
//!            | "assume_order" | "pitch=" size | "count=" size ".." size
//! fold       = "sum" | "product" | "max" | "min" | "maxnum" | "minnum" | "and" | "or" | "xor"
//!              (options: accumulator, "initial=" value, "pitch=" size, "count=" size ".." size)
//! operand    = input | "index(" number ")"
//! input      = element [ "(" [ along { "," along } ] [ "=" value ] ")" ]
//! along      = [ "-" ] [ "@" ] number [ ( "+" | "-" ) number ] [ ":" size ]
//! ```
//! A name is one of [`Comparator::names`](crate::comparator::Comparator::names), such as
//! `argmax`, `argmin_nan` or `argmax.ugt`. A comparator that no name fits has the text
//! [`Comparator::compact`](crate::comparator::Comparator::compact).
//!
//! - A comparator that provably does not order the elements must be called `unordered`. Its
//!   result depends on the order of the elements, which is that of the fold.
//! - A comparator without proof either way takes the elements in that order too. The option
//!   `assume_order` promises an order instead. The canonical text drops the option if the order
//!   is proved; the parser refuses it if the order is refuted.
//! - Integers have no sign; the comparator decides it. `argmax:4x[8]xui8` is another text of
//!   `argmax.ugt:4x[8]xi8`.
//! - For truth values (`i1`), true is greater than false, with or without `u`: `argmax` gives the
//!   first true element.
//!
//! A fold combines two values ([`Combining`](crate::reduction::Combining)). `sum` and `product`
//! accumulate floats in f32 and integers in i32. Another type may stand behind the element type,
//! as in `sum:4x[32000]xf16:f64`. Types of 64 bits accumulate in themselves. The results have the
//! accumulator's type. A `u` before the element type reads integers as unsigned, if that matters.
//!
//! A function may compute the reduced elements ([`Function`]). Its operations stand in
//! parentheses, as in `sum(math.absf(0)):4x[32000]xf32`. Input 0 has the problem's dimensions.
//! Each further input is an operand and lists its dimensions, outermost first, unless it has all:
//! `argmax(arith.addf(0,1)):64x[768]xf32,f32(1)`. Some functions have names: `dot` is the sum of
//! products with an operand, `square_sum` the sum of squares, `abs_max` the greatest magnitude.
//! The kernel extends elements to the accumulator's type before it multiplies:
//! `dot:[8]xf32,f32:f64` multiplies and adds in f64.
//!
//! An input may be a [`View`] of a tensor. The text of a tensor dimension begins with `-` if it
//! runs backwards. The number of the problem's dimension and an offset follow, then the tensor's
//! size if it differs. Elements outside of the tensor are 0, or the value behind `=`.
//!
//! - `sum:64x[768]xf32(0,1-2:764)` sums rows of 764 elements with a pad of 2 zeros on each side.
//! - `sum:64x[768]xf32(0,-1+767)` sums rows from their ends.
//! - `sum:64x[768]xf32(0+3:100,1+5:2000)` sums a slice of a matrix.
//! - `sum:64x[10]x768xf32(@1:50000,2),i32(0,1)` sums rows of a table. The number behind `@` is an
//!   input of integers, and its elements are the indices. An index outside of the table gives the
//!   value for outside.
//!
//! An operand `index(1)` is no tensor; its element is the index along that dimension, as an i32.
//! The sum of two concatenated tensors has the function
//! `3=arith.constant(i32,28);4=arith.cmpi(ult,2,3);arith.select(4,0,1)` and the inputs
//! `64x[100]xf32(0,1:40),f32(0,1-40:60),index(1)`.
//!
//! A row operation uses a row's result on the row again
//! ([`RowOperation`](crate::reduction::RowOperation)). It takes f32, f16 or bf16, and the
//! operands that its name implies, of the element type.
//!
//! Any other chain of folds and pointwise operations is a row program in parentheses. An example is
//! `rows(r=rsqrt(sum(x*x)/768+1e-6);x*r*(x1+1)):64x[768]xf32,f32(1)`. It computes infix,
//! in the types of its inputs; the name of a type converts. A name stands for a value of each
//! element or of each row. `x` is the first input, `x1` the next one. A number has the type of
//! the operand beside it. The folds `sum`, `max`, `min`, `maxnum` and `minnum` take one f32;
//! with two arguments, the last four are operations. The values behind the last `;` are the
//! results, of each element or of each row. A program that computes a named row operation is
//! that operation. Without a fold, no dimension is in brackets: `rows(x/(exp(-x)+1)):64x768xf16`.
//!
//! A map reduces nothing, so no dimension is in brackets: `map(arith.addf(0,1)):64x768xf32,f32`
//! has one value per element. A map without a function is a copy: `copy:768x64xf32(1,0)`
//! transposes, and `copy:10x768xf32(@1:50000,1),i32(0)` gathers rows.
//!
//! The size of a parallel outermost dimension may be `?`: only the launch gives it. `count`
//! states the smallest and the largest size, both inclusive; its default is 1 to 512.
//!
//! The parser accepts exactly this grammar, with options in any order. [`Problem`]'s `Display`
//! prints the canonical form. It always names the index type and the range of counts, and an
//! accumulator only if it is not the default one. Its options follow the order of the grammar.

mod counts;
mod input;
mod parse;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

pub use input::ProblemInput;
pub use parse::{nearest_name, operation_names};

use crate::function::FunctionOperand;
use crate::reduction::{Reduction, Tensor};
use crate::{ArgCompare, ElementType, Function, IndexType, Shape, View};

/// A computation with its shape and types: usually a reduction of each row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The reduction of a row's elements.
    pub reduction: Reduction,
    /// The sizes and the reduced dimensions.
    pub shape: Shape,
    /// The type of the input elements.
    pub element: ElementType,
    /// The function that computes the reduced elements, or none if they are the input's own.
    pub function: Option<Function>,
}

impl Problem {
    /// Returns the reduction by a comparator, if it reduces the input's own elements.
    ///
    /// IREE's `arg_compare` operation has this form only.
    pub fn arg_compare(&self) -> Option<&ArgCompare> {
        let is_computed = self.function.is_some();
        self.reduction.comparison().filter(|_| !is_computed)
    }

    /// Returns the type of the index of an element of the input, if that is a result.
    ///
    /// IREE's `arg_compare` operation has such an index, and its other reductions have none.
    pub fn index_of_own(&self) -> Option<IndexType> {
        let is_computed = self.function.is_some();
        self.reduction.index_type().filter(|_| !is_computed)
    }

    /// Returns the type of the reduced elements: the input's, or the function's result.
    pub fn reduced_type(&self) -> ElementType {
        match &self.function {
            Some(function) => function.result(),
            None => self.element,
        }
    }

    /// Returns the name of the computation, such as `argmax`, `dot` or `sum(math.absf(0))`.
    pub fn name(&self) -> Cow<'_, str> {
        let reduction = self.reduction.name();
        match &self.function {
            None => reduction.into(),
            Some(function) => match function.name() {
                Some(name) => name.into(),
                None if function.is_view() => reduction.into(),
                None => format!("{reduction}({})", function.compact()).into(),
            },
        }
    }

    /// Returns a word of letters, digits and `_` for names of kernels.
    pub fn symbol(&self) -> String {
        let reduction = self.reduction.symbol();
        match &self.function {
            None => reduction,
            Some(function) => match function.name() {
                Some(name) => name.to_owned(),
                None => format!("{reduction}_of"),
            },
        }
    }

    /// Returns the text behind the sizes and before the options: the types and dimensions of
    /// inputs.
    pub fn inputs(&self) -> impl fmt::Display + '_ {
        fmt::from_fn(|f| {
            let function = self.function.iter();
            let mut operands = function.map(|it| it.inputs(&self.shape));
            write!(f, "{}", self.element)?;
            if let Some(view) = self.view() {
                write!(f, "({})", view.text(self.element))?;
            }
            operands.try_for_each(|it| write!(f, "{it}"))
        })
    }

    /// Returns the text behind the inputs, without the pitch and the counts.
    pub fn options(&self) -> impl fmt::Display + '_ {
        fmt::from_fn(|f| {
            let function = self.function.as_ref();
            if let Some(accumulator) = function.and_then(Function::accumulator) {
                write!(f, ":{accumulator}")?;
            }
            f.write_str(self.reduction.options())
        })
    }

    /// Returns the results of a row, in the order of a kernel's arguments.
    pub fn results(&self) -> Vec<Tensor> {
        let outputs = self.reduction.outputs().iter();
        outputs.map(|it| it.tensor.clone()).collect()
    }

    /// Returns the view of the problem's own input, if its tensor has other sizes.
    pub fn view(&self) -> Option<&View> {
        self.function.as_ref().and_then(Function::view)
    }

    /// Returns the bytes of the input's buffer, gaps between rows included.
    pub fn input_bytes(&self) -> u64 {
        let elements = match self.view() {
            None => self.shape.span(),
            Some(view) => view.elements(&self.shape),
        };
        elements * u64::from(self.element.bytes())
    }

    /// Returns the bytes of the buffers of all operands beside the input.
    pub fn operand_bytes(&self) -> u64 {
        let bytes = self.operands().into_iter().map(|it| it.bytes(&self.shape));
        bytes.sum()
    }

    /// Returns the bytes of the buffers of all results.
    pub fn output_bytes(&self) -> u64 {
        let results = self.results();
        let bytes = results.iter().map(|tensor| tensor.bytes(&self.shape));
        bytes.sum()
    }

    /// Returns the bytes that every kernel must move.
    ///
    /// A kernel reads each reachable input element once and writes each result once. It also
    /// reads the results if they hold the initial values, and the reduction's own operands.
    pub fn compulsory_bytes(&self) -> u64 {
        let reached = self
            .function
            .as_ref()
            .and_then(|it| it.reached(&self.shape));
        // A gather or a slice reads fewer elements than the problem has positions.
        let elements = reached.unwrap_or(self.shape.elements()) * u64::from(self.element.bytes());
        let initial = match self.reduction.begins_at_results() {
            true => self.output_bytes(),
            false => 0,
        };
        let operands = self.function.as_ref();
        let operands = operands.map_or(0, |function| function.bytes(&self.shape));
        let beside = operands + self.reduction.bytes_beside(&self.shape);
        elements + self.output_bytes() + initial + beside
    }
}

/// Orders problems for printed lists: by name, then by element type and shape.
impl Ord for Problem {
    fn cmp(&self, other: &Self) -> Ordering {
        type Place<'a> = (
            Cow<'a, str>,
            ElementType,
            &'a Shape,
            Option<(Option<&'a View>, &'a [FunctionOperand])>,
            Option<ElementType>,
            &'a str,
        );
        fn place(problem: &Problem) -> Place<'_> {
            let function = problem.function.as_ref();
            let operands = function.map(|it| (it.view(), it.operands()));
            let options = problem.reduction.options();
            (
                problem.name(),
                problem.element,
                &problem.shape,
                operands,
                function.and_then(Function::accumulator),
                options,
            )
        }
        place(self).cmp(&place(other))
    }
}

impl PartialOrd for Problem {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.name())?;
        for (d, size) in self.shape.sizes.iter().enumerate() {
            match (self.shape.reduced[d], self.shape.is_counted(d)) {
                (true, _) => write!(f, "[{size}]x")?,
                (false, false) => write!(f, "{size}x")?,
                (false, true) => write!(f, "?x")?,
            }
        }
        write!(f, "{}{}", self.inputs(), self.options())?;
        if let Some(pitch) = self.shape.pitch {
            write!(f, ":pitch={pitch}")?;
        }
        match self.shape.counts() {
            Some(counts) => write!(f, ":count={}..{}", counts.start(), counts.end()),
            None => Ok(()),
        }
    }
}

impl serde::Serialize for Problem {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Problem {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Problem, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A fault in a problem's text, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("problem {text:?}, character {}: {message}", .position + 1)]
pub struct ProblemError {
    /// The first 80 characters of the text.
    pub text: String,
    /// The index of the first wrong character, counted from 0 in characters.
    pub position: usize,
    /// The fault there, and the expected text.
    pub message: String,
}

#[cfg(test)]
mod tests;
