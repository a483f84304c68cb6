//! Reading problem text.

mod counts;

use std::str::FromStr;

use arrayvec::ArrayVec;

use super::{Problem, ProblemError};
use crate::comparator::Comparator;
use crate::comparator::order::Standing;
use crate::reduction::{ArgCompare, IndexMode, Initial, Reduction, bits_of};
use crate::shape::{MAX_ELEMENTS, MAX_RANK, Shape};
use crate::{ElementType, IndexType};
use counts::OPEN;

/// What stands before the first colon; what it means depends on the element type.
#[derive(Clone, Copy)]
enum Written<'a> {
    Name(&'a str),
    Compact { text: &'a str, unordered: bool },
}

/// Names of signed integer comparators, and of their unsigned counterparts.
const UNSIGNED: [(&str, &str); 4] = [
    ("argmax", "argmax.ugt"),
    ("argmin", "argmin.ult"),
    ("argmax_last", "argmax.uge"),
    ("argmin_last", "argmin.ule"),
];

impl FromStr for Problem {
    type Err = ProblemError;

    fn from_str(text: &str) -> Result<Self, ProblemError> {
        Parser {
            text,
            rest: text,
            given: None,
            assumes_order: false,
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
}

impl<'a> Parser<'a> {
    fn problem(mut self) -> Result<Problem, ProblemError> {
        let start = self.rest;
        let written = self.written()?;
        self.expect(
            ":",
            "after a comparator such as \"argmax\" comes \":\", then the dimensions",
        )?;
        let open = self.rest.starts_with('?').then_some(self.rest);
        let (mut shape, element, unsigned) = self.shape_and_element()?;
        let comparator = self.comparator(start, written, element, unsigned)?;
        let index = self.index(&shape)?;
        let mut reduction = ArgCompare {
            comparator,
            index,
            index_mode: IndexMode::Position,
            initial: Initial::Worst,
            assumes_order: false,
        };
        while !self.rest.is_empty() {
            self.expect(
                ":",
                "the problem should end here, or go on with \":\" and an option",
            )?;
            self.option(&mut reduction, &mut shape)?;
        }
        self.settle_counts(open, &mut shape)?;
        reduction.assumes_order |= self.assumes_order;
        let is_unordered = matches!(
            written,
            Written::Compact {
                unordered: true,
                ..
            }
        );
        if is_unordered && reduction.assumes_order {
            let message = "\"assume_order\" of what is called \"unordered\"";
            return Err(self.error(self.rest, message));
        }
        let order = reduction.comparator.order();
        let has_worst = reduction.comparator.name().is_some()
            || order.worst.is_some_and(|worst| worst.is_proven);
        // The same problem has one text.
        if has_worst && reduction.initial == Initial::Pair(order.start, 0) {
            reduction.initial = Initial::Worst;
        }
        self.settle_promise(&mut reduction)?;
        if !has_worst && reduction.initial == Initial::Worst {
            let message = "of this comparator no worst value is known to begin with; give one, as in \":i32:initial=0\", or let \
                           the outputs hold the initial pair, as in \":i32:initial\"";
            return Err(self.error(self.rest, message));
        }
        Ok(Problem {
            reduction: Reduction::new(reduction),
            shape,
            element,
        })
    }

    /// A promise that is proved goes, one that is broken is refused.
    fn settle_promise(&self, reduction: &mut ArgCompare) -> Result<(), ProblemError> {
        match reduction.standing() {
            Standing::Refuted(example) if reduction.assumes_order => {
                let message =
                    format!("\"assume_order\", but this comparator is no order: {example}");
                Err(self.error(self.rest, message))
            }
            Standing::Proved => {
                reduction.assumes_order = false;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn option(
        &mut self,
        reduction: &mut ArgCompare,
        shape: &mut Shape,
    ) -> Result<(), ProblemError> {
        let start = self.rest;
        let name = self.take_while(|c| c.is_ascii_alphabetic() || c == '_');
        let given = match name {
            "index_base" | "explicit_index" => reduction.index_mode != IndexMode::Position,
            "initial" => reduction.initial != Initial::Worst,
            "assume_order" => reduction.assumes_order,
            "pitch" => shape.pitch.is_some(),
            "count" => shape.least.is_some_and(|least| least > 0),
            _ => false,
        };
        if given {
            return Err(self.error(start, "an option of this kind was given already"));
        }
        match name {
            "index_base" => reduction.index_mode = IndexMode::Based,
            "explicit_index" => reduction.index_mode = IndexMode::Explicit,
            "initial" if self.accept("=") => reduction.initial = self.pair(reduction)?,
            "initial" => reduction.initial = Initial::Outputs,
            "assume_order" => reduction.assumes_order = true,
            "pitch" => return self.pitch(shape),
            "count" => return self.count(start, shape),
            _ => {
                let options = "\"index_base\", \"explicit_index\", \"initial\", \"initial=VALUE\", \"initial=VALUE@INDEX\", \
                               \"assume_order\", \"pitch=SIZE\" or \"count=LEAST..LARGEST\"";
                return Err(self.error(start, format!("an option is {options}")));
            }
        }
        Ok(())
    }

    /// Reads the initial pair: `VALUE`, with index 0, or `VALUE@INDEX`.
    fn pair(&mut self, reduction: &ArgCompare) -> Result<Initial, ProblemError> {
        let start = self.rest;
        let element = reduction.comparator.element();
        let value = self.take_while(|c| c != ':' && c != '@');
        let value = bits_of(element, value).ok_or_else(|| {
            let nan = if element.is_float() {
                ", \"inf\", \"-inf\" or \"nan\" where it has them,"
            } else {
                ""
            };
            let message = format!(
                "an initial value is a number that {element} has{nan} or its bits, as in 0x01"
            );
            self.error(start, message)
        })?;
        if !self.accept("@") {
            return Ok(Initial::Pair(value, 0));
        }
        let start = self.rest;
        let index = self
            .take_while(|c| c.is_ascii_digit() || c == '-')
            .parse::<i64>();
        let beyond = 64 - reduction.index.bits();
        match index {
            Ok(index) if index << beyond >> beyond == index => Ok(Initial::Pair(value, index)),
            _ => {
                let message = format!("an initial index is a number of type {}", reduction.index);
                Err(self.error(start, message))
            }
        }
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

    fn written(&mut self) -> Result<Written<'a>, ProblemError> {
        let start = self.rest;
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
        if !self.accept("{") {
            return Ok(Written::Name(name));
        }
        let unordered = match name {
            "arg_compare" => false,
            "unordered" => true,
            _ => return Err(self.error(start, "braces follow \"arg_compare\" or \"unordered\"")),
        };
        let text = self.take_while(|c| c != '}');
        self.expect("}", "a comparator ends with \"}\"")?;
        Ok(Written::Compact { text, unordered })
    }

    /// The comparator that stands at `start`.
    fn comparator(
        &self,
        start: &str,
        written: Written<'_>,
        element: ElementType,
        unsigned: bool,
    ) -> Result<Comparator, ProblemError> {
        if let Some(given) = self.given {
            return self.given(start, written, element, unsigned, given);
        }
        match written {
            Written::Name(name) => {
                let wanted = match unsigned {
                    true => UNSIGNED
                        .iter()
                        .find(|pair| pair.0 == name)
                        .map(|pair| pair.1),
                    false => Some(name),
                };
                let found = wanted.and_then(|name| Comparator::named(name, element));
                found.ok_or_else(|| {
                    let names: Vec<&str> = match unsigned {
                        true => UNSIGNED.iter().map(|pair| pair.0).collect(),
                        false => Comparator::names(element).collect(),
                    };
                    let sign = if unsigned { "unsigned " } else { "" };
                    let names = names.join(", ");
                    self.error(
                        start,
                        format!("a comparator of {sign}{element} is one of {names}"),
                    )
                })
            }
            Written::Compact { text, unordered } => {
                let at = &start[start.find('{').map_or(0, |brace| brace + 1)..];
                let comparator = Comparator::from_compact(text, element).map_err(|error| {
                    let skipped = at.chars().take(error.column.saturating_sub(1));
                    let bytes = skipped.map(char::len_utf8).sum::<usize>();
                    self.error(&at[bytes.min(at.len())..], error.message)
                })?;
                let named = comparator.name().is_some();
                match &comparator.order().from_start {
                    Standing::Refuted(example) if !unordered && !named => {
                        let message = format!(
                            "this comparator orders nothing: {example}; call it \"unordered\" to have the fold all the same"
                        );
                        Err(self.error(start, message))
                    }
                    _ => Ok(comparator),
                }
            }
        }
    }

    /// The comparator that is given, for the place that stands at `start`.
    fn given(
        &self,
        start: &str,
        written: Written<'_>,
        element: ElementType,
        unsigned: bool,
        given: &Comparator,
    ) -> Result<Comparator, ProblemError> {
        let message = match written {
            Written::Name("arg_compare") if unsigned => {
                "the comparator says how integers are read; write their type without \"u\"".to_owned()
            }
            Written::Name("arg_compare") if given.element() != element.into() => {
                format!("the comparator is one of {}, not of {element}", given.element())
            }
            Written::Name("arg_compare") => return Ok(given.clone()),
            _ => "the comparator is given already; its place is \"arg_compare\", as in arg_compare:4x[32000]xf32"
                .to_owned(),
        };
        Err(self.error(start, message))
    }

    fn shape_and_element(&mut self) -> Result<(Shape, ElementType, bool), ProblemError> {
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
                let (element, unsigned) = self.element(&shape)?;
                return Ok((shape, element, unsigned));
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

    /// The element type, and whether it is written as an unsigned one.
    fn element(&mut self, shape: &Shape) -> Result<(ElementType, bool), ProblemError> {
        let start = self.rest;
        if shape.rank() == 0 {
            return Err(self.error(start, "a dimension is a positive number"));
        }
        let name = self.word();
        let signless = name.strip_prefix('u').unwrap_or(name);
        let element = ElementType::from_name(signless)
            .filter(|element| signless == name || !element.is_float())
            .ok_or_else(|| {
                let names = ElementType::ALL.map(ElementType::name).join(", ");
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
        match shape.reduced().next() {
            Some(_) => Ok((element, signless != name)),
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
            // Options have underscores.
            let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
            IndexType::from_name(name).ok_or_else(|| {
                let message = "an index type is \"i32\", \"i64\" or \"index\"; options follow it";
                self.error(start, message)
            })?
        } else {
            IndexType::default()
        };
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
