//! Tests of correct kernels: the verdict accepts any order and any last digits of functions.

use super::kernel::{Kernel, Mistake, Order};
use super::{OPERATIONS, evaluate};
use crate::inputs::Inputs;
use crate::verdict::Verdict;

const SHAPES: [&str; 9] = [
    "5x[150]",
    "[60]x7",
    "3x[33]x4",
    "2x[5]x3x[7]",
    "[3]x4x[20]",
    "6x[1]",
    "30x[2]",
    "[200]",
    "2x[300]",
];

#[track_caller]
fn check(problem: &str, seed: u64) -> f64 {
    let inputs = Inputs::new(&problem.parse().unwrap(), seed).unwrap();
    let mut worst = 0f64;
    for (order, rough) in Order::ALL.into_iter().zip([true, false, false, true]) {
        let mut kernel = Kernel::new(order, rough, Mistake::None);
        match evaluate(&inputs, &mut kernel) {
            Verdict::Right(error) => worst = worst.max(error),
            verdict => panic!("{problem}, seed {seed}: {order:?}, {rough}: {verdict}"),
        }
    }
    worst
}

#[test]
fn orders_that_kernels_have_are_right() {
    for operation in OPERATIONS {
        for element in ["f32", "f16", "bf16"] {
            let of_one = |it: &&str| operation != "cross_entropy" || it.matches('[').count() == 1;
            // Another type rounds other digits; the shapes are those of f32.
            let shapes = match element {
                "f32" => &SHAPES[..],
                _ => &SHAPES[..3],
            };
            for shape in shapes.iter().copied().filter(of_one) {
                check(&format!("{operation}:{shape}x{element}"), 1);
            }
            check(&format!("{operation}:5x[150]x{element}"), 2);
            check(&format!("{operation}:4x[33]x{element}:pitch=40"), 1);
        }
    }
}
