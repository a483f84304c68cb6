// IREE preprocessing spec by wavetune 0.1.0 for gfx942.
// Made with iree-compile 3.13.0; for a tuning spec that was written with it.
module attributes {transform.with_named_sequence} {

  // argmax:4x[32000]xf32:i32: rows in pieces of 256, a test
  transform.named_sequence @match_argmax_4xr32000xf32_i32(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<4x32000xf32>):
      %begin = arith.constant 0xFF800000 : f32
      %begin_place = arith.constant 0 : i32
      %no_values = tensor.empty() : tensor<4xf32>
      %values = linalg.fill ins(%begin : f32) outs(%no_values : tensor<4xf32>) -> tensor<4xf32>
      %no_indices = tensor.empty() : tensor<4xi32>
      %indices = linalg.fill ins(%begin_place : i32) outs(%no_indices : tensor<4xi32>) -> tensor<4xi32>
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input : tensor<4x32000xf32>) outs(%values, %indices : tensor<4xf32>, tensor<4xi32>) {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.cmpf ogt, %a, %b : f32
        iree_linalg_ext.yield %0 : i1
      } -> tensor<4xf32>, tensor<4xi32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    transform.yield %op : !transform.any_op
  }
  transform.named_sequence @split_argmax_4xr32000xf32_i32(%op: !transform.any_op {transform.readonly}) {
    %size = transform.param.constant [256] -> !transform.any_param
    transform.annotate %op "iree_linalg_ext.split_reduction" = %size : !transform.any_op, !transform.any_param
    transform.yield
  }

  // argmin:4x[32000]xf64:i64:explicit_index: rows in pieces of 256, a test
  // Matches with --iree-input-demote-f64-to-f32=false only.
  transform.named_sequence @match_argmin_4xr32000xf64_i64_explicit(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<4x32000xf64>, %explicit: tensor<4x32000xi64>):
      %begin = arith.constant 0x7FF0000000000000 : f64
      %begin_place = arith.constant 0 : i64
      %no_values = tensor.empty() : tensor<4xf64>
      %values = linalg.fill ins(%begin : f64) outs(%no_values : tensor<4xf64>) -> tensor<4xf64>
      %no_indices = tensor.empty() : tensor<4xi64>
      %indices = linalg.fill ins(%begin_place : i64) outs(%no_indices : tensor<4xi64>) -> tensor<4xi64>
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input, %explicit : tensor<4x32000xf64>, tensor<4x32000xi64>) outs(%values, %indices : tensor<4xf64>, tensor<4xi64>) {
      ^bb0(%a: f64, %b: f64):
        %0 = arith.cmpf olt, %a, %b : f64
        iree_linalg_ext.yield %0 : i1
      } -> tensor<4xf64>, tensor<4xi64>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    transform.yield %op : !transform.any_op
  }
  transform.named_sequence @split_argmin_4xr32000xf64_i64_explicit(%op: !transform.any_op {transform.readonly}) {
    %size = transform.param.constant [256] -> !transform.any_param
    transform.annotate %op "iree_linalg_ext.split_reduction" = %size : !transform.any_op, !transform.any_param
    transform.yield
  }

  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %functions = transform.structured.match ops{["util.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.foreach %functions : !transform.any_op {
    ^bb1(%function: !transform.any_op):
      transform.foreach_match in %function
        @match_argmax_4xr32000xf32_i32 -> @split_argmax_4xr32000xf32_i32,
        @match_argmin_4xr32000xf64_i64_explicit -> @split_argmin_4xr32000xf64_i64_explicit : (!transform.any_op) -> !transform.any_op
    }
    transform.yield
  }
}
