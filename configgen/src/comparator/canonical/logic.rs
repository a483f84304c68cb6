//! Simplification of truth values: negation, selection, and combinations of two relations.

use super::super::opcode::Opcode;
use super::super::predicate::EQUAL;
use super::super::region::Value;
use super::super::scalar::ScalarType;
use super::graph::Graph;

impl Graph {
    /// Builds the negation of a truth value.
    pub(super) fn negate(&mut self, truth: Value) -> Value {
        if let Some(bits) = self.bits(truth) {
            return self.truth(bits == 0);
        }
        if let Some(relation) = self.relation(truth) {
            let opposite = self.complement(relation);
            return self.express(opposite);
        }
        match self.negated(truth) {
            Some(inner) => inner,
            None => {
                let one = self.truth(true);
                self.intern(Opcode::Xori, &[truth, one], ScalarType::I1)
            }
        }
    }

    /// Returns the operand of a negation.
    fn negated(&self, truth: Value) -> Option<Value> {
        match self.definition(truth)? {
            (Opcode::Xori, &[inner, one]) if self.bits(one) == Some(1) => Some(inner),
            _ => None,
        }
    }

    /// Builds `and`, `or` or `xor` of two truth values: not constant, not equal, and in order.
    pub(super) fn logic(&mut self, opcode: Opcode, p: Value, q: Value) -> Value {
        if let (Some(left), Some(right)) = (self.relation(p), self.relation(q))
            && let Some(joined) = self.join(opcode, left, right)
        {
            return self.express(joined);
        }
        match (opcode, self.negated(p), self.negated(q)) {
            (Opcode::Xori, None, None) => self.intern(opcode, &[p, q], ScalarType::I1),
            // Negations move outwards, so that `xor` has one form.
            (Opcode::Xori, p_inner, q_inner) => {
                let operands = [p_inner.unwrap_or(p), q_inner.unwrap_or(q)];
                let differ = self.build(opcode, &operands, ScalarType::I1);
                match p_inner.is_some() && q_inner.is_some() {
                    true => differ,
                    false => self.negate(differ),
                }
            }
            (_, Some(inner), None) if inner == q => self.truth(opcode == Opcode::Ori),
            (_, None, Some(inner)) if inner == p => self.truth(opcode == Opcode::Ori),
            _ => self.intern(opcode, &[p, q], ScalarType::I1),
        }
    }

    pub(super) fn select(&mut self, condition: Value, x: Value, y: Value) -> Value {
        if x == y {
            return x;
        }
        if let Some(bits) = self.bits(condition) {
            return if bits == 0 { y } else { x };
        }
        if let Some(inner) = self.negated(condition) {
            return self.select(inner, y, x);
        }
        let result = self.type_of(x);
        // A selection of truth values is logic, which has one form.
        if result == ScalarType::I1
            && let Some(value) = self.select_truth(condition, x, y)
        {
            return value;
        }
        // A condition or its negation is canonical: the one that does not hold for equal values.
        if let Some(relation) = self.relation(condition)
            && relation.states & EQUAL != 0
        {
            let opposite = self.negate(condition);
            return self.select(opposite, y, x);
        }
        self.intern(Opcode::Select, &[condition, x, y], result)
    }

    /// Builds a selection of truth values, if one is constant or all are relations of the same
    /// values.
    fn select_truth(&mut self, condition: Value, x: Value, y: Value) -> Option<Value> {
        let i1 = ScalarType::I1;
        match (self.bits(x), self.bits(y)) {
            (Some(0), _) => {
                let opposite = self.negate(condition);
                return Some(self.build(Opcode::Andi, &[opposite, y], i1));
            }
            (Some(_), _) => return Some(self.build(Opcode::Ori, &[condition, y], i1)),
            (_, Some(0)) => return Some(self.build(Opcode::Andi, &[condition, x], i1)),
            (_, Some(_)) => {
                let opposite = self.negate(condition);
                return Some(self.build(Opcode::Ori, &[opposite, x], i1));
            }
            _ => {}
        }
        let holds = self.relation(condition)?;
        let then = self.join(Opcode::Andi, holds, self.relation(x)?)?;
        let otherwise = self.join(Opcode::Andi, self.complement(holds), self.relation(y)?)?;
        let either = self.join(Opcode::Ori, then, otherwise)?;
        Some(self.express(either))
    }
}
