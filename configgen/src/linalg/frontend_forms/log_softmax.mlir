// What iree-compile 3.13 makes of torch's log_softmax.int.
func.func @f(%arg0: tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxCOLUMNSxf32> {
  %c0_i64 = arith.constant 0 : i64
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %1 = tensor.empty() : tensor<ROWSxi64>
  %2 = linalg.fill ins(%c0_i64 : i64) outs(%1 : tensor<ROWSxi64>) -> tensor<ROWSxi64>
  %3 = tensor.empty() : tensor<ROWSxf32>
  %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<ROWSxf32>) -> tensor<ROWSxf32>
  %5:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<ROWSxCOLUMNSxf32>) outs(%4, %2 : tensor<ROWSxf32>, tensor<ROWSxi64>) {
  ^bb0(%in: f32, %out: f32, %out_1: i64):
    %16 = linalg.index 1 : index
    %17 = arith.index_cast %16 : index to i64
    %18 = arith.maximumf %in, %out : f32
    %19 = arith.cmpf ogt, %in, %out : f32
    %20 = arith.select %19, %17, %out_1 : i64
    linalg.yield %18, %20 : f32, i64
  } -> (tensor<ROWSxf32>, tensor<ROWSxi64>)
  %expanded = tensor.expand_shape %5#0 [[0, 1]] output_shape [ROWS, 1] : tensor<ROWSxf32> into tensor<ROWSx1xf32>
  %6 = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<ROWSxCOLUMNSxf32>, tensor<ROWSx1xf32>) outs(%6 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %16 = arith.subf %in, %in_1 : f32
    linalg.yield %16 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<ROWSxCOLUMNSxf32>) outs(%6 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %out: f32):
    %16 = math.exp %in : f32
    linalg.yield %16 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %9 = tensor.empty() : tensor<ROWSx1xf32>
  %10 = linalg.fill ins(%cst_0 : f32) outs(%9 : tensor<ROWSx1xf32>) -> tensor<ROWSx1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<ROWSxCOLUMNSxf32>) outs(%10 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %16 = arith.addf %in, %out : f32
    linalg.yield %16 : f32
  } -> tensor<ROWSx1xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<ROWSx1xf32>) outs(%9 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %16 = math.log %in : f32
    linalg.yield %16 : f32
  } -> tensor<ROWSx1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%7, %12 : tensor<ROWSxCOLUMNSxf32>, tensor<ROWSx1xf32>) outs(%6 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %16 = arith.subf %in, %in_1 : f32
    linalg.yield %16 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  return %13 : tensor<ROWSxCOLUMNSxf32>
}
