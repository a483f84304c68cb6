//! Lists of constants: elements, ranges, comprehensions such as `[2 ** i for i in range(6)]`, and
//! sums of these.

use super::evaluation::{Expression, ExpressionStack};
use super::parser::ExpressionParser;
use super::token::Token;
use super::{ExpressionError, MAX_VALUES};
use crate::parameters::{Parameter, ParameterValue};

/// Parses a list of constants.
pub(in crate::parameters) fn parse_list(
    text: &str,
) -> Result<Vec<ParameterValue>, ExpressionError> {
    let mut parser = ExpressionParser::new(text, &[])?;
    let values = parser.list()?;
    parser.expect_end()?;
    Ok(values)
}

impl ExpressionParser<'_> {
    /// Parses lists with "+" between them.
    fn list(&mut self) -> Result<Vec<ParameterValue>, ExpressionError> {
        let mut values = self.one_list()?;
        while self.accept("+") {
            let at = self.at();
            values.append(&mut self.one_list()?);
            self.ensure_size(at, values.len() as u64)?;
        }
        Ok(values)
    }

    fn one_list(&mut self) -> Result<Vec<ParameterValue>, ExpressionError> {
        let (at, token) = self.next();
        match token {
            Token::Sign("[") => self.elements(at, "]"),
            Token::Sign("(") => self.elements(at, ")"),
            Token::Name("range") => self.range(at),
            Token::Name("list" | "tuple") => {
                self.expect("(")?;
                let values = self.nested(at, Self::list)?;
                self.expect(")")?;
                Ok(values)
            }
            _ => Err(self.error(at, "a list begins with \"[\", \"list(\" or \"range(\"")),
        }
    }

    /// Parses the elements behind an opening bracket, or a comprehension.
    fn elements(
        &mut self,
        at: usize,
        close: &'static str,
    ) -> Result<Vec<ParameterValue>, ExpressionError> {
        if let Some(place) = self.place_of(&Token::Name("for")) {
            return self.nested(at, |parser| parser.comprehension(at, place, close));
        }
        let mut values = Vec::new();
        self.separated(close, |parser| {
            values.push(parser.constant_expression(parser.at())?);
            Ok(())
        })?;
        Ok(values)
    }

    /// Parses `ELEMENT for NAME in LIST if CONDITION`, with "for" at the token `place`.
    ///
    /// The list stands behind the element, but its values are known first.
    fn comprehension(
        &mut self,
        at: usize,
        place: usize,
        close: &'static str,
    ) -> Result<Vec<ParameterValue>, ExpressionError> {
        let element = self.skip_to(place);
        self.next();
        let name = match self.next() {
            (_, Token::Name(name)) => name.to_owned(),
            (at, _) => return Err(self.error(at, "a name must follow \"for\"")),
        };
        if !self.accept_word("in") {
            return Err(self.error(self.at(), "\"in\" must follow"));
        }
        let values = self.list()?;
        let variable = [Parameter { name, values }];
        let [Parameter { values, .. }] = &variable;
        let has_condition = self.accept_word("if");
        let Some(end) = self.place_of(&Token::Sign(close)) else {
            return Err(self.error(at, format!("{close:?} must follow")));
        };
        let condition = self.skip_to(end);
        self.next();
        if values.is_empty() {
            // Nothing says the kind of the variable.
            return Ok(Vec::new());
        }
        if !has_condition && !condition.is_empty() {
            return Err(self.error(at, format!("\"if\" or {close:?} must follow the list")));
        }
        let condition = has_condition.then(|| self.part(condition, &variable));
        let condition = condition.transpose()?;
        let element = self.part(element, &variable)?;
        let mut stack = ExpressionStack::default();
        let mut made = Vec::new();
        for value in values {
            let holds =
                |it: &Expression| it.holds(&slots(it, value), &mut ExpressionStack::default());
            if condition.as_ref().is_none_or(holds) {
                let value = element.constant(&slots(&element, value), &mut stack);
                made.push(
                    value.ok_or_else(|| {
                        self.error(self.at(), "an element is no number of 64 bits")
                    })?,
                );
            }
        }
        Ok(made)
    }

    /// Parses `(STOP)`, `(START, STOP)` or `(START, STOP, STEP)`.
    fn range(&mut self, at: usize) -> Result<Vec<ParameterValue>, ExpressionError> {
        self.expect("(")?;
        let mut bounds = Vec::new();
        self.separated(")", |parser| {
            let at = parser.at();
            match parser.constant_expression(at)? {
                ParameterValue::Integer(bound) => bounds.push(bound),
                _ => return Err(parser.error(at, "the numbers of a range are integers")),
            }
            Ok(())
        })?;
        let (start, stop, step) = match bounds[..] {
            [stop] => (0, stop, 1),
            [start, stop] => (start, stop, 1),
            [start, stop, step] if step != 0 => (start, stop, step),
            _ => {
                return Err(self.error(at, "a range has one to three numbers, and a step of not 0"));
            }
        };
        // The difference of two numbers of 64 bits needs more.
        let (distance, step_size) = match step > 0 {
            true => (i128::from(stop) - i128::from(start), i128::from(step)),
            false => (i128::from(start) - i128::from(stop), -i128::from(step)),
        };
        let count = u64::try_from((distance + step_size - 1) / step_size).unwrap_or(0);
        self.ensure_size(at, count)?;
        // All values are between `start` and `stop`.
        let value = |index| ParameterValue::Integer(start + index as i64 * step);
        Ok((0..count).map(value).collect())
    }

    fn ensure_size(&self, at: usize, count: u64) -> Result<(), ExpressionError> {
        match count <= MAX_VALUES as u64 {
            true => Ok(()),
            false => Err(self.error(
                at,
                format!("{count} values; at most {MAX_VALUES} are possible"),
            )),
        }
    }
}

/// Returns the values of an expression's parameters: at most one.
fn slots<'a>(expression: &Expression, value: &'a ParameterValue) -> Vec<&'a ParameterValue> {
    vec![value; expression.parameters().len()]
}
