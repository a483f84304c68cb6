//! What `arg_compare` is verified by.

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

/// What the checked rows of a launch should give.
fn expected(launch: &LaunchInput) -> &[ExpectedPair] {
    &reference(launch).expected
}

/// The checked rows of a launch, each with its number and with what it should give.
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
