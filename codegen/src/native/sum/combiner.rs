//! The combiner of the sum.

use std::fmt;

use configgen::ElementType;

use crate::native::combiner::{Accumulation, Combiner, Finished, Form, Index, State, register};
use crate::native::ir::{Builder, Scalar, Value};

/// The state is the sum so far.
#[derive(Debug)]
pub(super) struct Adder;

impl Adder {
    fn add(ir: &mut Builder, a: &[Value], b: &[Value]) -> State {
        vec![ir.add(a[0], b[0])]
    }
}

impl Combiner for Adder {
    fn name(&self) -> String {
        "sum".to_owned()
    }

    fn step(&self) -> String {
        "add i32".to_owned()
    }

    fn element(&self) -> ElementType {
        ElementType::I32
    }

    fn form(&self) -> Form {
        Form::Plain
    }

    fn state(&self) -> Vec<(Scalar, &'static str)> {
        vec![(Scalar::I32, "sum")]
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
        Some(Value::i32(0))
    }

    fn begins_at_results(&self) -> bool {
        false
    }

    fn initial(&self, _: Option<Value>) -> State {
        vec![Value::i32(0)]
    }

    fn accumulate(&self, ir: &mut Builder, steps: &mut [Accumulation<'_>]) {
        for step in steps {
            *step.slot = Adder::add(ir, step.slot, &[step.element]);
        }
    }

    fn settle(&self, _: &mut Builder, slot: &[Value], _: u64) -> State {
        slot.to_vec()
    }

    fn displace(&self, _: &mut Builder, state: &[Value], _: Value) -> State {
        state.to_vec()
    }

    fn combine(&self, ir: &mut Builder, a: &[Value], b: &[Value]) -> State {
        Adder::add(ir, a, b)
    }

    fn finish(&self, ir: &mut Builder, state: &[Value]) -> Finished {
        Finished {
            value: register::memory(ir, self.form(), self.element(), state[0]),
            found: None,
        }
    }
}

impl fmt::Display for Adder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("state (sum i32 = 0)")
    }
}
