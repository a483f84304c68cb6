//! The parser of plain folds: the combining operation, the accumulator's type and the initial
//! value.

use super::{ComparatorText, GIVEN, Parser};
use crate::ElementType;
use crate::comparator::ScalarType;
use crate::literal::bits_of;
use crate::problem::ProblemError;
use crate::reduction::{Combining, Fold, NamedFold};
use crate::shape::Shape;

const OPTIONS: &str = "a type for the accumulator, \"initial=VALUE\"";

impl<'a> Parser<'a> {
    /// Parses the rest of a fold with its name at `start`; returns none if the name is no fold.
    pub(super) fn fold(
        &mut self,
        start: &str,
        written: ComparatorText<'_>,
        element: ElementType,
        unsigned: bool,
        shape: &mut Shape,
    ) -> Result<Option<Fold>, ProblemError> {
        let (ComparatorText::Name(name), None) = (written, self.given) else {
            return Ok(None);
        };
        let named =
            NamedFold::from_name(name).map(|(named, unsigned)| (named.combining(), unsigned));
        let Some((combining, is_unsigned)) = named.or_else(|| Combining::from_name(name)) else {
            return Ok(None);
        };
        let unsigned = unsigned || is_unsigned;
        if unsigned && element.is_float() {
            let message = format!("floats have a sign: write \"{}\"", combining.name());
            return Err(self.error(start, message));
        }
        let (mut accumulator, mut initial) = (None, None);
        self.options(shape, OPTIONS, |parser, at, name| {
            let is_given = match name {
                "initial" => initial.is_some(),
                // Any option but `initial` is a type, which only the accumulator has.
                _ => accumulator.is_some(),
            };
            match (name, ElementType::from_name(name)) {
                ("initial", _) if !is_given => {
                    parser.expect("=", "after \"initial\" comes \"=\", then a value")?;
                    let at = parser.rest;
                    initial = Some((at, parser.take_while(|c| c != ':')));
                }
                (_, Some(named)) if !is_given => {
                    let allowed = Fold::accumulators(combining, element);
                    if !allowed.contains(&named) {
                        let names: Vec<&str> = allowed.iter().map(|it| it.name()).collect();
                        let name = combining.name();
                        let message = match allowed {
                            [only] if *only == element => {
                                format!("{name} gives one of the elements, which are {element}")
                            }
                            _ => format!(
                                "{name} of {element} is accumulated in {}",
                                names.join(" or ")
                            ),
                        };
                        return Err(parser.error(at, message));
                    }
                    accumulator = Some(named);
                }
                ("initial", _) | (_, Some(_)) => return Err(parser.error(at, GIVEN)),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let fold = Fold::new(combining, element, unsigned, accumulator);
        let mut fold = fold.map_err(|message| self.error(start, message))?;
        // The initial value has the accumulator's type, which an option behind it may set.
        if let Some((at, value)) = initial {
            fold = fold.beginning_at(self.value(
                at,
                fold.accumulator().into(),
                ("an initial value", value),
            )?);
        }
        Ok(Some(fold))
    }

    /// Returns the bits of a value of type `kind`, with its text at `start`.
    pub(super) fn value(
        &self,
        start: &str,
        kind: ScalarType,
        (what, text): (&str, &str),
    ) -> Result<u64, ProblemError> {
        bits_of(kind, text).ok_or_else(|| {
            let nan = match kind.is_float() {
                true => ", \"inf\", \"-inf\" or \"nan\" where it has them,",
                false => "",
            };
            let message =
                format!("{what} is a number that {kind} has{nan} or its bits, as in 0x01");
            self.error(start, message)
        })
    }
}
