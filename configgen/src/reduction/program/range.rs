//! The range of a value that its operations show, such as those of a clamp.

use super::graph::{ProgramGraph, ProgramNode, ProgramValue};
use crate::comparator::{FloatPredicate, Opcode};
use crate::reduction::Combining;

/// The least and the greatest number of a value, NaN aside.
type ValueRange = [f64; 2];

const ANY: ValueRange = [f64::NEG_INFINITY, f64::INFINITY];

/// The range of numbers from 0 on. A zero among them has no sign either.
const WITHOUT_SIGN: ValueRange = [0.0, f64::INFINITY];

impl ProgramGraph {
    /// Returns the range of a value.
    pub(crate) fn range(&self, value: ProgramValue) -> ValueRange {
        let mut ranges: Vec<ValueRange> = Vec::new();
        // Operands first, each once: a value may be in many others.
        for value in self.values().take(value.index() + 1) {
            ranges.push(self.range_of(value, &ranges));
        }
        ranges[value.index()]
    }

    fn range_of(&self, value: ProgramValue, known: &[ValueRange]) -> ValueRange {
        let of = |value: ProgramValue| known[value.index()];
        let number = self.number(value).filter(|it| !it.is_nan());
        if let Some(number) = number {
            return [number; 2];
        }
        let (opcode, operands) = match self.node(value) {
            ProgramNode::Operation(opcode, operands) => (opcode, operands),
            // A sum of numbers that have no sign has none.
            ProgramNode::Fold(Combining::Sum, element) => return without_sign(&[of(*element)]),
            ProgramNode::Fold(Combining::Max | Combining::Min, element) => return of(*element),
            // A fold that passes over NaN begins at an infinity.
            _ => return ANY,
        };
        let each = |function: fn(f64) -> f64| of(operands[0]).map(function);
        match opcode {
            Opcode::Minimumf | Opcode::Minnumf => lesser(of(operands[0]), of(operands[1])),
            Opcode::Maximumf | Opcode::Maxnumf => greater(of(operands[0]), of(operands[1])),
            Opcode::Roundeven => each(f64::round_ties_even),
            Opcode::Floor => each(f64::floor),
            Opcode::Ceil => each(f64::ceil),
            Opcode::Trunc => each(f64::trunc),
            Opcode::Extf => of(operands[0]),
            Opcode::Absf | Opcode::Exp | Opcode::Exp2 => WITHOUT_SIGN,
            Opcode::Mulf if operands[0] == operands[1] => WITHOUT_SIGN,
            Opcode::Addf | Opcode::Mulf | Opcode::Divf => {
                without_sign(&[of(operands[0]), of(operands[1])])
            }
            Opcode::Truncf => without_sign(&[of(operands[0])]),
            Opcode::Select => self.selected(operands, known),
            _ => ANY,
        }
    }

    /// Returns the range of a `select`. It may be one of the two numbers that its condition
    /// compares, as in PyTorch's clamp.
    fn selected(&self, operands: &[ProgramValue], known: &[ValueRange]) -> ValueRange {
        use FloatPredicate::{Oge, Ogt, Ole, Olt, Uge, Ugt, Ule, Ult};
        let [condition, yes, no] = operands[..] else {
            return ANY;
        };
        let [yes_range, no_range] = [yes, no].map(|it| known[it.index()]);
        if let ProgramNode::Operation(Opcode::Cmpf(predicate), compared) = self.node(condition) {
            let is_in_order = compared[..] == [yes, no];
            let is_lesser = match predicate {
                Olt | Ole | Ult | Ule => Some(is_in_order),
                Ogt | Oge | Ugt | Uge => Some(!is_in_order),
                _ => None,
            };
            match is_lesser.filter(|_| is_in_order || compared[..] == [no, yes]) {
                Some(true) => return lesser(yes_range, no_range),
                Some(false) => return greater(yes_range, no_range),
                None => {}
            }
        }
        [yes_range[0].min(no_range[0]), yes_range[1].max(no_range[1])]
    }
}

/// Returns the range of a result that has a sign only if an operand has one.
fn without_sign(operands: &[ValueRange]) -> ValueRange {
    match operands.iter().all(|it| it[0].is_sign_positive()) {
        true => WITHOUT_SIGN,
        false => ANY,
    }
}

fn lesser(one: ValueRange, other: ValueRange) -> ValueRange {
    [one[0].min(other[0]), one[1].min(other[1])]
}

fn greater(one: ValueRange, other: ValueRange) -> ValueRange {
    [one[0].max(other[0]), one[1].max(other[1])]
}

#[cfg(test)]
mod tests {
    use super::super::ProgramInput;
    use super::*;
    use crate::ElementType;
    use crate::comparator::ScalarType::{F32, I1};
    use crate::reduction::Extent;

    const INPUT: ProgramInput = ProgramInput {
        element: ElementType::F32,
        extent: Extent::Elements,
    };

    /// Checks the range after these operations of the element and a number each. An operation may
    /// be a `select` by a comparison.
    #[track_caller]
    fn check(operations: &[(Opcode, f64)], expected: ValueRange) {
        let mut graph = ProgramGraph::new(&[INPUT]);
        let mut value = graph.input(0);
        for &(opcode, number) in operations {
            let number = graph.constant(F32.round(number), F32);
            let made = match opcode {
                Opcode::Cmpf(_) => {
                    let condition = graph.operation(opcode, &[value, number], I1).unwrap();
                    graph.operation(Opcode::Select, &[condition, number, value], F32)
                }
                _ if opcode.arity() == 1 => graph.operation(opcode, &[value], F32),
                _ => graph.operation(opcode, &[value, number], F32),
            };
            value = made.unwrap();
        }
        assert_eq!(graph.range(value), expected, "{operations:?}");
    }

    #[test]
    fn clamps_have_a_range() {
        use FloatPredicate::{Oeq, Ogt, Ult};
        use Opcode::{Addf, Cmpf, Maximumf, Minimumf, Minnumf, Roundeven};
        let infinity = f64::INFINITY;
        check(&[], ANY);
        check(&[(Minimumf, 127.0)], [-infinity, 127.0]);
        check(&[(Minimumf, 127.0), (Maximumf, -128.0)], [-128.0, 127.0]);
        check(&[(Maximumf, -9.0), (Minnumf, -10.0)], [-10.0, -10.0]);
        check(&[(Maximumf, 0.4), (Roundeven, 0.0)], [0.0, infinity]);
        check(&[(Maximumf, 1.0), (Addf, 1.0)], WITHOUT_SIGN);
        check(&[(Maximumf, -0.0), (Addf, 1.0)], ANY);
        check(&[(Minimumf, 1.0), (Addf, 1.0)], ANY);
        // The number if the element is below it, and else the element.
        check(&[(Cmpf(Ult), -128.0)], [-128.0, infinity]);
        check(&[(Cmpf(Ogt), 127.0)], [-infinity, 127.0]);
        check(&[(Cmpf(Oeq), 127.0)], ANY);
    }

    #[test]
    fn a_value_that_is_used_twice_is_read_once() {
        let mut graph = ProgramGraph::new(&[INPUT]);
        let mut value = graph.input(0);
        for number in 0..100 {
            let number = graph.constant(F32.round(f64::from(number)), F32);
            let [least, most] = [Opcode::Minimumf, Opcode::Maximumf]
                .map(|it| graph.operation(it, &[value, number], F32).unwrap());
            let Ok(both) = graph.operation(Opcode::Minimumf, &[least, most], F32) else {
                break;
            };
            value = both;
        }
        assert_eq!(graph.range(value)[0], f64::NEG_INFINITY);
    }
}
