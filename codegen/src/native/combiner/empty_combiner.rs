//! The combiner of a map: its states are empty and never merge.

use std::fmt;

use configgen::ElementType;

use super::{Accumulation, Combiner, Index, RegisterForm, RowResult, StateValues};
use crate::native::ir::{Builder, Scalar, Value};

/// The absent reduction of a map.
#[derive(Debug)]
pub(super) struct EmptyCombiner {
    name: String,
    element: ElementType,
}

impl EmptyCombiner {
    /// Creates the combiner of a map with this name and the type of the computed value.
    pub(super) fn new(name: String, element: ElementType) -> EmptyCombiner {
        EmptyCombiner { name, element }
    }
}

impl Combiner for EmptyCombiner {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn step(&self) -> String {
        self.name.clone()
    }

    fn element(&self) -> ElementType {
        self.element
    }

    fn form(&self) -> RegisterForm {
        RegisterForm::Plain
    }

    fn state(&self) -> Vec<(Scalar, &'static str)> {
        Vec::new()
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
        None
    }

    fn begins_at_results(&self) -> bool {
        false
    }

    fn initial(&self, _: Option<Value>) -> StateValues {
        StateValues::new()
    }

    fn accumulate(&self, _: &mut Builder, _: &mut [Accumulation<'_>]) {}

    fn settle(&self, _: &mut Builder, _: &[Value], _: u64) -> StateValues {
        StateValues::new()
    }

    fn displace(&self, _: &mut Builder, _: &[Value], _: Value) -> StateValues {
        StateValues::new()
    }

    fn combine(&self, _: &mut Builder, _: &[Value], _: &[Value]) -> StateValues {
        StateValues::new()
    }

    fn finish(&self, _: &mut Builder, _: &[Value]) -> RowResult {
        unreachable!("a map has no rows to be finished")
    }
}

impl fmt::Display for EmptyCombiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing is reduced: a row is an element")
    }
}
