//! Matrix-vector products with a matrix of one row or column as the vector, as frontends write
//! them: they are replaced, with correct results. A product of two matrices stays with IREE.

use std::path::Path;

use testing::Failed;

use crate::iree_kernels::linalg::{export_with, module_of, replaced};
use crate::iree_kernels::operation::joined;
use crate::iree_kernels::tools::Tools;

/// The types of the inputs and of the result, and the operation.
struct Product {
    inputs: [&'static [usize]; 2],
    result: &'static [usize],
    operation: &'static str,
    /// The dimensions of each input.
    dimensions: [&'static [usize]; 2],
}

const ROWS: usize = 0;
const LENGTH: usize = 1;
const BATCH: usize = 2;
const ONE: usize = 3;

const TRANSPOSED: &str = "linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]";

const PRODUCTS: [Product; 5] = [
    // torch's form of a linear layer of one token.
    Product {
        inputs: [&[1, 96], &[40, 96]],
        result: &[1, 40],
        operation: TRANSPOSED,
        dimensions: [&[ONE, LENGTH], &[ROWS, LENGTH]],
    },
    Product {
        inputs: [&[1, 96], &[96, 40]],
        result: &[1, 40],
        operation: "linalg.matmul",
        dimensions: [&[ONE, LENGTH], &[LENGTH, ROWS]],
    },
    // The scores and the values of the attention of one token.
    Product {
        inputs: [&[6, 1, 64], &[6, 50, 64]],
        result: &[6, 1, 50],
        operation: "linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]",
        dimensions: [&[BATCH, ONE, LENGTH], &[BATCH, ROWS, LENGTH]],
    },
    Product {
        inputs: [&[6, 1, 50], &[6, 50, 64]],
        result: &[6, 1, 64],
        operation: "linalg.batch_matmul",
        dimensions: [&[BATCH, ONE, LENGTH], &[BATCH, LENGTH, ROWS]],
    },
    // A single column, for which there is no form.
    Product {
        inputs: [&[24, 96], &[96, 1]],
        result: &[24, 1],
        operation: "linalg.matmul",
        dimensions: [&[ROWS, LENGTH], &[LENGTH, ONE]],
    },
];

/// Two matrices of several rows and columns each.
const MATRICES: Product = Product {
    inputs: [&[2, 96], &[40, 96]],
    result: &[2, 40],
    operation: TRANSPOSED,
    dimensions: [&[], &[]],
};

/// Formats `4x32000xf32`.
fn kind(sizes: &[usize]) -> String {
    format!("{}xf32", joined(sizes))
}

impl Product {
    fn mlir(&self) -> String {
        let [x, y] = self.inputs.map(|it| format!("tensor<{}>", kind(it)));
        let result = format!("tensor<{}>", kind(self.result));
        let operation = self.operation;
        format!(
            "func.func @main(%x: {x}, %y: {y}) -> {result} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {result}
  %z = linalg.fill ins(%zero : f32) outs(%e : {result}) -> {result}
  %r = {operation} ins(%x, %y : {x}, {y}) outs(%z : {result}) -> {result}
  return %r : {result}
}}
"
        )
    }

    /// Returns the offset in an input of the element with these indices.
    fn place(&self, input: usize, at: [usize; 4]) -> usize {
        let sizes = self.inputs[input].iter().zip(self.dimensions[input]);
        sizes.fold(0, |place, (size, d)| place * size + at[*d])
    }

    /// Returns the host's result.
    fn expected(&self, inputs: &[Vec<f32>; 2]) -> Vec<f32> {
        let places = |input: usize| self.inputs[input].iter().zip(self.dimensions[input]);
        let size = |dimension: usize| -> usize {
            let found = places(0).chain(places(1)).find(|it| *it.1 == dimension);
            found.map_or(1, |it| *it.0)
        };
        let (rows, length, batches) = (size(ROWS), size(LENGTH), size(BATCH));
        let one = |batch, row| {
            let factor = |input: usize, k| {
                let at = [row, k, batch, 0];
                inputs[input][self.place(input, at)]
            };
            (0..length).map(|k| factor(0, k) * factor(1, k)).sum()
        };
        let all = (0..batches).flat_map(|batch| (0..rows).map(move |row| (batch, row)));
        all.map(|(batch, row)| one(batch, row)).collect()
    }
}

/// Returns small integers, with exact sums in any order and many equal elements. The seed makes
/// the rows differ.
pub(crate) fn drawn(count: usize, seed: usize) -> Vec<f32> {
    let number = |place: usize| ((place * 7 + place / 5 + seed) % 9) as f32 - 4.0;
    (0..count).map(number).collect()
}

pub(crate) fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|it| it.to_le_bytes()).collect()
}

/// Checks kernels for a model's operations, and for named problems.
pub(crate) fn matrices_of_one_row_are_vectors(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let texts = PRODUCTS.iter().map(Product::mlir);
    let texts: Vec<String> = texts.chain([MATRICES.mlir()]).collect();
    let mlir = module_of(&texts);
    let answer = export_with(tools, folder, &mlir, "gfx942", &[])?;
    let kernels = answer["kernels"].as_array().into_iter().flatten();
    let problems = kernels.filter_map(|it| it["problem"].as_str().map(str::to_owned));
    let problems: Vec<String> = problems.collect();
    if answer["left_out"] != serde_json::json!([]) || problems.len() != PRODUCTS.len() {
        return Err(format!("{answer}").into());
    }
    are_replaced(tools, folder, &mlir, &PRODUCTS)?;
    std::fs::remove_dir_all(folder.join("kernels"))?;
    super::export(tools, folder, &problems)?;
    are_replaced(tools, folder, &mlir, &PRODUCTS[..PRODUCTS.len() - 1])
}

/// Checks that only these first operations of the module are replaced, with the host's results.
fn are_replaced(
    tools: &Tools,
    folder: &Path,
    mlir: &str,
    products: &[Product],
) -> Result<(), Failed> {
    let (count, expected) = (replaced(tools, folder, mlir, "gfx942")?, products.len());
    if count != expected {
        return Err(format!("{count} in place of {expected} are replaced").into());
    }
    let module = folder.join("module.vmfb");
    tools.compile(mlir, "gfx942", Some(&folder.join("kernels")), &module)?;
    for (number, product) in products.iter().enumerate() {
        let inputs = [0, 1].map(|it| drawn(product.inputs[it].iter().product(), it));
        let given = product.inputs.iter().zip(&inputs);
        let given = given.map(|(sizes, values)| (kind(sizes), bytes(values)));
        let given: Vec<(String, Vec<u8>)> = given.collect();
        let results = tools.run(folder, &module, &format!("f{number}"), &given, 1)?;
        if results[0] != bytes(&product.expected(&inputs)) {
            return Err(format!("it is wrong: {}", product.mlir()).into());
        }
    }
    Ok(())
}
