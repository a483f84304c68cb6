//! Operations of integers, truth values and indices in a body.

use super::{BodyOperation, ReadOperation, Reader};
use crate::comparator::{
    FloatPredicate, IntegerPredicate, Opcode, ScalarType, function_type, natural, scalar_type,
    with_attributes,
};

impl<'a> Reader<'_, 'a> {
    /// Parses an operation that no row operation has; returns none if it cannot.
    pub(super) fn known(
        &mut self,
        name: &str,
        opcode: Option<Opcode>,
    ) -> Option<ReadOperation<'a>> {
        let cursor = &mut self.cursor;
        match (name, opcode) {
            ("linalg.index", _) => {
                let dimension = natural(cursor).ok()?;
                let is_index = cursor.accept(":") && cursor.accept("index");
                is_index.then_some((BodyOperation::Index(dimension), Vec::new(), None))
            }
            ("arith.index_cast", _) => {
                let operand = self.operand().ok()?;
                let cursor = &mut self.cursor;
                cursor.accept(":").then_some(())?;
                let result = match cursor.accept("index") {
                    true if cursor.accept("to") => Some(scalar_type(cursor).ok()?),
                    true => return None,
                    false => {
                        scalar_type(cursor).ok()?;
                        (cursor.accept("to") && cursor.accept("index")).then_some(())?;
                        None
                    }
                };
                Some((BodyOperation::IndexCast, vec![operand], result))
            }
            (_, Some(opcode)) => {
                let opcode = match opcode {
                    Opcode::Cmpf(_) => Opcode::Cmpf(FloatPredicate::from_name(self.predicate()?)?),
                    Opcode::Cmpi(_) => {
                        Opcode::Cmpi(IntegerPredicate::from_name(self.predicate()?)?)
                    }
                    other => other,
                };
                let mut operands = vec![self.operand().ok()?];
                while operands.len() < opcode.arity() && self.cursor.accept(",") {
                    operands.push(self.operand().ok()?);
                }
                // Flags are not parsed, so an operation with flags counts as unknown.
                let is_typed = operands.len() == opcode.arity() && self.cursor.accept(":");
                if is_typed && self.cursor.accept("index") {
                    let is_compared = matches!(opcode, Opcode::Cmpi(_));
                    let result = is_compared.then_some(ScalarType::I1);
                    return Some((BodyOperation::Known(opcode), operands, result));
                }
                let first = is_typed
                    .then(|| scalar_type(&mut self.cursor).ok())
                    .flatten()?;
                let result = match self.cursor.accept("to") {
                    true => scalar_type(&mut self.cursor).ok()?,
                    false if matches!(opcode, Opcode::Cmpf(_) | Opcode::Cmpi(_)) => ScalarType::I1,
                    false => first,
                };
                Some((BodyOperation::Known(opcode), operands, Some(result)))
            }
            _ => None,
        }
    }

    /// Parses the same in the generic form.
    pub(super) fn known_generic(&mut self, opcode: Opcode) -> Option<ReadOperation<'a>> {
        if !self.cursor.accept("(") {
            return None;
        }
        let mut operands = vec![self.operand().ok()?];
        while operands.len() < opcode.arity() && self.cursor.accept(",") {
            operands.push(self.operand().ok()?);
        }
        if operands.len() != opcode.arity() || !self.cursor.accept(")") {
            return None;
        }
        let opcode = with_attributes(&mut self.cursor, opcode).ok()?;
        let result = self
            .cursor
            .accept(":")
            .then(|| function_type(&mut self.cursor));
        Some((
            BodyOperation::Known(opcode),
            operands,
            Some(result?.ok()?.1?),
        ))
    }

    /// Parses `ogt,`.
    fn predicate(&mut self) -> Option<&'a str> {
        let word = self.cursor.word("a predicate").ok()?;
        self.cursor.accept(",").then_some(word)
    }
}
