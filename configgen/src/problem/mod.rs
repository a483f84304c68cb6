//! Problems: what is computed, and their canonical text `argmax:4x[32000]xf32:i32`.
//!
//! ```text
//! problem    = comparator [ "(" function ")" ] ":" inputs [ ":" index { ":" option } ]
//!            | fold [ "(" function ")" ] ":" inputs { ":" option }
//!            | ( "dot" | "square_sum" | "abs_max" ) ":" inputs { ":" option }
//!            | row ":" dimensions "x" element { ":" option }
//!            | ( "map" "(" function ")" | "copy" ) ":" inputs { ":" option }
//! row        = "softmax" | "log_softmax" | "log_sum_exp" | "cross_entropy" | "layer_norm" | "standardize" | "rms_norm" | "add_rms_norm"
//!              (options: "epsilon=" value of norms, "i32" | "i64" of labels, "pitch=" size, "count=" size ".." size)
//! inputs     = dimensions "x" input { "," operand }
//! dimensions = dimension { "x" dimension }
//! comparator = name | "arg_compare{" compact "}" | "unordered{" compact "}"
//! dimension  = size | "[" size "]" | "?"    (bracketed: reduced)
//! option     = "index_base" | "explicit_index" | "initial" [ "=" value [ "@" index ] ] | "assume_order" | "pitch=" size
//!            | "count=" size ".." size
//! fold       = "sum" | "product" | "max" | "min" | "maxnum" | "minnum" | "and" | "or" | "xor"
//!              (options: accumulator, "initial=" value, "pitch=" size, "count=" size ".." size)
//! operand    = input | "index(" number ")"
//! input      = element [ "(" [ along { "," along } ] [ "=" value ] ")" ]
//! along      = [ "-" ] [ "@" ] number [ ( "+" | "-" ) number ] [ ":" size ]
//! ```
//!
//! A name is one of [`Comparator::names`], such as `argmax`, `argmin_nan` or `argmax.ugt`; compact is
//! [`Comparator::compact`], of a comparator that no name fits. One that is shown not to order the elements has to be called
//! `unordered`: its result depends on the order in which they are taken, which is that of the fold. Where it is neither
//! shown nor proved to, they are taken in that order too, unless `assume_order` promises that it orders them; the option goes
//! where that is proved, and is refused where the opposite is shown. Integers have no sign of their own, the comparator
//! reads one into them; `argmax:4x[8]xui8` is another way to write `argmax.ugt:4x[8]xi8`. Of truth values,
//! `i1`, true is more than false, with or without `u`: `argmax` gives the first that is true.
//!
//! A fold makes one of two values ([`Combining`](crate::reduction::Combining)). `sum` and `product` are accumulated in f32 of
//! floats and in i32 of integers where no other type stands behind the elements', as in `sum:4x[32000]xf16:f64`; those of 64 bits in
//! their own. The results have that type. With `u` before the name integers are read without a sign, where that matters.
//!
//! What is reduced may be computed ([`Function`]): by the operations in parentheses, as in
//! `sum(math.absf(0)):4x[32000]xf32`, of input 0, which has the problem's dimensions, and of
//! operands, of which each says the numbers of its dimensions, outermost first, where it has not
//! all: `argmax(arith.addf(0,1)):64x[768]xf32,f32(1)`. Some have names: `dot` is the sum of
//! products with an operand, `square_sum` that of squares, `abs_max` the greatest magnitude.
//! Elements are extended to the accumulator's type before they are multiplied:
//! `dot:[8]xf32,f32:f64` multiplies and adds in f64.
//!
//! An input may be a [`View`] of a tensor: of each dimension of that, the number of the problem's dimension which it follows,
//! forwards or, behind `-`, backwards; what is added to that place; and the tensor's size, where it is another one than the problem's.
//! Outside of the tensor is 0, or the value behind `=`. So `sum:64x[768]xf32(0,1-2:764)` sums rows of 764 elements with a pad of 2 zeros
//! on each side, `sum:64x[768]xf32(0,-1+767)` rows from their ends, and `sum:64x[768]xf32(0+3:100,1+5:2000)` a slice of a matrix.
//! Behind `@` stands the number of an input of integers: what that holds is the place then. So a sum of rows of a table that input 1
//! names is `sum:64x[10]x768xf32(@1:50000,2),i32(0,1)`, and each index that is none gives the value for what is outside.
//!
//! An operand `index(1)` is no tensor, and has the place along that dimension, as an i32: the sum of two tensors that stand one behind
//! the other is `sum(3=arith.constant(i32,28);4=arith.cmpi(ult,2,3);arith.select(4,0,1)):64x[100]xf32(0,1:40),f32(0,1-40:60),index(1)`.
//!
//! A row operation uses what a row gives once more ([`RowOperation`](crate::reduction::RowOperation)): it has f32, f16 or bf16, and
//! the operands that its name implies, of the elements' type.
//!
//! Of a map nothing is reduced, and no dimension is in brackets: `map(arith.addf(0,1)):64x768xf32,f32` has a value for each element.
//! Where nothing is computed it is a copy: `copy:768x64xf32(1,0)` transposes, and `copy:10x768xf32(@1:50000,1),i32(0)` gathers rows.
//!
//! The size of the outermost dimension may be `?`, if it is parallel: how many places it has is known at launch only. `count`
//! says from what to what, both included; a problem that does not say means 1 to 512.
//!
//! Parsing accepts exactly this grammar, options in any order; [`Problem`]'s `Display` prints the canonical form, which
//! always names the index type and the range of counts, an accumulator only where it is not the usual one, and has the options in the order of the grammar.

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
use crate::{ArgCompare, ElementType, Function, Shape, View};

/// What is computed: a reduction of each row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Problem {
    /// What becomes of the elements of a row.
    pub reduction: Reduction,
    /// Sizes and reduced dimensions.
    pub shape: Shape,
    /// Type of the input elements.
    pub element: ElementType,
    /// What is reduced, where that is not the elements themselves.
    pub function: Option<Function>,
}

impl Problem {
    /// The reduction by a comparator, where it is one of the elements themselves, as IREE's operation is.
    pub fn arg_compare(&self) -> Option<&ArgCompare> {
        let is_computed = self.function.is_some();
        self.reduction.arg_compare().filter(|_| !is_computed)
    }

    /// Type of what is reduced: that of the elements, or of what is computed of them.
    pub fn reduced_type(&self) -> ElementType {
        match &self.function {
            Some(function) => function.result(),
            None => self.element,
        }
    }

    /// The name of what is computed, such as `argmax` or `dot`; without one, as in `sum(math.absf(0))`.
    pub fn name(&self) -> Cow<'_, str> {
        let reduction = self.reduction.text().0;
        match &self.function {
            None => reduction.into(),
            Some(function) => match function.name() {
                Some(name) => name.into(),
                None if function.is_view() => reduction.into(),
                None => format!("{reduction}({})", function.compact()).into(),
            },
        }
    }

    /// A word of letters, digits and `_` for names of kernels.
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

    /// What stands behind the sizes in the text, and before the options: the types of the inputs, and the dimensions of operands.
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

    /// Returns what stands behind the inputs in the text, but for the pitch and the counts.
    pub fn options(&self) -> impl fmt::Display + '_ {
        fmt::from_fn(|f| {
            let function = self.function.as_ref();
            if let Some(accumulator) = function.and_then(Function::accumulator) {
                write!(f, ":{accumulator}")?;
            }
            f.write_str(self.reduction.text().1)
        })
    }

    /// The results of a row, in the order of a kernel's arguments.
    pub fn results(&self) -> Vec<Tensor> {
        self.reduction.results(self.reduced_type())
    }

    /// The view of the problem's own input, where it is one of a tensor with other sizes.
    pub fn view(&self) -> Option<&View> {
        self.function.as_ref().and_then(Function::view)
    }

    /// Bytes of the buffer of the input, gaps between its rows included.
    pub fn input_bytes(&self) -> u64 {
        let elements = match self.view() {
            None => self.shape.span(),
            Some(view) => view.elements(&self.shape),
        };
        elements * u64::from(self.element.bytes())
    }

    /// Bytes of the buffers of all operands beside the input.
    pub fn operand_bytes(&self) -> u64 {
        let bytes = self.operands().into_iter().map(|it| it.bytes(&self.shape));
        bytes.sum()
    }

    /// Bytes of the buffers of all results.
    pub fn output_bytes(&self) -> u64 {
        let results = self.results();
        let bytes = results.iter().map(|tensor| tensor.bytes(&self.shape));
        bytes.sum()
    }

    /// Bytes that any kernel must move: each element of each input that the problem has a place for once, each result once, and once more
    /// where the results hold what the fold begins with; and what the reduction says beside.
    pub fn compulsory_bytes(&self) -> u64 {
        let reached = self
            .function
            .as_ref()
            .and_then(|it| it.reached(&self.shape));
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

/// For lists that people read: by name, then by element type and shape.
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
            let options = problem.reduction.text().1;
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

/// Why a text is not a problem, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("problem {text:?}, character {}: {message}", .position + 1)]
pub struct ProblemError {
    /// The text as it was given (cut to its first 80 characters).
    pub text: String,
    /// Character of the text, counted from 0, at which it stops being a problem.
    pub position: usize,
    /// What is wrong there and what would be right.
    pub message: String,
}

#[cfg(test)]
mod tests;
