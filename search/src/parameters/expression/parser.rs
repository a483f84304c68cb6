//! The parser: recursive descent, with a limit on nesting.

use std::ops::Range;

use super::ExpressionError;
use super::evaluation::{Comparison, Expression, ExpressionStack, Instruction, Operator};
use super::token::{Token, tokens};
use crate::parameters::{Parameter, ParameterValue};

/// The maximum nesting of parentheses and powers.
// A level takes about 14 stack frames. Without a limit, a file could overflow the stack.
const MAX_NESTING: usize = 64;

/// Words of Python that are no names here.
// A message for each of these is clearer than "unknown parameter".
const RESERVED: [&str; 8] = ["if", "else", "lambda", "is", "None", "for", "await", "not"];

/// The kind of an expression's value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ValueKind {
    Number,
    Text,
    /// A number or a text: only its truth can be used.
    Mixed,
}

/// Parses a condition over `parameters`.
pub(super) fn parse(text: &str, parameters: &[Parameter]) -> Result<Expression, ExpressionError> {
    let mut parser = ExpressionParser::new(text, parameters)?;
    parser.disjunction()?;
    parser.expect_end()?;
    Ok(Expression::new(parser.code, parser.used))
}

pub(super) struct ExpressionParser<'a> {
    text: &'a str,
    tokens: Vec<(usize, Token<'a>)>,
    next: usize,
    nesting: usize,
    parameters: &'a [Parameter],
    /// The parameters in the expression, by number, in order of appearance.
    used: Vec<usize>,
    code: Vec<Instruction>,
}

impl<'a> ExpressionParser<'a> {
    pub(super) fn new(
        text: &'a str,
        parameters: &'a [Parameter],
    ) -> Result<ExpressionParser<'a>, ExpressionError> {
        Ok(ExpressionParser {
            text,
            tokens: tokens(text)?,
            next: 0,
            nesting: 0,
            parameters,
            used: Vec::new(),
            code: Vec::new(),
        })
    }

    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> ExpressionError {
        ExpressionError::new(self.text, at, message)
    }

    pub(super) fn peek(&self) -> &Token<'a> {
        &self.tokens[self.next].1
    }

    pub(super) fn at(&self) -> usize {
        self.tokens[self.next].0
    }

    /// Returns the next token and moves behind it, except at the end.
    pub(super) fn next(&mut self) -> (usize, Token<'a>) {
        let token = self.tokens[self.next].clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn accept(&mut self, sign: &'static str) -> bool {
        let is_next = *self.peek() == Token::Sign(sign);
        self.next += usize::from(is_next);
        is_next
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let is_next = *self.peek() == Token::Name(word);
        self.next += usize::from(is_next);
        is_next
    }

    pub(super) fn expect_end(&self) -> Result<(), ExpressionError> {
        match self.peek() {
            Token::End => Ok(()),
            Token::Sign("=") => Err(self.error(self.at(), "equality is \"==\"")),
            _ => Err(self.error(self.at(), "an operator or the end must follow")),
        }
    }

    pub(super) fn expect(&mut self, sign: &'static str) -> Result<(), ExpressionError> {
        match self.accept(sign) {
            true => Ok(()),
            false => Err(self.error(self.at(), format!("{sign:?} must follow"))),
        }
    }

    /// Parses an expression and returns its value. It begins at the byte `at`.
    pub(super) fn constant_expression(
        &mut self,
        at: usize,
    ) -> Result<ParameterValue, ExpressionError> {
        self.code.clear();
        self.disjunction()?;
        let expression = Expression::new(std::mem::take(&mut self.code), Vec::new());
        let value = expression.constant(&[], &mut ExpressionStack::default());
        value.ok_or_else(|| self.error(at, "this value is no number of 64 bits"))
    }

    /// Returns the next token of this kind within the brackets around the next token.
    pub(super) fn place_of(&self, wanted: &Token<'_>) -> Option<usize> {
        let mut depth = 0;
        for (place, (_, token)) in self.tokens.iter().enumerate().skip(self.next) {
            if depth == 0 && token == wanted {
                return Some(place);
            }
            match token {
                Token::Sign("(" | "[") => depth += 1,
                Token::Sign(")" | "]") if depth == 0 => return None,
                Token::Sign(")" | "]") => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// Moves to a token, and returns the tokens that it skips.
    pub(super) fn skip_to(&mut self, place: usize) -> Range<usize> {
        let skipped = self.next..place;
        self.next = place;
        skipped
    }

    /// Parses some tokens as an expression over `parameters`.
    pub(super) fn part(
        &self,
        tokens: Range<usize>,
        parameters: &[Parameter],
    ) -> Result<Expression, ExpressionError> {
        let mut part = self.tokens[tokens.clone()].to_vec();
        part.push((self.tokens[tokens.end].0, Token::End));
        let mut parser = ExpressionParser {
            text: self.text,
            tokens: part,
            next: 0,
            nesting: self.nesting,
            parameters,
            used: Vec::new(),
            code: Vec::new(),
        };
        parser.disjunction()?;
        parser.expect_end()?;
        Ok(Expression::new(parser.code, parser.used))
    }

    /// Calls `inner` one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        at: usize,
        inner: impl FnOnce(&mut Self) -> Result<T, ExpressionError>,
    ) -> Result<T, ExpressionError> {
        if self.nesting == MAX_NESTING {
            let message = format!("more than {MAX_NESTING} levels of nesting");
            return Err(self.error(at, message));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    /// Parses items with commas between them, up to and with `close`. A comma may end them.
    pub(super) fn separated(
        &mut self,
        close: &'static str,
        mut item: impl FnMut(&mut Self) -> Result<(), ExpressionError>,
    ) -> Result<(), ExpressionError> {
        while !self.accept(close) {
            item(self)?;
            if !self.accept(",") && *self.peek() != Token::Sign(close) {
                return Err(self.error(self.at(), format!("\",\" or {close:?} must follow")));
            }
        }
        Ok(())
    }

    fn disjunction(&mut self) -> Result<ValueKind, ExpressionError> {
        self.junction("or", Instruction::JumpIfTrue, Self::conjunction)
    }

    fn conjunction(&mut self) -> Result<ValueKind, ExpressionError> {
        self.junction("and", Instruction::JumpIfFalse, Self::negation)
    }

    /// Parses operands between `word`. The first one that decides is the result, as in Python.
    fn junction(
        &mut self,
        word: &str,
        jump: fn(usize) -> Instruction,
        operand: fn(&mut Self) -> Result<ValueKind, ExpressionError>,
    ) -> Result<ValueKind, ExpressionError> {
        let mut kind = operand(self)?;
        let mut jumps = Vec::new();
        while self.accept_word(word) {
            jumps.push(self.code.len());
            // The target is known only after the last operand.
            self.code.push(jump(0));
            if operand(self)? != kind {
                kind = ValueKind::Mixed;
            }
        }
        for place in jumps {
            self.code[place] = jump(self.code.len());
        }
        Ok(kind)
    }

    fn negation(&mut self) -> Result<ValueKind, ExpressionError> {
        let mut count = 0;
        // A loop, so that a row of "not" needs no stack.
        while self.accept_word("not") {
            count += 1;
        }
        let kind = self.comparison()?;
        self.code.extend((0..count).map(|_| Instruction::Not));
        Ok(if count > 0 { ValueKind::Number } else { kind })
    }

    fn comparison(&mut self) -> Result<ValueKind, ExpressionError> {
        let mut left = self.sum()?;
        let mut jumps = Vec::new();
        let mut last: Option<Comparison> = None;
        loop {
            let at = self.at();
            if self.accept_word("in") {
                self.end_link(&mut last, &mut jumps);
                self.members(at, left, false)?;
                break;
            }
            if *self.peek() == Token::Name("not") {
                self.next();
                if !self.accept_word("in") {
                    return Err(self.error(at, "\"in\" must follow this \"not\""));
                }
                self.end_link(&mut last, &mut jumps);
                self.members(at, left, true)?;
                break;
            }
            let Token::Sign(sign) = *self.peek() else {
                break;
            };
            let Some(comparison) = Comparison::of(sign) else {
                break;
            };
            self.next();
            self.end_link(&mut last, &mut jumps);
            let right = self.sum()?;
            let is_order = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
            // Python fails only when it evaluates; here the kinds are known before.
            if left == ValueKind::Mixed || right == ValueKind::Mixed || is_order && left != right {
                return Err(self.error(at, "a number and a text have no order"));
            }
            left = right;
            last = Some(comparison);
        }
        let is_compared = last.is_some() || !jumps.is_empty() || self.ends_in_member();
        self.code.extend(last.map(Instruction::Compare));
        for place in jumps {
            if let Instruction::Link(comparison, _) = self.code[place] {
                self.code[place] = Instruction::Link(comparison, self.code.len());
            }
        }
        Ok(if is_compared { ValueKind::Number } else { left })
    }

    fn ends_in_member(&self) -> bool {
        matches!(self.code.last(), Some(Instruction::In { .. }))
    }

    /// Makes the pending comparison a link of a chain, because another one follows.
    fn end_link(&mut self, last: &mut Option<Comparison>, jumps: &mut Vec<usize>) {
        if let Some(comparison) = last.take() {
            jumps.push(self.code.len());
            self.code.push(Instruction::Link(comparison, 0));
        }
    }

    /// Parses the list behind `in`.
    fn members(&mut self, at: usize, left: ValueKind, is_not: bool) -> Result<(), ExpressionError> {
        let close = match self.next() {
            (_, Token::Sign("[")) => "]",
            (_, Token::Sign("(")) => ")",
            (at, _) => return Err(self.error(at, "a list must follow \"in\"")),
        };
        if left == ValueKind::Mixed {
            return Err(self.error(at, "\"in\" needs a number or a text"));
        }
        let mut count = 0;
        self.separated(close, |parser| {
            count += 1;
            parser.nested(at, Self::sum).map(drop)
        })?;
        self.code.push(Instruction::In { count, is_not });
        Ok(())
    }

    fn sum(&mut self) -> Result<ValueKind, ExpressionError> {
        let signs = [("+", Operator::Add), ("-", Operator::Subtract)];
        self.arithmetic(&signs, Self::product)
    }

    fn product(&mut self) -> Result<ValueKind, ExpressionError> {
        let signs = [
            ("*", Operator::Multiply),
            ("/", Operator::Divide),
            ("//", Operator::FloorDivide),
            ("%", Operator::Remainder),
        ];
        self.arithmetic(&signs, Self::factor)
    }

    fn arithmetic(
        &mut self,
        signs: &[(&'static str, Operator)],
        operand: fn(&mut Self) -> Result<ValueKind, ExpressionError>,
    ) -> Result<ValueKind, ExpressionError> {
        let mut kind = operand(self)?;
        loop {
            let at = self.at();
            let found = signs.iter().find(|it| *self.peek() == Token::Sign(it.0));
            let Some(&(_, operator)) = found else {
                return Ok(kind);
            };
            self.next();
            let right = operand(self)?;
            kind = self.numeric(at, &[kind, right])?;
            self.code.push(Instruction::Arithmetic(operator));
        }
    }

    fn numeric(&self, at: usize, kinds: &[ValueKind]) -> Result<ValueKind, ExpressionError> {
        match kinds.iter().all(|kind| *kind == ValueKind::Number) {
            true => Ok(ValueKind::Number),
            false => Err(self.error(at, "this operator needs numbers")),
        }
    }

    fn factor(&mut self) -> Result<ValueKind, ExpressionError> {
        let at = self.at();
        let (mut signs, mut minuses) = (0, 0);
        // A loop, so that a row of signs needs no stack.
        while let Token::Sign("-" | "+") = self.peek() {
            minuses += usize::from(*self.peek() == Token::Sign("-"));
            signs += 1;
            self.next();
        }
        let kind = self.power()?;
        if signs > 0 {
            self.numeric(at, &[kind])?;
            self.code.extend((0..minuses).map(|_| Instruction::Negate));
        }
        Ok(kind)
    }

    fn power(&mut self) -> Result<ValueKind, ExpressionError> {
        let base = self.atom()?;
        let at = self.at();
        if !self.accept("**") {
            return Ok(base);
        }
        // As in Python, powers associate to the right, and `2 ** -1` is legal.
        let exponent = self.nested(at, Self::factor)?;
        self.code.push(Instruction::Arithmetic(Operator::Power));
        self.numeric(at, &[base, exponent])
    }

    fn atom(&mut self) -> Result<ValueKind, ExpressionError> {
        let (at, token) = self.next();
        match token {
            Token::Integer(integer) => Ok(self.constant(ParameterValue::Integer(integer))),
            Token::Real(real) => Ok(self.constant(ParameterValue::Real(real))),
            Token::Text(text) => Ok(self.constant(ParameterValue::Text(text))),
            Token::Name(name) => self.name(at, name),
            Token::Sign("(") => {
                let kind = self.nested(at, Self::disjunction)?;
                match self.accept(")") {
                    true => Ok(kind),
                    false => Err(self.error(self.at(), "\")\" must follow")),
                }
            }
            _ => Err(self.error(at, "a number, a text, a parameter or \"(\" must follow")),
        }
    }

    fn constant(&mut self, value: ParameterValue) -> ValueKind {
        let kind = kind_of(&value);
        self.code.push(Instruction::Constant(value));
        kind
    }

    fn name(&mut self, at: usize, name: &str) -> Result<ValueKind, ExpressionError> {
        if let Some(is_true) = [("False", false), ("True", true)]
            .iter()
            .find_map(|(word, is_true)| (*word == name).then_some(*is_true))
        {
            return Ok(self.constant(ParameterValue::Boolean(is_true)));
        }
        if RESERVED.contains(&name) {
            return Err(self.error(at, format!("{name:?} is not supported")));
        }
        if *self.peek() == Token::Sign("(") {
            return Err(self.error(at, "functions are not supported"));
        }
        let found = self.parameters.iter().position(|one| one.name == name);
        let Some(parameter) = found else {
            return Err(self.error(at, self.unknown(name)));
        };
        let known = self.used.iter().position(|&one| one == parameter);
        let slot = known.unwrap_or_else(|| {
            self.used.push(parameter);
            self.used.len() - 1
        });
        self.code.push(Instruction::Parameter(slot));
        // All values of a parameter are of one kind.
        Ok(kind_of(&self.parameters[parameter].values[0]))
    }

    fn unknown(&self, name: &str) -> String {
        let names = self.parameters.iter().map(|one| one.name.as_str());
        match configgen::nearest_name(name, names) {
            Some(nearest) => format!("unknown parameter {name:?}; did you mean {nearest:?}?"),
            None => format!("unknown parameter {name:?}"),
        }
    }
}

fn kind_of(value: &ParameterValue) -> ValueKind {
    match value {
        ParameterValue::Text(_) => ValueKind::Text,
        _ => ValueKind::Number,
    }
}
