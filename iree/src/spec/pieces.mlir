// IREE tuning spec by wavetune 0.1.0 for gfx942.
// Made with iree-compile 3.13.0; other versions may reject it.
// Rows of 2 of its problems are split by the file that goes with it, where iree-compile is given that, too:
// --iree-preprocessing-transform-spec-filename=FILE. Without it they are whole.
module attributes {iree_codegen.tuning_spec_with_default_entrypoint, transform.with_named_sequence} {
  transform.named_sequence @apply(%op: !transform.any_op {transform.readonly}, %configuration: !transform.any_param {transform.readonly}) {
    transform.annotate %op "compilation_info" = %configuration : !transform.any_op, !transform.any_param
    transform.annotate %op "__tuning_spec_applied__" : !transform.any_op
    transform.yield
  }

  // argmax:4x[32000]xf32:i32: a test
  transform.named_sequence @match_argmax_4xr32000xf32_i32(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<4x32000xf32>, %values: tensor<4xf32>, %indices: tensor<4xi32>):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input : tensor<4x32000xf32>) outs(%values, %indices : tensor<4xf32>, tensor<4xi32>) {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.cmpf ogt, %a, %b : f32
        iree_linalg_ext.yield %0 : i1
      } -> tensor<4xf32>, tensor<4xi32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // argmax:4x[256]xf32:i32:index_base: a test
  transform.named_sequence @match_argmax_4xr256xf32_i32_based(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<4x256xf32>, %values: tensor<4xf32>, %indices: tensor<4xi32>, %base: index):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input : tensor<4x256xf32>) outs(%values, %indices : tensor<4xf32>, tensor<4xi32>) index_base(%base : index) {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.cmpf ogt, %a, %b : f32
        iree_linalg_ext.yield %0 : i1
      } -> tensor<4xf32>, tensor<4xi32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // argmax:4x[125]xf32:i32:explicit_index: the results of pieces of argmax:4x[32000]xf32:i32, in all a test
  transform.named_sequence @match_argmax_4xr125xf32_i32_explicit(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<4x125xf32>, %explicit: tensor<4x125xi32>, %values: tensor<4xf32>, %indices: tensor<4xi32>):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input, %explicit : tensor<4x125xf32>, tensor<4x125xi32>) outs(%values, %indices : tensor<4xf32>, tensor<4xi32>) {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.cmpf ogt, %a, %b : f32
        iree_linalg_ext.yield %0 : i1
      } -> tensor<4xf32>, tensor<4xi32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 125], thread = [0, 125], lane_basis = [[1, 1], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // argmin:4x[256]xf64:i64:explicit_index: pieces of rows of argmin:4x[32000]xf64:i64:explicit_index, in all a test
  // Matches with --iree-input-demote-f64-to-f32=false only.
  transform.named_sequence @match_argmin_4xr256xf64_i64_explicit(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<4x256xf64>, %explicit: tensor<4x256xi64>, %values: tensor<4xf64>, %indices: tensor<4xi64>):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input, %explicit : tensor<4x256xf64>, tensor<4x256xi64>) outs(%values, %indices : tensor<4xf64>, tensor<4xi64>) {
      ^bb0(%a: f64, %b: f64):
        %0 = arith.cmpf olt, %a, %b : f64
        iree_linalg_ext.yield %0 : i1
      } -> tensor<4xf64>, tensor<4xi64>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 256], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // argmin:4x[125]xf64:i64:explicit_index: the results of pieces of argmin:4x[32000]xf64:i64:explicit_index, in all a test
  // Matches with --iree-input-demote-f64-to-f32=false only.
  transform.named_sequence @match_argmin_4xr125xf64_i64_explicit(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<4x125xf64>, %explicit: tensor<4x125xi64>, %values: tensor<4xf64>, %indices: tensor<4xi64>):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input, %explicit : tensor<4x125xf64>, tensor<4x125xi64>) outs(%values, %indices : tensor<4xf64>, tensor<4xi64>) {
      ^bb0(%a: f64, %b: f64):
        %0 = arith.cmpf olt, %a, %b : f64
        iree_linalg_ext.yield %0 : i1
      } -> tensor<4xf64>, tensor<4xi64>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 125], thread = [0, 125], lane_basis = [[1, 1], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  transform.named_sequence @__kernel_config(%module: !transform.any_op {transform.consumed}) -> !transform.any_op attributes {iree_codegen.tuning_spec_entrypoint} {
    %updated = transform.foreach_match in %module
      @match_argmax_4xr32000xf32_i32 -> @apply,
      @match_argmax_4xr256xf32_i32_based -> @apply,
      @match_argmax_4xr125xf32_i32_explicit -> @apply,
      @match_argmin_4xr256xf64_i64_explicit -> @apply,
      @match_argmin_4xr125xf64_i64_explicit -> @apply : (!transform.any_op) -> !transform.any_op
    transform.yield %updated : !transform.any_op
  }
}
