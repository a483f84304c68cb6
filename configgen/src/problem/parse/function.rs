//! Reading what is computed before it is reduced: operands, and the function or the name of one.

use super::{Parser, Written};
use crate::comparator::{Region, ScalarType};
use crate::function::{Function, MAX_OPERANDS, Operand};
use crate::problem::ProblemError;
use crate::reduction::Named;
use crate::shape::Shape;
use crate::{ElementType, IndexMap};

impl<'a> Parser<'a> {
    /// Reads the inputs behind the first: `,bf16(1)`.
    pub(super) fn operands(&mut self, shape: &Shape) -> Result<Vec<Operand>, ProblemError> {
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
            let start = self.rest;
            let (element, unsigned) = self.element_type()?;
            if unsigned {
                let message = "how integers are read, the function says: \"udot\", or \"arith.extui\" in parentheses";
                return Err(self.error(start, message));
            }
            let map = match self.accept("(") {
                true => self.index_map(shape)?,
                false => IndexMap::all(shape.rank()),
            };
            operands.push(Operand { element, map });
        }
    }

    /// Reads the dimensions of an operand, behind the parenthesis.
    fn index_map(&mut self, shape: &Shape) -> Result<IndexMap, ProblemError> {
        let start = self.rest;
        let text = self.take_while(|c| c.is_ascii_digit() || c == ',');
        self.expect(
            ")",
            "an operand has the numbers of its dimensions, such as \"(0,1)\"",
        )?;
        let numbers = text.split(',').filter(|_| !text.is_empty());
        let numbers: Result<Vec<usize>, _> = numbers.map(str::parse).collect();
        let rank = shape.rank();
        let map = numbers.ok().and_then(|it| IndexMap::new(&it, rank));
        let map = map.ok_or_else(|| {
            let message = format!(
                "an operand has dimensions of the problem, which are counted from 0 to {}, each once",
                rank - 1
            );
            self.error(start, message)
        })?;
        // The strides of the others must not depend on a count that is not known.
        let depends = map.dimensions().skip(1).any(|d| shape.is_counted(d));
        match depends {
            true => Err(self.error(
                start,
                "a dimension whose size is known at launch only is an operand's outermost one",
            )),
            false => Ok(map),
        }
    }

    /// What is computed of these inputs, by the text in parentheses or by what the name at `start` says; `None` where the elements
    /// themselves are reduced.
    pub(super) fn function(
        &self,
        start: &'a str,
        written: Written<'_>,
        function: Option<(&'a str, &'a str)>,
        (element, operands): (ElementType, Vec<Operand>),
        unsigned: bool,
    ) -> Result<Option<Function>, ProblemError> {
        let types: Vec<ElementType> = std::iter::once(element)
            .chain(operands.iter().map(|operand| operand.element))
            .collect();
        let named = match written {
            Written::Name(name) => Named::from_name(name),
            Written::Compact { .. } => None,
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
            (Some((at, text)), None) => self.region(at, text, &types)?,
            (None, Some((named, is_unsigned))) => {
                let region = named.region(&types, unsigned || is_unsigned);
                region.map_err(|message| self.error(start, message))?
            }
            (None, None) if operands.is_empty() => return Ok(None),
            (None, None) => {
                let message =
                    "one input is reduced; say what of several, as in sum(arith.mulf(0,1))";
                return Err(self.error(start, message));
            }
        };
        let function = Function::new(&region, operands);
        let function = function.map_err(|message| self.error(start, message))?;
        Ok(Some(function))
    }

    /// The region that this text is, which stands at `at`.
    fn region(&self, at: &str, text: &str, types: &[ElementType]) -> Result<Region, ProblemError> {
        let scalars = types.iter().map(|&it| ScalarType::from(it));
        Region::from_compact(text, scalars).map_err(|error| {
            let skipped = at.chars().take(error.column.saturating_sub(1));
            let bytes = skipped.map(char::len_utf8).sum::<usize>();
            self.error(&at[bytes..], error.message)
        })
    }
}
