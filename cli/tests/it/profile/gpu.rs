//! Profiles on a GPU: the emulating library in the place of HIP's, and a script in the place of
//! rocprofv3.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use testing::Failed;

use super::{Bed, array};
use crate::iree_kernels::tools::Tools;

/// A kernel and a fill.
const MODEL: &str = "\
func.func @rows(%x: tensor<?x512xf32>) -> (tensor<?x512xf32>, tensor<1024xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %zero : tensor<?x512xf32>
  %a = tensor.empty(%n) : tensor<?x512xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x512xf32>) outs(%a : tensor<?x512xf32>) -> tensor<?x512xf32>
  %b = tensor.empty() : tensor<1024xf32>
  %z = linalg.fill ins(%one : f32) outs(%b : tensor<1024xf32>) -> tensor<1024xf32>
  return %y, %z : tensor<?x512xf32>, tensor<1024xf32>
}
";

/// Makes a table of the journal. A kernel takes as many microseconds as its name has letters.
const TRACER: &str = r#"#!/bin/sh
while [ "$1" != -- ]; do
  [ "$1" = --output-directory ] && out=$2
  shift
done
shift
[ "$HIP_VISIBLE_DEVICES" = 0 ] || exit 4
WAVETUNE_HIP_TIME_ONLY=1 WAVETUNE_HIP_TIMES=$out/journal "$@" || exit
mkdir "$out/host"
awk -F'\t' '
BEGIN { print "\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"" }
{ name = $3; us = length(name) }
$1 != "kernel" { name = "__amd_rocclr_" $1 "BufferAligned"; us = 3 }
{ printf "\"%s\",%d,%d,%d\n", OTHER name, NR, 100000 * NR, 100000 * NR + 1000 * us }
' "$out/journal" > "$out/host/call_kernel_trace.csv"
"#;

pub(super) fn a_gpu_has_traced_times(tools: &Tools) -> Result<(), Failed> {
    let bed = Bed::new(tools, MODEL)?;
    let words = "model.mlir --counts 1..8 --device hip:0";
    bed.check(
        &format!("profile {words}"),
        2,
        &["a profile on hip:0 needs rocprofv3 of ROCm 6.2 or later"],
    )?;
    bed.check(
        "profile model.mlir --device hip:7",
        2,
        &["hip:7 is not there; `wavetune devices` lists"],
    )?;
    write_tracer(&bed, TRACER)?;
    let measured = bed.profile(words)?;
    let modelled = bed.profile("model.mlir --counts 1..8")?;
    // The library is an emulator, which no measurement may hide.
    if measured["device"] != "hip:0" || measured["clock"] != "modelled" {
        return Err(format!("{measured}").into());
    }
    let commands = |answer: &Value| -> Result<Vec<Value>, Failed> {
        Ok(array(&array(answer, "functions")?[0], "commands")?.to_vec())
    };
    let (found, others) = (commands(&measured)?, commands(&modelled)?);
    let untimed = |it: &Value| json!([it["name"], it["bytes_read"], it["operations"]]);
    if !found.iter().map(untimed).eq(others.iter().map(untimed)) {
        return Err(format!("{found:?}, modelled {others:?}").into());
    }
    // The bound of a modelled time contains a launch.
    let bound = |it: &Value| it["bound_us"].as_f64().unwrap_or_default();
    let is_bounded = |(one, other): (&Value, &Value)| bound(one) < bound(other);
    if !found.iter().zip(&others).all(is_bounded) {
        return Err(format!("{found:?}, modelled {others:?}").into());
    }
    let times = found.iter().map(|it| it["time_us"].clone());
    let kernel = found.iter().find(|it| it["kind"] == "kernel");
    let name = kernel
        .and_then(|it| it["name"].as_str())
        .unwrap_or_default();
    let mut times: Vec<_> = times.filter_map(|it| it.as_f64()).collect();
    times.sort_by(f64::total_cmp);
    if times != [3.0, name.len() as f64] {
        return Err(format!("{times:?}: {found:?}").into());
    }
    write_tracer(&bed, &TRACER.replace("OTHER", "\"other_\" "))?;
    bed.check(
        &format!("profile {words}"),
        2,
        &["rocprofv3 traced another call of rows: the GPU executed other_"],
    )?;
    Ok(())
}

fn write_tracer(bed: &Bed, text: &str) -> Result<(), Failed> {
    let folder = bed.path("rocm/bin");
    std::fs::create_dir_all(&folder)?;
    let tracer = folder.join("rocprofv3");
    std::fs::write(&tracer, text)?;
    std::fs::set_permissions(&tracer, Permissions::from_mode(0o755))?;
    Ok(())
}
