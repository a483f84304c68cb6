//! A comparator's region as a C++ function, one definition an operation.
//!
//! Values have the types of [`types`]: C++'s where there is one, for bf16 and floats of 8 bits an integer with their bits.
//! What each operation computes is defined by [`configgen::comparator::semantics`]: floats of at most 16 bits are widened,
//! computed with and rounded back; what C++ leaves undefined of integers is asked for beforehand. Functions that several
//! operations share are in [`library`], and are printed where they are used.

mod integer;
mod library;
mod operation;
mod types;

use configgen::comparator::{Opcode, Region, ScalarType, Value, semantics};

use super::source::Source;

/// Prints `bool name(T a, T b)`, the region of two arguments.
pub(super) fn print(source: &mut Source, name: &str, comment: &str, region: &Region) {
    library::print(source);
    let argument = types::cpp(region.element());
    let lines = definitions(region);
    let result = variable(region.result());
    let parameter = |value: Value| {
        let mut operations = region.operations().iter();
        let is_used = operations.any(|operation| operation.operands.contains(&value));
        let unused = if is_used { "" } else { "[[maybe_unused]] " };
        format!("{unused}{argument} {}", variable(value))
    };
    let (a, b) = (parameter(Value::A), parameter(Value::B));
    // A product is rounded before it is added to.
    let mut operations = region.operations().iter();
    let apart = match operations.any(|operation| operation.opcode == Opcode::Mulf) {
        true => "#pragma clang fp contract(off)\n",
        false => "",
    };
    source.define(
        name,
        format!(
            "{comment}\n\
             static __device__ inline bool {name}({a}, {b}) {{\n\
             {apart}{lines}  return {result};\n}}"
        ),
    );
    source.blank();
}

/// The definitions of all operations, a line each.
fn definitions(region: &Region) -> String {
    let seen = semantics::seen_nans(region);
    let mut lines = String::new();
    for (value, operation) in region.definitions() {
        let operands: Vec<String> = operation.operands.iter().map(|&v| variable(v)).collect();
        let last = operation.operands.last();
        let from = last.map_or(operation.result, |&operand| region.type_of(operand));
        let expression = operation::expression(operation.opcode, from, operation.result, &operands);
        let expression = match seen.contains(&value) {
            true => canonical(operation.result, &expression),
            false => expression,
        };
        let (kind, name) = (types::cpp(operation.result), variable(value));
        lines += &format!("  const {kind} {name} = {expression};\n");
    }
    lines
}

/// The variable that holds a value.
fn variable(value: Value) -> String {
    match value {
        Value::A => "a".to_owned(),
        Value::B => "b".to_owned(),
        Value(number) => format!("v{number}"),
    }
}

/// The float with one NaN. Narrow floats are rounded to that already.
fn canonical(scalar: ScalarType, expression: &str) -> String {
    match scalar {
        ScalarType::F64 | ScalarType::F32 | ScalarType::F16 => {
            format!("canonical<{}>({expression})", types::cpp(scalar))
        }
        _ => expression.to_owned(),
    }
}

#[cfg(test)]
mod tests;
