module @jit_jax_log_softmax_f32 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x4096xf32>) -> (tensor<64x4096xf32> {jax.result_info = "result"}) {
    %0 = call @log_softmax(%arg0) : (tensor<64x4096xf32>) -> tensor<64x4096xf32>
    return %0 : tensor<64x4096xf32>
  }
  func.func private @log_softmax(%arg0: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<64x4096xf32>, tensor<f32>) -> tensor<64xf32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<64xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x4096xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<64x4096xf32>
    %6 = stablehlo.exponential %5 : tensor<64x4096xf32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<64x4096xf32>, tensor<f32>) -> tensor<64xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %9 = stablehlo.log %8 : tensor<64x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x4096xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<64x4096xf32>
    return %11 : tensor<64x4096xf32>
  }
}
