module @jit_jax_rms_norm_bf16 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024x4096xbf16>, %arg1: tensor<4096xbf16>) -> (tensor<1024x4096xbf16> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %cst_0 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.convert %arg0 : (tensor<1024x4096xbf16>) -> tensor<1024x4096xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<1024x4096xf32>
    %2 = stablehlo.reduce(%1 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<1024x4096xf32>, tensor<f32>) -> tensor<1024xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %5 = stablehlo.divide %3, %4 : tensor<1024x1xf32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %7 = stablehlo.add %5, %6 : tensor<1024x1xf32>
    %8 = stablehlo.rsqrt %7 : tensor<1024x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x4096xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<1024x4096xf32>
    %11 = stablehlo.convert %10 : (tensor<1024x4096xf32>) -> tensor<1024x4096xbf16>
    %12 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4096xbf16>) -> tensor<1x4096xbf16>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x4096xbf16>) -> tensor<1024x4096xbf16>
    %14 = stablehlo.multiply %11, %13 : tensor<1024x4096xbf16>
    return %14 : tensor<1024x4096xbf16>
  }
}
