//! The evaluator: runs a region on the host many times.

use super::opcode::Opcode;
use super::region::Region;
use super::scalar::ScalarType;
use super::semantics::apply;

/// A region prepared for evaluation in a loop.
///
/// It stores the values of the current evaluation, so each thread needs its own. Clones are
/// cheap.
#[derive(Debug, Clone)]
pub struct Evaluator {
    steps: Vec<EvaluationStep>,
    values: Vec<u64>,
    result: usize,
}

#[derive(Debug, Clone, Copy)]
struct EvaluationStep {
    opcode: Opcode,
    from: ScalarType,
    to: ScalarType,
    operands: [u32; 3],
    value: u32,
}

impl Evaluator {
    /// Creates an evaluator of this region.
    pub fn new(region: &Region) -> Self {
        let mut values = vec![0; region.values()];
        let mut steps = Vec::new();
        for (value, operation) in region.definitions() {
            // Constants never change, so they are stored once, outside of the steps.
            if let Opcode::Constant(bits) = operation.opcode {
                values[value.index()] = bits;
                continue;
            }
            let mut operands = [0; 3];
            for (place, operand) in operands.iter_mut().zip(&operation.operands) {
                *place = operand.0;
            }
            steps.push(EvaluationStep {
                opcode: operation.opcode,
                from: region.type_of(operation.operands[0]),
                to: operation.result,
                operands,
                value: value.0,
            });
        }
        Evaluator {
            steps,
            values,
            result: region.result().index(),
        }
    }

    /// Returns whether an element with the bits `a` replaces an accumulator with the bits `b`.
    #[inline]
    pub fn compare(&mut self, a: u64, b: u64) -> bool {
        self.values[1] = b;
        self.value(a) != 0
    }

    /// Returns the result for this first argument; a key has only one.
    #[inline]
    pub fn value(&mut self, argument: u64) -> u64 {
        self.values[0] = argument;
        for step in &self.steps {
            let operands = step.operands.map(|operand| self.values[operand as usize]);
            self.values[step.value as usize] = apply(step.opcode, step.from, step.to, operands);
        }
        self.values[self.result]
    }

    /// Returns the result for these arguments, one per argument of the region.
    #[inline]
    pub fn result(&mut self, arguments: &[u64]) -> u64 {
        // `value` sets the first argument.
        self.values[1..arguments.len()].copy_from_slice(&arguments[1..]);
        self.value(arguments[0])
    }

    /// Returns the bits of every value of the last evaluation, arguments first.
    pub fn values(&self) -> &[u64] {
        &self.values
    }
}
