//! Tests of the verification of `arg_compare`.

mod inputs;
mod verdicts;

use std::any::Any;

use super::{ArgCompareReference, ExpectedPair, IndexedRow};
use crate::inputs::Inputs;
use crate::operation::{LaunchInput, Reference};

fn reference(launch: &LaunchInput) -> &ArgCompareReference {
    let reference: &dyn Reference = launch.reference.as_ref();
    let reference: &dyn Any = reference;
    reference.downcast_ref().expect("an arg_compare")
}

/// Returns the expected results of a launch's checked rows.
fn expected(launch: &LaunchInput) -> &[ExpectedPair] {
    &reference(launch).expected
}

/// Iterates over the checked rows of a launch, with their numbers and expected results.
fn checked<'a>(
    inputs: &'a Inputs,
    launch: &'a LaunchInput,
) -> impl Iterator<Item = (u64, IndexedRow<'a>, &'a ExpectedPair)> {
    let reference = reference(launch);
    inputs.checked(launch).map(|row| {
        let elements = reference.row(row.place, row.elements);
        (row.number, elements, &reference.expected[row.place])
    })
}
