//! The parser of problem text.

mod arg_compare;
mod counts;
mod fold;
mod function;
mod map;
mod name_suggestion;
mod row_program;
mod rowwise;

use std::str::FromStr;

use arrayvec::ArrayVec;

use super::{Problem, ProblemError};
use crate::ElementType;
use crate::comparator::Comparator;
use crate::function::Function;
use crate::reduction::program::ROWS;
use crate::reduction::{NamedFold, Reduction};
use crate::shape::{MAX_ELEMENTS, MAX_RANK, Shape};
use counts::OPEN;
pub use name_suggestion::{nearest_name, operation_names};

/// The text before the first colon. Its meaning depends on the element type.
#[derive(Clone, Copy)]
enum ComparatorText<'a> {
    Name(&'a str),
    Compact { text: &'a str, unordered: bool },
}

/// The error for a repeated option.
const GIVEN: &str = "this option is given twice";

impl FromStr for Problem {
    type Err = ProblemError;

    fn from_str(text: &str) -> Result<Self, ProblemError> {
        Parser {
            text,
            rest: text,
            given: None,
            assumes_order: false,
            is_viewed: false,
            gathered: Vec::new(),
        }
        .problem()
    }
}

impl Problem {
    /// Parses a problem with a separate comparator: its text says `arg_compare`, without braces.
    ///
    /// An example is `arg_compare:4x[32000]xf32`. The comparator need not be an order;
    /// `assumes_order` promises that it is one, as the option `assume_order` does.
    ///
    /// # Errors
    /// Returns an error for text that is no problem, and for elements of another type than the
    /// comparator's.
    pub fn with_comparator(
        text: &str,
        comparator: &Comparator,
        assumes_order: bool,
    ) -> Result<Problem, ProblemError> {
        Parser {
            text,
            rest: text,
            given: Some(comparator),
            assumes_order,
            is_viewed: false,
            gathered: Vec::new(),
        }
        .problem()
    }
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    /// The separate comparator, if the text has only the placeholder `arg_compare`.
    given: Option<&'a Comparator>,
    /// Set if the caller promises an order, as the option does.
    assumes_order: bool,
    /// Set if the problem's own input is a view.
    is_viewed: bool,
    /// For each gathered dimension: its text, the gathered input and the input that holds the
    /// indices.
    gathered: Vec<(&'a str, usize, usize)>,
}

impl<'a> Parser<'a> {
    fn problem(mut self) -> Result<Problem, ProblemError> {
        let start = self.rest;
        let written = self.written()?;
        self.check_name(start, written)?;
        if let ComparatorText::Name(ROWS) = written
            && !self.rest.starts_with('(')
        {
            let message = "a row program follows in parentheses, as in rows(sum(x)/8):4x[8]xf32";
            return Err(self.error(self.rest, message));
        }
        let function = match self.accept("(") {
            true => Some((self.rest, self.parenthesised()?)),
            false => None,
        };
        self.expect(
            ":",
            "after a comparator such as \"argmax\" comes \":\", then the dimensions",
        )?;
        // `settle_counts` runs last and reports its errors at the `?`.
        let open = self.rest.starts_with('?').then_some(self.rest);
        // Names decide about brackets: a map has none, a row program decides by its folds, and
        // everything else has at least one.
        let is_program = matches!(written, ComparatorText::Name(ROWS));
        let (mut shape, element, unsigned) =
            self.shape_and_element(self.map_name(written), is_program)?;
        let view = self.view_of_input(&shape, element)?;
        self.is_viewed = view.is_some();
        let operands = self.operands(&shape)?;
        if let (ComparatorText::Name(ROWS), Some(program)) = (written, function) {
            let viewed = (element, view, Vec::new());
            let function = self.function(start, written, None, viewed, unsigned)?;
            let rows = self.row_program(program, (element, unsigned), operands, &mut shape)?;
            self.check_positions(start, &rows, &function)?;
            self.settle_counts(open, &mut shape)?;
            return Ok(Problem {
                reduction: rows,
                shape,
                element,
                function,
            });
        }
        let inputs = (element, view, operands);
        let function = self.function(start, written, function, inputs, unsigned)?;
        // The element type alone does not decide the reduction; a function may change the type.
        let reduced = function.as_ref().map_or(element, |it| it.result());
        let fold = self.fold(start, written, reduced, unsigned, &mut shape)?;
        let function = match (&fold, function) {
            (Some(fold), Some(function)) => {
                // A fold that has a short name, such as `dot`, prints that name as its canonical
                // text.
                Some(match NamedFold::name_of(fold, function.region()) {
                    Some((name, accumulator)) => function.named(name, accumulator),
                    None => function,
                })
            }
            (_, function) => function,
        };
        let reduction = match fold {
            Some(fold) => Reduction::by(fold),
            None => match self.map(start, written, (element, &function), &mut shape)? {
                Some(map) => map,
                None => match self.rowwise(
                    start,
                    written,
                    &function,
                    (element, unsigned),
                    &mut shape,
                )? {
                    Some(rowwise) => rowwise,
                    None => self.arg_compare(start, written, reduced, unsigned, &mut shape)?,
                },
            },
        };
        self.check_positions(start, &reduction, &function)?;
        self.settle_counts(open, &mut shape)?;
        Ok(Problem {
            reduction,
            shape,
            element,
            function,
        })
    }

    /// Checks that no view is read at positions of a row.
    fn check_positions(
        &self,
        start: &'a str,
        reduction: &Reduction,
        function: &Option<Function>,
    ) -> Result<(), ProblemError> {
        let mut elements = reduction.elements().iter();
        match function.is_some() && elements.any(|it| it.input == 0) {
            true => Err(self.error(
                start,
                "the first input is read at positions of the row, so it may not be a view",
            )),
            false => Ok(()),
        }
    }

    /// Parses the options behind the inputs.
    ///
    /// `read` parses an option of the reduction, and returns false if the reduction has none of
    /// that name. This function parses the options that all reductions share, into the shape.
    fn options(
        &mut self,
        shape: &mut Shape,
        own: &str,
        mut read: impl FnMut(&mut Self, &str, &'a str) -> Result<bool, ProblemError>,
    ) -> Result<(), ProblemError> {
        while !self.rest.is_empty() {
            self.expect(
                ":",
                "the problem should end here, or go on with \":\" and an option",
            )?;
            let start = self.rest;
            let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
            let is_given = match name {
                "pitch" => shape.pitch.is_some(),
                "count" => shape.least.is_some_and(|least| least > 0),
                _ => false,
            };
            match name {
                _ if is_given => return Err(self.error(start, GIVEN)),
                "pitch" => self.pitch(shape)?,
                "count" => self.count(start, shape)?,
                _ if read(self, start, name)? => {}
                _ => {
                    let separator = if own.is_empty() { "" } else { ", " };
                    let options =
                        format!("{own}{separator}\"pitch=SIZE\" or \"count=LEAST..LARGEST\"");
                    return Err(self.error(start, format!("an option is {options}")));
                }
            }
        }
        Ok(())
    }

    fn pitch(&mut self, shape: &mut Shape) -> Result<(), ProblemError> {
        self.expect(
            "=",
            "after \"pitch\" comes \"=\", then a number of elements",
        )?;
        let start = self.rest;
        let (pitch, least) = (self.size()?, shape.pitch());
        if shape.rank() == 1 {
            return Err(self.error(start, "a problem of one dimension may not have a pitch"));
        }
        if self.is_viewed {
            let message = "an input with its own tensor layout may not have a pitch";
            return Err(self.error(start, message));
        }
        if pitch < least {
            let message = format!("the pitch must be at least the last dimension, {least}");
            return Err(self.error(start, message));
        }
        // A problem has one canonical text, so a pitch equal to the innermost size is none.
        shape.pitch = (pitch > least).then_some(pitch);
        let outer = shape.sizes.iter().rev().skip(1);
        let rows = outer.map(|&size| u64::from(size)).product::<u64>();
        match rows.checked_mul(u64::from(pitch)) {
            Some(elements) if elements <= MAX_ELEMENTS => Ok(()),
            _ => Err(self.error(start, "the input spans more than 2^40 elements")),
        }
    }

    fn written(&mut self) -> Result<ComparatorText<'a>, ProblemError> {
        let start = self.rest;
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
        if !self.accept("{") {
            return Ok(ComparatorText::Name(name));
        }
        let unordered = match name {
            "arg_compare" => false,
            "unordered" => true,
            _ => return Err(self.error(start, "braces follow \"arg_compare\" or \"unordered\"")),
        };
        let text = self.take_while(|c| c != '}');
        self.expect("}", "a comparator ends with \"}\"")?;
        Ok(ComparatorText::Compact { text, unordered })
    }

    /// Parses the text up to the closing parenthesis that matches an opened one.
    fn parenthesised(&mut self) -> Result<&'a str, ProblemError> {
        let mut open = 1;
        let end = self.rest.find(|c| {
            match c {
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            open == 0
        });
        let text = &self.rest[..end.unwrap_or(self.rest.len())];
        self.rest = &self.rest[text.len()..];
        self.expect(")", "a function ends with \")\"")?;
        Ok(text)
    }

    /// Parses the dimensions and the element type.
    ///
    /// At least one dimension must be reduced, but none of a map; `map` is its name. A row
    /// program may reduce none.
    fn shape_and_element(
        &mut self,
        map: Option<&str>,
        is_program: bool,
    ) -> Result<(Shape, ElementType, bool), ProblemError> {
        let mut shape = Shape {
            sizes: ArrayVec::new(),
            reduced: ArrayVec::new(),
            pitch: None,
            least: None,
        };
        loop {
            let start = self.rest;
            let reduced = self.accept("[");
            if !reduced
                && !self
                    .rest
                    .starts_with(|c: char| c.is_ascii_digit() || c == '?')
            {
                if shape.rank() == 0 {
                    return Err(self.error(start, "a dimension must be a positive number"));
                }
                let (element, unsigned) = self.element_type()?;
                return match map.is_some() || is_program || shape.reduces() {
                    true => Ok((shape, element, unsigned)),
                    false => Err(self.error(
                        start,
                        "no dimension is reduced; write it in brackets, as in 4x[32000]xf32",
                    )),
                };
            }
            let size = match self.question_mark(shape.rank(), reduced)? {
                true => {
                    // The count may follow as an option, and until then the size is 1.
                    shape.least = Some(OPEN);
                    1
                }
                false => self.size()?,
            };
            if reduced {
                self.expect("]", "a reduced dimension ends with \"]\"")?;
            }
            if let (true, Some(map)) = (reduced, map) {
                let message = format!("{map} does not reduce, so no dimension may be in brackets");
                return Err(self.error(start, message));
            }
            if shape.sizes.is_full() {
                return Err(self.error(
                    start,
                    format!("a problem may have at most {MAX_RANK} dimensions"),
                ));
            }
            shape.sizes.push(size);
            shape.reduced.push(reduced);
            // Checked after each dimension, so that the error names the one that is too large.
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
            Ok(0) => Err(self.error(start, "a dimension must be at least 1")),
            Ok(_) if digits.starts_with('0') => {
                Err(self.error(start, "a dimension may not have a leading zero"))
            }
            // Sizes have 31 bits, so that positions fit an i32.
            Ok(size) if size <= i32::MAX as u32 => Ok(size),
            _ if digits.is_empty() => {
                Err(self.error(start, "a dimension must be a positive number"))
            }
            _ => Err(self.error(start, "a dimension may be at most 2147483647 (2^31 - 1)")),
        }
    }

    /// Parses the element type. The flag is set for an unsigned spelling, such as `ui8`.
    fn element_type(&mut self) -> Result<(ElementType, bool), ProblemError> {
        let start = self.rest;
        let name = self.word();
        let signless = name.strip_prefix('u').unwrap_or(name);
        let element = ElementType::from_name(signless)
            .filter(|element| signless == name || !element.is_float())
            .ok_or_else(|| {
                let names = ElementType::ALL.map(ElementType::name).join(", ");
                if ElementType::from_name(signless).is_some() {
                    return self.error(start, format!("floats have a sign: write \"{signless}\""));
                }
                // IREE packs two 4-bit elements into a byte, which two workgroups might write at
                // once. It compiles no such reduction.
                let extended = match signless {
                    "i4" => "; extend elements of 4 bits to i8, whose order is the same",
                    _ => "",
                };
                self.error(
                    start,
                    format!("an element type is one of {names}{extended}"),
                )
            })?;
        Ok((element, signless != name))
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
        // `at` is the end of `text`, so its length gives its position.
        let before = &self.text[..self.text.len() - at.len()];
        ProblemError {
            text: self.text.chars().take(80).collect(),
            position: before.chars().count(),
            message: message.into(),
        }
    }
}
