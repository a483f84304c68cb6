//! Running a region on the host, many times.

use super::opcode::Opcode;
use super::region::Region;
use super::scalar::ScalarType;
use super::semantics::apply;

/// A region made ready to be evaluated in a loop. It holds the values of the evaluation that it is at, so each thread
/// needs its own (they are cheap to clone).
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
    /// An evaluator of this region.
    pub fn new(region: &Region) -> Self {
        let mut values = vec![0; region.values()];
        let mut steps = Vec::new();
        for (value, operation) in region.definitions() {
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

    /// Whether the element with the bits `a` replaces an accumulator with the bits `b`.
    #[inline]
    pub fn compare(&mut self, a: u64, b: u64) -> bool {
        self.values[1] = b;
        self.value(a) != 0
    }

    /// The result for this first argument, of a key the only one.
    #[inline]
    pub fn value(&mut self, argument: u64) -> u64 {
        self.values[0] = argument;
        for step in &self.steps {
            let operands = step.operands.map(|operand| self.values[operand as usize]);
            self.values[step.value as usize] = apply(step.opcode, step.from, step.to, operands);
        }
        self.values[self.result]
    }

    /// The result for these arguments, of which there is one each.
    #[inline]
    pub fn result(&mut self, arguments: &[u64]) -> u64 {
        self.values[1..arguments.len()].copy_from_slice(&arguments[1..]);
        self.value(arguments[0])
    }

    /// The bits of every value of the region, the arguments first, as of the last evaluation.
    pub fn values(&self) -> &[u64] {
        &self.values
    }
}
