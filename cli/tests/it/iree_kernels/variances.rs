//! JAX's variance divides by a number that the module computes, and selects by it. The spec folds
//! both, and one kernel has the values of the host.

use testing::Failed;

use crate::iree_kernels::element::Element::F32;
use crate::iree_kernels::linalg::{export_with, replaced};
use crate::iree_kernels::tools::Tools;

const ROWS: usize = 6;
const COLUMNS: usize = 96;

/// `jnp.var(x, axis=-1, ddof=1)` as JAX 0.10 lowers it, with its functions inlined. It stands beside
/// a quotient by a number that only a call gives, which is not folded.
const VARIANCE: &str = "
func.func @main(%x: tensor<6x96xf32>, %t: tensor<f32>) -> (tensor<6xf32>, tensor<6x96xf32>) {
  %ddof = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<9.6e+01> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x96xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
  %2 = stablehlo.broadcast_in_dim %count, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
  %3 = stablehlo.divide %1, %2 : tensor<6x1xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x96xf32>
  %5 = stablehlo.subtract %x, %4 : tensor<6x96xf32>
  %6 = stablehlo.multiply %5, %5 : tensor<6x96xf32>
  %7 = stablehlo.convert %ddof : (tensor<i32>) -> tensor<f32>
  %8 = stablehlo.subtract %count, %7 : tensor<f32>
  %9 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x96xf32>, tensor<f32>) -> tensor<6xf32>
  %10 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<6xf32>
  %11 = stablehlo.divide %9, %10 : tensor<6xf32>
  %12 = stablehlo.compare GT, %8, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %13 = stablehlo.broadcast_in_dim %nan, dims = [] : (tensor<f32>) -> tensor<6xf32>
  %14 = stablehlo.select %12, %11, %13 : tensor<i1>, tensor<6xf32>
  %15 = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<f32>) -> tensor<6x96xf32>
  %16 = stablehlo.divide %x, %15 : tensor<6x96xf32>
  return %14, %16 : tensor<6xf32>, tensor<6x96xf32>
}
";

const PROBLEM: &str = "rows(e1=x-sum(x)/96;sum(e1*e1)/95):6x[96]xf32";

/// Checks the kernel of a variance, and its values.
pub(crate) fn variances_are_one_kernel(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let answer = export_with(tools, folder, VARIANCE, "gfx942", &[])?;
    let mut kernels = answer["kernels"].as_array().into_iter().flatten();
    if !kernels.any(|it| it["problem"] == PROBLEM) {
        return Err(format!("{answer}").into());
    }
    if replaced(tools, folder, VARIANCE, "gfx942")? == 0 {
        return Err("it is not replaced".into());
    }
    let module = folder.join("module.vmfb");
    tools.compile(VARIANCE, "gfx942", Some(&folder.join("kernels")), &module)?;
    let [x, t] = [ROWS * COLUMNS, 1].map(|count| F32.drawn(count, 1));
    let input = [("6x96xf32", x.clone()), ("f32", t.clone())];
    let input = input.map(|(shape, values)| (shape.to_owned(), values));
    let found = tools.run(folder, &module, "main", &input, 2)?;
    let (x, t) = (F32.numbers(&x), F32.numbers(&t)[0]);
    let variance = |row: &[f64]| {
        let mean = row.iter().sum::<f64>() / COLUMNS as f64;
        row.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / (COLUMNS - 1) as f64
    };
    let variances: Vec<f64> = x.chunks(COLUMNS).map(variance).collect();
    let quotients: Vec<f64> = x.iter().map(|it| it / t).collect();
    for (found, expected) in found.iter().zip([variances, quotients]) {
        for (found, expected) in F32.numbers(found).into_iter().zip(expected) {
            if (found - expected).abs() > 1e-5 * expected.abs() {
                return Err(format!("{found} instead of {expected}").into());
            }
        }
    }
    Ok(())
}
