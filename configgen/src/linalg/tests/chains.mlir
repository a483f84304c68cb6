// Row operations as chains of linalg operations, and the problems that they are.

// -----
// What iree-compile 3.13 makes of torch's layer_norm.
// problem: layer_norm:64x[768]xf32
module {
  func.func @f(%arg0: tensor<64x768xf32>, %arg1: tensor<768xf32>, %arg2: tensor<768xf32>) -> tensor<64x768xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 9.99999974E-6 : f32
    %cst_1 = arith.constant 7.680000e+02 : f32
    %3 = tensor.empty() : tensor<64x1xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<64x1xf32>) -> tensor<64x1xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<64x768xf32>) outs(%4 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.addf %in, %out : f32
      linalg.yield %21 : f32
    } -> tensor<64x1xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<64x1xf32>) outs(%3 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.divf %in, %cst_1 : f32
      linalg.yield %21 : f32
    } -> tensor<64x1xf32>
    %7 = tensor.empty() : tensor<64x768xf32>
    %collapsed = tensor.collapse_shape %6 [[0, 1]] : tensor<64x1xf32> into tensor<64xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<64xf32>) outs(%7 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<64x768xf32>
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %8 : tensor<64x768xf32>, tensor<64x768xf32>) outs(%7 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.subf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<64x768xf32>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%9, %9 : tensor<64x768xf32>, tensor<64x768xf32>) outs(%7 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.mulf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<64x768xf32>
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<64x768xf32>) outs(%4 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.addf %in, %out : f32
      linalg.yield %21 : f32
    } -> tensor<64x1xf32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<64x1xf32>) outs(%3 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.divf %in, %cst_1 : f32
      linalg.yield %21 : f32
    } -> tensor<64x1xf32>
    %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<64x1xf32>) outs(%3 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.addf %in, %cst_0 : f32
      linalg.yield %21 : f32
    } -> tensor<64x1xf32>
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<64x1xf32>) outs(%3 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = math.rsqrt %in : f32
      linalg.yield %21 : f32
    } -> tensor<64x1xf32>
    %collapsed_2 = tensor.collapse_shape %14 [[0, 1]] : tensor<64x1xf32> into tensor<64xf32>
    %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%collapsed_2 : tensor<64xf32>) outs(%7 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<64x768xf32>
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%9, %15 : tensor<64x768xf32>, tensor<64x768xf32>) outs(%7 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.mulf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<64x768xf32>
    %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%16, %arg1 : tensor<64x768xf32>, tensor<768xf32>) outs(%7 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.mulf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<64x768xf32>
    %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%17, %arg2 : tensor<64x768xf32>, tensor<768xf32>) outs(%7 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.addf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<64x768xf32>
    return %18 : tensor<64x768xf32>
  }
}

// -----
// What iree-compile 3.13 makes of torch's softmax.int; the greatest element of a row comes with its place.
// problem: softmax:64x[768]xf32
module {
  func.func @f(%arg0: tensor<64x768xf32>) -> tensor<64x768xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %1 = tensor.empty() : tensor<64xi64>
    %2 = linalg.fill ins(%c0_i64 : i64) outs(%1 : tensor<64xi64>) -> tensor<64xi64>
    %3 = tensor.empty() : tensor<64xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<64xf32>) -> tensor<64xf32>
    %5:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<64x768xf32>) outs(%4, %2 : tensor<64xf32>, tensor<64xi64>) {
    ^bb0(%in: f32, %out: f32, %out_1: i64):
      %15 = linalg.index 1 : index
      %16 = arith.index_cast %15 : index to i64
      %17 = arith.maximumf %in, %out : f32
      %18 = arith.cmpf ogt, %in, %out : f32
      %19 = arith.select %18, %16, %out_1 : i64
      linalg.yield %17, %19 : f32, i64
    } -> (tensor<64xf32>, tensor<64xi64>)
    %expanded = tensor.expand_shape %5#0 [[0, 1]] output_shape [64, 1] : tensor<64xf32> into tensor<64x1xf32>
    %6 = tensor.empty() : tensor<64x768xf32>
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<64x768xf32>, tensor<64x1xf32>) outs(%6 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %15 = arith.subf %in, %in_1 : f32
      linalg.yield %15 : f32
    } -> tensor<64x768xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<64x768xf32>) outs(%6 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      %15 = math.exp %in : f32
      linalg.yield %15 : f32
    } -> tensor<64x768xf32>
    %9 = tensor.empty() : tensor<64x1xf32>
    %10 = linalg.fill ins(%cst_0 : f32) outs(%9 : tensor<64x1xf32>) -> tensor<64x1xf32>
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<64x768xf32>) outs(%10 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %15 = arith.addf %in, %out : f32
      linalg.yield %15 : f32
    } -> tensor<64x1xf32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%8, %11 : tensor<64x768xf32>, tensor<64x1xf32>) outs(%6 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %15 = arith.divf %in, %in_1 : f32
      linalg.yield %15 : f32
    } -> tensor<64x768xf32>
    return %12 : tensor<64x768xf32>
  }
}

// -----
// What iree-compile 3.13 makes of torch's log_softmax.int.
// problem: log_softmax:64x[768]xf32
module {
  func.func @f(%arg0: tensor<64x768xf32>) -> tensor<64x768xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %1 = tensor.empty() : tensor<64xi64>
    %2 = linalg.fill ins(%c0_i64 : i64) outs(%1 : tensor<64xi64>) -> tensor<64xi64>
    %3 = tensor.empty() : tensor<64xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<64xf32>) -> tensor<64xf32>
    %5:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<64x768xf32>) outs(%4, %2 : tensor<64xf32>, tensor<64xi64>) {
    ^bb0(%in: f32, %out: f32, %out_1: i64):
      %16 = linalg.index 1 : index
      %17 = arith.index_cast %16 : index to i64
      %18 = arith.maximumf %in, %out : f32
      %19 = arith.cmpf ogt, %in, %out : f32
      %20 = arith.select %19, %17, %out_1 : i64
      linalg.yield %18, %20 : f32, i64
    } -> (tensor<64xf32>, tensor<64xi64>)
    %expanded = tensor.expand_shape %5#0 [[0, 1]] output_shape [64, 1] : tensor<64xf32> into tensor<64x1xf32>
    %6 = tensor.empty() : tensor<64x768xf32>
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<64x768xf32>, tensor<64x1xf32>) outs(%6 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %16 = arith.subf %in, %in_1 : f32
      linalg.yield %16 : f32
    } -> tensor<64x768xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<64x768xf32>) outs(%6 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = math.exp %in : f32
      linalg.yield %16 : f32
    } -> tensor<64x768xf32>
    %9 = tensor.empty() : tensor<64x1xf32>
    %10 = linalg.fill ins(%cst_0 : f32) outs(%9 : tensor<64x1xf32>) -> tensor<64x1xf32>
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<64x768xf32>) outs(%10 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.addf %in, %out : f32
      linalg.yield %16 : f32
    } -> tensor<64x1xf32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<64x1xf32>) outs(%9 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = math.log %in : f32
      linalg.yield %16 : f32
    } -> tensor<64x1xf32>
    %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%7, %12 : tensor<64x768xf32>, tensor<64x1xf32>) outs(%6 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %16 = arith.subf %in, %in_1 : f32
      linalg.yield %16 : f32
    } -> tensor<64x768xf32>
    return %13 : tensor<64x768xf32>
  }
}

// -----
// What iree-compile 3.13 makes of torch.logsumexp, as torch.export decomposes it.
// problem: log_sum_exp:64x[768]xf32
module {
  func.func @f(%arg0: tensor<64x768xf32>) -> tensor<64xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 0x7F800000 : f32
    %1 = tensor.empty() : tensor<64xi64>
    %2 = linalg.fill ins(%c0_i64 : i64) outs(%1 : tensor<64xi64>) -> tensor<64xi64>
    %3 = tensor.empty() : tensor<64xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<64xf32>) -> tensor<64xf32>
    %5:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<64x768xf32>) outs(%4, %2 : tensor<64xf32>, tensor<64xi64>) {
    ^bb0(%in: f32, %out: f32, %out_3: i64):
      %20 = linalg.index 1 : index
      %21 = arith.index_cast %20 : index to i64
      %22 = arith.maximumf %in, %out : f32
      %23 = arith.cmpf ogt, %in, %out : f32
      %24 = arith.select %23, %21, %out_3 : i64
      linalg.yield %22, %24 : f32, i64
    } -> (tensor<64xf32>, tensor<64xi64>)
    %expanded = tensor.expand_shape %5#0 [[0, 1]] output_shape [64, 1] : tensor<64xf32> into tensor<64x1xf32>
    %6 = tensor.empty() : tensor<64x1xf32>
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<64x1xf32>) outs(%6 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.absf %in : f32
      linalg.yield %20 : f32
    } -> tensor<64x1xf32>
    %8 = tensor.empty() : tensor<64x1xi1>
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<64x1xf32>) outs(%8 : tensor<64x1xi1>) {
    ^bb0(%in: f32, %out: i1):
      %20 = arith.cmpf oeq, %in, %cst_2 : f32
      linalg.yield %20 : i1
    } -> tensor<64x1xi1>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%9, %cst_1, %expanded : tensor<64x1xi1>, tensor<f32>, tensor<64x1xf32>) outs(%6 : tensor<64x1xf32>) {
    ^bb0(%in: i1, %in_3: f32, %in_4: f32, %out: f32):
      %20 = arith.select %in, %in_3, %in_4 : f32
      linalg.yield %20 : f32
    } -> tensor<64x1xf32>
    %collapsed = tensor.collapse_shape %10 [[0, 1]] : tensor<64x1xf32> into tensor<64xf32>
    %11 = tensor.empty() : tensor<64x768xf32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %10 : tensor<64x768xf32>, tensor<64x1xf32>) outs(%11 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %20 = arith.subf %in, %in_3 : f32
      linalg.yield %20 : f32
    } -> tensor<64x768xf32>
    %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<64x768xf32>) outs(%11 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<64x768xf32>
    %14 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<64xf32>) -> tensor<64xf32>
    %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%13 : tensor<64x768xf32>) outs(%14 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %in, %out : f32
      linalg.yield %20 : f32
    } -> tensor<64xf32>
    %16 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%15 : tensor<64xf32>) outs(%3 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<64xf32>
    %17 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%16, %collapsed : tensor<64xf32>, tensor<64xf32>) outs(%3 : tensor<64xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %20 = arith.addf %in, %in_3 : f32
      linalg.yield %20 : f32
    } -> tensor<64xf32>
    return %17 : tensor<64xf32>
  }
}

// -----
// What iree-compile 3.13 makes of jax.scipy.special.logsumexp.
// problem: log_sum_exp:64x[768]xf32
module {
  func.func @f(%arg0: tensor<64x768xf32>) -> tensor<64xf32> {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0x7F800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %1 = tensor.empty() : tensor<64xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<64xf32>) -> tensor<64xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<64x768xf32>) outs(%2 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = arith.maximumf %out, %in : f32
      linalg.yield %17 : f32
    } -> tensor<64xf32>
    %4 = tensor.empty() : tensor<64xi1>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%3 : tensor<64xf32>) outs(%4 : tensor<64xi1>) {
    ^bb0(%in: f32, %out: i1):
      %17 = math.absf %in : f32
      %18 = arith.cmpf one, %17, %cst_0 : f32
      linalg.yield %18 : i1
    } -> tensor<64xi1>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%5, %3 : tensor<64xi1>, tensor<64xf32>) outs(%1 : tensor<64xf32>) {
    ^bb0(%in: i1, %in_2: f32, %out: f32):
      %17 = arith.select %in, %in_2, %cst_1 : f32
      linalg.yield %17 : f32
    } -> tensor<64xf32>
    %7 = tensor.empty() : tensor<64x768xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<64xf32>) outs(%7 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<64x768xf32>
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %8 : tensor<64x768xf32>, tensor<64x768xf32>) outs(%7 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %17 = arith.subf %in, %in_2 : f32
      linalg.yield %17 : f32
    } -> tensor<64x768xf32>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<64x768xf32>) outs(%7 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = math.exp %in : f32
      linalg.yield %17 : f32
    } -> tensor<64x768xf32>
    %11 = linalg.fill ins(%cst_1 : f32) outs(%1 : tensor<64xf32>) -> tensor<64xf32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<64x768xf32>) outs(%11 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = arith.addf %out, %in : f32
      linalg.yield %17 : f32
    } -> tensor<64xf32>
    %13 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%12 : tensor<64xf32>) outs(%1 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = math.absf %in : f32
      linalg.yield %17 : f32
    } -> tensor<64xf32>
    %14 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%13 : tensor<64xf32>) outs(%1 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = math.log %in : f32
      linalg.yield %17 : f32
    } -> tensor<64xf32>
    %15 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%14, %6 : tensor<64xf32>, tensor<64xf32>) outs(%1 : tensor<64xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %17 = arith.addf %in, %in_2 : f32
      linalg.yield %17 : f32
    } -> tensor<64xf32>
    return %15 : tensor<64xf32>
  }
}

// -----
// What iree-compile 3.13 makes of torch's pow, mean, rsqrt and products.
// problem: rms_norm:64x[768]xf32
module {
  func.func @f(%arg0: tensor<64x768xf32>, %arg1: tensor<768xf32>) -> tensor<64x768xf32> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 9.99999997E-7 : f32
    %cst_1 = arith.constant 7.680000e+02 : f32
    %2 = tensor.empty() : tensor<64x768xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<64x768xf32>) outs(%2 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %14 : f32
    } -> tensor<64x768xf32>
    %4 = tensor.empty() : tensor<64x1xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<64x1xf32>) -> tensor<64x1xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%3 : tensor<64x768xf32>) outs(%5 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.addf %in, %out : f32
      linalg.yield %14 : f32
    } -> tensor<64x1xf32>
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<64x1xf32>) outs(%4 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.divf %in, %cst_1 : f32
      linalg.yield %14 : f32
    } -> tensor<64x1xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<64x1xf32>) outs(%4 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.addf %in, %cst_0 : f32
      linalg.yield %14 : f32
    } -> tensor<64x1xf32>
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<64x1xf32>) outs(%4 : tensor<64x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = math.rsqrt %in : f32
      linalg.yield %14 : f32
    } -> tensor<64x1xf32>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %9 : tensor<64x768xf32>, tensor<64x1xf32>) outs(%2 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.mulf %in, %in_2 : f32
      linalg.yield %14 : f32
    } -> tensor<64x768xf32>
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg1, %10 : tensor<768xf32>, tensor<64x768xf32>) outs(%2 : tensor<64x768xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.mulf %in, %in_2 : f32
      linalg.yield %14 : f32
    } -> tensor<64x768xf32>
    return %11 : tensor<64x768xf32>
  }
}

// -----
// All in two operations: one over a root, the mean as a product with the inverse, a power, an epsilon of its own.
// problem: rms_norm:64x[768]xbf16:epsilon=1e-5
// with: %x: tensor<64x768xbf16>, %w: tensor<768xbf16> -> tensor<64x768xbf16>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
%zero = arith.constant 0.0 : f32
%one = arith.constant 1.0 : f32
%inverse = arith.constant 0.00130208337 : f32
%two = arith.constant 2.0 : f32
%epsilon = arith.constant 1.0e-05 : f32
%row = tensor.empty() : tensor<64xf32>
%init = linalg.fill ins(%zero : f32) outs(%row : tensor<64xf32>) -> tensor<64xf32>
%squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<64x768xbf16>) outs(%init : tensor<64xf32>) {
^bb0(%in: bf16, %out: f32):
  %0 = arith.extf %in : bf16 to f32
  %1 = math.powf %0, %two : f32
  %2 = arith.addf %out, %1 : f32
  linalg.yield %2 : f32
} -> tensor<64xf32>
%whole = tensor.empty() : tensor<64x768xbf16>
%r = linalg.generic {indexing_maps = [#column, #row, #all, #all], iterator_types = ["parallel", "parallel"]}
    ins(%w, %squares, %x : tensor<768xbf16>, tensor<64xf32>, tensor<64x768xbf16>) outs(%whole : tensor<64x768xbf16>) {
^bb0(%weight: bf16, %sum: f32, %in: bf16, %out: bf16):
  %0 = arith.mulf %sum, %inverse : f32
  %1 = arith.addf %epsilon, %0 : f32
  %2 = math.sqrt %1 : f32
  %3 = arith.divf %one, %2 : f32
  %4 = arith.extf %weight : bf16 to f32
  %5 = arith.mulf %3, %4 : f32
  %6 = arith.extf %in : bf16 to f32
  %7 = arith.mulf %5, %6 : f32
  %8 = arith.truncf %7 : f32 to bf16
  linalg.yield %8 : bf16
} -> tensor<64x768xbf16>

// -----
// Another order: the deviation is computed twice, the bias is the first operand, and the number of rows is known at launch.
// problem: layer_norm:?x[768]xf16:epsilon=0.001
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @f(%x: tensor<?x768xf16>, %bias: tensor<768xf16>, %weight: tensor<1x768xf16>, %whole: tensor<?x768xf16>,
    %row: tensor<?xf32>) -> tensor<?x768xf16> {
  %zero = arith.constant -0.0 : f32
  %count = arith.constant 768.0 : f32
  %epsilon = arith.constant 1.0e-3 : f64
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x768xf16>
  %init = linalg.fill ins(%zero : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
  %empty = tensor.empty(%d) : tensor<?x768xf32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x768xf16>) outs(%empty : tensor<?x768xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x768xf32>
  %sum = linalg.reduce ins(%wide : tensor<?x768xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    }
  %squares = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%wide, %sum : tensor<?x768xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%in: f32, %total: f32, %out: f32):
    %mean = arith.divf %total, %count : f32
    %0 = arith.subf %in, %mean : f32
    %1 = math.fma %0, %0, %out : f32
    %2 = arith.mulf %0, %0 : f32
    %3 = arith.addf %2, %out : f32
    linalg.yield %3 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #row, affine_map<(d0, d1) -> (0, d1)>, #column, #all],
        iterator_types = ["parallel", "parallel"]}
      ins(%wide, %sum, %squares, %weight, %bias : tensor<?x768xf32>, tensor<?xf32>, tensor<?xf32>, tensor<1x768xf16>, tensor<768xf16>)
      outs(%whole : tensor<?x768xf16>) {
  ^bb0(%in: f32, %total: f32, %square: f32, %w: f16, %b: f16, %out: f16):
    %mean = arith.divf %total, %count : f32
    %0 = arith.negf %mean : f32
    %1 = arith.addf %0, %in : f32
    %variance = arith.divf %square, %count : f32
    %more = arith.truncf %epsilon : f64 to f32
    %2 = arith.addf %variance, %more : f32
    %3 = math.sqrt %2 : f32
    %4 = arith.divf %1, %3 : f32
    %5 = arith.extf %w : f16 to f32
    %6 = arith.mulf %4, %5 : f32
    %7 = arith.extf %b : f16 to f32
    %8 = arith.addf %7, %6 : f32
    %9 = arith.truncf %8 : f32 to f16
    linalg.yield %9 : f16
  } -> tensor<?x768xf16>
  return %r : tensor<?x768xf16>
}

// -----
// Rows lie along the first dimension; the greatest element is taken before it is made wider, and from the least number on.
// problem: softmax:[8]x4xf16
// with: %x: tensor<8x4xf16> -> tensor<8x4xf16>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
%zero = arith.constant 0.0 : f32
%low = arith.constant 0xFC00 : f16
%empty = tensor.empty() : tensor<4xf16>
%empty_wide = tensor.empty() : tensor<4xf32>
%low_init = linalg.fill ins(%low : f16) outs(%empty : tensor<4xf16>) -> tensor<4xf16>
%zero_init = linalg.fill ins(%zero : f32) outs(%empty_wide : tensor<4xf32>) -> tensor<4xf32>
%most = linalg.reduce { arith.maxnumf } ins(%x : tensor<8x4xf16>) outs(%low_init : tensor<4xf16>) dimensions = [0]
%whole = tensor.empty() : tensor<8x4xf32>
%powers = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
    ins(%x, %most : tensor<8x4xf16>, tensor<4xf16>) outs(%whole : tensor<8x4xf32>) {
^bb0(%in: f16, %greatest: f16, %out: f32):
  %0 = arith.extf %in : f16 to f32
  %1 = arith.extf %greatest : f16 to f32
  %2 = arith.subf %0, %1 : f32
  %3 = math.exp %2 : f32
  linalg.yield %3 : f32
} -> tensor<8x4xf32>
%sum = linalg.reduce { arith.addf } ins(%powers : tensor<8x4xf32>) outs(%zero_init : tensor<4xf32>) dimensions = [0]
%narrow = tensor.empty() : tensor<8x4xf16>
%r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
    ins(%powers, %sum : tensor<8x4xf32>, tensor<4xf32>) outs(%narrow : tensor<8x4xf16>) {
^bb0(%power: f32, %total: f32, %out: f16):
  %0 = arith.divf %power, %total : f32
  %1 = arith.truncf %0 : f32 to f16
  linalg.yield %1 : f16
} -> tensor<8x4xf16>

// -----
// The sums are a result, too.
// problem: add_rms_norm:2x3x[16]xbf16
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
#column = affine_map<(d0, d1, d2) -> (d2)>
func.func @f(%x: tensor<2x3x16xbf16>, %y: tensor<2x3x16xbf16>, %w: tensor<16xbf16>) -> (tensor<2x3x16xbf16>, tensor<2x3x16xbf16>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 16.0 : f32
  %epsilon = arith.constant 1.0e-06 : f32
  %whole = tensor.empty() : tensor<2x3x16xbf16>
  %row = tensor.empty() : tensor<2x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%row : tensor<2x3xf32>) -> tensor<2x3xf32>
  %sums = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y : tensor<2x3x16xbf16>, tensor<2x3x16xbf16>) outs(%whole : tensor<2x3x16xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<2x3x16xbf16>
  %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%sums : tensor<2x3x16xbf16>) outs(%init : tensor<2x3xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x3xf32>
  %scale = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]} ins(%squares : tensor<2x3xf32>) outs(%row : tensor<2x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %count : f32
    %1 = arith.addf %0, %epsilon : f32
    %2 = math.rsqrt %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sums, %scale, %w : tensor<2x3x16xbf16>, tensor<2x3xf32>, tensor<16xbf16>) outs(%whole : tensor<2x3x16xbf16>) {
  ^bb0(%in: bf16, %by: f32, %weight: bf16, %out: bf16):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.mulf %0, %by : f32
    %2 = arith.extf %weight : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<2x3x16xbf16>
  return %r, %sums : tensor<2x3x16xbf16>, tensor<2x3x16xbf16>
}

// -----
// The generic form.
// problem: softmax:64x[768]xf32
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<64x768xf32>) -> tensor<64x768xf32>, sym_name = "f"}> ({
  ^bb0(%arg0: tensor<64x768xf32>):
    %0 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %3 = "tensor.empty"() : () -> tensor<64xi64>
    %4 = "linalg.fill"(%0, %3) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg18: i64, %arg19: i64):
      "linalg.yield"(%arg18) : (i64) -> ()
    }) : (i64, tensor<64xi64>) -> tensor<64xi64>
    %5 = "tensor.empty"() : () -> tensor<64xf32>
    %6 = "linalg.fill"(%1, %5) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg16: f32, %arg17: f32):
      "linalg.yield"(%arg16) : (f32) -> ()
    }) : (f32, tensor<64xf32>) -> tensor<64xf32>
    %7:2 = "linalg.generic"(%arg0, %6, %4) <{indexing_maps = [#map, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 2>}> ({
    ^bb0(%arg13: f32, %arg14: f32, %arg15: i64):
      %20 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %21 = "arith.index_cast"(%20) : (index) -> i64
      %22 = "arith.maximumf"(%arg13, %arg14) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %23 = "arith.cmpf"(%arg13, %arg14) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %24 = "arith.select"(%23, %21, %arg15) : (i1, i64, i64) -> i64
      "linalg.yield"(%22, %24) : (f32, i64) -> ()
    }) : (tensor<64x768xf32>, tensor<64xf32>, tensor<64xi64>) -> (tensor<64xf32>, tensor<64xi64>)
    %8 = "tensor.expand_shape"(%7#0) <{reassociation = [[0, 1]], static_output_shape = array<i64: 64, 1>}> : (tensor<64xf32>) -> tensor<64x1xf32>
    %9 = "tensor.empty"() : () -> tensor<64x768xf32>
    %10 = "linalg.generic"(%arg0, %8, %9) <{indexing_maps = [#map, #map2, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg10: f32, %arg11: f32, %arg12: f32):
      %19 = "arith.subf"(%arg10, %arg11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%19) : (f32) -> ()
    }) : (tensor<64x768xf32>, tensor<64x1xf32>, tensor<64x768xf32>) -> tensor<64x768xf32>
    %11 = "linalg.generic"(%10, %9) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg8: f32, %arg9: f32):
      %18 = "math.exp"(%arg8) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%18) : (f32) -> ()
    }) : (tensor<64x768xf32>, tensor<64x768xf32>) -> tensor<64x768xf32>
    %12 = "tensor.empty"() : () -> tensor<64x1xf32>
    %13 = "linalg.fill"(%2, %12) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg6: f32, %arg7: f32):
      "linalg.yield"(%arg6) : (f32) -> ()
    }) : (f32, tensor<64x1xf32>) -> tensor<64x1xf32>
    %14 = "linalg.generic"(%11, %13) <{indexing_maps = [#map, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg4: f32, %arg5: f32):
      %17 = "arith.addf"(%arg4, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%17) : (f32) -> ()
    }) : (tensor<64x768xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
    %15 = "linalg.generic"(%11, %14, %9) <{indexing_maps = [#map, #map2, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %16 = "arith.divf"(%arg1, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%16) : (f32) -> ()
    }) : (tensor<64x768xf32>, tensor<64x1xf32>, tensor<64x768xf32>) -> tensor<64x768xf32>
    "func.return"(%15) : (tensor<64x768xf32>) -> ()
  }) : () -> ()
}) : () -> ()

// -----
// One operation gives both results, the sums first.
// problem: add_rms_norm:4x[8]xf32
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %w: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %eighth = arith.constant 0.125 : f32
  %epsilon = arith.constant 1.0e-06 : f32
  %whole = tensor.empty() : tensor<4x8xf32>
  %row = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%row : tensor<4xf32>) -> tensor<4xf32>
  %squares = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %b, %a : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #row, #column, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %squares, %w : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>)
      outs(%whole, %whole : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32, %weight: f32, %out: f32, %out1: f32):
    %0 = arith.mulf %sum, %eighth : f32
    %1 = arith.addf %0, %epsilon : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.addf %a, %b : f32
    %4 = arith.mulf %3, %2 : f32
    %5 = arith.mulf %4, %weight : f32
    linalg.yield %3, %5 : f32, f32
  } -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return %r#1, %r#0 : tensor<4x8xf32>, tensor<4x8xf32>
}
