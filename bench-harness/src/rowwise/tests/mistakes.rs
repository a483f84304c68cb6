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

#[test]
fn wrong_indices_are_found() {
    let softmax =
        |condition: &str| format!("e1=select({condition},x,-1e9);e2=exp(e1-maxnum(e1));e2/sum(e2)");
    let programs = [
        softmax("index(0)>=index(1)"),
        softmax("index(0)-index(1)<7"),
        "sum(f32(index(1)+index(0))*x)".to_owned(),
        "maxnum(x)-sum(x*f32(index(1)-index(0)))".to_owned(),
    ];
    for program in programs {
        for shape in ["40x[40]xf32", "17x[150]xf32"] {
            let problem: Problem = format!("rows({program}):{shape}").parse().unwrap();
            let inputs = Inputs::new(&problem, 1).unwrap();
            let verdict = |mistake: Mistake| {
                assert!(mistake.matters(&problem));
                evaluate(&inputs, &mut Kernel::new(Order::Lanes, false, mistake))
            };
            for mistake in [Mistake::IndexOfNextColumn, Mistake::IndexOfNextRow] {
                let verdict = verdict(mistake);
                let is_found = matches!(verdict, Verdict::Wrong(_));
                assert!(is_found, "{problem}: {mistake:?}: {verdict}");
            }
            let right = evaluate(
                &inputs,
                &mut Kernel::new(Order::Lanes, false, Mistake::None),
            );
            assert!(matches!(right, Verdict::Right(_)), "{problem}: {right}");
        }
    }
}
