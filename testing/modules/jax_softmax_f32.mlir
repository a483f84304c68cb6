module @jit_jax_softmax_f32 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024x2048xf32>) -> (tensor<1024x2048xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1024x2048xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<1024x2048xf32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<1024x2048xf32>, tensor<f32>) -> tensor<1024xf32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1024xf32>
    %4 = stablehlo.maximum %3, %2 : tensor<1024xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x2048xf32>
    %7 = stablehlo.subtract %1, %6 : tensor<1024x2048xf32>
    %8 = stablehlo.exponential %7 : tensor<1024x2048xf32>
    %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<1024x2048xf32>, tensor<f32>) -> tensor<1024xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x2048xf32>
    %12 = stablehlo.divide %8, %11 : tensor<1024x2048xf32>
    return %12 : tensor<1024x2048xf32>
  }
}
