//! How many rows IREE 3.13.0 gives a workgroup of a matrix-vector product: more than one, which then share what they load of the vector.

use crate::Problem;
use crate::comparator::{Opcode, Region, Value};
use crate::reduction::Fold;

/// Of so many threads a workgroup has a row for every so many at least.
const THREADS_OF_A_ROW: u32 = 4;

/// The dimension of which a workgroup has several places, and how many: of the outermost parallel one the greatest power of two that
/// divides it and leaves a row more than some threads. None where the operation is no product to IREE, or a size is not known.
pub(super) fn shared_rows(problem: &Problem, threads: u32) -> Option<(usize, u32)> {
    let shape = &problem.shape;
    let fold = problem.reduction.fold()?;
    if !is_product(problem, fold) || shape.counts().is_some() {
        return None;
    }
    let d = shape.parallel().find(|&d| shape.sizes()[d] != 1)?;
    let size = shape.sizes()[d];
    let powers = (1..u32::BITS).map(|exponent| 1 << exponent);
    let rows =
        powers.take_while(|&rows| rows < threads / THREADS_OF_A_ROW && size.is_multiple_of(rows));
    rows.last().map(|rows| (d, rows))
}

/// Whether IREE sees a contraction: the sum of products of elements of two inputs, which may be extended before, and which both have the
/// reduced dimension.
fn is_product(problem: &Problem, fold: &Fold) -> bool {
    let Some(function) = &problem.function else {
        return false;
    };
    let ([operand], Some(last)) = (function.operands(), function.region().operations().last())
    else {
        return false;
    };
    let mut inputs: Vec<Value> = (last.operands.iter())
        .map(|&value| extended(function.region(), value))
        .collect();
    inputs.sort_unstable();
    let is_combined = matches!(
        (last.opcode, fold.opcode()),
        (Opcode::Mulf, Opcode::Addf) | (Opcode::Muli, Opcode::Addi) | (Opcode::Andi, Opcode::Ori)
    );
    let mut dimensions = operand.map.dimensions();
    is_combined && inputs == [Value(0), Value(1)] && dimensions.any(|d| problem.shape.is_reduced(d))
}

/// What a value is extended or narrowed of, or the value itself.
fn extended(region: &Region, value: Value) -> Value {
    let is_cast = |opcode| {
        matches!(
            opcode,
            Opcode::Extf | Opcode::Truncf | Opcode::Extsi | Opcode::Extui | Opcode::Trunci
        )
    };
    match region.definition(value) {
        Some(operation) if is_cast(operation.opcode) => operation.operands[0],
        _ => value,
    }
}
