//! The rows of the table: each problem with its best kernel. Callers add columns.

use std::fmt;

use bench_harness::{Buffer, EmulatedDevice, KernelDevice as _, bound_us};
use codegen::CompiledKernel;
use codegen::native::Native;
use configgen::Problem;
use testing::Failed;

use crate::handwritten::kernels::{VARIANTS, kernel, rows_of_block};
use crate::handwritten::reference::judge;
use crate::handwritten::tried::{configurations, launch, modelled};
use crate::handwritten::values::{decode, encode, random};

/// The device with modelled times.
const DEVICE: &str = "emulated:mi300x";

/// The number of verified workgroups of a long launch.
const LOOKED_AT: u64 = 3;
/// The maximum number of workgroups of a launch that is verified as a whole.
const SMALL: u64 = 8;

/// A problem with its fastest kernel.
pub(crate) struct Row {
    pub(crate) problem: Problem,
    /// The modelled time in microseconds, with cold caches.
    pub(crate) best_us: f64,
    /// The threads per row, and the packs that a thread loads in an iteration.
    pub(crate) best: (u32, u32),
    /// The least time of any kernel, in microseconds.
    pub(crate) bound_us: f64,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (threads, unroll) = self.best;
        let (problem, best, bound) = (self.problem.to_string(), self.best_us, self.bound_us);
        let ratio = best / bound;
        write!(
            f,
            "{problem:30} {best:8.2} µs by {threads:4} x {unroll}, bound {bound:8.2} µs, {ratio:5.2} times"
        )
    }
}

/// Returns the rows of several problems.
///
/// # Errors
/// As [`row`].
pub(crate) fn rows(problems: impl IntoIterator<Item = String>) -> Result<Vec<Row>, Failed> {
    problems.into_iter().map(|problem| row(&problem)).collect()
}

/// Verifies and times every kernel for a problem.
///
/// # Errors
/// A kernel that is wrong, faults or races, or a problem without kernels.
pub(crate) fn row(problem: &str) -> Result<Row, Failed> {
    let problem: Problem = problem.parse()?;
    let mut device = EmulatedDevice::named(DEVICE)?;
    let bound_us = bound_us(&problem, device.identity().row);
    let mut times = Vec::new();
    for variant in VARIANTS {
        let kernel = kernel(&problem, variant)?;
        let buffers = (kernel.buffers.iter())
            .map(|&bytes| device.allocate(bytes))
            .collect::<Result<Vec<_>, _>>()?;
        let name = format!("{problem} {}", kernel.symbol);
        verify(&problem, &kernel, variant.0, &mut device, &buffers)
            .map_err(|error| format!("{name}: {error}"))?;
        let time = device.time(&[launch(&kernel, &buffers, None)])?.samples_us[0];
        if time < bound_us {
            return Err(format!("{name}: {time} µs, less than the bound {bound_us}").into());
        }
        times.push((time, variant));
        buffers.into_iter().for_each(|buffer| device.free(buffer));
    }
    let best = times
        .into_iter()
        .min_by(|one, other| one.0.total_cmp(&other.0));
    let (best_us, best) = best.ok_or("no variants")?;
    Ok(Row {
        problem,
        best_us,
        best,
        bound_us,
    })
}

/// Returns the modelled time of the best native kernel among the starting points of a search, in
/// microseconds.
///
/// # Errors
/// A kernel that cannot be built or faults, or a problem without kernels.
pub(crate) fn native_us(native: &Native, problem: &Problem) -> Result<f64, Failed> {
    let device = EmulatedDevice::named(DEVICE)?.identity().row;
    let target = device.target();
    let configurations = configurations(problem, target).into_iter();
    let batch: Vec<_> = configurations.map(|one| (problem.clone(), one)).collect();
    let mut best = f64::INFINITY;
    for kernel in native.compile_batch(target, &batch) {
        best = modelled(&kernel?, device)?.min(best);
    }
    best.is_finite()
        .then_some(best)
        .ok_or_else(|| "no configurations".into())
}

/// Runs some workgroups with the checker, including the first and the last, and judges their
/// rows.
fn verify(
    problem: &Problem,
    kernel: &CompiledKernel,
    threads: u32,
    device: &mut EmulatedDevice,
    buffers: &[Buffer],
) -> Result<(), String> {
    let text = |error: bench_harness::DeviceError| error.to_string();
    let (element, columns) = (problem.element, problem.shape.reduced_size());
    let row_bytes = columns * u64::from(element.bytes());
    let [input, operands @ .., output] = buffers else {
        return Err("fewer than two buffers".into());
    };
    let mut numbers = Vec::new();
    for (seed, &operand) in (1..).zip(operands) {
        let bytes = encode(element, random(seed, 1.0, columns as usize));
        device.write(operand, 0, &bytes).map_err(text)?;
        numbers.push(decode(element, &bytes));
    }
    let groups: Vec<u32> = looked_at(kernel.workgroups[0].into());
    let each = rows_of_block(threads);
    let rows = (groups.iter()).flat_map(|&group| {
        let first = u64::from(group) * each;
        first..(first + each).min(problem.shape.rows())
    });
    let mut inputs = Vec::new();
    for row in rows {
        let bytes = encode(element, random(100 + row, 0.5, columns as usize));
        device
            .write(*input, row * row_bytes, &bytes)
            .map_err(text)?;
        inputs.push((row, decode(element, &bytes)));
    }
    let written = *kernel.buffers.last().expect("a result");
    device.poison(*output, 0..written).map_err(text)?;
    device
        .launch(&launch(kernel, buffers, Some(&groups)))
        .map_err(text)?;
    for (row, input) in inputs {
        let bytes = row * row_bytes..(row + 1) * row_bytes;
        let found = decode(element, &device.read(*output, bytes).map_err(text)?);
        judge(problem, &input, &numbers, &found).map_err(|wrong| format!("row {row}, {wrong}"))?;
    }
    Ok(())
}

/// Returns the workgroups to verify: all of a few, or the first, the last and those between at
/// even distances.
fn looked_at(groups: u64) -> Vec<u32> {
    let numbers = match groups {
        0..=SMALL => (0..groups).collect::<Vec<_>>(),
        _ => (0..LOOKED_AT)
            .map(|number| number * (groups - 1) / (LOOKED_AT - 1))
            .collect(),
    };
    numbers.into_iter().map(|group| group as u32).collect()
}
