//! The region of a fold that computes an element first, as one operation has it.

use super::Fold;
use crate::Function;
use crate::comparator::{Region, RegionOperation, ScalarType, Value};

impl Fold {
    /// Returns the body of the operation, with the accumulator as its last argument.
    ///
    /// The body applies `function` to one element of each input and widens the result to
    /// the accumulator's type. Then it combines it with the accumulator.
    pub fn body(
        &self,
        function: Option<&Function>,
        inputs: impl Iterator<Item = ScalarType>,
    ) -> Region {
        let accumulator = ScalarType::from(self.accumulator());
        let mut body = Region::of(inputs.chain([accumulator]));
        let acc = Value(body.arguments() - 1);
        let mut value = Value::A;
        if let Some(function) = function {
            let region = function.region();
            // The accumulator becomes the last argument, so each value behind the arguments moves
            // by one.
            let moved = |value: Value| match value >= acc {
                true => Value(value.0 + 1),
                false => value,
            };
            for operation in region.operations() {
                body.push(RegionOperation {
                    operands: operation.operands.iter().map(|&it| moved(it)).collect(),
                    ..operation.clone()
                });
            }
            value = moved(region.result());
        }
        if let Some(opcode) = self.widening() {
            value = body.push(RegionOperation {
                opcode,
                operands: [value].into_iter().collect(),
                result: accumulator,
            });
        }
        let combined = body.push(RegionOperation {
            opcode: self.opcode(),
            operands: [acc, value].into_iter().collect(),
            result: accumulator,
        });
        body.set_result(combined);
        body
    }
}
