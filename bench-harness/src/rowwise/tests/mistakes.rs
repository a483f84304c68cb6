//! Tests of wrong kernels: the verdict finds each mistake on each operation that it affects.

use configgen::Problem;

use super::kernel::{Kernel, Mistake, Order};
use super::{OPERATIONS, evaluate};
use crate::inputs::Inputs;
use crate::verdict::Verdict;

#[test]
fn mistakes_are_found() {
    let (mut found, mut missed) = (0, Vec::new());
    for operation in OPERATIONS {
        for element in ["f32", "f16", "bf16"] {
            for shape in ["5x[150]", "3x[1000]", "4x[33]x3"] {
                let problem: Problem = format!("{operation}:{shape}x{element}").parse().unwrap();
                let inputs = Inputs::new(&problem, 1).unwrap();
                for mistake in Mistake::ALL {
                    if !mistake.matters(&problem) {
                        continue;
                    }
                    let mut kernel = Kernel::new(Order::Lanes, false, mistake);
                    match evaluate(&inputs, &mut kernel) {
                        Verdict::Wrong(_) => found += 1,
                        verdict => missed.push(format!("{problem}: {mistake:?}: {verdict}")),
                    }
                }
            }
        }
    }
    assert!(
        missed.is_empty(),
        "{} of {}: {missed:#?}",
        missed.len(),
        found + missed.len()
    );
    assert!(found > 700, "{found}");
}
