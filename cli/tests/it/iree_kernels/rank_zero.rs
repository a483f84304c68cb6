//! Operations without dimensions beside the constants of a row program, which the spec matches by
//! their rank.

use testing::Failed;

use crate::iree_kernels::linalg::export_with;
use crate::iree_kernels::tools::Tools;

/// A function that computes something without dimensions.
const COUNTER: &str = "  func.func public @count(%n: tensor<i32>) -> tensor<i32> {
    %one = arith.constant 1 : i32
    %c = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%n : tensor<i32>) {
    ^bb0(%o: i32):
      %0 = arith.addi %o, %one : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    return %c : tensor<i32>
  }
}
";

/// Checks that a program is placed beside such an operation, which stays with IREE.
pub(crate) fn operations_of_rank_0_stay(tools: &Tools) -> Result<(), Failed> {
    let text = include_str!("../../../../testing/modules/jax_rms_norm_quantised_i8.mlir");
    let functions = text.trim_end().strip_suffix('}').ok_or("no module")?;
    let folder = tempfile::tempdir()?;
    let mlir = [functions, COUNTER].concat();
    let answer = export_with(tools, folder.path(), &mlir, "gfx942", &[])?;
    let problem = answer["kernels"][0]["problem"].as_str();
    match problem.is_some_and(|it| it.starts_with("rows(")) {
        true => Ok(()),
        false => Err(format!("{answer}").into()),
    }
}
