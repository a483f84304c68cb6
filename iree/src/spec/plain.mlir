// IREE tuning spec by wavetune 0.1.0 for gfx942.
// Made with iree-compile 3.13.0; other versions may reject it.
module attributes {iree_codegen.tuning_spec_with_default_entrypoint, transform.with_named_sequence} {
  transform.named_sequence @apply(%op: !transform.any_op {transform.readonly}, %configuration: !transform.any_param {transform.readonly}) {
    transform.annotate %op "compilation_info" = %configuration : !transform.any_op, !transform.any_param
    transform.annotate %op "__tuning_spec_applied__" : !transform.any_op
    transform.yield
  }

  transform.named_sequence @apply_rms_norm(%op: !transform.any_op {transform.readonly}, %sum: !transform.any_op {transform.readonly}, %of_sum: !transform.any_param {transform.readonly}, %of_result: !transform.any_param {transform.readonly}) {
    transform.annotate %sum "compilation_info" = %of_sum : !transform.any_op, !transform.any_param
    transform.annotate %op "lowering_config" = %of_result : !transform.any_op, !transform.any_param
    transform.annotate %op "__tuning_spec_applied__" : !transform.any_op
    transform.yield
  }

  transform.named_sequence @apply_softmax(%op: !transform.any_op {transform.readonly}, %of_greatest: !transform.any_param {transform.readonly}, %of_sum: !transform.any_param {transform.readonly}, %of_result: !transform.any_param {transform.readonly}) {
    %greatest = transform.get_producer_of_operand %op[1] : (!transform.any_op) -> !transform.any_op
    %sum = transform.get_producer_of_operand %op[2] : (!transform.any_op) -> !transform.any_op
    transform.annotate %greatest "lowering_config" = %of_greatest : !transform.any_op, !transform.any_param
    transform.annotate %sum "compilation_info" = %of_sum : !transform.any_op, !transform.any_param
    transform.annotate %op "lowering_config" = %of_result : !transform.any_op, !transform.any_param
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

  // dot:64x[4096]xf16,f16(1): a test
  transform.named_sequence @match_dot_64xr4096xf16_f16d1_f32(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input_0: tensor<64x4096xf16>, %input_1: tensor<4096xf16>, %first: tensor<64xf32>):
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input_0, %input_1 : tensor<64x4096xf16>, tensor<4096xf16>) outs(%first : tensor<64xf32>) {
      ^bb0(%a: f16, %b: f16, %c: f32):
        %0 = arith.extf %a : f16 to f32
        %1 = arith.extf %b : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        %3 = arith.addf %c, %2 : f32
        linalg.yield %3 : f32
      } -> tensor<64xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // dot:64x[4096]xf16,f16(1): a test
  transform.named_sequence @match_dot_64xr4096xf16_f16d1_f32_turned(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input_0: tensor<64x4096xf16>, %input_1: tensor<4096xf16>, %first: tensor<64xf32>):
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input_0, %input_1 : tensor<64x4096xf16>, tensor<4096xf16>) outs(%first : tensor<64xf32>) {
      ^bb0(%a: f16, %b: f16, %c: f32):
        %0 = arith.extf %a : f16 to f32
        %1 = arith.extf %b : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        %3 = arith.addf %2, %c : f32
        linalg.yield %3 : f32
      } -> tensor<64xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // dot:64x[4096]xf16,f16(1): a test
  transform.named_sequence @match_dot_64xr4096xf16_f16d1_f32_named(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input_0: tensor<64x4096xf16>, %input_1: tensor<4096xf16>, %first: tensor<64xf32>):
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input_0, %input_1 : tensor<64x4096xf16>, tensor<4096xf16>) outs(%first : tensor<64xf32>) attrs = {linalg.memoized_indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>]} {
      ^bb0(%a: f16, %b: f16, %c: f32):
        %0 = arith.extf %a : f16 to f32
        %1 = arith.extf %b : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        %3 = arith.addf %c, %2 : f32
        linalg.yield %3 : f32
      } -> tensor<64xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // sum(2=arith.subf(0,1);arith.mulf(2,2)):8x[512]xf32,f32(0): a test
  transform.named_sequence @match_sum_of_8xr512xf32_f32d0_6eb486e1f65a5f0a_f32(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input_0: tensor<8x512xf32>, %input_1: tensor<8xf32>, %first: tensor<8xf32>):
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input_0, %input_1 : tensor<8x512xf32>, tensor<8xf32>) outs(%first : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %0 = arith.subf %a, %b : f32
        %1 = arith.mulf %0, %0 : f32
        %2 = arith.addf %c, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<8xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // sum(2=arith.subf(0,1);arith.mulf(2,2)):8x[512]xf32,f32(0): a test
  transform.named_sequence @match_sum_of_8xr512xf32_f32d0_6eb486e1f65a5f0a_f32_turned(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input_0: tensor<8x512xf32>, %input_1: tensor<8xf32>, %first: tensor<8xf32>):
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input_0, %input_1 : tensor<8x512xf32>, tensor<8xf32>) outs(%first : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %0 = arith.subf %a, %b : f32
        %1 = arith.mulf %0, %0 : f32
        %2 = arith.addf %1, %c : f32
        linalg.yield %2 : f32
      } -> tensor<8xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }

  // softmax:64x[768]xf32: a test
  transform.named_sequence @match_softmax_64xr768xf32(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<64x768xf32>, %none: tensor<64x768xf32>, %least: tensor<64xf32>, %zero: tensor<64xf32>):
      %greatest = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input : tensor<64x768xf32>) outs(%least : tensor<64xf32>) {
      ^bb0(%a: f32, %b: f32):
        %c = arith.maxnumf %a, %b : f32
        linalg.yield %c : f32
      } -> tensor<64xf32>
      %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input, %greatest : tensor<64x768xf32>, tensor<64xf32>) outs(%zero : tensor<64xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %d = arith.subf %a, %b : f32
        %e = math.exp %d : f32
        %g = arith.addf %e, %c : f32
        linalg.yield %g : f32
      } -> tensor<64xf32>
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%input, %greatest, %sum : tensor<64x768xf32>, tensor<64xf32>, tensor<64xf32>) outs(%none : tensor<64x768xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
        %e = arith.subf %a, %b : f32
        %g = math.exp %e : f32
        %h = arith.divf %g, %c : f32
        linalg.yield %h : f32
      } -> tensor<64x768xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %of_greatest = transform.param.constant #iree_gpu.lowering_config<{partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}> -> !transform.any_param
    %of_sum = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    %of_result = transform.param.constant #iree_gpu.lowering_config<{serial = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}> -> !transform.any_param
    transform.yield %op, %of_greatest, %of_sum, %of_result : !transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param
  }

  // softmax:2x64x[768]xf16: a test
  transform.named_sequence @match_softmax_2x64xr768xf16(%op: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {
    ^bb0(%input: tensor<2x64x768xf16>, %none: tensor<2x64x768xf16>, %least: tensor<2x64xf32>, %zero: tensor<2x64xf32>):
      %greatest = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%input : tensor<2x64x768xf16>) outs(%least : tensor<2x64xf32>) {
      ^bb0(%a: f16, %b: f32):
        %x = arith.extf %a : f16 to f32
        %c = arith.maxnumf %x, %b : f32
        linalg.yield %c : f32
      } -> tensor<2x64xf32>
      %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%input, %greatest : tensor<2x64x768xf16>, tensor<2x64xf32>) outs(%zero : tensor<2x64xf32>) {
      ^bb0(%a: f16, %b: f32, %c: f32):
        %x = arith.extf %a : f16 to f32
        %d = arith.subf %x, %b : f32
        %e = math.exp %d : f32
        %g = arith.addf %e, %c : f32
        linalg.yield %g : f32
      } -> tensor<2x64xf32>
      %result = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%input, %greatest, %sum : tensor<2x64x768xf16>, tensor<2x64xf32>, tensor<2x64xf32>) outs(%none : tensor<2x64x768xf16>) {
      ^bb0(%a: f16, %b: f32, %c: f32, %d: f16):
        %x = arith.extf %a : f16 to f32
        %e = arith.subf %x, %b : f32
        %g = math.exp %e : f32
        %h = arith.divf %g, %c : f32
        %y = arith.truncf %h : f32 to f16
        linalg.yield %y : f16
      } -> tensor<2x64x768xf16>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %of_greatest = transform.param.constant #iree_gpu.lowering_config<{partial_reduction = [0, 0, 512], thread = [0, 1, 8], lane_basis = [[1, 1, 64], [0, 1, 2]], subgroup_basis = [[1, 2, 1], [0, 1, 2]]}> -> !transform.any_param
    %of_sum = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 2, 0], partial_reduction = [0, 0, 512], thread = [0, 1, 8], lane_basis = [[1, 1, 64], [0, 1, 2]], subgroup_basis = [[1, 2, 1], [0, 1, 2]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [128, 1, 1] subgroup_size = 64>> -> !transform.any_param
    %of_result = transform.param.constant #iree_gpu.lowering_config<{serial = [0, 0, 512], thread = [0, 1, 8], lane_basis = [[1, 1, 64], [0, 1, 2]], subgroup_basis = [[1, 2, 1], [0, 1, 2]]}> -> !transform.any_param
    transform.yield %op, %of_greatest, %of_sum, %of_result : !transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param
  }

  // rms_norm:64x[768]xf32: a test
  transform.named_sequence @match_rms_norm_64xr768xf32_358637bd(%root: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_op, !transform.any_param, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %root {
    ^bb0(%x: f32, %s: f32, %w: f32):
      %n = arith.constant 768.0 : f32
      %epsilon = arith.constant 0x358637BD : f32
      %mean = arith.divf %s, %n : f32
      %more = arith.addf %mean, %epsilon : f32
      %scale = math.rsqrt %more : f32
      %scaled = arith.mulf %x, %scale : f32
      %y = arith.mulf %scaled, %w : f32
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %op = transform.get_parent_op %root : (!transform.any_op) -> !transform.any_op
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    %op_0 = transform.get_operand %op[0] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %op_0 = tensor<64x768xf32> : !transform.any_value
    %op_2 = transform.get_operand %op[2] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %op_2 = tensor<768xf32> : !transform.any_value
    %squares = transform.get_producer_of_operand %op[1] : (!transform.any_op) -> !transform.any_op
    %squared, %sums = transform.iree.match.cast_compatible_dag_from_root %squares {
    ^bb0(%input: tensor<64x768xf32>, %first: tensor<64xf32>):
      %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input : tensor<64x768xf32>) outs(%first : tensor<64xf32>) {
      ^bb0(%x: f32, %o: f32):
        %q = arith.mulf %x, %x : f32
        %r = arith.addf %q, %o : f32
        linalg.yield %r : f32
      } -> tensor<64xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %of_sum = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    %of_result = transform.param.constant #iree_gpu.lowering_config<{serial = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}> -> !transform.any_param
    transform.yield %op, %squares, %of_sum, %of_result : !transform.any_op, !transform.any_op, !transform.any_param, !transform.any_param
  }

  // rms_norm:64x[768]xf32: a test
  transform.named_sequence @match_rms_norm_64xr768xf32_358637bd_torch(%root: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_op, !transform.any_param, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %root {
    ^bb0(%x: f32, %s: f32, %w: f32):
      %n = arith.constant 768.0 : f32
      %epsilon = arith.constant 0x358637BD : f32
      %mean = arith.divf %s, %n : f32
      %more = arith.addf %mean, %epsilon : f32
      %scale = math.rsqrt %more : f32
      %scaled = arith.mulf %x, %scale : f32
      %y = arith.mulf %w, %scaled : f32
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %op = transform.get_parent_op %root : (!transform.any_op) -> !transform.any_op
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    %op_1 = transform.get_operand %op[1] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %op_1 = tensor<64x768xf32> : !transform.any_value
    %op_0 = transform.get_operand %op[0] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %op_0 = tensor<768xf32> : !transform.any_value
    %squares = transform.get_producer_of_operand %op[2] : (!transform.any_op) -> !transform.any_op
    transform.match.operation_name %squares ["linalg.generic"] : !transform.any_op
    %squares_0 = transform.get_operand %squares[0] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %squares_0 = tensor<64x768xf32> : !transform.any_value
    %of_sum = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    %of_result = transform.param.constant #iree_gpu.lowering_config<{serial = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}> -> !transform.any_param
    transform.yield %op, %squares, %of_sum, %of_result : !transform.any_op, !transform.any_op, !transform.any_param, !transform.any_param
  }

  // rms_norm:64x[768]xbf16: a test
  transform.named_sequence @match_rms_norm_64xr768xbf16_358637bd(%root: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_op, !transform.any_param, !transform.any_param) {
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %root {
    ^bb0(%x: bf16, %s: f32, %w: bf16):
      %n = arith.constant 768.0 : f32
      %epsilon = arith.constant 0x358637BD : f32
      %mean = arith.divf %s, %n : f32
      %more = arith.addf %mean, %epsilon : f32
      %scale = math.rsqrt %more : f32
      %x_wide = arith.extf %x : bf16 to f32
      %scaled = arith.mulf %x_wide, %scale : f32
      %w_wide = arith.extf %w : bf16 to f32
      %weighted = arith.mulf %scaled, %w_wide : f32
      %y = arith.truncf %weighted : f32 to bf16
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %op = transform.get_parent_op %root : (!transform.any_op) -> !transform.any_op
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    %op_0 = transform.get_operand %op[0] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %op_0 = tensor<64x768xbf16> : !transform.any_value
    %op_2 = transform.get_operand %op[2] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %op_2 = tensor<768xbf16> : !transform.any_value
    %squares = transform.get_producer_of_operand %op[1] : (!transform.any_op) -> !transform.any_op
    %squared, %sums = transform.iree.match.cast_compatible_dag_from_root %squares {
    ^bb0(%input: tensor<64x768xbf16>, %first: tensor<64xf32>):
      %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input : tensor<64x768xbf16>) outs(%first : tensor<64xf32>) {
      ^bb0(%x: bf16, %o: f32):
        %x_wide = arith.extf %x : bf16 to f32
        %q = arith.mulf %x_wide, %x_wide : f32
        %r = arith.addf %q, %o : f32
        linalg.yield %r : f32
      } -> tensor<64xf32>
    } : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %of_sum = transform.param.constant #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>> -> !transform.any_param
    %of_result = transform.param.constant #iree_gpu.lowering_config<{serial = [0, 1024], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}> -> !transform.any_param
    transform.yield %op, %squares, %of_sum, %of_result : !transform.any_op, !transform.any_op, !transform.any_param, !transform.any_param
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
      @match_dot_64xr4096xf16_f16d1_f32 -> @apply,
      @match_dot_64xr4096xf16_f16d1_f32_turned -> @apply,
      @match_dot_64xr4096xf16_f16d1_f32_named -> @apply,
      @match_sum_of_8xr512xf32_f32d0_6eb486e1f65a5f0a_f32 -> @apply,
      @match_sum_of_8xr512xf32_f32d0_6eb486e1f65a5f0a_f32_turned -> @apply,
      @match_softmax_64xr768xf32 -> @apply_softmax,
      @match_softmax_2x64xr768xf16 -> @apply_softmax,
      @match_rms_norm_64xr768xf32_358637bd -> @apply_rms_norm,
      @match_rms_norm_64xr768xf32_358637bd_torch -> @apply_rms_norm,
      @match_rms_norm_64xr768xbf16_358637bd -> @apply_rms_norm,
      @match_sum_nxr4096xf16_f32 -> @apply,
      @match_sum_nxr4096xf16_f32_turned -> @apply : (!transform.any_op) -> !transform.any_op
    transform.yield %updated : !transform.any_op
  }
}
