//! Pointwise operations with rounded functions: one kernel, with the results of the host backend.

use testing::Failed;

use crate::iree_kernels::element::Element::F32;
use crate::iree_kernels::linalg::{export_with, replaced};
use crate::iree_kernels::tools::Tools;

/// SwiGLU in two operations, as front ends write it.
const SWIGLU: &str = "
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x96xf32>, %u: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %count = tensor.dim %x, %zero : tensor<?x96xf32>
  %e = tensor.empty(%count) : tensor<?x96xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = [\"parallel\", \"parallel\"]} ins(%x : tensor<?x96xf32>) outs(%e : tensor<?x96xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x96xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = [\"parallel\", \"parallel\"]} ins(%s, %u : tensor<?x96xf32>, tensor<?x96xf32>) outs(%e : tensor<?x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}
";

/// Checks the kernel of a SwiGLU for an open number of rows, and its values.
pub(crate) fn gates_are_one_kernel(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let answer = export_with(tools, folder, SWIGLU, "gfx942", &[])?;
    let problem = answer["kernels"][0]["problem"].as_str().unwrap_or_default();
    if !problem.starts_with("rows(x/(exp(-x)+1)*x1):?x96xf32,f32:") {
        return Err(format!("{answer}").into());
    }
    if replaced(tools, folder, SWIGLU, "gfx942")? == 0 {
        return Err("it is not replaced".into());
    }
    let module = folder.join("module.vmfb");
    tools.compile(SWIGLU, "gfx942", Some(&folder.join("kernels")), &module)?;
    let [x, u] = [1, 2].map(|seed| F32.drawn(5 * 96, seed));
    let input = [&x, &u].map(|it| ("5x96xf32".to_owned(), it.clone()));
    let found = tools.run(folder, &module, "main", &input, 1)?;
    let numbers = F32.numbers(&x).into_iter().zip(F32.numbers(&u));
    let expected = numbers.map(|(x, u)| x / (1.0 + (-x).exp()) * u);
    for (found, expected) in F32.numbers(&found[0]).into_iter().zip(expected) {
        if (found - expected).abs() > 2e-6 * expected.abs().max(1e-3) {
            return Err(format!("{found} instead of {expected}").into());
        }
    }
    Ok(())
}
