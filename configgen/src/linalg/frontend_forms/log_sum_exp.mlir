// What iree-compile 3.13 makes of torch.logsumexp, as torch.export decomposes it.
func.func @f(%arg0: tensor<ROWSxCOLUMNSxf32>) -> tensor<ROWSxf32> {
  %c0_i64 = arith.constant 0 : i64
  %cst = arith.constant 0xFF800000 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
  %cst_2 = arith.constant 0x7F800000 : f32
  %1 = tensor.empty() : tensor<ROWSxi64>
  %2 = linalg.fill ins(%c0_i64 : i64) outs(%1 : tensor<ROWSxi64>) -> tensor<ROWSxi64>
  %3 = tensor.empty() : tensor<ROWSxf32>
  %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<ROWSxf32>) -> tensor<ROWSxf32>
  %5:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<ROWSxCOLUMNSxf32>) outs(%4, %2 : tensor<ROWSxf32>, tensor<ROWSxi64>) {
  ^bb0(%in: f32, %out: f32, %out_3: i64):
    %20 = linalg.index 1 : index
    %21 = arith.index_cast %20 : index to i64
    %22 = arith.maximumf %in, %out : f32
    %23 = arith.cmpf ogt, %in, %out : f32
    %24 = arith.select %23, %21, %out_3 : i64
    linalg.yield %22, %24 : f32, i64
  } -> (tensor<ROWSxf32>, tensor<ROWSxi64>)
  %expanded = tensor.expand_shape %5#0 [[0, 1]] output_shape [ROWS, 1] : tensor<ROWSxf32> into tensor<ROWSx1xf32>
  %6 = tensor.empty() : tensor<ROWSx1xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<ROWSx1xf32>) outs(%6 : tensor<ROWSx1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %20 = math.absf %in : f32
    linalg.yield %20 : f32
  } -> tensor<ROWSx1xf32>
  %8 = tensor.empty() : tensor<ROWSx1xi1>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<ROWSx1xf32>) outs(%8 : tensor<ROWSx1xi1>) {
  ^bb0(%in: f32, %out: i1):
    %20 = arith.cmpf oeq, %in, %cst_2 : f32
    linalg.yield %20 : i1
  } -> tensor<ROWSx1xi1>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%9, %cst_1, %expanded : tensor<ROWSx1xi1>, tensor<f32>, tensor<ROWSx1xf32>) outs(%6 : tensor<ROWSx1xf32>) {
  ^bb0(%in: i1, %in_3: f32, %in_4: f32, %out: f32):
    %20 = arith.select %in, %in_3, %in_4 : f32
    linalg.yield %20 : f32
  } -> tensor<ROWSx1xf32>
  %collapsed = tensor.collapse_shape %10 [[0, 1]] : tensor<ROWSx1xf32> into tensor<ROWSxf32>
  %11 = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %10 : tensor<ROWSxCOLUMNSxf32>, tensor<ROWSx1xf32>) outs(%11 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %20 = arith.subf %in, %in_3 : f32
    linalg.yield %20 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<ROWSxCOLUMNSxf32>) outs(%11 : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%in: f32, %out: f32):
    %20 = math.exp %in : f32
    linalg.yield %20 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %14 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<ROWSxf32>) -> tensor<ROWSxf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%13 : tensor<ROWSxCOLUMNSxf32>) outs(%14 : tensor<ROWSxf32>) {
  ^bb0(%in: f32, %out: f32):
    %20 = arith.addf %in, %out : f32
    linalg.yield %20 : f32
  } -> tensor<ROWSxf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%15 : tensor<ROWSxf32>) outs(%3 : tensor<ROWSxf32>) {
  ^bb0(%in: f32, %out: f32):
    %20 = math.log %in : f32
    linalg.yield %20 : f32
  } -> tensor<ROWSxf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%16, %collapsed : tensor<ROWSxf32>, tensor<ROWSxf32>) outs(%3 : tensor<ROWSxf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %20 = arith.addf %in, %in_3 : f32
    linalg.yield %20 : f32
  } -> tensor<ROWSxf32>
  return %17 : tensor<ROWSxf32>
}
