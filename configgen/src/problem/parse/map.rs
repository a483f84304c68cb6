//! The parser of maps, which reduce nothing.

use super::{ComparatorText, Parser};
use crate::ElementType;
use crate::function::Function;
use crate::problem::ProblemError;
use crate::reduction::{POINTWISE, Reduction};
use crate::shape::Shape;

impl<'a> Parser<'a> {
    /// Returns the name if it is that of a map.
    pub(super) fn map_name<'b>(&self, written: ComparatorText<'b>) -> Option<&'b str> {
        match (written, self.given) {
            (ComparatorText::Name(name), None) => Some(name).filter(|it| POINTWISE.contains(it)),
            _ => None,
        }
    }

    /// Parses the rest of a map with its name at `start`; returns none if the name is no map.
    pub(super) fn map(
        &mut self,
        start: &str,
        written: ComparatorText<'_>,
        (element, function): (ElementType, &Option<Function>),
        shape: &mut Shape,
    ) -> Result<Option<Reduction>, ProblemError> {
        let Some(name) = self.map_name(written) else {
            return Ok(None);
        };
        let is_copy = function.as_ref().is_none_or(Function::is_view);
        let [computed, copied] = POINTWISE;
        let message = match (is_copy, name == copied) {
            (true, false) => format!(
                "this map computes nothing: write \"{copied}\", or a function, as in \
                 {computed}(arith.addf(0,1)):64x768xf32,f32"
            ),
            (false, true) => {
                format!("{computed} has its function in parentheses, and {copied} may not have one")
            }
            _ => {
                // A map has only the options that all problems share.
                self.options(shape, "", |_, _, _| Ok(false))?;
                let element = function.as_ref().map_or(element, Function::result);
                return Ok(Some(Reduction::pointwise(element, is_copy)));
            }
        };
        Err(self.error(start, message))
    }
}
