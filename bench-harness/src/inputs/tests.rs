//! Which problems have inputs.

mod computed;
mod median;

use std::convert::Infallible;

use super::*;

/// Takes what a launch reads into a hash.
pub(crate) fn hash_elements(inputs: &Inputs, launch: &LaunchInput, hasher: &mut blake3::Hasher) {
    let Ok(()) = inputs.write_elements(launch, |offset, bytes| {
        for (at, &byte) in (offset..).zip(bytes).filter(|&(_, &byte)| byte != 0) {
            hasher.update(&at.to_le_bytes());
            hasher.update(&[byte]);
        }
        Ok::<(), Infallible>(())
    });
}

/// The host has no fold of another operation.
#[test]
fn another_operation_has_no_inputs() {
    let problem = median::problem();
    let error = Inputs::new(&problem, 0).unwrap_err();
    let operation = InputsError::Operation {
        problem: Box::new(problem),
    };
    assert_eq!(error, operation);
    assert_eq!(
        error.to_string(),
        "median:4x[50]xi32 cannot be verified: there are inputs and a reference for arg_compare and plain reductions only"
    );
}
