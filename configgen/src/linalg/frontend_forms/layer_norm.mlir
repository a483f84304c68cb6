// What iree-compile 3.13 makes of torch's layer_norm.
func.func @f(%arg0: tensor<ROWSxCOLUMNSxf32>, %arg1: tensor<COLUMNSxf32>, %arg2: tensor<COLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant EPSILON
  %cst_1 = arith.constant COUNT
  %3 = tensor.empty() : tensor<ROWSx1xf32>
  %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<ROWSx1xf32>) -> tensor<ROWSx1xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<ROWSxCOLUMNSxf32>) outs(%4 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %21 = arith.addf %in, %out : f32
    linalg.yield %21 : f32
  } -> tensor<ROWSx1xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<ROWSx1xf32>) outs(%3 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %21 = arith.divf %in, %cst_1 : f32
    linalg.yield %21 : f32
  } -> tensor<ROWSx1xf32>
  %7 = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %collapsed = tensor.collapse_shape %6 [[0, 1]] : tensor<ROWSx1xf32> into tensor<ROWSxf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<ROWSxf32>) outs(%7 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %8 : tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxCOLUMNSxf32>) outs(%7 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %21 = arith.subf %in, %in_3 : f32
    linalg.yield %21 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%9, %9 : tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxCOLUMNSxf32>) outs(%7 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %21 = arith.mulf %in, %in_3 : f32
    linalg.yield %21 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<ROWSxCOLUMNSxf32>) outs(%4 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %21 = arith.addf %in, %out : f32
    linalg.yield %21 : f32
  } -> tensor<ROWSx1xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<ROWSx1xf32>) outs(%3 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %21 = arith.divf %in, %cst_1 : f32
    linalg.yield %21 : f32
  } -> tensor<ROWSx1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<ROWSx1xf32>) outs(%3 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %21 = arith.addf %in, %cst_0 : f32
    linalg.yield %21 : f32
  } -> tensor<ROWSx1xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<ROWSx1xf32>) outs(%3 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %21 = math.rsqrt %in : f32
    linalg.yield %21 : f32
  } -> tensor<ROWSx1xf32>
  %collapsed_2 = tensor.collapse_shape %14 [[0, 1]] : tensor<ROWSx1xf32> into tensor<ROWSxf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%collapsed_2 : tensor<ROWSxf32>) outs(%7 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%9, %15 : tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxCOLUMNSxf32>) outs(%7 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %21 = arith.mulf %in, %in_3 : f32
    linalg.yield %21 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%16, %arg1 : tensor<ROWSxCOLUMNSxf32>, tensor<COLUMNSxf32>) outs(%7 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %21 = arith.mulf %in, %in_3 : f32
    linalg.yield %21 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%17, %arg2 : tensor<ROWSxCOLUMNSxf32>, tensor<COLUMNSxf32>) outs(%7 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %21 = arith.addf %in, %in_3 : f32
    linalg.yield %21 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  return %18 : tensor<ROWSxCOLUMNSxf32>
}
