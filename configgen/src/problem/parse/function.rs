//! The parser of functions: operands, and the function or the name of one.

use super::{ComparatorText, Parser};
use crate::comparator::{Region, ScalarType};
use crate::function::{Function, FunctionOperand, MAX_OPERANDS};
use crate::problem::ProblemError;
use crate::reduction::{NamedFold, RowOperation};
use crate::shape::Shape;
use crate::view::{DimensionView, ViewSource};
use crate::{ElementType, IndexMap, View};

/// The error for malformed text in the parentheses behind an input's type.
const INPUT: &str = "an input has the numbers of its dimensions, such as \"(0,1)\", each with an offset and the size of its tensor \
                     where these are others, as in \"(0,1-2:100)\", and then \"=VALUE\" for what is outside of it";

impl<'a> Parser<'a> {
    /// Parses the inputs behind the first: `,bf16(1)`.
    pub(super) fn operands(&mut self, shape: &Shape) -> Result<Vec<FunctionOperand>, ProblemError> {
        let mut operands = Vec::new();
        loop {
            let start = self.rest;
            if !self.accept(",") {
                return Ok(operands);
            }
            if operands.len() == MAX_OPERANDS {
                let message = format!("there are at most {MAX_OPERANDS} operands");
                return Err(self.error(start, message));
            }
            if self.accept("index(") {
                operands.push(self.place(shape)?);
                continue;
            }
            let start = self.rest;
            let (element, unsigned) = self.element_type()?;
            if unsigned {
                let message = "how integers are read, the function says: \"udot\", or \"arith.extui\" in parentheses";
                return Err(self.error(start, message));
            }
            let view = self.view(1 + operands.len(), shape, element)?;
            let map = match &view {
                Some(view) => view.dimensions(shape),
                None => IndexMap::all(shape.rank()),
            };
            operands.push(FunctionOperand {
                element,
                // A view that only lists dimensions is stored as an index map alone, so that
                // equal problems are equal.
                view: view.filter(|it| it.as_map(shape).is_none()),
                map,
                is_place: false,
            });
        }
    }

    /// Parses the dimension of an index operand, behind the parenthesis.
    fn place(&mut self, shape: &Shape) -> Result<FunctionOperand, ProblemError> {
        let start = self.rest;
        let form = "an index is the place along a dimension, as in \"index(1)\"";
        let dimension = self.number(form)? as usize;
        self.expect(")", form)?;
        let map = IndexMap::new(&[dimension], shape.rank()).ok_or_else(|| {
            let last = shape.rank() - 1;
            self.error(start, format!("dimensions are counted from 0 to {last}"))
        })?;
        Ok(FunctionOperand {
            // Sizes have 31 bits, so every index fits an i32.
            element: ElementType::I32,
            map,
            view: None,
            is_place: true,
        })
    }

    /// Checks that the inputs of gathered indices hold integers and are not gathered themselves.
    fn check_gathered(
        &self,
        element: ElementType,
        view: Option<&View>,
        operands: &[FunctionOperand],
    ) -> Result<(), ProblemError> {
        // An index may be in an input further right, so this check runs when all inputs are
        // known.
        for &(at, by, held) in &self.gathered {
            let Some((element, view, is_place)) = (match held.checked_sub(1) {
                None => Some((element, view, false)),
                Some(number) => {
                    (operands.get(number)).map(|it| (it.element, it.view.as_ref(), it.is_place))
                }
            }) else {
                let message = format!("there is no input {held}, of which the first is 0");
                return Err(self.error(at, message));
            };
            let is_gathered = view.is_some_and(|it| it.gather_inputs().next().is_some());
            let message = match () {
                () if is_place => {
                    "an index is no input: write the number of the dimension".to_owned()
                }
                () if is_gathered || held == by => {
                    "what is gathered holds no indices by which an input is gathered".to_owned()
                }
                () if element.is_float() || element == ElementType::I1 => {
                    format!("indices are i8, i16, i32 or i64, and input {held} has {element}")
                }
                () => continue,
            };
            return Err(self.error(at, message));
        }
        Ok(())
    }

    /// Parses the view of the problem's own input, or returns none if the view changes nothing.
    pub(super) fn view_of_input(
        &mut self,
        shape: &Shape,
        element: ElementType,
    ) -> Result<Option<View>, ProblemError> {
        let view = self.view(0, shape, element)?;
        let is_all = |it: &View| it.as_map(shape).is_some_and(|map| map.is_all(shape));
        Ok(view.filter(|it| !is_all(it)))
    }

    /// Parses the parentheses behind the type of an input, if there are any.
    fn view(
        &mut self,
        input: usize,
        shape: &Shape,
        element: ElementType,
    ) -> Result<Option<View>, ProblemError> {
        if !self.accept("(") {
            return Ok(None);
        }
        let (mut along, mut starts) = (Vec::new(), Vec::new());
        while !self.rest.starts_with([')', '=']) {
            if !along.is_empty() {
                self.expect(",", INPUT)?;
            }
            let start = self.rest;
            let one = self.along()?;
            if let ViewSource::Gathered(held) = one.by {
                self.gathered.push((start, input, held));
            }
            starts.push(start);
            along.push(one);
        }
        let outside = match self.accept("=") {
            true => {
                let start = self.rest;
                let text = self.take_while(|c| c != ')');
                self.value(start, element.into(), ("what is outside", text))?
            }
            false => 0,
        };
        self.expect(")", INPUT)?;
        let view = View::new(&along, outside, shape);
        match view {
            Ok(view) => Ok(Some(view)),
            Err((number, message)) => Err(self.error(starts[number], message)),
        }
    }

    /// Parses the view of one tensor dimension, such as `-1+767:800`.
    fn along(&mut self) -> Result<DimensionView, ProblemError> {
        let is_reversed = self.accept("-");
        let by = match self.accept("@") {
            true => ViewSource::Gathered(
                self.number("behind \"@\" comes the number of an input of integers")? as usize,
            ),
            false => ViewSource::Dimension(self.number(INPUT)? as usize),
        };
        let form = "an offset is a number of at most 2147483647 (2^31 - 1)";
        let offset = match () {
            () if self.accept("-") => -self.number(form)?,
            () if self.accept("+") => self.number(form)?,
            () => 0,
        };
        let size = match self.accept(":") {
            true => Some(self.size()?),
            false => None,
        };
        Ok(DimensionView {
            by,
            is_reversed,
            offset,
            size,
        })
    }

    /// Parses a number of 31 bits.
    fn number(&mut self, otherwise: &str) -> Result<i32, ProblemError> {
        let start = self.rest;
        let digits = self.take_while(|c| c.is_ascii_digit());
        digits.parse().map_err(|_| self.error(start, otherwise))
    }

    /// Returns the function of these inputs, or none if the elements themselves are reduced.
    ///
    /// The text in parentheses gives it, or the name at `start`, such as `dot`.
    pub(super) fn function(
        &self,
        start: &'a str,
        written: ComparatorText<'_>,
        function: Option<(&'a str, &'a str)>,
        (element, view, operands): (ElementType, Option<View>, Vec<FunctionOperand>),
        unsigned: bool,
    ) -> Result<Option<Function>, ProblemError> {
        let types: Vec<ElementType> = std::iter::once(element)
            .chain(operands.iter().map(|operand| operand.element))
            .collect();
        self.check_gathered(element, view.as_ref(), &operands)?;
        let is_gathered = !self.gathered.is_empty();
        let named = match written {
            ComparatorText::Name(name) => NamedFold::from_name(name),
            ComparatorText::Compact { .. } => None,
        };
        let region = match (function, named) {
            (Some(_), Some((named, _))) => {
                let name = named.name();
                let message = format!(
                    "{name} says what is reduced: leave out the parentheses, or write \"{}\"",
                    named.combining().name()
                );
                return Err(self.error(start, message));
            }
            (Some(_), None) if unsigned => {
                let message =
                    "how integers are read, the function says, as in \"sum(arith.extui(0,i32))\"";
                return Err(self.error(start, message));
            }
            // A bare number in parentheses would be a second text of the problem without a
            // function.
            (Some((at, text)), None) if text.parse().is_ok_and(|it: usize| it < types.len()) => {
                let message = match types.len() {
                    1 => format!(
                        "nothing is computed: leave out \"({text})\" to take the elements as they are"
                    ),
                    _ => format!(
                        "nothing is computed of several inputs: leave out \"({text})\" and the inputs that are not used"
                    ),
                };
                return Err(self.error(at, message));
            }
            (Some((at, text)), None) => self.region(at, text, &types)?,
            (None, Some((named, is_unsigned))) => {
                let region = named.region(&types, unsigned || is_unsigned, self.accumulator());
                region.map_err(|message| self.error(start, message))?
            }
            (None, None) if operands.is_empty() && view.is_none() => return Ok(None),
            // The function is empty, and the operands hold the gathered indices.
            (None, None) if operands.is_empty() || is_gathered => {
                Region::of(types.iter().map(|&it| ScalarType::from(it)))
            }
            (None, None)
                if let ComparatorText::Name(name) = written
                    && RowOperation::from_name(name).is_some() =>
            {
                let message = format!("{name} says itself which operands it has: leave them out");
                return Err(self.error(start, message));
            }
            (None, None) => {
                let message =
                    "one input is reduced; say what of several, as in sum(arith.mulf(0,1))";
                return Err(self.error(start, message));
            }
        };
        let function = Function::new(&region, view, operands);
        let function = function.map_err(|message| self.error(start, message))?;
        Ok(Some(function))
    }

    /// Returns the accumulator among the options that are still to be parsed, if there is one.
    fn accumulator(&self) -> Option<ElementType> {
        self.rest.split(':').find_map(ElementType::from_name)
    }

    /// Parses the region with this text, at `at` in the problem.
    fn region(&self, at: &str, text: &str, types: &[ElementType]) -> Result<Region, ProblemError> {
        let scalars = types.iter().map(|&it| ScalarType::from(it));
        Region::from_compact(text, scalars).map_err(|error| {
            let skipped = at.chars().take(error.column.saturating_sub(1));
            let bytes = skipped.map(char::len_utf8).sum::<usize>();
            self.error(&at[bytes..], error.message)
        })
    }
}
