//! Operations that use a row's result again, against their formulas in f64.

use codegen::CompiledKernel;
use codegen::native::Native;
use configgen::comparator::ScalarType;
use configgen::reduction::{Extent, RowOperation};
use configgen::{Configuration, Problem, TARGETS, Target};
use emulator::CodeObject;
use testing::Failed;

use crate::native::ensure;
use crate::native::inputs::Random;
use crate::native::run::{self, Buffers, dense, offsets};
use crate::native::triples::{MAX_ELEMENTS, check_random, check_random_hip};

/// The allowed error of a kernel in f32 for values of about 1, beyond the error from the row's
/// own values.
const OFF: f64 = 6e-6;

pub(crate) fn random_row_operations_are_right(native: &Native) -> Result<(), Failed> {
    check_random(native, 60, 41, any_problem)
}

pub(crate) fn many_random_row_operations_are_right(native: &Native) -> Result<(), Failed> {
    check_random(native, 3000, 42, any_problem)
}

/// Checks kernels that clang compiles.
pub(crate) fn some_hip_row_operations_are_right(native: &Native) -> Result<(), Failed> {
    check_random_hip(native, 20, 43, any_problem)
}

/// Checks layer norm and softmax of 64 rows of 768, with each subgroup size of every target.
pub(crate) fn norms_and_softmax_of_768(native: &Native) -> Result<(), Failed> {
    for target in &TARGETS {
        // Together, as starting the linker takes longer than these run.
        let mut pairs = Vec::new();
        for &size in target.subgroup_sizes {
            for (subgroups, thread) in [(2, 1), (4, 1), (2, 2)] {
                let json = format!(
                    r#"{{"workgroup": [1, 0], "partial_reduction": [0, 768], "thread": [0, {thread}],
                    "lane_basis": [[1, {size}], [0, 1]], "subgroup_basis": [[1, {subgroups}], [0, 1]],
                    "subgroup_size": {size}, "workgroup_size": [{}, 1, 1]}}"#,
                    size * subgroups
                );
                let configuration: Configuration = serde_json::from_str(&json)?;
                for text in ["softmax:64x[768]xf32", "layer_norm:64x[768]xf32"] {
                    pairs.push((text.parse()?, configuration.clone()));
                }
            }
        }
        check_pairs(native, target, &pairs)?;
    }
    Ok(())
}

fn check_pairs(
    native: &Native,
    target: &Target,
    pairs: &[(Problem, Configuration)],
) -> Result<(), Failed> {
    let kernels = native.compile_batch(target, pairs).into_iter();
    for (kernel, (problem, configuration)) in kernels.zip(pairs) {
        run::check(problem, &kernel?, 1)
            .map_err(|error| format!("{target} {problem} {configuration}: {error:?}"))?;
    }
    Ok(())
}

/// Checks workgroups that wait for each other, with each subgroup size of every target:
///
/// - elements that stay in registers, and elements that are loaded again;
/// - last pieces that start before the end of others, or have nothing new;
/// - rows of several subgroups and lanes, overlapping tiles, and a count;
/// - an output with one element per row.
pub(crate) fn rows_that_workgroups_share(native: &Native) -> Result<(), Failed> {
    // Tile, rows of a lane, lanes and subgroups along rows; step, thread tile and subgroups along
    // columns; split.
    let all: [(&str, [u32; 4], [u32; 3], u32); 7] = [
        ("softmax:3x[4000]xf32", [1, 1, 1, 1], [1024, 4, 4], 4),
        ("layer_norm:2x[2810]xbf16", [1, 1, 1, 1], [512, 8, 1], 4),
        ("add_rms_norm:3x[900]xf16", [1, 1, 1, 1], [128, 1, 2], 8),
        ("log_softmax:5x[700]xf32", [4, 2, 1, 2], [256, 2, 2], 2),
        (
            "rms_norm:?x[600]xf32:count=1..9",
            [4, 1, 4, 1],
            [128, 2, 2],
            2,
        ),
        ("log_sum_exp:7x[1100]xf32", [2, 1, 2, 1], [128, 4, 1], 8),
        ("cross_entropy:7x[1100]xf16", [2, 1, 2, 1], [128, 4, 1], 8),
    ];
    for target in &TARGETS {
        let mut pairs = Vec::new();
        for &size in target.subgroup_sizes {
            for (text, [tile, rows, lanes, down], [step, thread, across], split) in all {
                let (subgroups, columns) = (down * across, size / lanes);
                let json = format!(
                    r#"{{"workgroup": [{tile}, 0], "partial_reduction": [0, {step}], "thread": [{rows}, {thread}],
                    "lane_basis": [[{lanes}, {columns}], [0, 1]], "subgroup_basis": [[{down}, {across}], [0, 1]],
                    "subgroup_size": {size}, "workgroup_size": [{}, 1, 1], "split": {split}}}"#,
                    size * subgroups
                );
                let configuration: Configuration = serde_json::from_str(&json)?;
                pairs.push((text.parse::<Problem>()?, configuration));
            }
        }
        let kernels = native.compile_batch(target, &pairs).into_iter();
        for (kernel, (problem, configuration)) in kernels.zip(&pairs) {
            let kernel = kernel?;
            ensure(
                kernel.waiting_workgroups() == Some(configuration.knobs.split),
                || format!("{:?} wait for each other", kernel.waiting_workgroups()),
            )?;
            run::check(problem, &kernel, 1)
                .map_err(|error| format!("{target} {problem} {configuration}: {error:?}"))?;
        }
    }
    Ok(())
}

/// Returns a small problem.
fn any_problem(random: &mut Random) -> Result<Problem, Failed> {
    loop {
        let problem: Problem = any_text(random).parse()?;
        if problem.shape.elements() <= MAX_ELEMENTS {
            return Ok(problem);
        }
    }
}

fn any_text(random: &mut Random) -> String {
    let mut below = |limit: usize| random.below(limit as u64) as usize;
    let operation = RowOperation::ALL[below(RowOperation::ALL.len())];
    let has_labels = operation.has_labels();
    let element = ["f32", "f16", "bf16"][below(3)];
    let rank = 1 + below(4);
    let reduced = below(rank);
    let counted = rank > 1 && reduced > 0 && below(6) == 0;
    let (mut dimensions, mut last) = (Vec::new(), 0);
    for d in 0..rank {
        last = 1 + below([4000, 300, 60, 20][rank - 1]) / (1 + below(4));
        dimensions.push(
            match (
                d == reduced || d > 0 && below(6) == 0 && !has_labels,
                counted && d == 0,
            ) {
                (true, _) => format!("[{last}]"),
                (false, true) => "?".to_owned(),
                (false, false) => last.to_string(),
            },
        );
    }
    let mut options = String::new();
    if operation.has_epsilon() && below(3) == 0 {
        options += ":epsilon=0.25";
    }
    if has_labels && below(2) == 0 {
        options += ":i64";
    }
    if rank > 1 && below(4) == 0 {
        options += &format!(":pitch={}", last + 1 + below(9));
    }
    let counts = if counted { ":count=1..40" } else { "" };
    let (name, dimensions) = (operation.name(), dimensions.join("x"));
    format!("{name}:{dimensions}x{element}{options}{counts}")
}

/// Checks a launch for [`run::check`].
pub(crate) fn check_once(
    problem: &Problem,
    kernel: &CompiledKernel,
    code: &CodeObject,
    first: usize,
    seed: u64,
) -> Result<(), Failed> {
    let reduction = &problem.reduction;
    let (shape, scalar) = (&problem.shape, ScalarType::from(problem.element));
    let mut random = Random(seed ^ (first as u64) << 32);
    let length = shape.reduced_size() as usize;
    let rows: Vec<Vec<u64>> = (0..shape.rows() as usize)
        .map(|row| elements(scalar, first + row, length, &mut random))
        .collect();
    let size = problem.element.bytes() as usize;
    let mut buffers = Buffers::new(problem, kernel, scalar.canonical_nan(), &rows)?;
    let operands = problem.operands();
    let values: Vec<Vec<f64>> = (operands.iter().zip(&kernel.operands))
        .map(|(operand, slot)| {
            let count = operand.map.elements(shape) as usize;
            if operand.name == "labels" {
                // Now and then one that is no place, to be taken for none.
                let labels = (0..count).map(|_| random.below(length as u64 + 4) as i64 - 2);
                let labels: Vec<i64> = labels.collect();
                let size = operand.scalar.bytes() as usize;
                let buffer = buffers.bytes_mut(slot.buffer).chunks_exact_mut(size);
                for (place, label) in buffer.zip(&labels) {
                    place.copy_from_slice(&label.to_le_bytes()[..size]);
                }
                return labels.iter().map(|&label| label as f64).collect();
            }
            let bits = elements(scalar, 0, count, &mut random);
            let buffer = buffers.bytes_mut(slot.buffer).chunks_exact_mut(size);
            for (place, bits) in buffer.zip(&bits) {
                place.copy_from_slice(&bits.to_le_bytes()[..size]);
            }
            bits.iter().map(|&bits| scalar.to_f64(bits)).collect()
        })
        .collect();
    buffers.launch(kernel, code, 0)?;
    let Some(operation) = reduction.row_operation() else {
        // A program only has to run here: bench-harness has the reference of programs.
        return Ok(());
    };
    let places: Vec<[Vec<u64>; 2]> = (operands.iter())
        .map(|operand| {
            let strides = operand.map.strides(shape);
            [false, true].map(|reduced| offsets(problem, &strides, reduced))
        })
        .collect();
    let [rows_at, columns_at] = [false, true].map(|it| offsets(problem, &dense(problem), it));
    for (number, row) in rows.iter().enumerate() {
        let x: Vec<f64> = row.iter().map(|&bits| scalar.to_f64(bits)).collect();
        let of_row = |operand: usize| -> Vec<f64> {
            let [rows, columns] = &places[operand];
            let all = columns.iter().map(|at| (rows[number] + at) as usize);
            all.map(|at| values[operand][at]).collect()
        };
        let operands: Vec<Vec<f64>> = (0..values.len()).map(of_row).collect();
        let expected = expected(operation, problem, &x, &operands);
        let outputs = reduction
            .outputs()
            .iter()
            .zip(expected)
            .zip(&kernel.results);
        for ((output, expected), slot) in outputs {
            let tensor = &output.tensor;
            let size = tensor.scalar.bytes() as usize;
            let scalar = match size {
                4 => ScalarType::F32,
                _ => scalar,
            };
            let buffer = buffers.bytes(slot.buffer);
            let places: Vec<usize> = match tensor.extent {
                Extent::Rows => vec![number],
                _ => (columns_at.iter())
                    .map(|at| (rows_at[number] + at) as usize)
                    .collect(),
            };
            for (column, (at, (expected, off))) in places.into_iter().zip(expected).enumerate() {
                let found = scalar.to_f64(run::bits(&buffer[at * size..][..size]));
                let rounding = match scalar {
                    ScalarType::F32 => 0.0,
                    ScalarType::F16 => 2f64.powi(-11) * expected.abs() + 2f64.powi(-25),
                    _ => 2f64.powi(-8) * expected.abs(),
                };
                let is_right = match expected.is_finite() {
                    true => (found - expected).abs() <= off * OFF + rounding + 1e-37,
                    false => found == expected || found.is_nan() && expected.is_nan(),
                };
                if !is_right {
                    let name = tensor.name;
                    let message = format!(
                        "row {number} of kind {} column {column} of {name}: {found}, not {expected}",
                        (first + number) % KINDS
                    );
                    return Err(message.into());
                }
            }
        }
    }
    // The buffers may be those of a larger count.
    for (tensor, slot) in problem.results().iter().zip(&kernel.results) {
        let written = tensor.bytes(shape) as usize;
        let beyond = &buffers.bytes(slot.buffer)[written.min(buffers.bytes(slot.buffer).len())..];
        run::is_untouched(shape.rows() as usize, beyond)?;
    }
    Ok(())
}

const KINDS: usize = 6;

/// Returns a row: numbers of about 1, one large number among them, a row far from zero, equal
/// numbers, elements without weight, or one NaN.
fn elements(scalar: ScalarType, kind: usize, count: usize, random: &mut Random) -> Vec<u64> {
    let mut number = || (random.next() >> 11) as f64 / 2f64.powi(52) - 1.0;
    let mut all: Vec<f64> = (0..count).map(|_| 3.0 * number()).collect();
    let place = ((number() + 1.0) / 2.0 * count as f64) as usize % count.max(1);
    match kind % KINDS {
        1 => all[place] = 40.0,
        2 => all.iter_mut().for_each(|it| *it += 60.0),
        3 => all.fill(2.5),
        4 => all.iter_mut().step_by(3).for_each(|it| *it = -1e4),
        5 if kind % 12 == 5 => all[place] = f64::NAN,
        _ => {}
    }
    all.iter().map(|&it| scalar.round(it)).collect()
}

/// Returns the elements of each output of a row, with the scale of their allowed errors.
fn expected(
    operation: RowOperation,
    problem: &Problem,
    x: &[f64],
    operands: &[Vec<f64>],
) -> Vec<Vec<(f64, f64)>> {
    let n = x.len() as f64;
    let text = problem.to_string();
    let epsilon = match (text.contains("epsilon"), operation) {
        (true, _) => 0.25,
        (false, RowOperation::LayerNorm | RowOperation::Standardize) => f64::from(1e-5f32),
        (false, _) => f64::from(1e-6f32),
    };
    let has_nan = x.iter().any(|x| x.is_nan());
    let greatest = match has_nan {
        true => f64::NAN,
        false => x.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    };
    let sum: f64 = x.iter().map(|x| (x - greatest).exp()).sum();
    let scalar = ScalarType::from(problem.element);
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>() / n;
    match operation {
        RowOperation::Softmax => {
            let values = x.iter().map(|x| {
                let value = (x - greatest).exp() / sum;
                (value, value * (1.0 + (x - greatest).abs()))
            });
            vec![values.collect()]
        }
        RowOperation::LogSoftmax => {
            let values = x.iter().map(|x| x - greatest - sum.ln());
            vec![values.map(|value| (value, 1.0 + value.abs())).collect()]
        }
        RowOperation::LogSumExp => {
            let value = greatest + sum.ln();
            vec![vec![(value, 1.0 + value.abs())]]
        }
        RowOperation::CrossEntropy => {
            let label = operands[0][0];
            let is_place = label >= 0.0 && label < n;
            let loss = is_place.then(|| greatest - x[label as usize] + sum.ln());
            let loss = loss.unwrap_or(0.0);
            vec![vec![(loss, 1.0 + loss.abs())]]
        }
        RowOperation::LayerNorm | RowOperation::Standardize => {
            let mean = x.iter().sum::<f64>() / n;
            let most = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let deviations: Vec<f64> = x.iter().map(|x| x - mean).collect();
            let scale = 1.0 / (square(&deviations) + epsilon).sqrt();
            let values = deviations.iter().enumerate().map(|(column, deviation)| {
                let (weight, bias) = match operands {
                    [weight, bias] => (weight[column], bias[column]),
                    _ => (1.0, 0.0),
                };
                let value = deviation * scale * weight;
                // The mean is off by its roundings, and so is each deviation.
                let off =
                    value.abs() + bias.abs() + most * scale * (weight.abs() + value.abs() * scale);
                (value + bias, off)
            });
            vec![values.collect()]
        }
        RowOperation::RmsNorm => {
            let scale = 1.0 / (square(x) + epsilon).sqrt();
            let values = x.iter().zip(&operands[0]);
            let values = values.map(|(x, weight)| x * scale * weight);
            vec![values.map(|value| (value, value.abs())).collect()]
        }
        RowOperation::AddRmsNorm => {
            let sums = x.iter().zip(&operands[0]);
            let sums: Vec<f64> = sums
                .map(|(x, residual)| scalar.to_f64(scalar.round(f64::from((x + residual) as f32))))
                .collect();
            let scale = 1.0 / (square(&sums) + epsilon).sqrt();
            let values = sums.iter().zip(&operands[1]);
            let values = values.map(|(x, weight)| x * scale * weight);
            let values = values.map(|value| (value, value.abs())).collect();
            vec![values, sums.iter().map(|&sum| (sum, 0.0)).collect()]
        }
    }
}
