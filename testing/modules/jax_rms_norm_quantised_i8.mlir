module @jit_jax_rms_norm_quantised_i8 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x4096xf32>, %arg1: tensor<4096xf32>) -> (tensor<64x4096xi8> {jax.result_info = "result[0]"}, tensor<64x1xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<127> : tensor<i32>
    %c_0 = stablehlo.constant dense<-128> : tensor<i32>
    %cst = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_3 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %cst_4 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<64x4096xf32>
    %1 = stablehlo.reduce(%0 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<64x4096xf32>, tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %3 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<64x1xf32>
    %5 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %6 = stablehlo.add %4, %5 : tensor<64x1xf32>
    %7 = stablehlo.rsqrt %6 : tensor<64x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x4096xf32>
    %9 = stablehlo.multiply %arg0, %8 : tensor<64x4096xf32>
    %10 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4096xf32>) -> tensor<1x4096xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x4096xf32>) -> tensor<64x4096xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<64x4096xf32>
    %13 = stablehlo.abs %12 : tensor<64x4096xf32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<64x4096xf32>, tensor<f32>) -> tensor<64xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %17 = stablehlo.maximum %15, %16 : tensor<64x1xf32>
    %18 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %19 = stablehlo.divide %17, %18 : tensor<64x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x4096xf32>
    %21 = stablehlo.divide %12, %20 : tensor<64x4096xf32>
    %22 = call @round(%21) : (tensor<64x4096xf32>) -> tensor<64x4096xf32>
    %23 = call @clip(%22, %c_0, %c) : (tensor<64x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<64x4096xf32>
    %24 = stablehlo.convert %23 : (tensor<64x4096xf32>) -> tensor<64x4096xi8>
    return %24, %19 : tensor<64x4096xi8>, tensor<64x1xf32>
  }
  func.func private @round(%arg0: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<64x4096xf32>
    return %0 : tensor<64x4096xf32>
  }
  func.func private @clip(%arg0: tensor<64x4096xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<64x4096xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x4096xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<64x4096xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<64x4096xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<64x4096xf32>
    return %5 : tensor<64x4096xf32>
  }
}
