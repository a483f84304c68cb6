// IREE tuning spec by wavetune 0.1.0 for gfx942.
// Made with iree-compile 3.13.0; other versions may reject it.
module attributes {iree_codegen.tuning_spec_with_default_entrypoint, transform.with_named_sequence} {
  transform.named_sequence @apply(%op: !transform.any_op {transform.readonly}, %configuration: !transform.any_param {transform.readonly}) {
    transform.annotate %op "compilation_info" = %configuration : !transform.any_op, !transform.any_param
    transform.annotate %op "__tuning_spec_applied__" : !transform.any_op
    transform.yield
  }

  // umax:[100]x768xi16: a test
  transform.named_sequence @match_umax_r100x768xi16_i16(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input_0: tensor<100x768xi16>, %first: tensor<768xi16>):
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input_0 : tensor<100x768xi16>) outs(%first : tensor<768xi16>) {
      ^bb0(%a: i16, %b: i16):
        %0 = arith.maxui %b, %a : i16
        linalg.yield %0 : i16
      } -> tensor<768xi16>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [64, 0], partial_reduction = [0, 16], thread = [4, 1], lane_basis = [[2, 16], [1, 0]], subgroup_basis = [[1, 2], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [128, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // umax:[100]x768xi16: a test
  transform.named_sequence @match_umax_r100x768xi16_i16_turned(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input_0: tensor<100x768xi16>, %first: tensor<768xi16>):
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input_0 : tensor<100x768xi16>) outs(%first : tensor<768xi16>) {
      ^bb0(%a: i16, %b: i16):
        %0 = arith.maxui %a, %b : i16
        linalg.yield %0 : i16
      } -> tensor<768xi16>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [64, 0], partial_reduction = [0, 16], thread = [4, 1], lane_basis = [[2, 16], [1, 0]], subgroup_basis = [[1, 2], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [128, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // sum:64x[4096]xf64: a test
  // Matches with --iree-input-demote-f64-to-f32=false only.
  transform.named_sequence @match_sum_64xr4096xf64_f64(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input_0: tensor<64x4096xf64>, %first: tensor<64xf64>):
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input_0 : tensor<64x4096xf64>) outs(%first : tensor<64xf64>) {
      ^bb0(%a: f64, %b: f64):
        %0 = arith.addf %b, %a : f64
        linalg.yield %0 : f64
      } -> tensor<64xf64>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // sum:64x[4096]xf64: a test
  // Matches with --iree-input-demote-f64-to-f32=false only.
  transform.named_sequence @match_sum_64xr4096xf64_f64_turned(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input_0: tensor<64x4096xf64>, %first: tensor<64xf64>):
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input_0 : tensor<64x4096xf64>) outs(%first : tensor<64xf64>) {
      ^bb0(%a: f64, %b: f64):
        %0 = arith.addf %a, %b : f64
        linalg.yield %0 : f64
      } -> tensor<64xf64>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // sum:?x[4096]xf16:count=1..512: a test
  transform.named_sequence @match_sum_nxr4096xf16_f32(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input_0: tensor<?x4096xf16>, %first: tensor<?xf32>):
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input_0 : tensor<?x4096xf16>) outs(%first : tensor<?xf32>) {
      ^bb0(%a: f16, %b: f32):
        %0 = arith.extf %a : f16 to f32
        %1 = arith.addf %b, %0 : f32
        linalg.yield %1 : f32
      } -> tensor<?xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // sum:?x[4096]xf16:count=1..512: a test
  transform.named_sequence @match_sum_nxr4096xf16_f32_turned(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input_0: tensor<?x4096xf16>, %first: tensor<?xf32>):
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input_0 : tensor<?x4096xf16>) outs(%first : tensor<?xf32>) {
      ^bb0(%a: f16, %b: f32):
        %0 = arith.extf %a : f16 to f32
        %1 = arith.addf %0, %b : f32
        linalg.yield %1 : f32
      } -> tensor<?xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  transform.named_sequence @__kernel_config(%module: !transform.any_op {transform.consumed}) -> !transform.any_op attributes {iree_codegen.tuning_spec_entrypoint} {
    %updated = transform.foreach_match in %module
      @match_umax_r100x768xi16_i16 -> @apply,
      @match_umax_r100x768xi16_i16_turned -> @apply,
      @match_sum_64xr4096xf64_f64 -> @apply,
      @match_sum_64xr4096xf64_f64_turned -> @apply,
      @match_sum_nxr4096xf16_f32 -> @apply,
      @match_sum_nxr4096xf16_f32_turned -> @apply : (!transform.any_op) -> !transform.any_op
    transform.yield %updated : !transform.any_op
  }
}
