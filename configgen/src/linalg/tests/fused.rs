//! Tests of reductions that take in preceding operations of a module.

use super::super::operations;
use super::said;

const ALL: &str = "affine_map<(d0, d1) -> (d0, d1)>";

/// Returns a pointwise operation of f32 tensors of 8x64 elements.
fn pointwise(name: &str, inputs: &[(&str, &str)], body: &str) -> String {
    let maps: Vec<&str> = inputs.iter().map(|it| it.1).chain([ALL]).collect();
    let names: Vec<&str> = inputs.iter().map(|it| it.0).collect();
    let types = inputs.iter().map(|it| match it.1 == ALL {
        true => "tensor<8x64xf32>",
        false => "tensor<8xf32>",
    });
    let arguments: Vec<String> = (0..inputs.len()).map(|it| format!("%a{it}: f32")).collect();
    format!(
        "%{name}_to = tensor.empty() : tensor<8x64xf32>
%{name} = linalg.generic {{indexing_maps = [{}], iterator_types = [\"parallel\", \"parallel\"]}} ins({} : {}) outs(%{name}_to : tensor<8x64xf32>) {{
^bb0({}, %o: f32):
  %0 = {body} : f32
  linalg.yield %0 : f32
}} -> tensor<8x64xf32>
",
        maps.join(", "),
        names.join(", "),
        types.collect::<Vec<_>>().join(", "),
        arguments.join(", ")
    )
}

/// Returns a fold of each row.
fn fold(name: &str, of: &str, begin: &str, body: &str) -> String {
    format!(
        "%{name}_begin = arith.constant {begin} : f32
%{name}_to = tensor.empty() : tensor<8xf32>
%{name}_fill = linalg.fill ins(%{name}_begin : f32) outs(%{name}_to : tensor<8xf32>) -> tensor<8xf32>
%{name} = linalg.generic {{indexing_maps = [{ALL}, {ROW}], iterator_types = [\"parallel\", \"reduction\"]}} ins({of} : tensor<8x64xf32>) outs(%{name}_fill : tensor<8xf32>) {{
^bb0(%a: f32, %o: f32):
  %0 = {body} %a, %o : f32
  linalg.yield %0 : f32
}} -> tensor<8xf32>
"
    )
}

const ROW: &str = "affine_map<(d0, d1) -> (d0)>";

/// Returns a sampler: the argmax of a softmax, divided by noise as often as `divisions` says.
fn sampler(divisions: usize) -> String {
    let mut text = [
        fold("m", "%x", "0xFF800000", "arith.maximumf"),
        pointwise("less", &[("%x", ALL), ("%m", ROW)], "arith.subf %a0, %a1"),
        pointwise("e", &[("%less", ALL)], "math.exp %a0"),
        fold("s", "%e", "0.0", "arith.addf"),
        pointwise("p0", &[("%e", ALL), ("%s", ROW)], "arith.divf %a0, %a1"),
    ]
    .concat();
    for number in 0..divisions {
        let before = format!("%p{number}");
        let inputs = [(&*before, ALL), ("%q", ALL)];
        text += &pointwise(&format!("p{}", number + 1), &inputs, "arith.divf %a0, %a1");
    }
    text + &format!(
        "%least = arith.constant 0xFF800000 : f32
%zero = arith.constant 0 : i32
%v_to = tensor.empty() : tensor<8xf32>
%i_to = tensor.empty() : tensor<8xi32>
%v = linalg.fill ins(%least : f32) outs(%v_to : tensor<8xf32>) -> tensor<8xf32>
%i = linalg.fill ins(%zero : i32) outs(%i_to : tensor<8xi32>) -> tensor<8xi32>
%r:2 = iree_linalg_ext.arg_compare dimension(1) ins(%p{divisions} : tensor<8x64xf32>) outs(%v, %i : tensor<8xf32>, tensor<8xi32>) {{
^bb0(%a: f32, %b: f32):
  %0 = arith.cmpf ogt, %a, %b : f32
  iree_linalg_ext.yield %0 : i1
}} -> tensor<8xf32>, tensor<8xi32>
util.return %r#1 : tensor<8xi32>
"
    )
}

/// A comparison that takes in the last operations of a row program shares them. The comparison
/// without them has no entry, because the export reads it on its own.
#[test]
fn a_comparison_beside_a_row_operation_shares_nothing() {
    let module = sampler(1);
    assert_eq!(
        said(&module),
        [
            "rows(e1=exp(x-max(x));e1/sum(e1)/x1):8x[64]xf32,f32 chain",
            "argmax(3=arith.divf(0,1);arith.divf(3,2)):8x[64]xf32,f32(0),f32:i32 chain",
        ]
    );
    let found = operations(&module, &(1..=9)).unwrap();
    let shared: Vec<Option<usize>> = found.iter().map(|it| it.shares_with).collect();
    assert_eq!(shared, [None, Some(found[0].place)]);
}

/// The export reads a comparison of the elements themselves on its own.
#[test]
fn a_bare_comparison_of_a_softmax_has_no_entry() {
    assert_eq!(
        said(&sampler(0)),
        [
            "softmax:8x[64]xf32 chain",
            "argmax(arith.divf(0,1)):8x[64]xf32,f32(0):i32 chain",
        ]
    );
}

/// Returns a product of one token with weights that are widened to f32 first, as torch writes a
/// linear layer with a bias.
fn linear(product: &str, activation: &str) -> String {
    let widened = |name: &str, of: &str, sizes: &str| {
        format!(
            "%{name}_to = tensor.empty() : tensor<{sizes}xf32>
%{name} = linalg.generic {{indexing_maps = [{ALL}, {ALL}], iterator_types = [\"parallel\", \"parallel\"]}} ins({of} : tensor<{sizes}xf16>) outs(%{name}_to : tensor<{sizes}xf32>) {{
^bb0(%a: f16, %o: f32):
  %0 = arith.extf %a : f16 to f32
  linalg.yield %0 : f32
}} -> tensor<{sizes}xf32>
"
        )
    };
    format!(
        "%zero = arith.constant 0.0 : f32
{}{}%e = tensor.empty() : tensor<1x8xf32>
%fill = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
%r = {product} ins({activation}, %ww : tensor<1x64xf32>, tensor<64x8xf32>) outs(%fill : tensor<1x8xf32>) -> tensor<1x8xf32>
util.return %r : tensor<1x8xf32>
",
        widened("wx", "%x", "1x64"),
        widened("ww", "%w", "64x8")
    )
}

#[test]
fn a_product_reads_widened_operands_in_their_stored_type() {
    assert_eq!(
        said(&linear("linalg.matmul", "%wx")),
        ["dot:[64]x8xf16,f16(0) chain"]
    );
    let found = operations(&linear("linalg.matmul", "%wx"), &(1..=9)).unwrap();
    let parts: Vec<String> = found[0]
        .parts
        .iter()
        .map(|it| it.problem.as_ref().unwrap().to_string())
        .collect();
    assert_eq!(parts, ["dot:[64]x8xf32,f32(0)"]);
}
