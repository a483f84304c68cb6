//! A comparison whose indices of i32 are widened, as ONNX's ArgMax arrives: the kernel writes i64.

use testing::Failed;

use crate::iree_kernels::element::Element::F32;
use crate::iree_kernels::linalg::export_with;
use crate::iree_kernels::tools::Tools;

/// Returns a module for this number of rows, which may be `?`.
fn module(rows: &str) -> String {
    let (dimension, size) = match rows {
        "?" => (
            "  %c0 = arith.constant 0 : index\n  %n = tensor.dim %x, %c0 : tensor<?x96xf32>\n",
            "%n",
        ),
        _ => ("", ""),
    };
    let [values, narrow, wide] =
        ["f32", "i32", "i64"].map(|element| format!("tensor<{rows}x{element}>"));
    let map = "affine_map<(d0) -> (d0)>";
    format!(
        "func.func @main(%x: tensor<{rows}x96xf32>) -> {wide} {{
{dimension}  %begin = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i32
  %v = tensor.empty({size}) : {values}
  %p = tensor.empty({size}) : {narrow}
  %w = tensor.empty({size}) : {wide}
  %values = linalg.fill ins(%begin : f32) outs(%v : {values}) -> {values}
  %places = linalg.fill ins(%first : i32) outs(%p : {narrow}) -> {narrow}
  %found:2 = iree_linalg_ext.arg_compare dimension(1) ins(%x : tensor<{rows}x96xf32>) outs(%values, %places : {values}, {narrow}) {{
  ^bb0(%a: f32, %b: f32):
    %greater = arith.cmpf ogt, %a, %b : f32
    iree_linalg_ext.yield %greater : i1
  }} -> {values}, {narrow}
  %wide = linalg.generic {{indexing_maps = [{map}, {map}], iterator_types = [\"parallel\"]}} ins(%found#1 : {narrow}) outs(%w : {wide}) {{
  ^bb0(%in: i32, %out: i64):
    %index = arith.extsi %in : i32 to i64
    linalg.yield %index : i64
  }} -> {wide}
  return %wide : {wide}
}}
"
    )
}

/// Checks that the comparison and the widening become one kernel, with a known and an open number
/// of rows, and that its indices are right.
pub(crate) fn widened_indices_are_of_the_kernel(tools: &Tools) -> Result<(), Failed> {
    for rows in ["6", "?"] {
        let folder = tempfile::tempdir()?;
        let folder = folder.path();
        let mlir = module(rows);
        let answer = export_with(tools, folder, &mlir, "gfx942", &[])?;
        let problem = answer["kernels"][0]["problem"].as_str().unwrap_or_default();
        if !problem.starts_with(&format!("argmax:{rows}x[96]xf32:i64")) {
            return Err(format!("{answer}").into());
        }
        // The comparison alone has other forms.
        if answer["kernels"][0]["forms"][0] != "chain" {
            return Err(format!("{answer}").into());
        }
        let kernels = folder.join("kernels");
        let left = tools.preprocessed(&mlir, "gfx942", &kernels)?;
        if left.contains("arg_compare") || left.contains("arith.extsi") {
            return Err(format!("{rows} rows: not replaced").into());
        }
        let vmfb = folder.join("module.vmfb");
        tools.compile(&mlir, "gfx942", Some(&kernels), &vmfb)?;
        let numbers = F32.numbers(&F32.drawn(6 * 96, 1));
        let bytes = numbers.iter().flat_map(|it| (*it as f32).to_le_bytes());
        let input = [("6x96xf32".to_owned(), bytes.collect::<Vec<u8>>())];
        let found = tools.run(folder, &vmfb, "main", &input, 1)?;
        let found: Vec<i64> = found[0]
            .chunks(8)
            .filter_map(|it| Some(i64::from_le_bytes(it.try_into().ok()?)))
            .collect();
        let first_greatest = |row: &[f64]| {
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            row.iter().position(|it| *it == most).map(|at| at as i64)
        };
        let expected: Option<Vec<i64>> = numbers.chunks(96).map(first_greatest).collect();
        if expected.as_ref() != Some(&found) {
            return Err(format!("{found:?} instead of {expected:?}").into());
        }
    }
    Ok(())
}
