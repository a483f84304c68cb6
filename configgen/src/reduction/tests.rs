//! Tests of the definitions, evaluated number by number, against their formulas.

use crate::Problem;
use crate::comparator::{Evaluator, ScalarType};

fn bits(number: f64) -> u64 {
    (number as f32).to_bits().into()
}

fn number(bits: u64) -> f64 {
    f64::from(f32::from_bits(bits as u32))
}

/// Returns each output of a row of f32; `inputs` has the row of each input.
fn outputs(problem: &str, inputs: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let problem: Problem = problem.parse().unwrap();
    let reduction = &problem.reduction;
    assert_eq!(inputs.len(), reduction.element_arguments());
    let types = reduction.folds()[0].element.types();
    let arguments = |place: usize, rows: &[u64]| -> Vec<u64> {
        let elements = inputs.iter().zip(types).map(|(row, kind)| match kind {
            ScalarType::F32 => bits(row[place]),
            integer => row[place] as i64 as u64 & integer.mask(),
        });
        elements.chain(rows.iter().copied()).collect()
    };
    let columns = inputs[0].len();
    let mut rows: Vec<u64> = Vec::new();
    for element in reduction.elements() {
        let position = element.position.as_ref().map(|position| {
            let kind = position.type_of(position.result());
            kind.signed(Evaluator::new(position).result(&rows))
        });
        let place = usize::try_from(position.unwrap_or(0));
        let place = place.ok().filter(|it| *it < columns);
        rows.push(place.map_or(0, |it| arguments(it, &[])[element.input]));
    }
    for fold in reduction.folds() {
        let mut element = Evaluator::new(&fold.element);
        let combiner = fold.combiner.pairwise().unwrap();
        let folded = (0..columns).fold(combiner.identity(), |folded, place| {
            let taken = element.result(&arguments(place, &rows));
            combiner.combine(folded, taken)
        });
        let known: Vec<u64> = [folded].into_iter().chain(rows.iter().copied()).collect();
        rows.push(Evaluator::new(&fold.value).result(&known));
    }
    let outputs = reduction.outputs().iter().map(|output| {
        let mut element = Evaluator::new(&output.element);
        let places = 0..columns;
        places
            .map(|place| number(element.result(&arguments(place, &rows))))
            .collect()
    });
    outputs.collect()
}

#[test]
fn labels_are_the_inputs_of_positions() {
    let check = |program: &str, expected: &[usize]| {
        let problem: Problem = program.parse().unwrap();
        assert_eq!(problem.reduction.labels(), expected);
    };
    check("rows(sum(x),at(x,at(x1))):4x[8]xf32,i32(0)", &[1]);
    // A constant position has no label, however many elements come before it.
    check("rows(sum(x),at(x,0)+at(x,3)):4x[8]xf32", &[]);
    check("rows(sum(x),at(x,3)+at(x,at(x1))):4x[8]xf32,i64(0)", &[1]);
}

#[track_caller]
fn check(problem: &str, inputs: &[&[f64]], formula: impl Fn(usize) -> f64) {
    let inputs: Vec<Vec<f64>> = inputs.iter().map(|row| row.to_vec()).collect();
    let found = &outputs(problem, &inputs)[0];
    for (place, &found) in found.iter().enumerate() {
        let expected = formula(place);
        let is_near = (found - expected).abs() <= 4e-6 * (1.0 + expected.abs());
        assert!(is_near, "{problem} {place}: {found}, not {expected}");
    }
}

/// Checks values on which torch, JAX and SciPy agree, and `max + log(Σ exp(x - max))` is NaN.
#[test]
fn log_sum_exp_of_infinities_is_a_number() {
    let inf = f64::INFINITY;
    let of = |row: &[f64]| outputs("log_sum_exp:2x[3]xf32", &[row.to_vec()])[0][0];
    assert_eq!(of(&[-inf, -inf, -inf]), -inf);
    assert_eq!(of(&[1.0, inf, 2.0]), inf);
    assert_eq!(of(&[-inf, inf, 2.0]), inf);
    check("log_sum_exp:2x[3]xf32", &[&[-inf, 1.0, 2.0]], |_| {
        (1f64.exp() + 2f64.exp()).ln()
    });
    assert!(of(&[f64::NAN, -inf, 2.0]).is_nan());
    assert!(of(&[f64::NAN, inf, 2.0]).is_nan());
    assert!(of(&[f64::NAN; 3]).is_nan());
}

#[test]
fn definitions_are_their_formulas() {
    let x = [1.0, -2.0, 3.5, 0.25];
    let (w, b) = ([2.0, -1.0, 0.5, 4.0], [0.5, 0.0, -3.0, 1.0]);
    let sum = x.iter().map(|x: &f64| x.exp()).sum::<f64>();
    check("softmax:2x[4]xf32", &[&x], |place| x[place].exp() / sum);
    check("log_softmax:2x[4]xf32", &[&x], |place| x[place] - sum.ln());
    check("log_sum_exp:2x[4]xf32", &[&x], |_| sum.ln());
    for (label, loss) in [
        (0.0, sum.ln() - x[0]),
        (3.0, sum.ln() - x[3]),
        (4.0, 0.0),
        (-1.0, 0.0),
    ] {
        for problem in ["cross_entropy:2x[4]xf32", "cross_entropy:2x[4]xf32:i64"] {
            check(problem, &[&x, &[label; 4]], |_| loss);
        }
    }
    let mean = x.iter().sum::<f64>() / 4.0;
    let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4.0;
    check("layer_norm:2x[4]xf32:epsilon=0.5", &[&x, &w, &b], |place| {
        (x[place] - mean) / (variance + 0.5).sqrt() * w[place] + b[place]
    });
    check("standardize:2x[4]xf32", &[&x], |place| {
        (x[place] - mean) / (variance + 1e-5).sqrt()
    });
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>() / 4.0;
    check("rms_norm:2x[4]xf32", &[&x, &w], |place| {
        x[place] / (square(&x) + 1e-6).sqrt() * w[place]
    });
    let s: Vec<f64> = x.iter().zip(&b).map(|(x, r)| x + r).collect();
    check("add_rms_norm:2x[4]xf32", &[&x, &b, &w], |place| {
        s[place] / (square(&s) + 1e-6).sqrt() * w[place]
    });
    let sums = &outputs("add_rms_norm:2x[4]xf32", &[x.into(), b.into(), w.into()])[1];
    assert_eq!(*sums, s);
}
