//! Folds with an initial pair other than the worst value and index 0.

use std::path::Path;

use testing::Failed;

use crate::iree_kernels::models::{same_indices, same_values};
use crate::iree_kernels::rows::{F32, Value};
use crate::iree_kernels::tools::Tools;
use crate::iree_kernels::{export, replaced};

const ROWS: usize = 6;
const COLUMNS: usize = 31;

/// A function: its comparison, and its initial pair.
#[derive(Clone, Copy)]
struct Fold {
    comparison: &'static str,
    first: (f32, i32),
}

/// The problems with kernels, each with its function.
const REPLACED: [(&str, Fold); 4] = [
    ("argmax:6x[31]xf32", fold("ogt", f32::NEG_INFINITY, 0)),
    ("argmax:6x[31]xf32:i32:initial=3.5@7", fold("ogt", 3.5, 7)),
    // This comparison has no known worst value.
    (
        "argmax.uge:6x[31]xf32:i32:initial=3.5@7",
        fold("uge", 3.5, 7),
    ),
    (
        "argmax:6x[31]xf32:i32:initial=-inf@-2",
        fold("ogt", f32::NEG_INFINITY, -2),
    ),
];
/// Functions that differ only in the pair.
const OTHERS: [Fold; 4] = [
    fold("ogt", 3.5, 8),
    fold("ogt", 3.25, 7),
    fold("uge", f32::NEG_INFINITY, 0),
    fold("ogt", f32::NEG_INFINITY, 7),
];

const fn fold(comparison: &'static str, first: f32, index: i32) -> Fold {
    Fold {
        comparison,
        first: (first, index),
    }
}

impl Fold {
    fn mlir(&self) -> String {
        let (bits, index) = (self.first.0.to_bits(), self.first.1);
        let comparison = self.comparison;
        format!(
            "func.func @f(%x: tensor<6x31xf32>) -> (tensor<6xf32>, tensor<6xi32>) {{
  %w = arith.constant 0x{bits:08X} : f32
  %z = arith.constant {index} : i32
  %e = tensor.empty() : tensor<6xf32>
  %v = linalg.fill ins(%w : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %ei = tensor.empty() : tensor<6xi32>
  %i = linalg.fill ins(%z : i32) outs(%ei : tensor<6xi32>) -> tensor<6xi32>
  %r:2 = iree_linalg_ext.arg_compare dimension(1) ins(%x : tensor<6x31xf32>) outs(%v, %i : tensor<6xf32>, tensor<6xi32>) {{
  ^bb0(%new: f32, %held: f32):
    %c = arith.cmpf {comparison}, %new, %held : f32
    iree_linalg_ext.yield %c : i1
  }} -> tensor<6xf32>, tensor<6xi32>
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xi32>
}}
"
        )
    }

    /// Returns the host's fold of the rows.
    fn expected(&self, rows: &[f32]) -> (Vec<Value>, Vec<i64>) {
        let row = |row: &[f32]| {
            let mut best = self.first;
            for (index, &new) in row.iter().enumerate() {
                let wins = match self.comparison {
                    "ogt" => new > best.0,
                    // Unordered, greater or equal.
                    _ => new.is_nan() || best.0.is_nan() || new >= best.0,
                };
                if wins {
                    best = (new, index as i32);
                }
            }
            let number = f64::from(best.0);
            (Value { number }, i64::from(best.1))
        };
        rows.chunks(COLUMNS).map(row).unzip()
    }
}

/// Returns rows: one without an element that beats 3.5, one of NaN and infinities, one of only
/// the worst value, and rows with ties.
fn rows() -> Vec<f32> {
    let element = |number: usize| {
        let (row, column) = (number / COLUMNS, number % COLUMNS);
        match (row, column % 5) {
            (0, _) => column as f32 / 31.0,
            (1, 0) => f32::NAN,
            (1, 1) => f32::NEG_INFINITY,
            (2, _) => f32::NEG_INFINITY,
            (3, 3) => 3.5,
            _ => (number * 7 % 11) as f32,
        }
    };
    (0..ROWS * COLUMNS).map(element).collect()
}

/// Checks that a kernel replaces only operations with its initial pair.
pub(crate) fn pairs_are_told_apart(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let problems = REPLACED.map(|(problem, _)| problem.to_owned());
    let answer = export(tools, folder, &problems)?;
    if answer["left_out"] != serde_json::json!([]) {
        return Err(format!("skipped: {}", answer["left_out"]).into());
    }
    for (problem, fold) in REPLACED {
        if replaced(tools, &fold.mlir(), "gfx942", folder)? != 1 {
            return Err(format!("{problem} is not replaced").into());
        }
        runs(tools, folder, &fold).map_err(|error| format!("{problem}: {error:?}"))?;
    }
    for fold in OTHERS {
        let (text, mlir) = (fold.comparison, fold.mlir());
        if replaced(tools, &mlir, "gfx942", folder)? != 0 {
            return Err(format!("replaced: {text} from {:?}", fold.first).into());
        }
    }
    Ok(())
}

fn runs(tools: &Tools, folder: &Path, fold: &Fold) -> Result<(), Failed> {
    let module = folder.join("module.vmfb");
    let kernels = folder.join("kernels");
    tools.compile(&fold.mlir(), "gfx942", Some(&kernels), &module)?;
    let rows = rows();
    let bytes = rows.iter().flat_map(|it| it.to_le_bytes()).collect();
    let input = ("6x31xf32".to_owned(), bytes);
    let results = tools.run(folder, &module, "f", &[input], 2)?;
    let (values, indices) = fold.expected(&rows);
    same_values(&results[0], F32, &values)?;
    same_indices(&results[1], 4, &indices)
}
