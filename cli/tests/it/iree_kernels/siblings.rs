//! Operations over the same rows that one kernel computes: a launch replaces each of them, and IREE
//! merges the launches, which are equal.

use testing::Failed;

use crate::iree_kernels::element::Element::F32;
use crate::iree_kernels::linalg::{export_with, replaced};
use crate::iree_kernels::tools::Tools;

/// Returns a fold of the rows of `%x`, with its result of this name. It may keep the dimension of
/// the rows.
fn fold(name: &str, begin: &str, opcode: &str, keeps: bool) -> String {
    let (kind, map) = match keeps {
        true => (KEPT, "d0, 0"),
        false => (ROWS, "d0"),
    };
    format!(
        "  %b{name} = arith.constant {begin} : f32
  %e{name} = tensor.empty() : {kind}
  %z{name} = linalg.fill ins(%b{name} : f32) outs(%e{name} : {kind}) -> {kind}
  %{name} = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ({map})>], iterator_types = [\"parallel\", \"reduction\"]}} ins(%x : tensor<6x96xf32>) outs(%z{name} : {kind}) {{
  ^bb0(%a: f32, %o: f32):
    %r = arith.{opcode} %o, %a : f32
    linalg.yield %r : f32
  }} -> {kind}
"
    )
}

const ROWS: &str = "tensor<6xf32>";
const KEPT: &str = "tensor<6x1xf32>";

/// Returns the lines of each launch in a spec.
fn launches(spec: &str) -> Vec<Vec<&str>> {
    let functions = spec.split("util.func private @").skip(1);
    let launches = functions.map(|function| {
        let lines = function.lines();
        let is_of_launch = |it: &&str| it.contains("flow.tensor") || it.contains("dispatch.extern");
        lines.filter(is_of_launch).collect()
    });
    launches.collect()
}

/// Checks the least and the greatest element of each row, NaN and infinities among them.
pub(crate) fn siblings_share_a_kernel(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let mlir = format!(
        "func.func @main(%x: tensor<6x96xf32>) -> ({KEPT}, {ROWS}) {{
{}{}  return %low, %high : {KEPT}, {ROWS}
}}
",
        fold("low", "0x7F800000", "minimumf", true),
        fold("high", "0xFF800000", "maximumf", false)
    );
    let answer = export_with(tools, folder, &mlir, "gfx942", &[])?;
    let kernels = answer["kernels"].as_array().map_or(0, Vec::len);
    if kernels != 1 || answer["kernels"][0]["problem"] != "rows(max(x),min(x)):6x[96]xf32" {
        return Err(format!("{answer}").into());
    }
    if replaced(tools, folder, &mlir, "gfx942")? != 2 {
        return Err("not both operations are replaced".into());
    }
    let spec = std::fs::read_to_string(folder.join("kernels/spec.mlir"))?;
    match &launches(&spec)[..] {
        [one, other] if one == other => {}
        all => return Err(format!("other launches: {all:?}").into()),
    }
    let module = folder.join("module.vmfb");
    tools.compile(&mlir, "gfx942", Some(&folder.join("kernels")), &module)?;
    let mut numbers = F32.numbers(&F32.drawn(6 * 96, 1));
    numbers[100] = f64::NAN;
    numbers[200] = f64::INFINITY;
    numbers[201] = f64::NEG_INFINITY;
    let bytes = numbers.iter().flat_map(|it| (*it as f32).to_le_bytes());
    let input = [("6x96xf32".to_owned(), bytes.collect::<Vec<u8>>())];
    let found = tools.run(folder, &module, "main", &input, 2)?;
    let extremes = [f64::min, f64::max];
    for (found, extreme) in found.iter().zip(extremes) {
        let rows = numbers.chunks(96).map(|row| {
            let has_nan = row.iter().any(|it| it.is_nan());
            let found = row.iter().copied().reduce(extreme);
            found.filter(|_| !has_nan)
        });
        let found = F32.numbers(found);
        let is_right = rows.zip(&found).all(|(row, found)| match row {
            Some(number) => number == *found,
            None => found.is_nan(),
        });
        if !is_right {
            return Err(format!("{found:?}").into());
        }
    }
    Ok(())
}
