//! Problems: what is computed, and their canonical text `argmax:4x[32000]xf32:i32`.
//!
//! ```text
//! problem   = operation ":" dimension { "x" dimension } "x" element [ ":" index ]
//! dimension = size | "[" size "]"          (bracketed: reduced)
//! ```
//!
//! Parsing accepts exactly this grammar; [`Problem`]'s `Display` prints the canonical form, which always names the
//! index type.

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;

use crate::{ElementType, IndexType};

/// The highest rank of a problem.
pub const MAX_RANK: usize = 6;

/// The largest number of elements of a problem: 2^40.
pub const MAX_ELEMENTS: u64 = 1 << 40;

/// The operation, which determines the comparator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// The largest element and its index: `ogt` on floats, `sgt` on integers.
    Argmax,
    /// The smallest element and its index: `olt` on floats, `slt` on integers.
    Argmin,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 2] = [Self::Argmax, Self::Argmin];

    /// The name in problem text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Argmax => "argmax",
            Self::Argmin => "argmin",
        }
    }

    /// The operation with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.name() == name)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The sizes of a problem's dimensions, outermost first (row major), and which of them are reduced.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    sizes: ArrayVec<u32, MAX_RANK>,
    reduced: ArrayVec<bool, MAX_RANK>,
}

impl Shape {
    /// Number of dimensions, 1 to [`MAX_RANK`].
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// Size of each dimension, outermost first.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Whether dimension `dimension` is reduced.
    pub fn is_reduced(&self, dimension: usize) -> bool {
        self.reduced[dimension]
    }

    /// The reduced dimensions, outermost first; at least one.
    pub fn reduced(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.rank()).filter(|&d| self.reduced[d])
    }

    /// The parallel dimensions, outermost first; none when the whole input is reduced.
    pub fn parallel(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.rank()).filter(|&d| !self.reduced[d])
    }

    /// Number of elements of the input.
    pub fn elements(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).product()
    }

    /// Number of reductions (rows): the product of the parallel sizes.
    pub fn rows(&self) -> u64 {
        self.parallel().map(|d| u64::from(self.sizes[d])).product()
    }

    /// Elements of one reduction: the product of the reduced sizes.
    pub fn reduced_size(&self) -> u64 {
        self.reduced().map(|d| u64::from(self.sizes[d])).product()
    }
}

/// What is computed: for every row, the first element that no other beats, and its index.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Problem {
    /// The operation.
    pub operation: Operation,
    /// Sizes and reduced dimensions.
    pub shape: Shape,
    /// Type of the input elements and of the returned values.
    pub element: ElementType,
    /// Type of the returned indices.
    pub index: IndexType,
}

impl Problem {
    /// Bytes of the input.
    pub fn input_bytes(&self) -> u64 {
        self.shape.elements() * u64::from(self.element.bytes())
    }

    /// Bytes that any kernel must move: the input once, each value and index once.
    pub fn compulsory_bytes(&self) -> u64 {
        let pair = u64::from(self.element.bytes() + self.index.bytes());
        self.input_bytes() + self.shape.rows() * pair
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.operation)?;
        for (d, size) in self.shape.sizes.iter().enumerate() {
            match self.shape.reduced[d] {
                true => write!(f, "[{size}]x")?,
                false => write!(f, "{size}x")?,
            }
        }
        write!(f, "{}:{}", self.element, self.index)
    }
}

impl serde::Serialize for Problem {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
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

impl FromStr for Problem {
    type Err = ProblemError;

    fn from_str(text: &str) -> Result<Self, ProblemError> {
        Parser { text, rest: text }.problem()
    }
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn problem(mut self) -> Result<Problem, ProblemError> {
        let operation = self.operation()?;
        self.expect(":", "after the operation comes \":\", then the dimensions")?;
        let (shape, element) = self.shape_and_element()?;
        let index = self.index(&shape)?;
        Ok(Problem {
            operation,
            shape,
            element,
            index,
        })
    }

    fn operation(&mut self) -> Result<Operation, ProblemError> {
        let start = self.rest;
        let name = self.word();
        Operation::from_name(name)
            .ok_or_else(|| self.error(start, "an operation is \"argmax\" or \"argmin\""))
    }

    fn shape_and_element(&mut self) -> Result<(Shape, ElementType), ProblemError> {
        let mut shape = Shape {
            sizes: ArrayVec::new(),
            reduced: ArrayVec::new(),
        };
        loop {
            let start = self.rest;
            let reduced = self.accept("[");
            if !reduced && !self.rest.starts_with(|c: char| c.is_ascii_digit()) {
                return self.element(&shape).map(|element| (shape, element));
            }
            let size = self.size()?;
            if reduced {
                self.expect("]", "a reduced dimension ends with \"]\"")?;
            }
            if shape.sizes.is_full() {
                return Err(self.error(
                    start,
                    format!("a problem has at most {MAX_RANK} dimensions"),
                ));
            }
            shape.sizes.push(size);
            shape.reduced.push(reduced);
            let elements = shape
                .sizes
                .iter()
                .try_fold(1u64, |n, &s| n.checked_mul(u64::from(s)));
            if elements.is_none_or(|n| n > MAX_ELEMENTS) {
                return Err(self.error(start, "the input has more than 2^40 elements"));
            }
            self.expect(
                "x",
                "after a dimension comes \"x\", then a dimension or the element type",
            )?;
        }
    }

    fn size(&mut self) -> Result<u32, ProblemError> {
        let start = self.rest;
        let digits = self.take_while(|c| c.is_ascii_digit());
        match digits.parse::<u32>() {
            Ok(0) => Err(self.error(start, "a dimension is at least 1")),
            Ok(_) if digits.starts_with('0') => {
                Err(self.error(start, "a dimension has no leading zero"))
            }
            Ok(size) if size <= i32::MAX as u32 => Ok(size),
            _ if digits.is_empty() => Err(self.error(start, "a dimension is a positive number")),
            _ => Err(self.error(start, "a dimension is at most 2147483647 (2^31 - 1)")),
        }
    }

    fn element(&mut self, shape: &Shape) -> Result<ElementType, ProblemError> {
        let start = self.rest;
        if shape.rank() == 0 {
            return Err(self.error(start, "a dimension is a positive number"));
        }
        let name = self.word();
        let element = ElementType::from_name(name).ok_or_else(|| {
            let names = ElementType::ALL.map(ElementType::name).join(", ");
            self.error(start, format!("an element type is one of {names}"))
        })?;
        match shape.reduced().next() {
            Some(_) => Ok(element),
            None => Err(self.error(
                start,
                "no dimension is reduced; write it in brackets, as in 4x[32000]xf32",
            )),
        }
    }

    fn index(&mut self, shape: &Shape) -> Result<IndexType, ProblemError> {
        let start = self.rest;
        let index = if self.accept(":") {
            let start = self.rest;
            let name = self.word();
            IndexType::from_name(name)
                .ok_or_else(|| self.error(start, "an index type is \"i32\" or \"i64\""))?
        } else {
            IndexType::default()
        };
        if !self.rest.is_empty() {
            return Err(self.error(self.rest, "the problem should end here"));
        }
        if shape.reduced_size() > index.capacity() {
            let message = format!(
                "{} elements a row do not fit an {index} index",
                shape.reduced_size()
            );
            return Err(self.error(start, message));
        }
        Ok(index)
    }

    fn accept(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str, message: &str) -> Result<(), ProblemError> {
        if self.accept(token) {
            Ok(())
        } else {
            Err(self.error(self.rest, message))
        }
    }

    fn word(&mut self) -> &'a str {
        self.take_while(|c| c.is_ascii_alphanumeric())
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn error(&self, at: &str, message: impl Into<String>) -> ProblemError {
        let before = &self.text[..self.text.len() - at.len()];
        ProblemError {
            text: self.text.chars().take(80).collect(),
            position: before.chars().count(),
            message: message.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, canonical: &str) {
        let problem: Problem = text.parse().unwrap();
        assert_eq!(problem.to_string(), canonical);
        assert_eq!(canonical.parse::<Problem>().unwrap(), problem);
    }

    #[track_caller]
    fn check_error(text: &str, position: usize, part: &str) {
        let error = text.parse::<Problem>().unwrap_err();
        assert_eq!(error.position, position, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }

    #[test]
    fn canonical_text() {
        check("argmax:4x[32000]xf32", "argmax:4x[32000]xf32:i32");
        check("argmin:[7]xbf16:i64", "argmin:[7]xbf16:i64");
        check(
            "argmax:16x[21]x513x513xf32",
            "argmax:16x[21]x513x513xf32:i32",
        );
        check("argmax:[2]x3x[4]xi8", "argmax:[2]x3x[4]xi8:i32");
        check("argmax:[2147483647]xf16", "argmax:[2147483647]xf16:i32");
    }

    #[test]
    fn errors_point_at_the_character() {
        check_error("", 0, "an operation is");
        check_error("argmux:4x[8]xf32", 0, "an operation is");
        check_error("argmax 4x[8]xf32", 6, "comes \":\"");
        check_error("argmax:", 7, "positive number");
        check_error("argmax:f32", 7, "positive number");
        check_error("argmax:4x[]xf32", 10, "positive number");
        check_error("argmax:4x[0]xf32", 10, "at least 1");
        check_error("argmax:4x[08]xf32", 10, "leading zero");
        check_error("argmax:4x[8xf32", 11, "ends with \"]\"");
        check_error("argmax:4x[8]", 12, "comes \"x\"");
        check_error("argmax:4x[8]xf31", 13, "an element type is one of");
        check_error("argmax:4x8xf32", 11, "no dimension is reduced");
        check_error("argmax:4x[8]xf32:i8", 17, "an index type");
        check_error("argmax:4x[8]xf32 ", 16, "should end here");
        check_error("argmax:4x[8]xf32:i32:", 20, "should end here");
        check_error("argmax:4x[4294967296]xf32", 10, "at most 2147483647");
        check_error(
            "argmax:99999999999999999999x[4]xf32",
            7,
            "at most 2147483647",
        );
        check_error("argmax:2000000000x[2000]xf32", 18, "2^40");
        check_error("argmax:[65536]x[65536]xf32", 26, "do not fit an i32 index");
        check_error("argmax:1x1x1x1x1x1x[8]xf32", 19, "at most 6 dimensions");
        check_error("argmäx:4x[8]xf32", 0, "an operation is");
        check_error("argmax:4x[8]xf3ü", 13, "an element type");
    }

    #[test]
    fn mutated_text_never_panics() {
        let seed = "argmax:4x[32000]xf32:i32";
        for position in 0..seed.len() {
            for insert in ["", "0", "9999999999", "[", "]", "x", ":", "é", "\0", "-"] {
                let text = format!("{}{insert}{}", &seed[..position], &seed[position + 1..]);
                if let Ok(problem) = text.parse::<Problem>() {
                    assert_eq!(problem.to_string().parse(), Ok(problem));
                }
            }
        }
    }

    #[test]
    fn counts() {
        let problem: Problem = "argmax:4x[1000]x3xf16:i64".parse().unwrap();
        assert_eq!(problem.shape.elements(), 12_000);
        assert_eq!(
            (problem.shape.rows(), problem.shape.reduced_size()),
            (12, 1000)
        );
        assert_eq!(problem.compulsory_bytes(), 24_000 + 12 * 10);
    }
}
