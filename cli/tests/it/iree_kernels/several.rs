//! Operations that are one kernel or several: the faster ones are used, and both are correct.

use std::path::Path;

use configgen::native_default;
use serde_json::json;
use store::{StudyKey, Trial};
use store_sqlite::Sqlite;
use testing::Failed;
use testing_store_contract::samples::{default_trial, key, record, right, trial};

use crate::iree_kernels::element::Element::F32;
use crate::iree_kernels::linalg::{export_known, norm_of_sums, norm_of_sums_is_right, replaced};
use crate::iree_kernels::tools::Tools;

const ONE: &str = "add_rms_norm:4x[256]xf32";
const PART: &str = "rms_norm:4x[256]xf32";

/// Stores a time for a problem, and twice that time for its default.
async fn known(db: &Path, problem: &str, time_us: f64) -> Result<(), Failed> {
    let key = StudyKey {
        problem: problem.parse()?,
        ..key()
    };
    let best = native_default(&key.problem, key.provenance.target)?;
    let best = Trial {
        configuration: Some(best),
        ..trial(2, 256, right(time_us))
    };
    let trials = [default_trial(1, 512, right(2.0 * time_us)), best];
    let store = Sqlite::open(&db.display().to_string()).await?;
    record(&store, &key, &trials).await;
    Ok(())
}

/// Checks the chosen kernels for this time of the fused kernel; its part takes 4 µs.
fn check(tools: &Tools, time_us: f64, kernel: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let db = folder.join("known.db");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        known(&db, ONE, time_us).await?;
        known(&db, PART, 4.0).await
    })?;
    let mlir = norm_of_sums();
    let answer = export_known(tools, folder, &mlir, "gfx942", "known.db", &[])?;
    let kernels = answer["kernels"].as_array();
    if kernels.map(Vec::len) != Some(1) || answer["kernels"][0]["problem"] != kernel {
        return Err(format!("{answer}").into());
    }
    norm_of_sums_is_right(tools, folder, &mlir, 1)?;
    let model = folder.join("model.mlir").display().to_string();
    let problems = [
        "problems",
        &model,
        "--target=gfx942",
        "--output-format=json",
    ];
    let said = tools.wavetune(&db, &problems.map(str::to_owned))?;
    let said = testing_conformance::answer("model", &said);
    let several = &said["problems"][0]["several"][0];
    let others = several["others_us"].as_f64().unwrap_or_default();
    let of_parts = 4.0 + others;
    let taken = of_parts.min(time_us);
    let expected = json!({
        "count": 1,
        "parts": [{ "problem": PART, "time_us": 4.0 }],
        "others_us": others,
        "time_us": of_parts,
        "is_taken": kernel == PART,
    });
    let gains = json!([{
        "device": "emulated:mi300x",
        "clock": "modelled",
        "count": 1,
        "default_time_us": 2.0 * time_us,
        "time_us": taken,
    }]);
    // A launch takes more than a microsecond.
    match others > 1.0 && *several == expected && said["gains"] == gains {
        true => Ok(()),
        false => Err(format!("{said}").into()),
    }
}

pub(crate) fn the_faster_of_one_and_several(tools: &Tools) -> Result<(), Failed> {
    check(tools, 5.0, ONE)?;
    check(tools, 50.0, PART)
}

/// A product, a square and a sum by several operations; the sum keeps its dimension, as torch's
/// does.
const COMPUTED: &str = "
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<4x256xf32>, %y: tensor<256xf32>) -> tensor<4x1xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %whole = tensor.empty() : tensor<4x256xf32>
  %column = tensor.empty() : tensor<4x1xf32>
  %none = linalg.fill ins(%zero : f32) outs(%column : tensor<4x1xf32>) -> tensor<4x1xf32>
  %products = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1) -> (d1)>, #all], iterator_types = [\"parallel\", \"parallel\"]} ins(%x, %y : tensor<4x256xf32>, tensor<256xf32>) outs(%whole : tensor<4x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x256xf32>
  %squares = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = [\"parallel\", \"parallel\"]} ins(%products, %products : tensor<4x256xf32>, tensor<4x256xf32>) outs(%whole : tensor<4x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x256xf32>
  %sum = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%squares : tensor<4x256xf32>) outs(%none : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<4x1xf32>
  return %sum : tensor<4x1xf32>
}
";

/// Checks that several operations and a reduction of their result become one kernel, with the
/// results of the host backend.
pub(crate) fn producers_are_fused_into_the_kernel(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let answer = export_known(tools, folder, COMPUTED, "gfx942", "none.db", &[])?;
    let expected = "sum(2=arith.mulf(0,1);arith.mulf(2,2)):4x[256]xf32,f32(1)";
    if answer["kernels"][0]["problem"] != expected {
        return Err(format!("{answer}").into());
    }
    if replaced(tools, folder, COMPUTED, "gfx942")? != 1 {
        return Err("it is not replaced".into());
    }
    let (module, host) = (folder.join("module.vmfb"), folder.join("host.vmfb"));
    tools.compile(COMPUTED, "gfx942", Some(&folder.join("kernels")), &module)?;
    tools.compile_for_host(COMPUTED, &host)?;
    let inputs = [("4x256xf32", 1024, 1), ("256xf32", 256, 2)];
    let inputs = inputs.map(|(kind, count, seed)| (kind.to_owned(), F32.drawn(count, seed)));
    let ours = tools.run(folder, &module, "main", &inputs, 1)?;
    let theirs = tools.run_on_host(folder, &host, "main", &inputs, 1)?;
    let (ours, theirs) = (F32.numbers(&ours[0]), F32.numbers(&theirs[0]));
    // Error bound of both, relative to the exact sum of nonnegative terms: three roundings of
    // each term, and the additions.
    let bound = 2.0 * (3.0 + 256.0) * 2f64.powi(-24);
    let is_near = |(x, y): (&f64, &f64)| (x - y).abs() <= bound * y;
    match ours.len() == 4 && ours.iter().zip(&theirs).all(is_near) {
        true => Ok(()),
        false => Err(format!("{ours:?}, on the host {theirs:?}").into()),
    }
}
