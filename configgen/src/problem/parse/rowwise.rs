//! The parser of row operations, which use a row's results on the row again.

use super::{ComparatorText, GIVEN, Parser};
use crate::ElementType;
use crate::comparator::ScalarType;
use crate::function::Function;
use crate::literal::bits_of;
use crate::problem::ProblemError;
use crate::reduction::{Reduction, RowOperation, USUAL_LABEL};
use crate::shape::Shape;

impl<'a> Parser<'a> {
    /// Parses the rest of a row operation with its name at `start`; returns none if there is
    /// none.
    pub(super) fn rowwise(
        &mut self,
        start: &str,
        written: ComparatorText<'_>,
        function: &Option<Function>,
        (element, unsigned): (ElementType, bool),
        shape: &mut Shape,
    ) -> Result<Option<Reduction>, ProblemError> {
        let (ComparatorText::Name(name), None) = (written, self.given) else {
            return Ok(None);
        };
        let Some(operation) = RowOperation::from_name(name) else {
            return Ok(None);
        };
        let is_unmodified = |it: &Function| it.is_view() && it.operands().is_empty();
        if !function.as_ref().is_none_or(is_unmodified) {
            let message = format!("{name} takes unmodified elements and has fixed operands");
            return Err(self.error(start, message));
        }
        if unsigned {
            return Err(self.error(start, format!("{name} takes floats")));
        }
        let own = match (operation.has_epsilon(), operation.has_labels()) {
            (true, _) => "\"epsilon=VALUE\"",
            (_, true) => "\"i32\", \"i64\" (the type of labels)",
            _ => "",
        };
        let (mut epsilon, mut label) = (None, None);
        self.options(shape, own, |parser, at, option| {
            if let (true, "i32" | "i64") = (operation.has_labels(), option) {
                return match label.replace(option) {
                    Some(_) => Err(parser.error(at, GIVEN)),
                    None => Ok(true),
                };
            }
            if option != "epsilon" || !operation.has_epsilon() {
                return Ok(false);
            }
            if epsilon.is_some() {
                return Err(parser.error(at, GIVEN));
            }
            parser.expect("=", "after \"epsilon\" comes \"=\", then a number")?;
            let at = parser.rest;
            let text = parser.take_while(|c| c != ':');
            let bits = bits_of(ScalarType::F32, text);
            let is_normal = |bits: &u64| f32::from_bits(*bits as u32) >= f32::MIN_POSITIVE;
            let finite = |bits: &u64| f32::from_bits(*bits as u32).is_finite();
            let bits = bits.filter(is_normal).filter(finite).ok_or_else(|| {
                parser.error(
                    at,
                    "epsilon must be a positive, normal f32 number, such as 1e-5",
                )
            })?;
            epsilon = Some(bits);
            Ok(true)
        })?;
        let label = match label {
            Some("i64") => ElementType::I64,
            _ => USUAL_LABEL,
        };
        let rows = Reduction::of_rows(operation, element, shape, epsilon, label);
        Ok(Some(rows.map_err(|message| self.error(start, message))?))
    }
}
