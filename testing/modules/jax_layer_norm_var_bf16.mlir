module @jit_jax_layer_norm_var_bf16 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x4096xbf16>, %arg1: tensor<4096xbf16>, %arg2: tensor<4096xbf16>) -> (tensor<256x4096xbf16> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.001360e-05> : tensor<bf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst_0 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.convert %arg0 : (tensor<256x4096xbf16>) -> tensor<256x4096xf32>
    %1 = stablehlo.reduce(%0 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<256x4096xf32>, tensor<f32>) -> tensor<256xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<256xf32>) -> tensor<256x1xf32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<256x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<256x1xf32>
    %5 = stablehlo.convert %4 : (tensor<256x1xf32>) -> tensor<256x1xbf16>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<256x1xbf16>) -> tensor<256x4096xbf16>
    %7 = stablehlo.subtract %arg0, %6 : tensor<256x4096xbf16>
    %8 = call @_var(%arg0, %c) : (tensor<256x4096xbf16>, tensor<i32>) -> tensor<256x1xbf16>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<256x1xbf16>
    %10 = stablehlo.add %8, %9 : tensor<256x1xbf16>
    %11 = stablehlo.rsqrt %10 : tensor<256x1xbf16>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<256x1xbf16>) -> tensor<256x4096xbf16>
    %13 = stablehlo.multiply %7, %12 : tensor<256x4096xbf16>
    %14 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4096xbf16>) -> tensor<1x4096xbf16>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x4096xbf16>) -> tensor<256x4096xbf16>
    %16 = stablehlo.multiply %13, %15 : tensor<256x4096xbf16>
    %17 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<4096xbf16>) -> tensor<1x4096xbf16>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x4096xbf16>) -> tensor<256x4096xbf16>
    %19 = stablehlo.add %16, %18 : tensor<256x4096xbf16>
    return %19 : tensor<256x4096xbf16>
  }
  func.func private @_var(%arg0: tensor<256x4096xbf16>, %arg1: tensor<i32>) -> tensor<256x1xbf16> {
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %cst_0 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.convert %arg0 : (tensor<256x4096xbf16>) -> tensor<256x4096xf32>
    %1 = stablehlo.reduce(%0 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<256x4096xf32>, tensor<f32>) -> tensor<256xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<256xf32>) -> tensor<256x1xf32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<256x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<256x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<256x1xf32>) -> tensor<256x4096xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<256x4096xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<256x4096xf32>
    %8 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %9 = stablehlo.subtract %cst_0, %8 : tensor<f32>
    %10 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<256x4096xf32>, tensor<f32>) -> tensor<256xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<256xf32>) -> tensor<256x1xf32>
    %12 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<256x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<256x1xf32>
    %14 = stablehlo.convert %13 : (tensor<256x1xf32>) -> tensor<256x1xbf16>
    %15 = stablehlo.compare GT, %9, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %16 = call @_where(%15, %14, %cst) : (tensor<i1>, tensor<256x1xbf16>, tensor<f32>) -> tensor<256x1xbf16>
    return %16 : tensor<256x1xbf16>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<256x1xbf16>, %arg2: tensor<f32>) -> tensor<256x1xbf16> {
    %0 = stablehlo.convert %arg2 : (tensor<f32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<256x1xbf16>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<256x1xbf16>
    return %2 : tensor<256x1xbf16>
  }
}
