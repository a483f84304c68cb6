module @jit_jax_cross_entropy_f32 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x1000xf32>, %arg1: tensor<32xi32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = call @_one_hot(%arg1) : (tensor<32xi32>) -> tensor<32x1000xf32>
    %1 = call @log_softmax(%arg0) : (tensor<32x1000xf32>) -> tensor<32x1000xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<32x1000xf32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<32x1000xf32>, tensor<f32>) -> tensor<32xf32>
    %4 = stablehlo.negate %3 : tensor<32xf32>
    %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %6 = stablehlo.divide %5, %cst : tensor<f32>
    return %6 : tensor<f32>
  }
  func.func private @_one_hot(%arg0: tensor<32xi32>) -> tensor<32x1000xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x1000xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<32x1xi32>) -> tensor<32x1000xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x1000xi32>) -> tensor<32x1000xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<32x1000xi32>, tensor<32x1000xi32>) -> tensor<32x1000xi1>
    %5 = stablehlo.convert %4 : (tensor<32x1000xi1>) -> tensor<32x1000xf32>
    return %5 : tensor<32x1000xf32>
  }
  func.func private @log_softmax(%arg0: tensor<32x1000xf32>) -> tensor<32x1000xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<32x1000xf32>, tensor<f32>) -> tensor<32xf32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<32xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x1000xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<32x1000xf32>
    %6 = stablehlo.exponential %5 : tensor<32x1000xf32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<32x1000xf32>, tensor<f32>) -> tensor<32xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %9 = stablehlo.log %8 : tensor<32x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x1000xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<32x1000xf32>
    return %11 : tensor<32x1000xf32>
  }
}
