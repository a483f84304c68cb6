//! The parser of programs.
//!
//! ```text
//! program    = { NAME "=" expression ";" } expression { "," expression }
//! expression = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
//! sum        = product { ( "+" | "-" ) product }
//! product    = sign { ( "*" | "/" ) sign }
//! sign       = [ "-" ] ( NUMBER | NAME | FUNCTION "(" arguments ")" | "(" expression ")" )
//! ```
//!
//! A number has the type of the operand beside it. The name of a type converts.

use std::collections::HashMap;

use super::graph::{ProgramGraph, ProgramValue};
use super::syntax::{FUNCTIONS, INFIX, Precedence, usual_cast};
use super::{AT, FOLDS, INDEX, ProgramInput};
use crate::comparator::{FloatPredicate, IntegerPredicate, Opcode, OpcodeSignature, ScalarType};
use crate::literal::bits_of;
use crate::shape::MAX_RANK;

/// The largest number of nested expressions.
const MAX_DEPTH: usize = 300;

/// A fault in a program's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramError {
    /// Its position in bytes.
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// Returns the graph of a text, and its outputs.
pub(super) fn parse(
    text: &str,
    inputs: &[ProgramInput],
) -> Result<(ProgramGraph, Vec<ProgramValue>), ProgramError> {
    let mut parser = ProgramParser {
        text,
        rest: text,
        graph: ProgramGraph::new(inputs),
        names: HashMap::new(),
        depth: 0,
    };
    let outputs = parser.program()?;
    Ok((parser.graph, outputs))
}

/// A value, or a number with its text and without a type so far.
#[derive(Clone, Copy)]
enum Expression<'a> {
    Value(ProgramValue),
    Number { text: &'a str, is_negative: bool },
}

struct ProgramParser<'a> {
    text: &'a str,
    rest: &'a str,
    graph: ProgramGraph,
    names: HashMap<&'a str, ProgramValue>,
    depth: usize,
}

type ParsedProgram<'a> = Result<Expression<'a>, ProgramError>;

impl<'a> ProgramParser<'a> {
    fn program(&mut self) -> Result<Vec<ProgramValue>, ProgramError> {
        loop {
            let (start, name) = (self.rest, self.name());
            let is_comparison = self.rest.trim_start().starts_with("==");
            if name.is_empty() || is_comparison || !self.accept("=") {
                self.rest = start;
                break;
            }
            self.check_new(start, name)?;
            let at = self.rest;
            let value = self.expression()?;
            let value = self.value(at, value)?;
            self.names.insert(name, value);
            self.expect(
                ";",
                "after the value of a name comes \";\", then a name or the result",
            )?;
        }
        let mut outputs = Vec::new();
        loop {
            let at = self.rest;
            let output = self.expression()?;
            outputs.push(self.value(at, output)?);
            if !self.accept(",") {
                break;
            }
        }
        match self.rest.trim_start().is_empty() {
            true => Ok(outputs),
            false => Err(self.error(
                self.rest.trim_start(),
                "the program should end here, or go on with an operation or \",\" and another result",
            )),
        }
    }

    fn check_new(&self, at: &str, name: &str) -> Result<(), ProgramError> {
        let message = match () {
            () if self.names.contains_key(name) => format!("{name} has a value already"),
            () if self.input(name).is_some() => format!("{name} is an input"),
            () if ScalarType::from_name(name).is_some() => format!("{name} is a type"),
            () if !name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                "a name begins with a letter".to_owned()
            }
            () if matches!(name, "inf" | "nan") => format!("{name} is a number"),
            () => return Ok(()),
        };
        Err(self.error(at.trim_start(), message))
    }

    fn expression(&mut self) -> ParsedProgram<'a> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(self.rest, "too many nested expressions"));
        }
        self.depth += 1;
        let made = self.infix(Precedence::Comparison);
        self.depth -= 1;
        made
    }

    /// Parses operations of at least this precedence.
    fn infix(&mut self, lowest: Precedence) -> ParsedProgram<'a> {
        if lowest == Precedence::Sign {
            return self.sign();
        }
        let start = self.rest;
        let mut left = self.infix(lowest.above())?;
        loop {
            let at = self.rest.trim_start();
            let mut all = INFIX.iter().filter(|it| it.3 == lowest);
            let Some(&(symbol, ..)) = all.find(|it| at.starts_with(it.0)) else {
                return Ok(left);
            };
            self.rest = &at[symbol.len()..];
            let second = self.rest;
            let right = self.infix(lowest.above())?;
            let [one, other] = self.alike([(start, left), (second, right)])?;
            let is_float = self.graph.scalar(one).is_float();
            let mut all = INFIX.iter().filter(|it| it.0 == symbol && it.2 == is_float);
            let Some(&(_, opcode, ..)) = all.next() else {
                return Err(self.error(at, format!("{symbol} takes floats")));
            };
            let result = match lowest {
                Precedence::Comparison => ScalarType::I1,
                _ => self.graph.scalar(one),
            };
            left = self.operation(at, opcode, &[one, other], result)?;
            if lowest == Precedence::Comparison {
                return Ok(left);
            }
        }
    }

    fn sign(&mut self) -> ParsedProgram<'a> {
        let at = self.rest.trim_start();
        if !self.accept("-") {
            return self.primary();
        }
        if self.depth == MAX_DEPTH {
            return Err(self.error(at, "too many nested expressions"));
        }
        self.depth += 1;
        let operand = self.sign();
        self.depth -= 1;
        match operand? {
            Expression::Number { text, is_negative } => Ok(Expression::Number {
                text,
                is_negative: !is_negative,
            }),
            Expression::Value(value) => {
                let scalar = self.graph.scalar(value);
                self.operation(at, Opcode::Negf, &[value], scalar)
            }
        }
    }

    fn primary(&mut self) -> ParsedProgram<'a> {
        let at = self.rest.trim_start();
        if self.accept("(") {
            let inner = self.expression()?;
            self.expect(")", "an opened parenthesis ends with \")\"")?;
            return Ok(inner);
        }
        let is_number = at.starts_with(|c: char| c.is_ascii_digit());
        let name = match is_number {
            true => self.number(),
            false => self.name(),
        };
        if is_number || matches!(name, "inf" | "nan") {
            return Ok(Expression::Number {
                text: name,
                is_negative: false,
            });
        }
        if name.is_empty() {
            return Err(self.error(
                at,
                "expected a value: a number, a name, or a function of values",
            ));
        }
        if self.accept("(") {
            return self.function(at, name);
        }
        let input = self.input(name).map(|number| self.graph.input(number));
        match self.names.get(name).copied().or(input) {
            Some(value) => Ok(Expression::Value(value)),
            None => Err(self.error(at, self.unknown(name))),
        }
    }

    fn unknown(&self, name: &str) -> String {
        let count = self.graph.inputs().len();
        let inputs = match count {
            1 => "the input is x".to_owned(),
            2 => "the inputs are x and x1".to_owned(),
            _ => format!("the inputs are x, x1 to x{}", count - 1),
        };
        format!("{name} has no value yet; {inputs}")
    }

    /// Returns the number of an input: `x` is the first, `x1` the second.
    fn input(&self, name: &str) -> Option<usize> {
        let number = name.strip_prefix('x')?;
        let number = match number {
            "" => 0,
            _ if number.starts_with('0') => return None,
            _ => number.parse().ok()?,
        };
        (number < self.graph.inputs().len()).then_some(number)
    }

    /// Parses the arguments of a function behind its parenthesis.
    fn function(&mut self, at: &'a str, name: &'a str) -> ParsedProgram<'a> {
        let mut arguments: Vec<(&'a str, Expression<'a>)> = Vec::new();
        let mut to = None;
        loop {
            let start = self.rest.trim_start();
            // The last argument of a conversion may be its type.
            let word = self.name();
            match ScalarType::from_name(word) {
                Some(scalar) if !arguments.is_empty() && !self.rest.starts_with('(') => {
                    to = Some(scalar);
                }
                _ => {
                    self.rest = start;
                    arguments.push((start, self.expression()?));
                }
            }
            if to.is_some() || !self.accept(",") {
                break;
            }
        }
        self.expect(")", "the arguments of a function end with \")\"")?;
        if let ([(start, one)], None) = (&arguments[..], to) {
            if let Some(scalar) = ScalarType::from_name(name) {
                return self.converted(at, (start, *one), scalar);
            }
            if let Some(&(_, combining)) = FOLDS.iter().find(|it| it.0 == name) {
                let element = self.value(start, *one)?;
                let fold = self.graph.fold(combining, element);
                return fold
                    .map(Expression::Value)
                    .map_err(|message| self.error(at, message));
            }
        }
        if let (INDEX, [(start, one)], None) = (name, &arguments[..], to) {
            let dimension = match one {
                Expression::Number { text, is_negative } if !is_negative => text.parse().ok(),
                _ => None,
            };
            return match dimension.filter(|it| *it < MAX_RANK) {
                Some(dimension) => Ok(Expression::Value(self.graph.index(dimension))),
                None => {
                    let message = format!("{INDEX} takes the number of a dimension, from 0 on");
                    Err(self.error(start, message))
                }
            };
        }
        if let (AT, [(start, one), rest @ ..], None) = (name, &arguments[..], to)
            && rest.len() < 2
        {
            let value = self.value(start, *one)?;
            // A number is an i32.
            let position = rest.first();
            let position = position.map(|&(at, it)| self.typed(at, it, ScalarType::I32));
            let made = self.graph.at(value, position.transpose()?);
            return made
                .map(Expression::Value)
                .map_err(|message| self.error(at, message));
        }
        let Some(opcode) = opcode(name) else {
            let message = format!("no program has a function {name} of {}", arguments.len());
            return Err(self.error(at, message));
        };
        let mut values = Vec::new();
        let is_select = opcode.signature() == OpcodeSignature::Select && arguments.len() == 3;
        if is_select {
            values.push(self.value(arguments[0].0, arguments[0].1)?);
        }
        values.extend(self.all_alike(&arguments[usize::from(is_select)..])?);
        let last = values.last().map(|it| self.graph.scalar(*it));
        let result = match opcode.signature() {
            OpcodeSignature::Compare(_) => ScalarType::I1,
            _ => to.or(last).unwrap_or(ScalarType::F32),
        };
        self.operation(at, opcode, &values, result)
    }

    fn converted(
        &mut self,
        at: &str,
        (start, one): (&str, Expression<'a>),
        scalar: ScalarType,
    ) -> ParsedProgram<'a> {
        let value = match one {
            Expression::Number { .. } => {
                return self.typed(start, one, scalar).map(Expression::Value);
            }
            Expression::Value(value) => value,
        };
        let from = self.graph.scalar(value);
        match usual_cast(from, scalar) {
            Some(opcode) => self.operation(at, opcode, &[value], scalar),
            None => Err(self.error(
                at,
                format!("this is {from}, which {scalar} does not convert"),
            )),
        }
    }

    fn operation(
        &mut self,
        at: &str,
        opcode: Opcode,
        operands: &[ProgramValue],
        result: ScalarType,
    ) -> ParsedProgram<'a> {
        let made = self.graph.operation(opcode, operands, result);
        made.map(Expression::Value)
            .map_err(|message| self.error(at, message))
    }

    /// Returns operands of one type. A number takes the type of another operand.
    fn alike<const N: usize>(
        &mut self,
        operands: [(&'a str, Expression<'a>); N],
    ) -> Result<[ProgramValue; N], ProgramError> {
        let values = self.all_alike(&operands)?;
        Ok(std::array::from_fn(|place| values[place]))
    }

    fn all_alike(
        &mut self,
        operands: &[(&'a str, Expression<'a>)],
    ) -> Result<Vec<ProgramValue>, ProgramError> {
        let known = operands.iter().find_map(|(_, it)| match it {
            Expression::Value(value) => Some(self.graph.scalar(*value)),
            Expression::Number { .. } => None,
        });
        let all = operands.iter().map(|&(at, operand)| match known {
            Some(scalar) => self.typed(at, operand, scalar),
            None => self.value(at, operand),
        });
        all.collect()
    }

    /// Returns the value of an expression that states its type itself.
    fn value(&self, at: &str, expression: Expression<'a>) -> Result<ProgramValue, ProgramError> {
        match expression {
            Expression::Value(value) => Ok(value),
            Expression::Number { text, .. } => {
                let message = format!("the type of this number is open: write \"f32({text})\"");
                Err(self.error(at.trim_start(), message))
            }
        }
    }

    fn typed(
        &mut self,
        at: &str,
        expression: Expression<'a>,
        scalar: ScalarType,
    ) -> Result<ProgramValue, ProgramError> {
        match expression {
            Expression::Value(value) => Ok(value),
            Expression::Number { text, is_negative } => {
                let signed = format!("-{text}");
                let text = if is_negative { &signed } else { text };
                match bits_of(scalar, text) {
                    Some(bits) => Ok(self.graph.constant(bits, scalar)),
                    None => Err(self.error(at.trim_start(), format!("{scalar} has no {text}"))),
                }
            }
        }
    }

    /// Takes a number: digits, letters and points, and the sign of an exponent.
    fn number(&mut self) -> &'a str {
        let text = self.rest.trim_start();
        let is_hexadecimal = text.starts_with("0x");
        let mut before = ' ';
        let end = text.find(|c: char| {
            let is_sign = matches!(c, '+' | '-') && before == 'e' && !is_hexadecimal;
            before = c;
            !(c.is_ascii_alphanumeric() || c == '.' || is_sign)
        });
        self.take(text, end)
    }

    fn name(&mut self) -> &'a str {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')));
        self.take(text, end)
    }

    fn take(&mut self, text: &'a str, end: Option<usize>) -> &'a str {
        let (taken, rest) = text.split_at(end.unwrap_or(text.len()));
        self.rest = rest;
        taken
    }

    fn accept(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str, message: &str) -> Result<(), ProgramError> {
        match self.accept(token) {
            true => Ok(()),
            false => Err(self.error(self.rest.trim_start(), message)),
        }
    }

    fn error(&self, at: &str, message: impl Into<String>) -> ProgramError {
        ProgramError {
            // `at` ends where the text ends.
            at: self.text.len() - at.len(),
            message: message.into(),
        }
    }
}

/// Returns the operation of a function's name: a short one, or MLIR's without its dialect.
fn opcode(name: &str) -> Option<Opcode> {
    if let Some(known) = FUNCTIONS.iter().find(|it| it.0 == name) {
        return Some(known.1);
    }
    if let Some(predicate) = name.strip_prefix("cmpf.") {
        return FloatPredicate::from_name(predicate).map(Opcode::Cmpf);
    }
    if let Some(predicate) = name.strip_prefix("cmpi.") {
        return IntegerPredicate::from_name(predicate).map(Opcode::Cmpi);
    }
    let known = ["arith", "math"].iter();
    let mut known = known.filter_map(|dialect| Opcode::of_any_name(&format!("{dialect}.{name}")));
    known.find(|it| !matches!(it, Opcode::Constant(_) | Opcode::Cmpf(_) | Opcode::Cmpi(_)))
}
