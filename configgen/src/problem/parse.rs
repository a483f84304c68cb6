//! Reading problem text.

mod arg_compare;
mod counts;
mod fold;
mod function;
mod map;
mod name_suggestion;
mod rowwise;

use std::str::FromStr;

use arrayvec::ArrayVec;

use super::{Problem, ProblemError};
use crate::ElementType;
use crate::comparator::Comparator;
use crate::reduction::{NamedFold, Reduction};
use crate::shape::{MAX_ELEMENTS, MAX_RANK, Shape};
use counts::OPEN;
pub use name_suggestion::{nearest_name, operation_names};

/// What stands before the first colon; what it means depends on the element type.
#[derive(Clone, Copy)]
enum ComparatorText<'a> {
    Name(&'a str),
    Compact { text: &'a str, unordered: bool },
}

/// What is said of an option that comes again.
const GIVEN: &str = "an option of this kind was given already";

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
    /// Parses the text of a problem whose comparator stands elsewhere: its name is `arg_compare`, as in
    /// `arg_compare:4x[32000]xf32`. It need not be an order; `assumes_order` promises that it is, as the option does.
    ///
    /// # Errors
    /// As parsing any problem, and where the elements are not the comparator's.
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
    /// The comparator, where the text has only a place for it.
    given: Option<&'a Comparator>,
    /// Whether the option is given elsewhere, too.
    assumes_order: bool,
    /// Whether the problem's own input is a view.
    is_viewed: bool,
    /// Where an input is gathered by what another holds, and the numbers of both.
    gathered: Vec<(&'a str, usize, usize)>,
}

impl<'a> Parser<'a> {
    fn problem(mut self) -> Result<Problem, ProblemError> {
        let start = self.rest;
        let written = self.written()?;
        self.check_name(start, written)?;
        let function = match self.accept("(") {
            true => Some((self.rest, self.parenthesised()?)),
            false => None,
        };
        self.expect(
            ":",
            "after a comparator such as \"argmax\" comes \":\", then the dimensions",
        )?;
        let open = self.rest.starts_with('?').then_some(self.rest);
        let (mut shape, element, unsigned) = self.shape_and_element(self.map_name(written))?;
        let view = self.view_of_input(&shape, element)?;
        self.is_viewed = view.is_some();
        let operands = self.operands(&shape)?;
        let inputs = (element, view, operands);
        let function = self.function(start, written, function, inputs, unsigned)?;
        let reduced = function.as_ref().map_or(element, |it| it.result());
        let fold = self.fold(start, written, reduced, unsigned, &mut shape)?;
        let function = match (&fold, function) {
            (Some(fold), Some(function)) => {
                Some(match NamedFold::name_of(fold, function.region()) {
                    Some((name, accumulator)) => function.named(name, accumulator),
                    None => function,
                })
            }
            (_, function) => function,
        };
        let reduction = match fold {
            Some(fold) => Reduction::new(fold),
            None => match self.map(start, written, &function, &mut shape)? {
                Some(map) => Reduction::new(map),
                None => match self.rowwise(
                    start,
                    written,
                    &function,
                    (element, unsigned),
                    &mut shape,
                )? {
                    Some(rowwise) => Reduction::new(rowwise),
                    None => self.arg_compare(start, written, reduced, unsigned, &mut shape)?,
                },
            },
        };
        self.settle_counts(open, &mut shape)?;
        Ok(Problem {
            reduction,
            shape,
            element,
            function,
        })
    }

    /// Reads what stands behind the type of the elements, `read` an option of the reduction: false where it is none. The shape
    /// has options that every reduction has.
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
            return Err(self.error(start, "a problem of one dimension has no pitch"));
        }
        if self.is_viewed {
            let message = "the input says how its tensor lies in memory, and has no pitch";
            return Err(self.error(start, message));
        }
        if pitch < least {
            let message = format!("the pitch is at least the last dimension, {least}");
            return Err(self.error(start, message));
        }
        // The same problem has one text.
        shape.pitch = (pitch > least).then_some(pitch);
        let outer = shape.sizes.iter().rev().skip(1);
        let rows = outer.map(|&size| u64::from(size)).product::<u64>();
        match rows.checked_mul(u64::from(pitch)) {
            Some(elements) if elements <= MAX_ELEMENTS => Ok(()),
            _ => Err(self.error(start, "the input reaches over more than 2^40 elements")),
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

    /// What stands in parentheses of which the first was read, in others that are within it.
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

    /// Reads the dimensions and the type of the elements. One dimension is reduced at least, and none of a map, which has this name.
    fn shape_and_element(
        &mut self,
        map: Option<&str>,
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
                    return Err(self.error(start, "a dimension is a positive number"));
                }
                let (element, unsigned) = self.element_type()?;
                return match map.is_some() || shape.reduces() {
                    true => Ok((shape, element, unsigned)),
                    false => Err(self.error(
                        start,
                        "no dimension is reduced; write it in brackets, as in 4x[32000]xf32",
                    )),
                };
            }
            let size = match self.question_mark(shape.rank(), reduced)? {
                true => {
                    shape.least = Some(OPEN);
                    1
                }
                false => self.size()?,
            };
            if reduced {
                self.expect("]", "a reduced dimension ends with \"]\"")?;
            }
            if let (true, Some(map)) = (reduced, map) {
                let message = format!("{map} reduces nothing: no dimension is in brackets");
                return Err(self.error(start, message));
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

    /// The type of elements, and whether it is written as an unsigned one.
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
                // IREE has two in a byte, of which two workgroups may have one each to write, and compiles none of its own.
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
        let before = &self.text[..self.text.len() - at.len()];
        ProblemError {
            text: self.text.chars().take(80).collect(),
            position: before.chars().count(),
            message: message.into(),
        }
    }
}
