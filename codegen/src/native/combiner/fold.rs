//! The combiner of plain reductions: the accumulated value so far, in the accumulator's type.
//!
//! Lanes start with the identity. The row's initial value is added when the result is stored, so
//! that it counts once for any number of lanes, subgroups and workgroups.

use std::fmt;

use configgen::ElementType;
use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold as Reduction};

use super::{Accumulation, Combiner, Index, RegisterForm, RowResult, StateValues, register};
use crate::native::ir::{Binary, Builder, Conversion, Scalar, Unary, Value};

/// The combiner of a plain reduction; its state is the value so far.
#[derive(Debug)]
pub(super) struct Fold {
    reduction: Reduction,
    name: String,
}

impl Fold {
    /// Creates the combiner of a plain reduction.
    pub(super) fn new(reduction: Reduction) -> Fold {
        Fold {
            name: reduction.name(),
            reduction,
        }
    }

    /// Returns the register type of the value so far: the accumulator's.
    fn value(&self) -> Scalar {
        self.form().scalar(self.reduction.accumulator())
    }

    /// Returns bits of the accumulator as a constant of its register type.
    fn constant(&self, bits: u64) -> Value {
        let bits = self.form().of_bits(self.reduction.accumulator(), bits);
        Value::bits(self.value(), bits)
    }

    fn operation(&self) -> Binary {
        let (is_float, is_unsigned) = (self.value().is_float(), self.reduction.is_unsigned());
        match (self.reduction.combining(), is_float, is_unsigned) {
            (Combining::Sum, true, _) => Binary::AddFloat,
            (Combining::Sum, false, _) => Binary::Add,
            (Combining::Product, true, _) => Binary::MulFloat,
            (Combining::Product, false, _) => Binary::Mul,
            (Combining::Max, true, _) => Binary::Maximum,
            (Combining::Max, false, false) => Binary::MaxSigned,
            (Combining::Max, false, true) => Binary::MaxUnsigned,
            (Combining::Min, true, _) => Binary::Minimum,
            (Combining::Min, false, false) => Binary::MinSigned,
            (Combining::Min, false, true) => Binary::MinUnsigned,
            (Combining::MaxNumber, ..) => Binary::MaxNumber,
            (Combining::MinNumber, ..) => Binary::MinNumber,
            (Combining::And, ..) => Binary::And,
            (Combining::Or, ..) => Binary::Or,
            (Combining::Xor, ..) => Binary::Xor,
        }
    }

    fn both(&self, ir: &mut Builder, a: Value, b: Value) -> Value {
        ir.binary(self.operation(), a, b)
    }

    /// Converts an element, in its register form, to the accumulator's register type.
    fn taken(&self, ir: &mut Builder, element: Value) -> Value {
        match self.reduction.combining() {
            // The effect of a signalling NaN depends on the version of LLVM, so NaN are made
            // quiet.
            Combining::MaxNumber | Combining::MinNumber => {
                return ir.unary(Unary::Canonicalize, element);
            }
            _ if self.reduction.accumulator() == self.reduction.element() => return element,
            _ => {}
        }
        let is_signed = !self.reduction.is_unsigned();
        let wide = register::widened(ir, is_signed, element);
        let conversion = match (wide.kind.is_float(), is_signed) {
            (true, _) => Conversion::Extend,
            (false, true) => Conversion::SignExtend,
            (false, false) => Conversion::ZeroExtend,
        };
        match wide.scalar() == self.value() {
            true => wide,
            false => ir.convert(conversion, wide, self.value()),
        }
    }
}

impl Combiner for Fold {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn step(&self) -> String {
        format!("{} {}", self.name, self.value())
    }

    fn element(&self) -> ElementType {
        self.reduction.element()
    }

    fn result(&self) -> ElementType {
        self.reduction.accumulator()
    }

    fn form(&self) -> RegisterForm {
        RegisterForm::Ordered {
            is_signed: !self.reduction.is_unsigned(),
        }
    }

    fn state(&self) -> Vec<(Scalar, &'static str)> {
        // Names such as "max" or "xor" are words of C++ or its library.
        let name = match self.reduction.combining() {
            Combining::Sum => "sum",
            Combining::Product => "product",
            Combining::Max | Combining::MaxNumber => "greatest",
            Combining::Min | Combining::MinNumber => "least",
            Combining::And | Combining::Or | Combining::Xor => "bits",
        };
        vec![(self.value(), name)]
    }

    fn position(&self) -> Option<Scalar> {
        None
    }

    fn index(&self) -> Option<Index> {
        None
    }

    fn is_serial(&self) -> bool {
        false
    }

    fn neutral(&self) -> Option<Value> {
        let (element, form) = (self.reduction.element(), self.form());
        let neutral = form.of_bits(element, self.reduction.neutral());
        let counts_twice = !self.reduction.combining().is_idempotent();
        counts_twice.then(|| Value::bits(form.scalar(element), neutral))
    }

    fn begins_at_results(&self) -> bool {
        false
    }

    fn initial(&self, _: Option<Value>) -> StateValues {
        vec![self.constant(self.reduction.identity())]
    }

    fn accumulate(&self, ir: &mut Builder, steps: &mut [Accumulation<'_>]) {
        let taken: Vec<Value> = steps
            .iter()
            .map(|step| self.taken(ir, step.element))
            .collect();
        for (step, element) in steps.iter_mut().zip(taken) {
            *step.slot = vec![self.both(ir, step.slot[0], element)];
        }
    }

    fn settle(&self, _: &mut Builder, slot: &[Value], _: u64) -> StateValues {
        slot.to_vec()
    }

    fn displace(&self, _: &mut Builder, state: &[Value], _: Value) -> StateValues {
        state.to_vec()
    }

    fn combine(&self, ir: &mut Builder, a: &[Value], b: &[Value]) -> StateValues {
        vec![self.both(ir, a[0], b[0])]
    }

    fn finish(&self, ir: &mut Builder, state: &[Value]) -> RowResult {
        let fold = &self.reduction;
        let value = match fold.initial() == fold.identity() {
            true => state[0],
            false => self.both(ir, self.constant(fold.initial()), state[0]),
        };
        RowResult {
            value: register::memory(ir, self.form(), fold.accumulator(), value),
            found: None,
        }
    }
}

impl fmt::Display for Fold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (accumulator, initial) = (self.reduction.accumulator(), self.reduction.initial());
        let initial = ScalarType::from(accumulator).show(initial);
        write!(f, "state ({} {accumulator} = {initial})", self.name)
    }
}
