//! Powers in programs: roots, products and reciprocals.

use super::ProgramBuilder;
use crate::comparator::{FloatPredicate, Opcode, ScalarType};
use crate::reduction::program::{ProgramGraph, ProgramValue};

/// The largest power that is a product.
const MAX_POWER: f64 = 16.0;

impl ProgramBuilder<'_, '_> {
    /// Returns a constant power that roots and products compute.
    pub(super) fn power(
        &mut self,
        operands: &[ProgramValue],
        scalar: ScalarType,
    ) -> Option<ProgramValue> {
        let x = operands[0];
        let exponent = self.graph.number(operands[1])?;
        let graph = &mut self.graph;
        if exponent == 1.0 {
            return Some(x);
        }
        let made = match exponent {
            0.5 => root(graph, Opcode::Sqrt, x, f64::INFINITY),
            -0.5 => root(graph, Opcode::Rsqrt, x, 0.0),
            -1.0 => {
                let one = graph.constant(scalar.round(1.0), scalar);
                graph.operation(Opcode::Divf, &[one, x], scalar)
            }
            // The products that compilers make of such a power.
            2.0..=MAX_POWER if exponent.fract() == 0.0 => {
                let mut multiply = |a, b| graph.operation(Opcode::Mulf, &[a, b], scalar).ok();
                let mut product = x;
                for bit in (0..exponent.log2() as u32).rev() {
                    product = multiply(product, product)?;
                    if exponent as u32 >> bit & 1 == 1 {
                        product = multiply(product, x)?;
                    }
                }
                Ok(product)
            }
            _ => return None,
        };
        made.ok()
    }
}

/// Returns the power that is a root, with the value `at_least` of minus infinity. Roots of minus
/// infinity are NaN, and that of -0 has a sign, which a power has not.
fn root(
    graph: &mut ProgramGraph,
    opcode: Opcode,
    x: ProgramValue,
    at_least: f64,
) -> Result<ProgramValue, String> {
    let scalar = graph.scalar(x);
    if graph.range(x)[0].is_sign_positive() {
        return graph.operation(opcode, &[x], scalar);
    }
    let numbers = [0.0, f64::NEG_INFINITY, at_least];
    let [zero, least, at_least] = numbers.map(|it| graph.constant(scalar.round(it), scalar));
    let unsigned = graph.operation(Opcode::Addf, &[x, zero], scalar)?;
    let root = graph.operation(opcode, &[unsigned], scalar)?;
    let equal = Opcode::Cmpf(FloatPredicate::Oeq);
    let is_least = graph.operation(equal, &[x, least], ScalarType::I1)?;
    graph.operation(Opcode::Select, &[is_least, at_least, root], scalar)
}
