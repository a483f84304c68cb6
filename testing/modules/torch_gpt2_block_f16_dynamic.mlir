#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<()[s0] -> (s0 * 16)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0) -> (d0)>
#map6 = affine_map<(d0, d1) -> (0, d1)>
#map7 = affine_map<(d0, d1) -> (d0, 0)>
#map8 = affine_map<(d0, d1) -> ()>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map10 = affine_map<()[s0] -> (s0 * 4)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @torch_gpt2_block_f16_dynamic(%arg0: tensor<?x16x192xf16>, %arg1: tensor<192xf16>, %arg2: tensor<192xf16>, %arg3: tensor<192x576xf16>, %arg4: tensor<576xf16>, %arg5: tensor<192x192xf16>, %arg6: tensor<192xf16>, %arg7: tensor<192xf16>, %arg8: tensor<192xf16>, %arg9: tensor<192x768xf16>, %arg10: tensor<768xf16>, %arg11: tensor<768x192xf16>, %arg12: tensor<192xf16>) -> tensor<?x16x192xf16> {
    %c0_i64 = arith.constant 0 : i64
    %c3_i64 = arith.constant 3 : i64
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %true = arith.constant true
    %c4 = arith.constant 4 : index
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant 4.470830e-02 : f16
    %cst_3 = arith.constant 7.978520e-01 : f16
    %cst_4 = arith.constant 1.000000e+00 : f16
    %cst_5 = arith.constant 5.000000e-01 : f16
    %cst_6 = arith.constant dense<-6.550400e+04> : tensor<f16>
    %cst_7 = arith.constant dense<0.000000e+00> : tensor<16x16xf16>
    %cst_8 = arith.constant dense<true> : tensor<16x16xi1>
    %cst_9 = arith.constant 6.9282032302755088 : f64
    %cst_10 = arith.constant 1.000000e-05 : f64
    %cst_11 = arith.constant 1.920000e+02 : f64
    %cst_12 = arith.constant 1.920000e+02 : f32
    %dim = tensor.dim %arg0, %c0 : tensor<?x16x192xf16>
    %0 = arith.index_cast %dim : index to i64
    %1 = tensor.empty(%dim) : tensor<?x16x192xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<?x16x192xf16>) outs(%1 : tensor<?x16x192xf32>) {
    ^bb0(%in: f16, %out: f32):
      %131 = arith.extf %in : f16 to f32
      linalg.yield %131 : f32
    } -> tensor<?x16x192xf32>
    %3 = tensor.empty(%dim) : tensor<?x16x192xf64>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<?x16x192xf32>) outs(%3 : tensor<?x16x192xf64>) {
    ^bb0(%in: f32, %out: f64):
      %131 = arith.extf %in : f32 to f64
      linalg.yield %131 : f64
    } -> tensor<?x16x192xf64>
    %5 = tensor.empty(%dim) : tensor<?x16x1xf64>
    %6 = linalg.fill ins(%cst : f64) outs(%5 : tensor<?x16x1xf64>) -> tensor<?x16x1xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%4 : tensor<?x16x192xf64>) outs(%6 : tensor<?x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %131 = arith.addf %in, %out : f64
      linalg.yield %131 : f64
    } -> tensor<?x16x1xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<?x16x1xf64>) outs(%5 : tensor<?x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %131 = arith.divf %in, %cst_11 : f64
      linalg.yield %131 : f64
    } -> tensor<?x16x1xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %8 : tensor<?x16x192xf64>, tensor<?x16x1xf64>) outs(%3 : tensor<?x16x192xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %131 = arith.subf %in, %in_36 : f64
      linalg.yield %131 : f64
    } -> tensor<?x16x192xf64>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %9 : tensor<?x16x192xf64>, tensor<?x16x192xf64>) outs(%3 : tensor<?x16x192xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %131 = arith.mulf %in, %in_36 : f64
      linalg.yield %131 : f64
    } -> tensor<?x16x192xf64>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<?x16x192xf64>) outs(%6 : tensor<?x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %131 = arith.addf %in, %out : f64
      linalg.yield %131 : f64
    } -> tensor<?x16x1xf64>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<?x16x1xf64>) outs(%5 : tensor<?x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %131 = arith.divf %in, %cst_11 : f64
      linalg.yield %131 : f64
    } -> tensor<?x16x1xf64>
    %13 = tensor.empty(%dim) : tensor<?x16x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<?x16x1xf64>) outs(%13 : tensor<?x16x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %131 = arith.truncf %in : f64 to f32
      linalg.yield %131 : f32
    } -> tensor<?x16x1xf32>
    %15 = linalg.fill ins(%cst_0 : f32) outs(%13 : tensor<?x16x1xf32>) -> tensor<?x16x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<?x16x192xf32>) outs(%15 : tensor<?x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %131 = arith.addf %in, %out : f32
      linalg.yield %131 : f32
    } -> tensor<?x16x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<?x16x1xf32>) outs(%13 : tensor<?x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %131 = arith.divf %in, %cst_12 : f32
      linalg.yield %131 : f32
    } -> tensor<?x16x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<?x16x1xf32>) outs(%13 : tensor<?x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %131 = arith.truncf %cst_10 : f64 to f32
      %132 = arith.addf %in, %131 : f32
      linalg.yield %132 : f32
    } -> tensor<?x16x1xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<?x16x1xf32>) outs(%13 : tensor<?x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %131 = math.rsqrt %in : f32
      linalg.yield %131 : f32
    } -> tensor<?x16x1xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %17 : tensor<?x16x192xf32>, tensor<?x16x1xf32>) outs(%1 : tensor<?x16x192xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %131 = arith.subf %in, %in_36 : f32
      linalg.yield %131 : f32
    } -> tensor<?x16x192xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %19 : tensor<?x16x192xf32>, tensor<?x16x1xf32>) outs(%1 : tensor<?x16x192xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %131 = arith.mulf %in, %in_36 : f32
      linalg.yield %131 : f32
    } -> tensor<?x16x192xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %arg1 : tensor<?x16x192xf32>, tensor<192xf16>) outs(%1 : tensor<?x16x192xf32>) {
    ^bb0(%in: f32, %in_36: f16, %out: f32):
      %131 = arith.extf %in_36 : f16 to f32
      %132 = arith.mulf %in, %131 : f32
      linalg.yield %132 : f32
    } -> tensor<?x16x192xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %arg2 : tensor<?x16x192xf32>, tensor<192xf16>) outs(%1 : tensor<?x16x192xf32>) {
    ^bb0(%in: f32, %in_36: f16, %out: f32):
      %131 = arith.extf %in_36 : f16 to f32
      %132 = arith.addf %in, %131 : f32
      linalg.yield %132 : f32
    } -> tensor<?x16x192xf32>
    %24 = tensor.empty(%dim) : tensor<?x16x192xf16>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<?x16x192xf32>) outs(%24 : tensor<?x16x192xf16>) {
    ^bb0(%in: f32, %out: f16):
      %131 = arith.truncf %in : f32 to f16
      linalg.yield %131 : f16
    } -> tensor<?x16x192xf16>
    %collapsed = tensor.collapse_shape %25 [[0, 1], [2]] : tensor<?x16x192xf16> into tensor<?x192xf16>
    %26 = affine.apply #map3()[%dim]
    %27 = tensor.empty(%26) : tensor<?x576xf32>
    %28 = linalg.fill ins(%cst_0 : f32) outs(%27 : tensor<?x576xf32>) -> tensor<?x576xf32>
    %29 = linalg.matmul ins(%collapsed, %arg3 : tensor<?x192xf16>, tensor<192x576xf16>) outs(%28 : tensor<?x576xf32>) -> tensor<?x576xf32>
    %30 = tensor.empty(%26) : tensor<?x576xf16>
    %31 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%29 : tensor<?x576xf32>) outs(%30 : tensor<?x576xf16>) {
    ^bb0(%in: f32, %out: f16):
      %131 = arith.truncf %in : f32 to f16
      linalg.yield %131 : f16
    } -> tensor<?x576xf16>
    %32 = arith.divsi %26, %c16 : index
    %expanded = tensor.expand_shape %31 [[0, 1], [2]] output_shape [%32, 16, 576] : tensor<?x576xf16> into tensor<?x16x576xf16>
    %33 = tensor.empty(%32) : tensor<?x16x576xf16>
    %34 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %arg4 : tensor<?x16x576xf16>, tensor<576xf16>) outs(%33 : tensor<?x16x576xf16>) {
    ^bb0(%in: f16, %in_36: f16, %out: f16):
      %131 = arith.addf %in, %in_36 : f16
      linalg.yield %131 : f16
    } -> tensor<?x16x576xf16>
    %extracted_slice = tensor.extract_slice %34[0, 0, 0] [%32, 16, 192] [1, 1, 1] : tensor<?x16x576xf16> to tensor<?x16x192xf16>
    %extracted_slice_13 = tensor.extract_slice %34[0, 0, 192] [%32, 16, 192] [1, 1, 1] : tensor<?x16x576xf16> to tensor<?x16x192xf16>
    %extracted_slice_14 = tensor.extract_slice %34[0, 0, 384] [%32, 16, 192] [1, 1, 1] : tensor<?x16x576xf16> to tensor<?x16x192xf16>
    %35 = tensor.empty() : tensor<16xi64>
    %36 = linalg.generic {indexing_maps = [#map5], iterator_types = ["parallel"]} outs(%35 : tensor<16xi64>) {
    ^bb0(%out: i64):
      %131 = linalg.index 0 : index
      %132 = arith.index_cast %131 : index to i64
      linalg.yield %132 : i64
    } -> tensor<16xi64>
    %expanded_15 = tensor.expand_shape %36 [[0, 1]] output_shape [1, 16] : tensor<16xi64> into tensor<1x16xi64>
    %expanded_16 = tensor.expand_shape %36 [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64>
    %37 = tensor.empty() : tensor<16x16xi64>
    %38 = linalg.generic {indexing_maps = [#map6, #map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_15, %expanded_16 : tensor<1x16xi64>, tensor<16x1xi64>) outs(%37 : tensor<16x16xi64>) {
    ^bb0(%in: i64, %in_36: i64, %out: i64):
      %131 = arith.subi %in, %in_36 : i64
      linalg.yield %131 : i64
    } -> tensor<16x16xi64>
    %39 = tensor.empty() : tensor<16x16xi1>
    %40 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%38 : tensor<16x16xi64>) outs(%39 : tensor<16x16xi1>) {
    ^bb0(%in: i64, %out: i1):
      %131 = arith.cmpi sle, %in, %c0_i64 : i64
      linalg.yield %131 : i1
    } -> tensor<16x16xi1>
    %41 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%40, %cst_8 : tensor<16x16xi1>, tensor<16x16xi1>) outs(%39 : tensor<16x16xi1>) {
    ^bb0(%in: i1, %in_36: i1, %out: i1):
      %131 = arith.andi %in, %in_36 : i1
      linalg.yield %131 : i1
    } -> tensor<16x16xi1>
    %42 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%41 : tensor<16x16xi1>) outs(%39 : tensor<16x16xi1>) {
    ^bb0(%in: i1, %out: i1):
      %131 = arith.xori %in, %true : i1
      linalg.yield %131 : i1
    } -> tensor<16x16xi1>
    %43 = tensor.empty() : tensor<16x16xf16>
    %44 = linalg.generic {indexing_maps = [#map4, #map8, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%42, %cst_6, %cst_7 : tensor<16x16xi1>, tensor<f16>, tensor<16x16xf16>) outs(%43 : tensor<16x16xf16>) {
    ^bb0(%in: i1, %in_36: f16, %in_37: f16, %out: f16):
      %131 = arith.select %in, %in_36, %in_37 : f16
      linalg.yield %131 : f16
    } -> tensor<16x16xf16>
    %expanded_17 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [%32, 16, 4, 48] : tensor<?x16x192xf16> into tensor<?x16x4x48xf16>
    %45 = tensor.empty(%32) : tensor<?x4x16x48xf16>
    %transposed = linalg.transpose ins(%expanded_17 : tensor<?x16x4x48xf16>) outs(%45 : tensor<?x4x16x48xf16>) permutation = [0, 2, 1, 3]
    %expanded_18 = tensor.expand_shape %extracted_slice_13 [[0], [1], [2, 3]] output_shape [%32, 16, 4, 48] : tensor<?x16x192xf16> into tensor<?x16x4x48xf16>
    %expanded_19 = tensor.expand_shape %extracted_slice_14 [[0], [1], [2, 3]] output_shape [%32, 16, 4, 48] : tensor<?x16x192xf16> into tensor<?x16x4x48xf16>
    %transposed_20 = linalg.transpose ins(%expanded_19 : tensor<?x16x4x48xf16>) outs(%45 : tensor<?x4x16x48xf16>) permutation = [0, 2, 1, 3]
    %46 = tensor.empty(%32) : tensor<?x4x48x16xf16>
    %transposed_21 = linalg.transpose ins(%expanded_18 : tensor<?x16x4x48xf16>) outs(%46 : tensor<?x4x48x16xf16>) permutation = [0, 2, 3, 1]
    %47 = arith.cmpi sge, %0, %c0_i64 : i64
    cf.assert %47, "unimplemented: dynamic negative broadcast sizes"
    %48 = tensor.empty(%dim) : tensor<?x4x16x48xf16>
    %49 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%48 : tensor<?x4x16x48xf16>) {
    ^bb0(%out: f16):
      %131 = linalg.index 0 : index
      %132 = linalg.index 1 : index
      %133 = linalg.index 2 : index
      %134 = linalg.index 3 : index
      %135 = arith.cmpi eq, %32, %c1 : index
      %136 = arith.select %135, %c0, %131 : index
      %extracted = tensor.extract %transposed[%136, %132, %133, %134] : tensor<?x4x16x48xf16>
      linalg.yield %extracted : f16
    } -> tensor<?x4x16x48xf16>
    %collapsed_22 = tensor.collapse_shape %49 [[0, 1], [2], [3]] : tensor<?x4x16x48xf16> into tensor<?x16x48xf16>
    cf.assert %47, "unimplemented: dynamic negative broadcast sizes"
    %50 = tensor.empty(%dim) : tensor<?x4x48x16xf16>
    %51 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%50 : tensor<?x4x48x16xf16>) {
    ^bb0(%out: f16):
      %131 = linalg.index 0 : index
      %132 = linalg.index 1 : index
      %133 = linalg.index 2 : index
      %134 = linalg.index 3 : index
      %135 = arith.cmpi eq, %32, %c1 : index
      %136 = arith.select %135, %c0, %131 : index
      %extracted = tensor.extract %transposed_21[%136, %132, %133, %134] : tensor<?x4x48x16xf16>
      linalg.yield %extracted : f16
    } -> tensor<?x4x48x16xf16>
    %collapsed_23 = tensor.collapse_shape %51 [[0, 1], [2], [3]] : tensor<?x4x48x16xf16> into tensor<?x48x16xf16>
    %52 = affine.apply #map10()[%dim]
    %53 = tensor.empty(%52) : tensor<?x16x16xf32>
    %54 = linalg.fill ins(%cst_0 : f32) outs(%53 : tensor<?x16x16xf32>) -> tensor<?x16x16xf32>
    %55 = linalg.batch_matmul ins(%collapsed_22, %collapsed_23 : tensor<?x16x48xf16>, tensor<?x48x16xf16>) outs(%54 : tensor<?x16x16xf32>) -> tensor<?x16x16xf32>
    %56 = tensor.empty(%52) : tensor<?x16x16xf16>
    %57 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55 : tensor<?x16x16xf32>) outs(%56 : tensor<?x16x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %131 = arith.truncf %in : f32 to f16
      linalg.yield %131 : f16
    } -> tensor<?x16x16xf16>
    %58 = arith.divsi %52, %c4 : index
    %expanded_24 = tensor.expand_shape %57 [[0, 1], [2], [3]] output_shape [%58, 4, 16, 16] : tensor<?x16x16xf16> into tensor<?x4x16x16xf16>
    %59 = tensor.empty(%58) : tensor<?x4x16x16xf16>
    %60 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_24 : tensor<?x4x16x16xf16>) outs(%59 : tensor<?x4x16x16xf16>) {
    ^bb0(%in: f16, %out: f16):
      %131 = arith.truncf %cst_9 : f64 to f16
      %132 = arith.divf %in, %131 : f16
      linalg.yield %132 : f16
    } -> tensor<?x4x16x16xf16>
    %61 = linalg.generic {indexing_maps = [#map9, #map11, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60, %44 : tensor<?x4x16x16xf16>, tensor<16x16xf16>) outs(%59 : tensor<?x4x16x16xf16>) {
    ^bb0(%in: f16, %in_36: f16, %out: f16):
      %131 = arith.addf %in, %in_36 : f16
      linalg.yield %131 : f16
    } -> tensor<?x4x16x16xf16>
    %62 = tensor.empty(%58) : tensor<?x4x16x16xf32>
    %63 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61 : tensor<?x4x16x16xf16>) outs(%62 : tensor<?x4x16x16xf32>) {
    ^bb0(%in: f16, %out: f32):
      %131 = arith.extf %in : f16 to f32
      linalg.yield %131 : f32
    } -> tensor<?x4x16x16xf32>
    %64 = tensor.empty(%58) : tensor<?x4x16xi64>
    %65 = linalg.fill ins(%c0_i64 : i64) outs(%64 : tensor<?x4x16xi64>) -> tensor<?x4x16xi64>
    %66 = tensor.empty(%58) : tensor<?x4x16xf32>
    %67 = linalg.fill ins(%cst_1 : f32) outs(%66 : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
    %68:2 = linalg.generic {indexing_maps = [#map9, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%63 : tensor<?x4x16x16xf32>) outs(%67, %65 : tensor<?x4x16xf32>, tensor<?x4x16xi64>) {
    ^bb0(%in: f32, %out: f32, %out_36: i64):
      %131 = linalg.index 3 : index
      %132 = arith.index_cast %131 : index to i64
      %133 = arith.maximumf %in, %out : f32
      %134 = arith.cmpf ogt, %in, %out : f32
      %135 = arith.select %134, %132, %out_36 : i64
      linalg.yield %133, %135 : f32, i64
    } -> (tensor<?x4x16xf32>, tensor<?x4x16xi64>)
    %expanded_25 = tensor.expand_shape %68#0 [[0], [1], [2, 3]] output_shape [%58, 4, 16, 1] : tensor<?x4x16xf32> into tensor<?x4x16x1xf32>
    %69 = linalg.generic {indexing_maps = [#map9, #map13, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%63, %expanded_25 : tensor<?x4x16x16xf32>, tensor<?x4x16x1xf32>) outs(%62 : tensor<?x4x16x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %131 = arith.subf %in, %in_36 : f32
      linalg.yield %131 : f32
    } -> tensor<?x4x16x16xf32>
    %70 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%69 : tensor<?x4x16x16xf32>) outs(%62 : tensor<?x4x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %131 = math.exp %in : f32
      linalg.yield %131 : f32
    } -> tensor<?x4x16x16xf32>
    %71 = tensor.empty(%58) : tensor<?x4x16x1xf32>
    %72 = linalg.fill ins(%cst_0 : f32) outs(%71 : tensor<?x4x16x1xf32>) -> tensor<?x4x16x1xf32>
    %73 = linalg.generic {indexing_maps = [#map9, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%70 : tensor<?x4x16x16xf32>) outs(%72 : tensor<?x4x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %131 = arith.addf %in, %out : f32
      linalg.yield %131 : f32
    } -> tensor<?x4x16x1xf32>
    %74 = linalg.generic {indexing_maps = [#map9, #map13, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%70, %73 : tensor<?x4x16x16xf32>, tensor<?x4x16x1xf32>) outs(%62 : tensor<?x4x16x16xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %131 = arith.divf %in, %in_36 : f32
      linalg.yield %131 : f32
    } -> tensor<?x4x16x16xf32>
    %75 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%74 : tensor<?x4x16x16xf32>) outs(%59 : tensor<?x4x16x16xf16>) {
    ^bb0(%in: f32, %out: f16):
      %131 = arith.truncf %in : f32 to f16
      linalg.yield %131 : f16
    } -> tensor<?x4x16x16xf16>
    cf.assert %47, "unimplemented: dynamic negative broadcast sizes"
    %76 = tensor.empty(%dim) : tensor<?x4x16x16xf16>
    %77 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%76 : tensor<?x4x16x16xf16>) {
    ^bb0(%out: f16):
      %131 = linalg.index 0 : index
      %132 = linalg.index 1 : index
      %133 = linalg.index 2 : index
      %134 = linalg.index 3 : index
      %135 = arith.cmpi eq, %58, %c1 : index
      %136 = arith.select %135, %c0, %131 : index
      %extracted = tensor.extract %75[%136, %132, %133, %134] : tensor<?x4x16x16xf16>
      linalg.yield %extracted : f16
    } -> tensor<?x4x16x16xf16>
    %collapsed_26 = tensor.collapse_shape %77 [[0, 1], [2], [3]] : tensor<?x4x16x16xf16> into tensor<?x16x16xf16>
    cf.assert %47, "unimplemented: dynamic negative broadcast sizes"
    %78 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%48 : tensor<?x4x16x48xf16>) {
    ^bb0(%out: f16):
      %131 = linalg.index 0 : index
      %132 = linalg.index 1 : index
      %133 = linalg.index 2 : index
      %134 = linalg.index 3 : index
      %135 = arith.cmpi eq, %32, %c1 : index
      %136 = arith.select %135, %c0, %131 : index
      %extracted = tensor.extract %transposed_20[%136, %132, %133, %134] : tensor<?x4x16x48xf16>
      linalg.yield %extracted : f16
    } -> tensor<?x4x16x48xf16>
    %collapsed_27 = tensor.collapse_shape %78 [[0, 1], [2], [3]] : tensor<?x4x16x48xf16> into tensor<?x16x48xf16>
    %79 = tensor.empty(%52) : tensor<?x16x48xf32>
    %80 = linalg.fill ins(%cst_0 : f32) outs(%79 : tensor<?x16x48xf32>) -> tensor<?x16x48xf32>
    %81 = linalg.batch_matmul ins(%collapsed_26, %collapsed_27 : tensor<?x16x16xf16>, tensor<?x16x48xf16>) outs(%80 : tensor<?x16x48xf32>) -> tensor<?x16x48xf32>
    %82 = tensor.empty(%52) : tensor<?x16x48xf16>
    %83 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81 : tensor<?x16x48xf32>) outs(%82 : tensor<?x16x48xf16>) {
    ^bb0(%in: f32, %out: f16):
      %131 = arith.truncf %in : f32 to f16
      linalg.yield %131 : f16
    } -> tensor<?x16x48xf16>
    %expanded_28 = tensor.expand_shape %83 [[0, 1], [2], [3]] output_shape [%58, 4, 16, 48] : tensor<?x16x48xf16> into tensor<?x4x16x48xf16>
    %84 = tensor.empty(%58) : tensor<?x16x4x48xf16>
    %transposed_29 = linalg.transpose ins(%expanded_28 : tensor<?x4x16x48xf16>) outs(%84 : tensor<?x16x4x48xf16>) permutation = [0, 2, 1, 3]
    %collapsed_30 = tensor.collapse_shape %transposed_29 [[0, 1], [2, 3]] : tensor<?x16x4x48xf16> into tensor<?x192xf16>
    %85 = affine.apply #map3()[%58]
    %86 = tensor.empty(%85) : tensor<?x192xf32>
    %87 = linalg.fill ins(%cst_0 : f32) outs(%86 : tensor<?x192xf32>) -> tensor<?x192xf32>
    %88 = linalg.matmul ins(%collapsed_30, %arg5 : tensor<?x192xf16>, tensor<192x192xf16>) outs(%87 : tensor<?x192xf32>) -> tensor<?x192xf32>
    %89 = tensor.empty(%85) : tensor<?x192xf16>
    %90 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%88 : tensor<?x192xf32>) outs(%89 : tensor<?x192xf16>) {
    ^bb0(%in: f32, %out: f16):
      %131 = arith.truncf %in : f32 to f16
      linalg.yield %131 : f16
    } -> tensor<?x192xf16>
    %91 = arith.divsi %85, %c16 : index
    %expanded_31 = tensor.expand_shape %90 [[0, 1], [2]] output_shape [%91, 16, 192] : tensor<?x192xf16> into tensor<?x16x192xf16>
    %92 = arith.cmpi eq, %dim, %91 : index
    cf.assert %92, "mismatched size for broadcast"
    %93 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_31 : tensor<?x16x192xf16>, tensor<?x16x192xf16>) outs(%24 : tensor<?x16x192xf16>) {
    ^bb0(%in: f16, %in_36: f16, %out: f16):
      %131 = arith.addf %in, %in_36 : f16
      linalg.yield %131 : f16
    } -> tensor<?x16x192xf16>
    %94 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%93, %arg6 : tensor<?x16x192xf16>, tensor<192xf16>) outs(%24 : tensor<?x16x192xf16>) {
    ^bb0(%in: f16, %in_36: f16, %out: f16):
      %131 = arith.addf %in, %in_36 : f16
      linalg.yield %131 : f16
    } -> tensor<?x16x192xf16>
    %95 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94 : tensor<?x16x192xf16>) outs(%1 : tensor<?x16x192xf32>) {
    ^bb0(%in: f16, %out: f32):
      %131 = arith.extf %in : f16 to f32
      linalg.yield %131 : f32
    } -> tensor<?x16x192xf32>
    %96 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%95 : tensor<?x16x192xf32>) outs(%3 : tensor<?x16x192xf64>) {
    ^bb0(%in: f32, %out: f64):
      %131 = arith.extf %in : f32 to f64
      linalg.yield %131 : f64
    } -> tensor<?x16x192xf64>
    %97 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%96 : tensor<?x16x192xf64>) outs(%6 : tensor<?x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %131 = arith.addf %in, %out : f64
      linalg.yield %131 : f64
    } -> tensor<?x16x1xf64>
    %98 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97 : tensor<?x16x1xf64>) outs(%5 : tensor<?x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %131 = arith.divf %in, %cst_11 : f64
      linalg.yield %131 : f64
    } -> tensor<?x16x1xf64>
    %99 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96, %98 : tensor<?x16x192xf64>, tensor<?x16x1xf64>) outs(%3 : tensor<?x16x192xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %131 = arith.subf %in, %in_36 : f64
      linalg.yield %131 : f64
    } -> tensor<?x16x192xf64>
    %100 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99, %99 : tensor<?x16x192xf64>, tensor<?x16x192xf64>) outs(%3 : tensor<?x16x192xf64>) {
    ^bb0(%in: f64, %in_36: f64, %out: f64):
      %131 = arith.mulf %in, %in_36 : f64
      linalg.yield %131 : f64
    } -> tensor<?x16x192xf64>
    %101 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%100 : tensor<?x16x192xf64>) outs(%6 : tensor<?x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %131 = arith.addf %in, %out : f64
      linalg.yield %131 : f64
    } -> tensor<?x16x1xf64>
    %102 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101 : tensor<?x16x1xf64>) outs(%5 : tensor<?x16x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %131 = arith.divf %in, %cst_11 : f64
      linalg.yield %131 : f64
    } -> tensor<?x16x1xf64>
    %103 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102 : tensor<?x16x1xf64>) outs(%13 : tensor<?x16x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %131 = arith.truncf %in : f64 to f32
      linalg.yield %131 : f32
    } -> tensor<?x16x1xf32>
    %104 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%95 : tensor<?x16x192xf32>) outs(%15 : tensor<?x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %131 = arith.addf %in, %out : f32
      linalg.yield %131 : f32
    } -> tensor<?x16x1xf32>
    %105 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104 : tensor<?x16x1xf32>) outs(%13 : tensor<?x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %131 = arith.divf %in, %cst_12 : f32
      linalg.yield %131 : f32
    } -> tensor<?x16x1xf32>
    %106 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103 : tensor<?x16x1xf32>) outs(%13 : tensor<?x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %131 = arith.truncf %cst_10 : f64 to f32
      %132 = arith.addf %in, %131 : f32
      linalg.yield %132 : f32
    } -> tensor<?x16x1xf32>
    %107 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%106 : tensor<?x16x1xf32>) outs(%13 : tensor<?x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %131 = math.rsqrt %in : f32
      linalg.yield %131 : f32
    } -> tensor<?x16x1xf32>
    %108 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%95, %105 : tensor<?x16x192xf32>, tensor<?x16x1xf32>) outs(%1 : tensor<?x16x192xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %131 = arith.subf %in, %in_36 : f32
      linalg.yield %131 : f32
    } -> tensor<?x16x192xf32>
    %109 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%108, %107 : tensor<?x16x192xf32>, tensor<?x16x1xf32>) outs(%1 : tensor<?x16x192xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %131 = arith.mulf %in, %in_36 : f32
      linalg.yield %131 : f32
    } -> tensor<?x16x192xf32>
    %110 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109, %arg7 : tensor<?x16x192xf32>, tensor<192xf16>) outs(%1 : tensor<?x16x192xf32>) {
    ^bb0(%in: f32, %in_36: f16, %out: f32):
      %131 = arith.extf %in_36 : f16 to f32
      %132 = arith.mulf %in, %131 : f32
      linalg.yield %132 : f32
    } -> tensor<?x16x192xf32>
    %111 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110, %arg8 : tensor<?x16x192xf32>, tensor<192xf16>) outs(%1 : tensor<?x16x192xf32>) {
    ^bb0(%in: f32, %in_36: f16, %out: f32):
      %131 = arith.extf %in_36 : f16 to f32
      %132 = arith.addf %in, %131 : f32
      linalg.yield %132 : f32
    } -> tensor<?x16x192xf32>
    %112 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%111 : tensor<?x16x192xf32>) outs(%24 : tensor<?x16x192xf16>) {
    ^bb0(%in: f32, %out: f16):
      %131 = arith.truncf %in : f32 to f16
      linalg.yield %131 : f16
    } -> tensor<?x16x192xf16>
    %collapsed_32 = tensor.collapse_shape %112 [[0, 1], [2]] : tensor<?x16x192xf16> into tensor<?x192xf16>
    %113 = tensor.empty(%26) : tensor<?x768xf32>
    %114 = linalg.fill ins(%cst_0 : f32) outs(%113 : tensor<?x768xf32>) -> tensor<?x768xf32>
    %115 = linalg.matmul ins(%collapsed_32, %arg9 : tensor<?x192xf16>, tensor<192x768xf16>) outs(%114 : tensor<?x768xf32>) -> tensor<?x768xf32>
    %116 = tensor.empty(%26) : tensor<?x768xf16>
    %117 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%115 : tensor<?x768xf32>) outs(%116 : tensor<?x768xf16>) {
    ^bb0(%in: f32, %out: f16):
      %131 = arith.truncf %in : f32 to f16
      linalg.yield %131 : f16
    } -> tensor<?x768xf16>
    %expanded_33 = tensor.expand_shape %117 [[0, 1], [2]] output_shape [%32, 16, 768] : tensor<?x768xf16> into tensor<?x16x768xf16>
    %118 = tensor.empty(%32) : tensor<?x16x768xf16>
    %119 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_33, %arg10 : tensor<?x16x768xf16>, tensor<768xf16>) outs(%118 : tensor<?x16x768xf16>) {
    ^bb0(%in: f16, %in_36: f16, %out: f16):
      %131 = arith.addf %in, %in_36 : f16
      linalg.yield %131 : f16
    } -> tensor<?x16x768xf16>
    %120 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%119 : tensor<?x16x768xf16>) outs(%118 : tensor<?x16x768xf16>) {
    ^bb0(%in: f16, %out: f16):
      %131 = math.fpowi %in, %c3_i64 : f16, i64
      %132 = arith.mulf %131, %cst_2 : f16
      %133 = arith.addf %in, %132 : f16
      %134 = arith.mulf %133, %cst_3 : f16
      %135 = math.tanh %134 : f16
      %136 = arith.addf %135, %cst_4 : f16
      %137 = arith.mulf %136, %cst_5 : f16
      %138 = arith.mulf %in, %137 : f16
      linalg.yield %138 : f16
    } -> tensor<?x16x768xf16>
    %collapsed_34 = tensor.collapse_shape %120 [[0, 1], [2]] : tensor<?x16x768xf16> into tensor<?x768xf16>
    %121 = affine.apply #map3()[%32]
    %122 = tensor.empty(%121) : tensor<?x192xf32>
    %123 = linalg.fill ins(%cst_0 : f32) outs(%122 : tensor<?x192xf32>) -> tensor<?x192xf32>
    %124 = linalg.matmul ins(%collapsed_34, %arg11 : tensor<?x768xf16>, tensor<768x192xf16>) outs(%123 : tensor<?x192xf32>) -> tensor<?x192xf32>
    %125 = tensor.empty(%121) : tensor<?x192xf16>
    %126 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%124 : tensor<?x192xf32>) outs(%125 : tensor<?x192xf16>) {
    ^bb0(%in: f32, %out: f16):
      %131 = arith.truncf %in : f32 to f16
      linalg.yield %131 : f16
    } -> tensor<?x192xf16>
    %127 = arith.divsi %121, %c16 : index
    %expanded_35 = tensor.expand_shape %126 [[0, 1], [2]] output_shape [%127, 16, 192] : tensor<?x192xf16> into tensor<?x16x192xf16>
    %128 = arith.cmpi eq, %dim, %127 : index
    cf.assert %128, "mismatched size for broadcast"
    %129 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94, %expanded_35 : tensor<?x16x192xf16>, tensor<?x16x192xf16>) outs(%24 : tensor<?x16x192xf16>) {
    ^bb0(%in: f16, %in_36: f16, %out: f16):
      %131 = arith.addf %in, %in_36 : f16
      linalg.yield %131 : f16
    } -> tensor<?x16x192xf16>
    %130 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%129, %arg12 : tensor<?x16x192xf16>, tensor<192xf16>) outs(%24 : tensor<?x16x192xf16>) {
    ^bb0(%in: f16, %in_36: f16, %out: f16):
      %131 = arith.addf %in, %in_36 : f16
      linalg.yield %131 : f16
    } -> tensor<?x16x192xf16>
    return %130 : tensor<?x16x192xf16>
  }
}
