//! The parser of the parts of `arg_compare`: the comparator, the index type and the options.

use super::name_suggestion::UNSIGNED;
use super::{ComparatorText, GIVEN, Parser};
use crate::comparator::Comparator;
use crate::comparator::order::OrderProof;
use crate::problem::ProblemError;
use crate::reduction::{ArgCompare, IndexMode, Initial, Reduction};
use crate::shape::Shape;
use crate::{ElementType, IndexType};

const OPTIONS: &str = "\"index_base\", \"explicit_index\", \"initial\", \"initial=VALUE\", \"initial=VALUE@INDEX\", \
                       \"assume_order\"";

impl<'a> Parser<'a> {
    /// Parses the rest of an `arg_compare` problem, with its comparator at `start`.
    pub(super) fn arg_compare(
        &mut self,
        start: &'a str,
        written: ComparatorText<'_>,
        element: ElementType,
        unsigned: bool,
        shape: &mut Shape,
    ) -> Result<Reduction, ProblemError> {
        let comparator = self.comparator(start, written, element, unsigned)?;
        let index = self.index(shape)?;
        let mut reduction = ArgCompare {
            comparator,
            index,
            index_mode: IndexMode::Position,
            initial: Initial::Worst,
            assumes_order: false,
        };
        self.options(shape, OPTIONS, |parser, start, name| {
            parser.option(&mut reduction, start, name)
        })?;
        reduction.assumes_order |= self.assumes_order;
        let is_unordered = matches!(
            written,
            ComparatorText::Compact {
                unordered: true,
                ..
            }
        );
        if is_unordered && reduction.assumes_order {
            let message = "\"assume_order\" contradicts \"unordered\": remove one of them";
            return Err(self.error(self.rest, message));
        }
        let order = reduction.comparator.order();
        let has_worst = reduction.comparator.name().is_some()
            || order.worst.is_some_and(|worst| worst.is_proven);
        // A problem has one canonical text, so the proven worst pair is no option.
        if has_worst && reduction.initial == Initial::Pair(order.start, 0) {
            reduction.initial = Initial::Worst;
        }
        // The option is settled before the initial pair is required, because its errors are more
        // precise.
        self.settle_promise(&mut reduction)?;
        if !has_worst && reduction.initial == Initial::Worst {
            let message = "this comparator has no known worst value; give an initial value, as in \
                           \":i32:initial=0\", or an initial pair in the outputs, as in \":i32:initial\"";
            return Err(self.error(self.rest, message));
        }
        Ok(Reduction::by(reduction))
    }

    /// Drops a promise that is proved, and refuses one that is refuted.
    fn settle_promise(&self, reduction: &mut ArgCompare) -> Result<(), ProblemError> {
        match reduction.standing() {
            OrderProof::Refuted(example) if reduction.assumes_order => {
                let message =
                    format!("\"assume_order\", but this comparator is not an order: {example}");
                Err(self.error(self.rest, message))
            }
            OrderProof::Proved => {
                reduction.assumes_order = false;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Parses an option of this name at `start`; returns false if it is none of `arg_compare`.
    fn option(
        &mut self,
        reduction: &mut ArgCompare,
        start: &str,
        name: &str,
    ) -> Result<bool, ProblemError> {
        let is_given = match name {
            "index_base" | "explicit_index" => reduction.index_mode != IndexMode::Position,
            "initial" => reduction.initial != Initial::Worst,
            "assume_order" => reduction.assumes_order,
            _ => false,
        };
        let is_other = matches!(
            (name, reduction.index_mode),
            ("index_base", IndexMode::Explicit) | ("explicit_index", IndexMode::Based)
        );
        match name {
            _ if is_other => {
                let message = "a problem may not have both \"index_base\" and \"explicit_index\": a base is added to \
                               positions, and explicit indices replace them";
                return Err(self.error(start, message));
            }
            _ if is_given => return Err(self.error(start, GIVEN)),
            "index_base" => reduction.index_mode = IndexMode::Based,
            "explicit_index" => reduction.index_mode = IndexMode::Explicit,
            "initial" if self.accept("=") => reduction.initial = self.pair(reduction)?,
            "initial" => reduction.initial = Initial::Outputs,
            "assume_order" => reduction.assumes_order = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Parses the initial pair: `VALUE`, with index 0, or `VALUE@INDEX`.
    fn pair(&mut self, reduction: &ArgCompare) -> Result<Initial, ProblemError> {
        let start = self.rest;
        let element = reduction.comparator.element();
        let value = self.take_while(|c| c != ':' && c != '@');
        let value = self.value(start, element, ("an initial value", value))?;
        if !self.accept("@") {
            return Ok(Initial::Pair(value, 0));
        }
        let start = self.rest;
        let index = self
            .take_while(|c| c.is_ascii_digit() || c == '-')
            .parse::<i64>();
        // Shifting out and in again keeps an index exactly if it fits the index type.
        let beyond = 64 - reduction.index.bits();
        match index {
            Ok(index) if index << beyond >> beyond == index => Ok(Initial::Pair(value, index)),
            _ => {
                let message = format!(
                    "an initial index must be a number of type {}",
                    reduction.index
                );
                Err(self.error(start, message))
            }
        }
    }

    /// Returns the comparator at `start`.
    fn comparator(
        &self,
        start: &str,
        written: ComparatorText<'_>,
        element: ElementType,
        unsigned: bool,
    ) -> Result<Comparator, ProblemError> {
        if let Some(given) = self.given {
            return self.given(start, written, element, unsigned, given);
        }
        match written {
            ComparatorText::Name(name) => {
                let wanted = match unsigned {
                    true => UNSIGNED
                        .iter()
                        .find(|pair| pair.0 == name)
                        .map(|pair| pair.1),
                    false => Some(name),
                };
                let found = wanted.and_then(|name| Comparator::named(name, element));
                found.ok_or_else(|| self.unknown_name(start, (name, element, unsigned)))
            }
            ComparatorText::Compact { text, unordered } => {
                let at = &start[start.find('{').map_or(0, |brace| brace + 1)..];
                // The error's column counts characters within the braces; the message needs a
                // place in the text.
                let comparator = Comparator::from_compact(text, element).map_err(|error| {
                    let skipped = at.chars().take(error.column.saturating_sub(1));
                    let bytes = skipped.map(char::len_utf8).sum::<usize>();
                    self.error(&at[bytes.min(at.len())..], error.message)
                })?;
                let named = comparator.name().is_some();
                match &comparator.order().from_start {
                    // A comparator with a name is accepted even if it is no order: its canonical
                    // text is the name.
                    OrderProof::Refuted(example) if !unordered && !named => {
                        let message = format!(
                            "this comparator is not an order: {example}; write \"unordered\" to reduce by it in \
                             sequence"
                        );
                        Err(self.error(start, message))
                    }
                    _ => Ok(comparator),
                }
            }
        }
    }

    /// Returns the separate comparator, for the placeholder at `start`.
    fn given(
        &self,
        start: &str,
        written: ComparatorText<'_>,
        element: ElementType,
        unsigned: bool,
        given: &Comparator,
    ) -> Result<Comparator, ProblemError> {
        let message = match written {
            ComparatorText::Name("arg_compare") if unsigned => {
                "the comparator determines the sign of integers; write their type without \"u\"".to_owned()
            }
            ComparatorText::Name("arg_compare") if given.element() != element.into() => {
                format!("the comparator compares {}, not {element}", given.element())
            }
            ComparatorText::Name("arg_compare") => return Ok(given.clone()),
            _ => "the comparator is already given; write \"arg_compare\" for it, as in arg_compare:4x[32000]xf32"
                .to_owned(),
        };
        Err(self.error(start, message))
    }

    fn index(&mut self, shape: &Shape) -> Result<IndexType, ProblemError> {
        let start = self.rest;
        let index = if self.accept(":") {
            let start = self.rest;
            // Options have underscores, and the message recognises one in the place of the index
            // type.
            let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
            IndexType::from_name(name).ok_or_else(|| {
                let option = match OPTIONS.contains(&format!("\"{name}\"")) {
                    true => format!(", as in \":i32:{name}\""),
                    false => String::new(),
                };
                let message = format!(
                    "an index type is \"i32\", \"i64\" or \"index\"; options follow it{option}"
                );
                self.error(start, message)
            })?
        } else {
            IndexType::default()
        };
        // An index of the row's last element must be representable.
        if shape.reduced_size() > index.capacity() {
            let message = format!(
                "{} elements per row exceed the range of an {index} index",
                shape.reduced_size()
            );
            return Err(self.error(start, message));
        }
        Ok(index)
    }
}
