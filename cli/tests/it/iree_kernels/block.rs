//! A transformer block: its operations are found, tuned and exported. With the kernels in place
//! it computes the results of IREE's host backend.
//!
//! It is compiled for gfx1100 and in f32, for which iree-compile uses no matrix instructions: the
//! emulator has none.

use std::path::Path;

use testing::Failed;

use crate::iree_kernels::element::Element::F32;
use crate::iree_kernels::linalg::replaced;
use crate::iree_kernels::tools::Tools;

const BLOCK: &str = include_str!("block.mlir");
const TARGET: &str = "gfx1100";
const DEVICE: &str = "rx7900xtx";

/// The sizes of the arguments.
const INPUTS: [&[usize]; 10] = [
    &[64, 256],
    &[256, 256],
    &[256, 256],
    &[256, 256],
    &[256, 256],
    &[256, 512],
    &[512, 256],
    &[256],
    &[256],
    &[256],
];

/// The operations, each with its count.
const PROBLEMS: [(&str, u64); 4] = [
    ("rms_norm:64x[256]xf32:epsilon=1e-5", 1),
    ("softmax:4x64x[64]xf32", 1),
    ("layer_norm:64x[256]xf32", 1),
    ("rows(max(x),sum(x)):[64]x256xf32", 1),
];

/// The parts of each as several kernels.
const PARTS: [&[&str]; 4] = [
    &["square_sum:64x[256]xf32"],
    &[],
    &["sum:64x[256]xf32", "square_sum:64x[256]xf32"],
    &["sum:[64]x256xf32", "max:[64]x256xf32"],
];

/// Bound of an element's error, as a fraction of its tensor's largest element. Sums of 512
/// products have another order, with a softmax and two norms between them.
const BOUND: f64 = 2e-6;

/// Returns inputs between -4 and 4. Matrices have small elements, so that nothing overflows.
fn inputs() -> Vec<(String, Vec<u8>)> {
    let each = INPUTS.iter().zip(1..).map(|(sizes, seed)| {
        let drawn = F32.drawn(sizes.iter().product(), seed);
        let scale = if sizes.len() == 2 && seed > 1 {
            1.0 / 64.0
        } else {
            1.0
        };
        let numbers = F32.numbers(&drawn).into_iter();
        let bytes = numbers.flat_map(|it| ((it * scale) as f32).to_le_bytes());
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        (format!("{}xf32", sizes.join("x")), bytes.collect())
    });
    each.collect()
}

/// Checks that the block's operations are found, each once, with none left.
fn found(tools: &Tools, db: &Path, model: &str) -> Result<(), Failed> {
    let arguments = [
        "problems",
        model,
        "--target",
        TARGET,
        "--output-format=json",
    ];
    let output = tools.wavetune(db, &arguments.map(str::to_owned))?;
    let answer = testing_conformance::answer("model", &output);
    let found = answer["problems"].as_array().cloned().unwrap_or_default();
    let found: Vec<(String, Option<u64>)> = found
        .iter()
        .map(|it| {
            let problem = it["problem"].as_str().unwrap_or_default();
            (problem.to_owned(), it["count"].as_u64())
        })
        .collect();
    let expected = PROBLEMS.map(|(problem, count)| (problem.to_owned(), Some(count)));
    let of = |row: usize| -> Vec<&str> {
        let parts = answer["problems"][row]["several"][0]["parts"].as_array();
        let parts = parts.into_iter().flatten();
        parts.filter_map(|it| it["problem"].as_str()).collect()
    };
    let has_parts = (0..PARTS.len()).all(|row| of(row) == PARTS[row]);
    match found == expected && has_parts && answer["others"] == serde_json::json!([]) {
        true => Ok(()),
        false => Err(format!("{answer}").into()),
    }
}

/// Checks the list of `wavetune problems` for the block, which needs no compiled kernels.
pub(crate) fn a_block_is_read(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let model = folder.path().join("block.mlir");
    std::fs::write(&model, BLOCK)?;
    found(
        tools,
        &folder.path().join("none.db"),
        &model.display().to_string(),
    )
}

/// Tunes, exports and runs the block.
pub(crate) fn a_block_is_tuned_exported_and_run(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let (db, model) = (folder.join("block.db"), folder.join("block.mlir"));
    std::fs::write(&model, BLOCK)?;
    let model = model.display().to_string();
    let tune = [
        "tune".to_owned(),
        model.clone(),
        format!("--device=emulated:{DEVICE}"),
        "--budget=8".to_owned(),
    ];
    let said = tools.wavetune(&db, &tune)?;
    println!("{}", String::from_utf8_lossy(&said));
    let kernels = folder.join("kernels");
    let export = [
        "export".to_owned(),
        "iree-kernels".to_owned(),
        // All kernels are of interest here, not only those that make the model faster.
        "--unjudged".to_owned(),
        model,
        format!("--target={TARGET}"),
        format!("--out={}", kernels.display()),
        "--best".to_owned(),
        "--output-format=json".to_owned(),
    ];
    let output = tools.wavetune(&db, &export)?;
    let answer = testing_conformance::answer("iree-kernels", &output);
    let exported = answer["kernels"].as_array().cloned().unwrap_or_default();
    let is_tuned = |it: &serde_json::Value| it["time_us"].is_number();
    if exported.len() != PROBLEMS.len() || !exported.iter().all(is_tuned) {
        return Err(format!("{answer}").into());
    }
    let count = replaced(tools, folder, BLOCK, TARGET)?;
    // The last kernel replaces two operations.
    if count != PROBLEMS.len() + 1 {
        return Err(format!("{count} operations are replaced").into());
    }
    let module = folder.join("block.vmfb");
    tools.compile(BLOCK, TARGET, Some(&kernels), &module)?;
    let inputs = inputs();
    let ours = tools.run_on(DEVICE, folder, &module, "block", &inputs, 3)?;
    let host = folder.join("host.vmfb");
    tools.compile_for_host(BLOCK, &host)?;
    let expected = tools.run_on_host(folder, &host, "block", &inputs, 3)?;
    for (number, (ours, expected)) in ours.iter().zip(&expected).enumerate() {
        let (ours, expected) = (F32.numbers(ours), F32.numbers(expected));
        let greatest = expected.iter().map(|it| it.abs()).fold(0.0, f64::max);
        let errors = ours.iter().zip(&expected).map(|(x, y)| (x - y).abs());
        let error = errors.fold(0.0, f64::max) / greatest;
        println!("result {number}: {error:e} of {greatest}");
        if error.is_nan() || error > BOUND || ours.len() != expected.len() {
            return Err(format!("result {number} is off by {error} of {greatest}").into());
        }
    }
    Ok(())
}
