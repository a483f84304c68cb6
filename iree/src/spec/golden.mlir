// IREE tuning spec by wavetune 0.1.0 for gfx942.
// Made with iree-compile 3.13.0; other versions may reject it.
module attributes {iree_codegen.tuning_spec_with_default_entrypoint, transform.with_named_sequence} {
  transform.named_sequence @apply(%op: !transform.any_op {transform.readonly}, %configuration: !transform.any_param {transform.readonly}) {
    transform.annotate %op "compilation_info" = %configuration : !transform.any_op, !transform.any_param
    transform.annotate %op "__tuning_spec_applied__" : !transform.any_op
    transform.yield
  }

  // argmax:4x[4096]xf32:i32: 7.5 us on mi300x }} (modelled)
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

  // argmin:8x[4096]xbf16:i64: 7.5 us on mi300x }} (modelled)
  transform.named_sequence @match_argmin_8xr4096xbf16_i64(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<8x4096xbf16>, %values: tensor<8xbf16>, %indices: tensor<8xi64>):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input : tensor<8x4096xbf16>) outs(%values, %indices : tensor<8xbf16>, tensor<8xi64>) {
      ^bb0(%a: bf16, %b: bf16):
        %0 = arith.cmpf olt, %a, %b : bf16
        iree_linalg_ext.yield %0 : i1
      } -> tensor<8xbf16>, tensor<8xi64>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // argmax_nan:8x[4096]xbf16:i64:index_base: 7.5 us on mi300x }} (modelled)
  transform.named_sequence @match_argmax_nan_8xr4096xbf16_i64_based(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<8x4096xbf16>, %values: tensor<8xbf16>, %indices: tensor<8xi64>, %base: index):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input : tensor<8x4096xbf16>) outs(%values, %indices : tensor<8xbf16>, tensor<8xi64>) index_base(%base : index) {
      ^bb0(%a: bf16, %b: bf16):
        %0 = arith.cmpf ord, %b, %b : bf16
        %1 = arith.cmpf ugt, %a, %b : bf16
        %2 = arith.andi %0, %1 : i1
        iree_linalg_ext.yield %2 : i1
      } -> tensor<8xbf16>, tensor<8xi64>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // argmax_last:4x[4096]xf16:i32:explicit_index: 7.5 us on mi300x }} (modelled)
  transform.named_sequence @match_argmax_last_4xr4096xf16_i32_explicit(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<4x4096xf16>, %explicit: tensor<4x4096xi32>, %values: tensor<4xf16>, %indices: tensor<4xi32>):
      %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input, %explicit : tensor<4x4096xf16>, tensor<4x4096xi32>) outs(%values, %indices : tensor<4xf16>, tensor<4xi32>) {
      ^bb0(%a: f16, %b: f16):
        %0 = arith.cmpf oge, %a, %b : f16
        iree_linalg_ext.yield %0 : i1
      } -> tensor<4xf16>, tensor<4xi32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // argmax:?x[4096]xf32:i32:count=1..512: 7.5 us on mi300x }} (modelled)
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
      @match_argmin_8xr4096xbf16_i64 -> @apply,
      @match_argmax_nan_8xr4096xbf16_i64_based -> @apply,
      @match_argmax_last_4xr4096xf16_i32_explicit -> @apply,
      @match_argmax_nxr4096xf32_i32 -> @apply : (!transform.any_op) -> !transform.any_op
    transform.yield %updated : !transform.any_op
  }
}
