//! The number of rows per workgroup that IREE 3.13.0 chooses for a matrix-vector product.
//!
//! It is more than one, so that the rows share their loads of the vector.

use crate::Problem;
use crate::comparator::{Opcode, Region, Value};
use crate::reduction::Fold;

/// The smallest number of threads per row of a workgroup.
const THREADS_OF_A_ROW: u32 = 4;

/// Returns the dimension with several rows per workgroup, and their number.
///
/// The dimension is the outermost parallel one. The number is the largest power of two that
/// divides it and leaves each row more than `THREADS_OF_A_ROW` threads. The result is none if
/// IREE sees no product, or if a size is open.
pub(super) fn shared_rows(problem: &Problem, threads: u32) -> Option<(usize, u32)> {
    let shape = &problem.shape;
    let fold = problem.reduction.pairwise()?;
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

/// Returns whether IREE sees a contraction.
///
/// That is a sum of products of two inputs, possibly extended first, that both have the reduced
/// dimension.
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
    // The order of a product's factors does not matter to IREE.
    inputs.sort_unstable();
    let is_combined = matches!(
        (last.opcode, fold.opcode()),
        (Opcode::Mulf, Opcode::Addf) | (Opcode::Muli, Opcode::Addi) | (Opcode::Andi, Opcode::Ori)
    );
    let mut dimensions = operand.map.dimensions();
    is_combined && inputs == [Value(0), Value(1)] && dimensions.any(|d| problem.shape.is_reduced(d))
}

/// Returns the value that a conversion takes, or the value itself.
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
