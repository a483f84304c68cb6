//! Values of a module on a device, with kernels in place or without, against those of the
//! processor.

use std::path::Path;
use std::process::Command;

use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg32;
use testing::Failed;

use super::measured::CorpusModule;
use crate::iree_kernels::limited;
use crate::iree_kernels::tools::Tools;

/// The value of dynamic sizes.
const SIZE: &str = "3";

/// The largest difference of floats, relative to the largest magnitude of the result. Results of
/// f16 and bf16 differ by their rounding.
const FLOAT_BOUND: f64 = 2e-5;
const HALF_BOUND: f64 = 2e-2;

/// The largest difference of neighbours among numbers of f8E4M3FNUZ, relative to the number.
const F8_STEP: f64 = 1.0 / 8.0;

/// The least normal number of f8E4M3FNUZ. IREE 3.13.0's conversion on the processor makes 0 of
/// the numbers that are rounded up to it.
const F8_LEAST_NORMAL: f64 = 0.0078125;

/// Returns the first wrong value of the module's first function, if there is one.
pub(super) fn wrong(
    tools: &Tools,
    folder: &Path,
    module: &CorpusModule,
    target: &str,
    device: &str,
    kernels: Option<&Path>,
) -> Result<Option<String>, Failed> {
    let mlir = std::fs::read_to_string(&module.path)?;
    let [ours, host] = ["ours.vmfb", "host.vmfb"].map(|name| folder.join(name));
    tools.compile(&mlir, target, kernels, &ours)?;
    if tools.compile_for_host(&mlir, &host).is_err() {
        // The processor's compiler refuses some modules that the device's takes.
        return Ok(None);
    }
    let exact = inputs(folder, module, 0)?;
    let function = &module.functions[0];
    let device = device.trim_start_matches("emulated:");
    let on_device = tools.device_runner(device);
    let on_host = || {
        let mut command = Command::new(tools.runner());
        command.arg("--device=local-sync");
        command
    };
    let found = results(on_device, &ours, function, &exact)?;
    let expected = results(on_host(), &host, function, &exact)?;
    let wrong = difference(&found, &expected, 0.0);
    if wrong.is_none() {
        return Ok(wrong);
    }
    // A softmax of large products magnifies their rounding: then the processor's values also
    // differ, for inputs with another last bit.
    let changed = inputs(folder, module, 1)?;
    let rounded = results(on_host(), &host, function, &changed)?;
    let least_bound = 2.0 * largest_difference(&rounded, &expected);
    Ok(difference(&found, &expected, least_bound))
}

/// Returns the inputs of a call: random floats, and the value that the table names for others.
/// `last_bit` changes the last bit of every float.
fn inputs(folder: &Path, module: &CorpusModule, last_bit: u8) -> Result<Vec<String>, Failed> {
    let mut random = Pcg32::seed_from_u64(7);
    let mut inputs = Vec::new();
    for (number, text) in module.inputs.iter().enumerate() {
        let (kind, value) = text.split_once('=').unwrap_or((text, ""));
        // A dynamic size is a capital letter.
        let kind = kind.replace(|it: char| it.is_ascii_uppercase(), SIZE);
        if !value.is_empty() {
            inputs.push(format!("{kind}={value}"));
            continue;
        }
        // `3x16xf32` ends with the type of its elements.
        let mut parts: Vec<&str> = kind.split('x').collect();
        let element = parts.pop().unwrap_or_default();
        let sizes = parts.iter().map(|size| size.parse::<usize>());
        let count: usize = sizes.product::<Result<_, _>>().map_err(|_| kind.clone())?;
        let drawn = (0..count).map(|_| random.random_range(-2.0..2.0_f32));
        let mut bytes: Vec<u8> = match element {
            "f32" => drawn.flat_map(f32::to_le_bytes).collect(),
            "f16" => drawn
                .flat_map(|it| half::f16::from_f32(it).to_le_bytes())
                .collect(),
            "bf16" => drawn
                .flat_map(|it| half::bf16::from_f32(it).to_le_bytes())
                .collect(),
            _ => {
                inputs.push(kind);
                continue;
            }
        };
        for lowest in bytes
            .iter_mut()
            .step_by(if element == "f32" { 4 } else { 2 })
        {
            *lowest ^= last_bit;
        }
        let file = folder.join(format!("input{number}.bin"));
        std::fs::write(&file, bytes)?;
        inputs.push(format!("{kind}=@{}", file.display()));
    }
    Ok(inputs)
}

/// Calls a function, and returns its results as the runner prints them: a type and values.
fn results(
    mut command: Command,
    module: &Path,
    function: &str,
    inputs: &[String],
) -> Result<Vec<(String, Vec<f64>)>, Failed> {
    command
        .arg(format!("--module={}", module.display()))
        .arg(format!("--function={function}"))
        .arg("--output_max_element_count=100000000")
        .args(inputs.iter().map(|it| format!("--input={it}")));
    let output = limited::output(&mut command)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(errors.chars().take(500).collect::<String>().into());
    }
    let lines = text.lines().filter_map(|line| line.split_once('='));
    let result = |(kind, values): (&str, &str)| {
        // Bytes, because a result has millions of characters and tests are not optimised.
        let numbers = values.as_bytes().split(|it| b"[] ".contains(it));
        let numbers = numbers.filter(|it| !it.is_empty());
        let values = numbers.map(|it| String::from_utf8_lossy(it).parse());
        let values: Result<Vec<f64>, _> = values.collect();
        values.map(|values| (kind.to_owned(), values))
    };
    Ok(lines.map(result).collect::<Result<_, _>>()?)
}

/// Returns the largest difference of numbers, relative to the largest magnitude of their result.
fn largest_difference(found: &[(String, Vec<f64>)], expected: &[(String, Vec<f64>)]) -> f64 {
    let results = found.iter().zip(expected);
    let differences = results.flat_map(|((_, found), (_, expected))| {
        let most = largest_magnitude(expected);
        let pairs = found.iter().zip(expected);
        pairs.map(move |(one, other)| (one - other).abs() / most)
    });
    differences.fold(0.0, f64::max)
}

fn largest_magnitude(values: &[f64]) -> f64 {
    values.iter().fold(0.0_f64, |most, it| most.max(it.abs()))
}

/// Returns the first difference that exceeds the rounding of the type. Floats may differ by
/// `least_bound` in any case.
fn difference(
    found: &[(String, Vec<f64>)],
    expected: &[(String, Vec<f64>)],
    least_bound: f64,
) -> Option<String> {
    if found.is_empty() || found.len() != expected.len() {
        return Some(format!("{} results of {}", found.len(), expected.len()));
    }
    for ((kind, found), (other, expected)) in found.iter().zip(expected) {
        if kind != other || found.len() != expected.len() {
            return Some(format!("a {kind} instead of a {other}"));
        }
        let element = kind.rsplit('x').next();
        let bound = match element {
            Some("f32" | "f64") => FLOAT_BOUND.max(least_bound),
            Some("f16" | "bf16") => HALF_BOUND.max(least_bound),
            _ => 0.0,
        };
        // Relative to the largest value: a sum that cancels has a large relative error of its own.
        let most = largest_magnitude(expected);
        let is_same = |one: f64, other: f64| {
            let bound = match element {
                Some("f8E4M3FNUZ") if other == 0.0 => F8_LEAST_NORMAL,
                Some("f8E4M3FNUZ") => F8_STEP * other.abs(),
                _ => bound * most,
            };
            one == other || one.is_nan() && other.is_nan() || (one - other).abs() <= bound
        };
        let pairs = found.iter().zip(expected).enumerate();
        let mut wrong = pairs.filter(|(_, (one, other))| !is_same(**one, **other));
        if let Some((at, (one, other))) = wrong.next() {
            return Some(format!(
                "element {at} of a {kind} is {one} instead of {other}"
            ));
        }
    }
    None
}
