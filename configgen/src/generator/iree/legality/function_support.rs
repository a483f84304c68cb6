//! Rule 0 of functions: the ones that IREE leaves unchanged and computes to the bit.

use super::exact_operations::is_established;
use crate::comparator::{Opcode, Region, RegionOperation, ScalarType, Value};
use crate::legality::{Rejection, ensure};
use crate::reduction::Fold;
use crate::{Function, Problem, Shape};

/// Checks rule 0 of the function of a plain reduction.
pub(super) fn check(problem: &Problem, fold: &Fold, function: &Function) -> Result<(), Rejection> {
    ensure(!function.has_view(), "0", || {
        format!(
            "{problem} reduces a view; the rules cover only tensors with the problem's own dimensions"
        )
    })?;
    let operations = function.region().operations();
    let other = operations.iter().find(|it| !is_established(it.opcode));
    ensure(other.is_none(), "0", || {
        let name = other.map_or("", |operation| operation.opcode.name());
        format!("{problem}: IREE's kernels may compute {name} with other results")
    })?;
    let region = function.region();
    let inputs = (0..region.arguments()).map(|number| region.type_of(Value(number)));
    let mut types = inputs.chain(operations.iter().map(|it| it.result));
    let narrow = types.find(|it| it.is_float() && it.bits() == 8);
    ensure(narrow.is_none(), "0", || {
        let name = narrow.map_or("", |it| it.name());
        format!("{problem} has elements of {name}; the rules cover floats of at least 16 bits")
    })?;
    check_product(problem, fold, region)
}

/// Checks that IREE can compile a sum of products.
///
/// IREE makes a contraction of it, with the factors before their extension. It adds products
/// without rounding (`fma`) or rounds them first; both are correct.
fn check_product(problem: &Problem, fold: &Fold, region: &Region) -> Result<(), Rejection> {
    // Only the yielded product counts: a product inside of another operation is no contraction.
    let is_product = |it: &&RegionOperation| {
        let is_summed = matches!(
            (it.opcode, fold.opcode()),
            (Opcode::Mulf, Opcode::Addf) | (Opcode::Muli, Opcode::Addi)
        );
        is_summed && it.result == ScalarType::from(fold.accumulator())
    };
    let Some(product) = region.definition(region.result()).filter(is_product) else {
        return Ok(());
    };
    // A contraction takes the factors before their extension, so their own types must agree.
    let extended_of = |value: &Value| {
        let operation = region.definition(*value)?;
        let is_extended = matches!(
            operation.opcode,
            Opcode::Extf | Opcode::Extsi | Opcode::Extui
        );
        is_extended.then(|| region.type_of(operation.operands[0]))
    };
    let factors: Vec<Option<ScalarType>> = product.operands.iter().map(extended_of).collect();
    let is_mixed = matches!(factors[..], [Some(one), Some(other)] if one != other);
    ensure(!is_mixed, "0", || {
        format!(
            "{problem} multiplies factors that are extended from two types; IREE makes a contraction that it does \
             not support (\"lhs and rhs have same element type\")"
        )
    })?;
    let is_long = product.opcode == Opcode::Mulf && product.result == ScalarType::F64;
    ensure(!is_long, "0", || {
        format!(
            "{problem} adds products of f64; IREE makes a contraction that it does not distribute on gfx1100"
        )
    })
}

/// Returns a dimension that IREE merges with the one before it.
///
/// Every input has both side by side, or has neither.
pub(super) fn joined(shape: &Shape, function: &Function) -> Option<usize> {
    let is_joined = |d: usize| {
        let mut operands = function.operands().iter();
        operands.all(|operand| {
            let place = |d| operand.map.dimensions().position(|it| it == d);
            match (place(d - 1), place(d)) {
                (Some(before), Some(behind)) => before + 1 == behind,
                (None, None) => true,
                _ => false,
            }
        })
    };
    // IREE merges only neighbours of one kind.
    let is_of_kind = |d: &usize| shape.is_reduced(d - 1) == shape.is_reduced(*d);
    (1..shape.rank()).filter(is_of_kind).find(|d| is_joined(*d))
}
