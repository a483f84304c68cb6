//! Which problems have inputs.

use super::*;

#[path = "../../../configgen/tests/it/sum/reduction.rs"]
mod sum;

/// The host has no fold of another operation.
#[test]
fn another_operation_has_no_inputs() {
    let problem = sum::problem("4x[50]");
    let error = Inputs::new(&problem, 0).unwrap_err();
    let operation = InputsError::Operation { problem };
    assert_eq!(error, operation);
    assert_eq!(
        error.to_string(),
        "sum:4x[50]xi32 cannot be verified: there are inputs and a reference for arg_compare and plain reductions only"
    );
}
