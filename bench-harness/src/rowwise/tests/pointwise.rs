//! Pointwise programs with single elements as rows: the verdict finds wrong elements.

use configgen::Problem;

use super::{Mistake, rows};
use crate::inputs::Inputs;
use crate::verdict::{Outputs, Verdict, compare};

/// A kernel of `x / (1 + exp(-x)) * y`: it returns an element, or none that it does not write.
type Kernel = fn(&[[f32; 2]], usize) -> Option<f32>;

fn swiglu([x, y]: [f32; 2]) -> f32 {
    x / (1.0 + (-x).exp()) * y
}

/// Returns the first verdict that is not correct, or that of all launches.
fn evaluate(kernel: Kernel) -> Verdict {
    let problem: Problem = "rows(x/(1+exp(-x))*x1):7x33xf32,f32".parse().unwrap();
    let inputs = Inputs::new(&problem, 7).unwrap();
    let mut all = Verdict::Right(0.0);
    for (number, launch) in inputs.launches().iter().enumerate() {
        let given: Vec<[f32; 2]> = (rows(&inputs, number, Mistake::None).iter())
            .map(|row| [row[0][0], row[1][0]])
            .collect();
        let mut bytes = vec![0xfe; given.len() * 4];
        for (at, place) in bytes.chunks_exact_mut(4).enumerate() {
            if let Some(number) = kernel(&given, at) {
                place.copy_from_slice(&number.to_le_bytes());
            }
        }
        let rows = 0..given.len() as u64;
        let outputs = Outputs(vec![bytes.into()]);
        match compare(&inputs, launch, &outputs, std::slice::from_ref(&rows)) {
            Verdict::Right(error) => all = all.of_both(Verdict::Right(error)),
            wrong => return wrong,
        }
    }
    all
}

#[test]
fn wrong_elements_are_found() {
    let right = evaluate(|all, at| Some(swiglu(all[at])));
    assert!(matches!(right, Verdict::Right(..=1.0)), "{right}");
    let mistakes: [(&str, Kernel); 7] = [
        ("not written", |all, at| {
            (at != 100).then(|| swiglu(all[at]))
        }),
        ("the next one", |all, at| {
            Some(swiglu(all[(at + 1) % all.len()]))
        }),
        ("vectors exchanged", |all, at| {
            Some(swiglu(all[(at ^ 4).min(all.len() - 1)]))
        }),
        ("the next factor", |all, at| {
            Some(swiglu([all[at][0], all[(at + 1) % all.len()][1]]))
        }),
        ("not times the factor", |all, at| {
            Some(swiglu([all[at][0], 1.0]))
        }),
        ("sign of the power", |all, at| {
            Some(swiglu([-all[at][0], -all[at][1]]))
        }),
        ("a few digits", |all, at| Some(swiglu(all[at]) * 1.00002)),
    ];
    for (name, kernel) in mistakes {
        let verdict = evaluate(kernel);
        assert!(matches!(verdict, Verdict::Wrong(_)), "{name}: {verdict}");
    }
}
