module @jit_jax_residual_rms_norm_bf16 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x2048xbf16>, %arg1: tensor<256x2048xbf16>, %arg2: tensor<2048xbf16>) -> (tensor<256x2048xbf16> {jax.result_info = "result[0]"}, tensor<256x2048xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.048000e+03> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.add %arg0, %arg1 : tensor<256x2048xbf16>
    %1 = stablehlo.convert %0 : (tensor<256x2048xbf16>) -> tensor<256x2048xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<256x2048xf32>
    %3 = stablehlo.reduce(%2 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<256x2048xf32>, tensor<f32>) -> tensor<256xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<256xf32>) -> tensor<256x1xf32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<256x1xf32>
    %6 = stablehlo.divide %4, %5 : tensor<256x1xf32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<256x1xf32>
    %8 = stablehlo.add %6, %7 : tensor<256x1xf32>
    %9 = stablehlo.rsqrt %8 : tensor<256x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<256x1xf32>) -> tensor<256x2048xf32>
    %11 = stablehlo.multiply %1, %10 : tensor<256x2048xf32>
    %12 = stablehlo.convert %11 : (tensor<256x2048xf32>) -> tensor<256x2048xbf16>
    %13 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<2048xbf16>) -> tensor<1x2048xbf16>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x2048xbf16>) -> tensor<256x2048xbf16>
    %15 = stablehlo.multiply %12, %14 : tensor<256x2048xbf16>
    return %15, %0 : tensor<256x2048xbf16>, tensor<256x2048xbf16>
  }
}
