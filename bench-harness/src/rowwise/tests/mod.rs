//! Tests with kernels simulated on the host: correct ones pass in any order, and the verdict
//! finds the mistakes of others.

mod bounds;
mod endpoints;
mod independent;
mod kernel;
mod mistakes;
mod pointwise;
mod right;
mod rows;

use configgen::Problem;
use configgen::comparator::ScalarType;
use configgen::reduction::{Extent, Scalar};

use crate::inputs::Inputs;
use crate::inputs::tests::{image, places};
use crate::operation::{LaunchInput, POISON};
use crate::verdict::{Outputs, Verdict, compare};
use kernel::{Kernel, Mistake};

const OPERATIONS: [&str; 7] = [
    "softmax",
    "log_softmax",
    "log_sum_exp",
    "cross_entropy",
    "layer_norm",
    "rms_norm",
    "add_rms_norm",
];

/// Returns the first verdict that is not correct, or that of all launches.
fn evaluate(inputs: &Inputs, kernel: &mut Kernel) -> Verdict {
    let mut worst = Verdict::Right(0.0);
    for number in 0..inputs.launches().len() {
        let outputs = outputs(inputs, number, kernel);
        let launch = &inputs.launches()[number];
        let all = 0..inputs.problem().shape.rows();
        worst = match compare(inputs, launch, &outputs, std::slice::from_ref(&all)) {
            Verdict::Right(error) => worst.of_both(Verdict::Right(error)),
            wrong => return wrong,
        };
    }
    worst
}

/// Returns the numbers of each input in each row of a launch, then the indices. All rows are
/// checked.
fn rows(inputs: &Inputs, number: usize, mistake: Mistake) -> Vec<Vec<Vec<f32>>> {
    let (problem, launch): (&Problem, &LaunchInput) =
        (inputs.problem(), &inputs.launches()[number]);
    let shape = &problem.shape;
    let kind = ScalarType::from(problem.element);
    let single = |kind: ScalarType, bits: u64| match kind.is_float() {
        true => kind.to_f64(bits) as f32,
        false => kind.signed(bits) as f32,
    };
    let operands: Vec<Vec<u64>> = (problem.operands().iter().enumerate())
        .map(|(at, it)| {
            let count = it.map.elements(shape);
            image(inputs, inputs.set_of(number), at, it.scalar, count)
        })
        .collect();
    let columns = shape.reduced_size();
    let rows = inputs.checked(launch).map(|row| {
        let elements = 0..columns as usize;
        let elements = elements.map(|at| single(kind, row.elements.get(at).unwrap()));
        let mut all = vec![elements.collect::<Vec<f32>>()];
        for (operand, bits) in problem.operands().iter().zip(&operands) {
            let (next_row, next_column) = match (mistake, &*operand.name) {
                (Mistake::WeightOfNextColumn, "weight") => (0, 1),
                (Mistake::ResidualOfNextRow, "residual") => (1, 0),
                (Mistake::LabelOfNextRow, "labels") => (1, 0),
                _ => (0, 0),
            };
            let element = |column: u64| {
                let row = (row.number + next_row) % shape.rows();
                let at = places(problem, row, (column + next_column) % columns);
                let dimensions = operand.map.dimensions();
                let place =
                    dimensions.fold(0, |place, d| place * u64::from(shape.sizes()[d]) + at[d]);
                match (mistake, &*operand.name) {
                    (Mistake::BiasLeftOut, "bias") => 0.0,
                    _ => single(scalar_type(operand.scalar), bits[place as usize]),
                }
            };
            all.push((0..columns).map(element).collect());
        }
        for &dimension in problem.reduction.indices() {
            let (next_row, next_column) = match mistake {
                Mistake::IndexOfNextColumn => (0, 1),
                Mistake::IndexOfNextRow => (1, 0),
                _ => (0, 0),
            };
            let index = |column: u64| {
                let row = (row.number + next_row) % shape.rows();
                places(problem, row, (column + next_column) % columns)[dimension] as f32
            };
            all.push((0..columns).map(index).collect());
        }
        all
    });
    rows.collect()
}

fn scalar_type(scalar: Scalar) -> ScalarType {
    match scalar {
        Scalar::Element(element) => element.into(),
        Scalar::Index(_) => panic!("{scalar} is no element"),
    }
}

/// Returns a kernel's outputs of a launch.
fn outputs(inputs: &Inputs, number: usize, kernel: &mut Kernel) -> Outputs<'static> {
    let problem = inputs.problem();
    let (shape, mistake) = (&problem.shape, kernel.mistake);
    let reduction = &problem.reduction;
    let rows = rows(inputs, number, mistake);
    let mut values: Vec<Vec<f32>> = rows.iter().map(|row| kernel.values(problem, row)).collect();
    let others = values.clone();
    let count = rows.len();
    for (row, values) in values.iter_mut().enumerate() {
        let last = values.len() - 1;
        match mistake {
            Mistake::SumOfRowBefore => values[last] = others[(row + count - 1) % count][last],
            Mistake::ValueOfNextRow => values[0] = others[(row + 1) % count][0],
            _ => {}
        }
    }
    let results = problem.results();
    let mut tensors: Vec<Vec<u8>> = (results.iter())
        .map(|tensor| vec![POISON; tensor.bytes(shape) as usize])
        .collect();
    for (row, (elements, values)) in rows.iter().zip(&values).enumerate() {
        let found = kernel.outputs(reduction, elements, values);
        for (output, (found, tensor)) in found.iter().zip(&results).enumerate() {
            let output = match mistake {
                Mistake::OutputsExchanged => 1 - output,
                _ => output,
            };
            let (kind, size) = (scalar_type(tensor.scalar), tensor.scalar.bytes() as usize);
            let columns = found.len() as u64;
            for (column, &number) in found.iter().enumerate() {
                if mistake == Mistake::NotWritten && column == row % found.len() {
                    continue;
                }
                let (to_row, to_column) = match mistake {
                    Mistake::NeighboursPlace => ((row + 1) % count, column as u64),
                    Mistake::NextColumn => (row, (column as u64 + 1) % columns),
                    _ => (row, column as u64),
                };
                let at = places(problem, to_row as u64, to_column);
                let has = |d: &usize| tensor.extent == Extent::Elements || !shape.is_reduced(*d);
                let place = (0..shape.rank())
                    .filter(has)
                    .fold(0, |place, d| place * u64::from(shape.sizes()[d]) + at[d]);
                let bits = kind.round(number.into());
                tensors[output][place as usize * size..][..size]
                    .copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
    }
    Outputs(tensors.into_iter().map(Into::into).collect())
}
