//! Formulas: regions of f32 and narrower floats, evaluated on numeric intervals. Integers are
//! positions, or are results of quantisation. A truth value is 0 or 1, or an interval between
//! them if it is unknown.

use configgen::comparator::{FloatPredicate, Opcode, Region, RoundedFunction, ScalarType};

use super::numeric_interval::NumericInterval;

/// A region prepared for repeated evaluation.
#[derive(Debug, Clone)]
pub(super) struct Formula {
    steps: Vec<FormulaStep>,
    /// The arguments, then the results of the operations.
    values: Vec<NumericInterval>,
    result: usize,
}

#[derive(Debug, Clone, Copy)]
struct FormulaStep {
    opcode: Opcode,
    function: Option<&'static RoundedFunction>,
    result: ScalarType,
    operands: [usize; 3],
    value: usize,
}

/// Returns the number that these bits are in a row program: truth values are 0 and 1, and other
/// integers have a sign.
pub(super) fn number(kind: ScalarType, bits: u64) -> f64 {
    match kind {
        // Only bit 0 of a truth value's byte counts.
        ScalarType::I1 => (bits & 1) as f64,
        _ if kind.is_float() => kind.to_f64(bits),
        _ => kind.signed(bits) as f64,
    }
}

impl Formula {
    /// Compiles a region. A program has only operations with bounds.
    pub(super) fn new(region: &Region) -> Formula {
        let mut values = vec![NumericInterval::exact(0.0); region.values()];
        let mut steps = Vec::new();
        for (value, operation) in region.definitions() {
            let (opcode, result) = (operation.opcode, operation.result);
            if let Opcode::Constant(bits) = opcode {
                values[value.index()] = NumericInterval::exact(number(result, bits));
                continue;
            }
            let mut operands = [0; 3];
            for (place, operand) in operands.iter_mut().zip(&operation.operands) {
                *place = operand.index();
            }
            steps.push(FormulaStep {
                opcode,
                function: opcode.rounded(),
                result,
                operands,
                value: value.index(),
            });
        }
        Formula {
            steps,
            values,
            result: region.result().index(),
        }
    }

    /// Sets an argument, which stays set for later evaluations.
    pub(super) fn set(&mut self, argument: usize, value: NumericInterval) {
        self.values[argument] = value;
    }

    /// Evaluates the region with the current arguments.
    pub(super) fn result(&mut self) -> NumericInterval {
        for step in &self.steps {
            let [one, other, third] = step.operands.map(|operand| self.values[operand]);
            let computed = match step.opcode {
                Opcode::Addf => one.plus(other),
                Opcode::Subf => one.minus(other),
                // Both operands are the same number, so the square is never negative. Interval
                // multiplication would forget that.
                Opcode::Mulf if step.operands[0] == step.operands[1] => one.squared(),
                Opcode::Mulf => one.times(other),
                Opcode::Divf => one.over(other),
                Opcode::Sqrt => one.root(),
                Opcode::Absf => one.magnitude(),
                Opcode::Negf => one.negated(),
                Opcode::Floor => one.rising(f64::floor),
                Opcode::Ceil => one.rising(f64::ceil),
                Opcode::Trunc => one.rising(f64::trunc),
                Opcode::Roundeven => one.rising(f64::round_ties_even),
                Opcode::Maximumf | Opcode::Maxsi => one.maximum(other),
                Opcode::Minimumf | Opcode::Minsi => {
                    one.negated().maximum(other.negated()).negated()
                }
                Opcode::Maxnumf => one.greater(other),
                Opcode::Minnumf => one.negated().greater(other.negated()).negated(),
                Opcode::Addi => one.integer_sum(other, step.result),
                // The least integer has no positive one, and wraps around.
                Opcode::Absi => {
                    let zero = NumericInterval::exact(0.0);
                    one.magnitude().integer_sum(zero, step.result)
                }
                Opcode::Subi => one.integer_sum(other.negated(), step.result),
                Opcode::Cmpf(predicate) => one.compared(other, predicate.outcomes()),
                Opcode::Cmpi(predicate) => one.compared(other, predicate.outcomes()),
                Opcode::Andi => one.lesser_truth(other),
                Opcode::Ori => one.inverted().lesser_truth(other.inverted()).inverted(),
                Opcode::Xori => one.compared(other, FloatPredicate::One.outcomes()),
                Opcode::Select => one.select(other, third),
                Opcode::Fptosi => one.integer(step.result),
                _ => match step.function {
                    Some(function) => one.function(function),
                    // A conversion keeps the number, apart from the rounding below.
                    None => one,
                },
            };
            // An operation of two narrow floats has few enough digits for f32 to hold all that
            // its rounding needs.
            self.values[step.value] = match (step.opcode, step.result) {
                (Opcode::Select | Opcode::Extf, _) => computed,
                // By way of f32, as kernels convert.
                (Opcode::Sitofp | Opcode::Uitofp, kind) => {
                    computed.rounded(ScalarType::F32).rounded(kind)
                }
                (_, kind) if kind.is_float() && kind.bits() < 32 => computed.rounded(kind),
                _ => computed,
            };
        }
        self.values[self.result]
    }
}
