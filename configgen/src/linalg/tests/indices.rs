//! Tests of elements computed from their indices alone, such as those of a causal mask.

use expect_test::{Expect, expect};

use super::said;

const NUMBERS: &str = "%zero = arith.constant 0.0 : f32\n%half = arith.constant 0.5 : f32\n";

/// The indices of 8 elements, as tensors of 1x8 and 8x1.
const INDICES: &str = "%none = tensor.empty() : tensor<8xi64>
%i = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]} outs(%none : tensor<8xi64>) {
^bb0(%out: i64):
  %0 = linalg.index 0 : index
  %1 = arith.index_cast %0 : index to i64
  linalg.yield %1 : i64
} -> tensor<8xi64>
%columns = tensor.expand_shape %i [[0, 1]] output_shape [1, 8] : tensor<8xi64> into tensor<1x8xi64>
%rows = tensor.expand_shape %i [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
";

/// The indices of 8x8 elements, compared with each other.
const MASK: &str = "%no = tensor.empty() : tensor<8x8xi1>
%mask = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%columns, %rows : tensor<1x8xi64>, tensor<8x1xi64>) outs(%no : tensor<8x8xi1>) {
^bb0(%column: i64, %row: i64, %out: i1):
  %0 = arith.cmpi sle, %column, %row : i64
  linalg.yield %0 : i1
} -> tensor<8x8xi1>
";

/// Returns the sums `%sNAME` of the rows of `%OF`.
fn row_sums(name: &str, of: &str) -> String {
    format!(
        "%f{name} = tensor.empty() : tensor<8xf32>
%z{name} = linalg.fill ins(%zero : f32) outs(%f{name} : tensor<8xf32>) -> tensor<8xf32>
%s{name} = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]}} ins(%{of} : tensor<8x8xf32>) outs(%z{name} : tensor<8xf32>) {{
^bb0(%in: f32, %out: f32):
  %0 = arith.addf %in, %out : f32
  linalg.yield %0 : f32
}} -> tensor<8xf32>"
    )
}

/// Returns the mean of the rows of `%NAME`, masked by a tensor of type `kind`.
fn mean(name: &str, mask: &str, kind: &str) -> String {
    let sums = row_sums(name, &format!("m{name}"));
    format!(
        "%e{name} = tensor.empty() : tensor<8x8xf32>
%m{name} = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]}} ins({mask}, %{name} : tensor<8x8x{kind}>, tensor<8x8xf32>) outs(%e{name} : tensor<8x8xf32>) {{
^bb0(%is: {kind}, %in: f32, %out: f32):
  %0 = {}
  linalg.yield %0 : f32
}} -> tensor<8x8xf32>
{sums}
%r{name} = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]}} ins(%s{name} : tensor<8xf32>) outs(%f{name} : tensor<8xf32>) {{
^bb0(%in: f32, %out: f32):
  %0 = arith.mulf %in, %half : f32
  linalg.yield %0 : f32
}} -> tensor<8xf32>
",
        match kind {
            "i1" => "arith.select %is, %in, %zero : f32",
            _ => "arith.mulf %is, %in : f32",
        }
    )
}

#[track_caller]
fn check(operations: &[&str], expected: &Expect) {
    let found = said(&(NUMBERS.to_owned() + &operations.concat()));
    expected.assert_eq(&found.join("\n"));
}

#[test]
fn one_tensor_of_indices_is_read_along_two_dimensions() {
    check(
        &[INDICES, MASK, &mean("x", "%mask", "i1")],
        &expect!["rows(sum(select(i64(index(1))<=i64(index(0)),x,0))*0.5):8x[8]xf32 chain"],
    );
}

/// A reshape of a mask keeps the order of its dimensions.
#[test]
fn masks_are_reshaped() {
    let there = "%wide = tensor.expand_shape %mask [[0], [1, 2]] output_shape [8, 1, 8] : tensor<8x8xi1> into tensor<8x1x8xi1>
%again = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%wide : tensor<8x1x8xi1>) outs(%no : tensor<8x8xi1>) {
^bb0(%in: i1, %out: i1):
  linalg.yield %in : i1
} -> tensor<8x8xi1>
";
    check(
        &[INDICES, MASK, there, &mean("x", "%again", "i1")],
        &expect!["rows(sum(select(i64(index(1))<=i64(index(0)),x,0))*0.5):8x[8]xf32 chain"],
    );
}

#[test]
fn each_user_computes_a_mask() {
    check(
        &[
            INDICES,
            MASK,
            &mean("x", "%mask", "i1"),
            &mean("y", "%mask", "i1"),
        ],
        &expect![[r#"
            rows(sum(select(i64(index(1))<=i64(index(0)),x,0))*0.5):8x[8]xf32 chain
            rows(sum(select(i64(index(1))<=i64(index(0)),x,0))*0.5):8x[8]xf32 chain"#]],
    );
}

/// A mask is an input if a program lacks one of its operations.
#[test]
fn unknown_operations_of_indices_are_inputs() {
    let mask = MASK.replace("arith.cmpi sle", "arith.cmpi ule");
    check(
        &[INDICES, &mask, &mean("x", "%mask", "i1")],
        &expect!["rows(sum(select(x1,x,0))*0.5):8x[8]xf32,i1 chain"],
    );
    let bias = MASK.replace("i1", "f32").replace(
        "arith.cmpi sle, %column, %row : i64",
        "math.unknown %column, %row : i64, i64 to f32",
    );
    check(
        &[INDICES, &bias, &mean("x", "%mask", "f32")],
        &expect!["rows(sum(x*x1)*0.5):8x[8]xf32,f32 chain"],
    );
}

/// Returns the sums over both dimensions of `%NAME` times `factor`, of type 8x8xf32, below the sums
/// over its columns.
fn sums(name: &str, factor: &str) -> String {
    let sums = row_sums(name, name);
    format!(
        "{sums}
%t{name} = linalg.generic {{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = [\"parallel\", \"reduction\", \"reduction\"]}} ins(%{name}, {factor} : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z{name} : tensor<8xf32>) {{
^bb0(%in: f32, %by: f32, %out: f32):
  %0 = arith.mulf %in, %by : f32
  %1 = arith.addf %0, %out : f32
  linalg.yield %1 : f32
}} -> tensor<8xf32>
%r{name} = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]}} ins(%s{name}, %t{name} : tensor<8xf32>, tensor<8xf32>) outs(%f{name} : tensor<8xf32>) {{
^bb0(%one: f32, %other: f32, %out: f32):
  %0 = arith.subf %one, %other : f32
  linalg.yield %0 : f32
}} -> tensor<8xf32>
"
    )
}

/// The biases of ALiBi are distances of indices.
#[test]
fn distances_of_indices() {
    let bias = MASK.replace("i1", "f32").replace(
        "%0 = arith.cmpi sle, %column, %row : i64",
        "%1 = arith.subi %column, %row : i64\n  %2 = math.absi %1 : i64\n  %0 = arith.sitofp %2 : i64 to f32",
    );
    check(
        &[INDICES, &bias, &mean("x", "%mask", "f32")],
        &expect!["rows(sum(f32(absi(i64(index(1))-i64(index(0))))*x)*0.5):8x[8]xf32 chain"],
    );
}

/// A dimension of a mask alone is one of the iteration, too.
#[test]
fn reduced_dimensions_of_masks_are_not_lost() {
    let bias = MASK.replace("i1", "f32").replace(
        "%0 = arith.cmpi sle, %column, %row : i64",
        "%1 = arith.subi %column, %row : i64\n  %0 = arith.sitofp %1 : i64 to f32",
    );
    check(
        &[INDICES, &bias, &sums("x", "%mask")],
        &expect![[r#"
        no input has all dimensions of the iteration, (d0, d1, d2), with the parallel ones in the order of the output. The first input of a problem must have all but those of size 1 none
        rows(sum(x)-at(x1)):8x[8]xf32,f32(0) chain"#]],
    );
    let filled = "%none = tensor.empty() : tensor<8x8xf32>
%mask = linalg.fill ins(%half : f32) outs(%none : tensor<8x8xf32>) -> tensor<8x8xf32>
";
    check(
        &[filled, &sums("x", "%mask")],
        &expect![[r#"
        no input has all dimensions of the iteration, (d0, d1, d2), with the parallel ones in the order of the output. The first input of a problem must have all but those of size 1 none
        rows(sum(x)-at(x1)):8x[8]xf32,f32(0) chain"#]],
    );
}

/// The contents of an output are no constant.
#[test]
fn outputs_that_are_read_are_inputs() {
    let bias = "%mask = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} outs(%y : tensor<8x8xf32>) {
^bb0(%out: f32):
  %0 = arith.mulf %out, %half : f32
  linalg.yield %0 : f32
} -> tensor<8x8xf32>
";
    check(
        &[bias, &mean("x", "%mask", "f32")],
        &expect!["rows(sum(x*0.5*x1)*0.5):8x[8]xf32,f32 chain"],
    );
}

#[test]
fn an_index_of_no_dimension_is_refused() {
    let wrong = INDICES.replace("linalg.index 0", "linalg.index 7");
    check(
        &[&wrong, MASK, &mean("x", "%mask", "i1")],
        &expect!["rows(sum(select(x2<=x1,x,0))*0.5):8x[8]xf32,i64(0),i64(1) chain"],
    );
}

/// Each operation uses the one before twice, so that there are 2^40 paths to the indices.
#[test]
fn shared_elements_are_computed_once() {
    let mut operations = [NUMBERS, INDICES, MASK].concat();
    for number in 0..40 {
        let before = match number {
            0 => "%mask".to_owned(),
            _ => format!("%mask{}", number - 1),
        };
        operations += &format!(
            "%mask{number} = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]}} ins({before}, {before} : tensor<8x8xi1>, tensor<8x8xi1>) outs(%no : tensor<8x8xi1>) {{
^bb0(%one: i1, %other: i1, %out: i1):
  %0 = arith.xori %one, %other : i1
  linalg.yield %0 : i1
}} -> tensor<8x8xi1>
"
        );
    }
    let found = said(&(operations + &mean("x", "%mask39", "i1")));
    let [one] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(one.starts_with("rows(e1=i64(index(0));"), "{one}");
}
