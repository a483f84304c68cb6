//! A comparator's region as LLVM IR: the bits that [`configgen::comparator::semantics`] gives each operation, on every
//! target and whatever LLVM makes of it.
//!
//! Of most types a value is what LLVM's instructions take. *Narrow* types, bf16 and the 8-bit floats, have two forms: a
//! value is *held* as the bits of an integer, and is computed with as a *number*, the `float` of the same value. Either
//! form is printed when it is first asked for, so that a chain of operations stays in numbers and nothing is converted
//! twice.
//!
//! No instruction has a fast-math flag: LLVM then neither contracts nor reorders. The parts: [`float`] computes,
//! [`sign`] changes signs, [`integer`] is the arithmetic of integers, [`convert`] goes between the types, [`narrow`]
//! between the forms; [`types`] has the names and constants.

mod convert;
mod float;
mod integer;
mod narrow;
mod remainder;
mod sign;
#[cfg(test)]
mod tests;
mod types;

use configgen::comparator::semantics::seen_nans;
use configgen::comparator::{self, Opcode, Operation, Region};

use crate::native::ir::{Ir, Value};
use types::is_narrow;

/// Prints the operations of a region; returns its result. Arguments and result are of LLVM's type of their bits: `i1`, `i8`
/// to `i64`, `half`, `float`, `double`; bf16 as `i16` and the 8-bit floats as `i8`.
///
/// Where the region has a `remf` the text ends in another block than it began in.
pub(in crate::native) fn print(ir: &mut Ir, region: &Region, arguments: &[Value]) -> Value {
    let mut printer = Printer::new(ir, region, arguments);
    printer.operations();
    printer.held(region.result())
}

/// What a kernel adds to its attribute `target-features`, after a comma: features of the target that LLVM compiles wrongly.
/// LLVM up to 22 finds a wrong truth table for `v_bitop3`, which gfx950 has, where logic of three operands uses an inner
/// result twice (llvm/llvm-project#198556).
pub(in crate::native) fn target_features(target: &str) -> &'static str {
    match target {
        "gfx950" => ",-bitop3-insts",
        _ => "",
    }
}

/// A region that is being printed.
struct Printer<'a> {
    ir: &'a mut Ir,
    region: &'a Region,
    /// By value: whether the bits of its NaN are seen.
    seen: Vec<bool>,
    /// By value: what was printed of it.
    held: Vec<Option<Value>>,
    /// As `held`, of values of narrow types.
    numbers: Vec<Option<Value>>,
}

impl<'a> Printer<'a> {
    fn new(ir: &'a mut Ir, region: &'a Region, arguments: &[Value]) -> Self {
        let mut seen = vec![false; region.values()];
        for value in seen_nans(region) {
            seen[value.index()] = true;
        }
        let mut held: Vec<Option<Value>> = arguments.iter().cloned().map(Some).collect();
        held.resize(region.values(), None);
        Printer {
            ir,
            region,
            seen,
            held,
            numbers: vec![None; region.values()],
        }
    }

    /// Prints what computes, in the region's order; the rest is printed where it is used.
    fn operations(&mut self) {
        for (value, operation) in self.region.definitions() {
            if !is_narrow(operation.result) {
                self.held(value);
            } else if computes(operation.opcode) {
                self.number(value);
            }
        }
    }

    /// A value as it is passed on.
    fn held(&mut self, value: comparator::Value) -> Value {
        if let Some(known) = &self.held[value.index()] {
            return known.clone();
        }
        let operation = self.definition(value);
        let scalar = operation.result;
        let held = match operation.opcode {
            Opcode::Constant(bits) => types::constant(scalar, bits),
            Opcode::Select => self.select(operation, types::held(scalar), Self::held),
            Opcode::Negf | Opcode::Absf | Opcode::Copysign => self.signed_bits(operation),
            Opcode::Bitcast => self.bitcast(operation),
            _ if is_narrow(scalar) => {
                let number = self.number(value);
                narrow::encode(self.ir, scalar, &number)
            }
            _ if scalar.is_float() => self.computed(value, operation),
            _ => self.integer(operation),
        };
        self.held[value.index()] = Some(held.clone());
        held
    }

    /// A value as LLVM computes with it. Of a type that is not narrow, that is how it is held.
    fn number(&mut self, value: comparator::Value) -> Value {
        let scalar = self.region.type_of(value);
        if !is_narrow(scalar) {
            return self.held(value);
        }
        if let Some(known) = &self.numbers[value.index()] {
            return known.clone();
        }
        let number = match self.region.definition(value) {
            Some(operation) if computes(operation.opcode) => self.computed(value, operation),
            Some(operation) => match operation.opcode {
                Opcode::Constant(bits) => narrow::constant(scalar, bits),
                Opcode::Select => self.select(operation, types::number(scalar), Self::number),
                Opcode::Bitcast => self.decoded(value),
                _ => self.signed_number(operation),
            },
            None => self.decoded(value),
        };
        self.numbers[value.index()] = Some(number.clone());
        number
    }

    fn decoded(&mut self, value: comparator::Value) -> Value {
        let held = self.held(value);
        narrow::decode(self.ir, self.region.type_of(value), &held)
    }

    /// A choice between two values in the form that `form` gives, which is of type `kind`.
    fn select(
        &mut self,
        operation: &Operation,
        kind: &str,
        form: fn(&mut Self, comparator::Value) -> Value,
    ) -> Value {
        let [condition, yes, no] = [0, 1, 2].map(|n| operation.operands[n]);
        let condition = self.held(condition);
        let (yes, no) = (form(self, yes), form(self, no));
        self.ir.value(format_args!(
            "select i1 {condition}, {kind} {yes}, {kind} {no}"
        ))
    }

    /// The operation that defines a value, which is not an argument.
    fn definition(&self, value: comparator::Value) -> &'a Operation {
        match self.region.definition(value) {
            Some(operation) => operation,
            None => unreachable!("arguments are held from the beginning"),
        }
    }
}

/// Whether an operation makes a value, and does not pass or reinterpret bits.
fn computes(opcode: Opcode) -> bool {
    use Opcode::*;
    !matches!(
        opcode,
        Constant(_) | Select | Negf | Absf | Copysign | Bitcast
    )
}
