//! A comparator's region in the IR's operations. They give exactly the bits of
//! [`configgen::comparator::semantics`] on every target, whatever LLVM optimises.
//!
//! Most types have one form. *Narrow* types, bf16 and the 8-bit floats, have two: a value is
//! *held* as the bits of an integer, and computed as a *number*, the f32 of the same value. Each
//! form is built on first use, so that a chain of operations stays in numbers and nothing is
//! converted twice.
//!
//! No operation is contracted or reordered. [`float`] computes, [`sign`] changes signs,
//! [`integer`] has integer arithmetic, [`convert`] converts between types and [`narrow`] between
//! the forms. [`rounded_function`] has functions within error bounds. [`types`] has the types and
//! constants.

mod convert;
mod float;
mod integer;
mod narrow;
mod remainder;
mod rounded_function;
mod sign;
#[cfg(test)]
mod tests;
mod types;

use configgen::comparator::semantics::{seen_nans, seen_nans_of_result};
use configgen::comparator::{self, Opcode, Region, RegionOperation};

use crate::native::ir::{Builder, Value};
pub(in crate::native) use types::held;
use types::is_narrow;

/// Builds the operations of a region and returns its result. Arguments and result have the type
/// of their bits: i1, i8 to i64, f16, f32, f64; bf16 as i16 and the 8-bit floats as i8.
pub(in crate::native) fn build(ir: &mut Builder, region: &Region, arguments: &[Value]) -> Value {
    Computation::new(ir, region, arguments).result()
}

/// Builds a region like [`build`], for a result whose NaN bits are visible. A NaN result has the
/// evaluator's bits.
pub(in crate::native) fn build_with_nan(
    ir: &mut Builder,
    region: &Region,
    arguments: &[Value],
) -> Value {
    let mut computation = Computation::new(ir, region, arguments);
    for value in seen_nans_of_result(region) {
        computation.seen[value.index()] = true;
    }
    computation.result()
}

/// Returns the suffix of the `target-features` attribute, which disables features that LLVM
/// miscompiles.
///
/// LLVM up to 22 computes a wrong truth table for `v_bitop3` on gfx950 if logic of three operands
/// uses an inner result twice (llvm/llvm-project#198556).
///
/// LLVM 22 crashes on gfx11.5 if a uniform bf16 is stored with another one. It copies half of an
/// SGPR to half of a VGPR, and no instruction does that. Other kernels keep the feature, because
/// it saves instructions for f16.
pub(in crate::native) fn target_features(target: &str, stores_bf16: bool) -> &'static str {
    match target {
        "gfx950" => ",-bitop3-insts",
        "gfx1151" if stores_bf16 => ",-real-true16",
        _ => "",
    }
}

/// A region that is being built.
struct Computation<'a> {
    ir: &'a mut Builder,
    region: &'a Region,
    /// True for each value whose NaN bits are visible.
    seen: Vec<bool>,
    /// The held form of each value, once it is built.
    held: Vec<Option<Value>>,
    /// The numbers of values of narrow types, once they are built.
    numbers: Vec<Option<Value>>,
}

impl<'a> Computation<'a> {
    fn new(ir: &'a mut Builder, region: &'a Region, arguments: &[Value]) -> Self {
        let mut seen = vec![false; region.values()];
        for value in seen_nans(region) {
            seen[value.index()] = true;
        }
        let mut held: Vec<Option<Value>> = arguments.iter().cloned().map(Some).collect();
        // The arguments are the first values of a region.
        held.resize(region.values(), None);
        Computation {
            ir,
            region,
            seen,
            held,
            numbers: vec![None; region.values()],
        }
    }

    /// Builds all operations and returns the result in its held form.
    fn result(mut self) -> Value {
        self.operations();
        self.held(self.region.result())
    }

    /// Builds the computing operations in the region's order. Other operations are built on first
    /// use.
    fn operations(&mut self) {
        for (value, operation) in self.region.definitions() {
            // Selects, sign changes and constants of narrow types exist in two forms. They are
            // built in the form that their use needs.
            if !is_narrow(operation.result) {
                self.held(value);
            } else if computes(operation.opcode) {
                self.number(value);
            }
        }
    }

    /// Returns a value in its held form.
    fn held(&mut self, value: comparator::Value) -> Value {
        if let Some(known) = self.held[value.index()] {
            return known;
        }
        let operation = self.definition(value);
        let scalar = operation.result;
        let held = match operation.opcode {
            Opcode::Constant(bits) => types::constant(scalar, bits),
            Opcode::Select => self.select(operation, Self::held),
            // A sign change keeps all other bits of a NaN, so it works on the bits.
            Opcode::Negf | Opcode::Absf | Opcode::Copysign => self.signed_bits(operation),
            Opcode::Bitcast => self.bitcast(operation),
            _ if is_narrow(scalar) => {
                let number = self.number(value);
                narrow::encode(self.ir, scalar, number)
            }
            _ if scalar.is_float() => self.computed(value, operation),
            _ => self.integer(operation),
        };
        self.held[value.index()] = Some(held);
        held
    }

    /// Returns a value as a number. For a type that is not narrow, that is its held form.
    fn number(&mut self, value: comparator::Value) -> Value {
        let scalar = self.region.type_of(value);
        if !is_narrow(scalar) {
            return self.held(value);
        }
        if let Some(known) = self.numbers[value.index()] {
            return known;
        }
        let number = match self.region.definition(value) {
            Some(operation) if computes(operation.opcode) => self.computed(value, operation),
            Some(operation) => match operation.opcode {
                Opcode::Constant(bits) => narrow::constant(scalar, bits),
                Opcode::Select => self.select(operation, Self::number),
                Opcode::Bitcast => self.decoded(value),
                _ => self.signed_number(operation),
            },
            None => self.decoded(value),
        };
        self.numbers[value.index()] = Some(number);
        number
    }

    fn decoded(&mut self, value: comparator::Value) -> Value {
        let held = self.held(value);
        narrow::decode(self.ir, self.region.type_of(value), held)
    }

    /// Builds a choice between two values in the form that `form` returns.
    fn select(
        &mut self,
        operation: &RegionOperation,
        form: fn(&mut Self, comparator::Value) -> Value,
    ) -> Value {
        let [condition, yes, no] = [0, 1, 2].map(|n| operation.operands[n]);
        let condition = self.held(condition);
        let (yes, no) = (form(self, yes), form(self, no));
        self.ir.select(condition, yes, no)
    }

    /// Returns the operation that defines a value, which must not be an argument.
    fn definition(&self, value: comparator::Value) -> &'a RegionOperation {
        match self.region.definition(value) {
            Some(operation) => operation,
            None => unreachable!("arguments are held from the beginning"),
        }
    }
}

/// Returns true if an operation computes a value and does not only pass or reinterpret bits.
fn computes(opcode: Opcode) -> bool {
    use Opcode::*;
    !matches!(
        opcode,
        Constant(_) | Select | Negf | Absf | Copysign | Bitcast
    )
}
