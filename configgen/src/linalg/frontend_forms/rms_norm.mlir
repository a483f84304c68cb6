// What iree-compile 3.13 makes of torch's pow, mean, rsqrt and products.
func.func @f(%arg0: tensor<ROWSxCOLUMNSxf32>, %arg1: tensor<COLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32> {
  %c2_i64 = arith.constant 2 : i64
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant EPSILON
  %cst_1 = arith.constant COUNT
  %2 = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<ROWSxCOLUMNSxf32>) outs(%2 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = math.fpowi %in, %c2_i64 : f32, i64
    linalg.yield %14 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %4 = tensor.empty() : tensor<ROWSx1xf32>
  %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<ROWSx1xf32>) -> tensor<ROWSx1xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%3 : tensor<ROWSxCOLUMNSxf32>) outs(%5 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.addf %in, %out : f32
    linalg.yield %14 : f32
  } -> tensor<ROWSx1xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<ROWSx1xf32>) outs(%4 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.divf %in, %cst_1 : f32
    linalg.yield %14 : f32
  } -> tensor<ROWSx1xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<ROWSx1xf32>) outs(%4 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.addf %in, %cst_0 : f32
    linalg.yield %14 : f32
  } -> tensor<ROWSx1xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<ROWSx1xf32>) outs(%4 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = math.rsqrt %in : f32
    linalg.yield %14 : f32
  } -> tensor<ROWSx1xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %9 : tensor<ROWSxCOLUMNSxf32>, tensor<ROWSx1xf32>) outs(%2 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %14 = arith.mulf %in, %in_2 : f32
    linalg.yield %14 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg1, %10 : tensor<COLUMNSxf32>, tensor<ROWSxCOLUMNSxf32>) outs(%2 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %14 = arith.mulf %in, %in_2 : f32
    linalg.yield %14 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  return %11 : tensor<ROWSxCOLUMNSxf32>
}
