// IREE tuning spec by wavetune 0.1.0 for gfx942.
// Made with iree-compile 3.13.0; other versions may reject it.
module attributes {iree_codegen.tuning_spec_with_default_entrypoint, transform.with_named_sequence} {
  transform.named_sequence @apply(%op: !transform.any_op {transform.readonly}, %configuration: !transform.any_param {transform.readonly}) {
    transform.annotate %op "compilation_info" = %configuration : !transform.any_op, !transform.any_param
    transform.annotate %op "__tuning_spec_applied__" : !transform.any_op
    transform.yield
  }

  // argmax:4x[4096]xf32:i32: 7.5 us
  transform.named_sequence @match_argmax_4xr4096xf32_i32(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<4x4096xf32>, %values: tensor<4xf32>, %indices: tensor<4xi32>):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input : tensor<4x4096xf32>) outs(%values, %indices : tensor<4xf32>, tensor<4xi32>) {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.cmpf ogt, %a, %b : f32
        iree_linalg_ext.yield %0 : i1
      } -> tensor<4xf32>, tensor<4xi32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // argmin:4x[4096..8192 by 1024]xf64:i64:explicit_index: 7.5 us, right on 7 samples
  // Matches with --iree-input-demote-f64-to-f32=false only.
  transform.named_sequence @match_argmin_4xr4096to8192by1024xf64_i64_explicit(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<4x?xf64>, %explicit: tensor<4x?xi64>, %values: tensor<4xf64>, %indices: tensor<4xi64>):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input, %explicit : tensor<4x?xf64>, tensor<4x?xi64>) outs(%values, %indices : tensor<4xf64>, tensor<4xi64>) {
      ^bb0(%a: f64, %b: f64):
        %0 = arith.cmpf olt, %a, %b : f64
        iree_linalg_ext.yield %0 : i1
      } -> tensor<4xf64>, tensor<4xi64>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %sized = transform.get_operand %op[0] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.dim_bounds %sized[1], umin = 4096, umax = 8192 : !transform.any_value
    transform.iree.match.dim_is_multiple_of %sized[1], 1024 : !transform.any_value
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // argmax:4..6 by 2x[4096..8192 by 1024]xf32:i32: 7.5 us, right on 7 samples
  transform.named_sequence @match_argmax_4to6by2xr4096to8192by1024xf32_i32(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<?x?xf32>, %values: tensor<?xf32>, %indices: tensor<?xi32>):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input : tensor<?x?xf32>) outs(%values, %indices : tensor<?xf32>, tensor<?xi32>) {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.cmpf ogt, %a, %b : f32
        iree_linalg_ext.yield %0 : i1
      } -> tensor<?xf32>, tensor<?xi32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %sized = transform.get_operand %op[0] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.dim_bounds %sized[0], umin = 4, umax = 6 : !transform.any_value
    transform.iree.match.dim_is_multiple_of %sized[0], 2 : !transform.any_value
    transform.iree.match.dim_bounds %sized[1], umin = 4096, umax = 8192 : !transform.any_value
    transform.iree.match.dim_is_multiple_of %sized[1], 1024 : !transform.any_value
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [2, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // argmax:4..6x[4096..8192 by 1024]xf32:i32: 7.5 us, right on 7 samples
  transform.named_sequence @match_argmax_4to6by1xr4096to8192by1024xf32_i32(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<?x?xf32>, %values: tensor<?xf32>, %indices: tensor<?xi32>):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input : tensor<?x?xf32>) outs(%values, %indices : tensor<?xf32>, tensor<?xi32>) {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.cmpf ogt, %a, %b : f32
        iree_linalg_ext.yield %0 : i1
      } -> tensor<?xf32>, tensor<?xi32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %sized = transform.get_operand %op[0] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.dim_bounds %sized[0], umin = 4, umax = 6 : !transform.any_value
    transform.iree.match.dim_bounds %sized[1], umin = 4096, umax = 8192 : !transform.any_value
    transform.iree.match.dim_is_multiple_of %sized[1], 1024 : !transform.any_value
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // argmax:?x[4096]xf32:i32:count=1..512: 7.5 us
  transform.named_sequence @match_argmax_nxr4096xf32_i32(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<?x4096xf32>, %values: tensor<?xf32>, %indices: tensor<?xi32>):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input : tensor<?x4096xf32>) outs(%values, %indices : tensor<?xf32>, tensor<?xi32>) {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.cmpf ogt, %a, %b : f32
        iree_linalg_ext.yield %0 : i1
      } -> tensor<?xf32>, tensor<?xi32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  transform.named_sequence @__kernel_config(%module: !transform.any_op {transform.consumed}) -> !transform.any_op attributes {iree_codegen.tuning_spec_entrypoint} {
    %updated = transform.foreach_match in %module
      @match_argmax_4xr4096xf32_i32 -> @apply,
      @match_argmin_4xr4096to8192by1024xf64_i64_explicit -> @apply,
      @match_argmax_4to6by2xr4096to8192by1024xf32_i32 -> @apply,
      @match_argmax_4to6by1xr4096to8192by1024xf32_i32 -> @apply,
      @match_argmax_nxr4096xf32_i32 -> @apply : (!transform.any_op) -> !transform.any_op
    transform.yield %updated : !transform.any_op
  }
}
