module @jit_jax_rope_f32 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x32x8x128xf32>, %arg1: tensor<1x32x1x64xf32>, %arg2: tensor<1x32x1x64xf32>) -> (tensor<1x32x8x128xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:32, 0:8, 0:64] : (tensor<1x32x8x128xf32>) -> tensor<1x32x8x64xf32>
    %1 = stablehlo.slice %arg0 [0:1, 0:32, 0:8, 64:128] : (tensor<1x32x8x128xf32>) -> tensor<1x32x8x64xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2, 3] : (tensor<1x32x1x64xf32>) -> tensor<1x32x8x64xf32>
    %3 = stablehlo.multiply %0, %2 : tensor<1x32x8x64xf32>
    %4 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2, 3] : (tensor<1x32x1x64xf32>) -> tensor<1x32x8x64xf32>
    %5 = stablehlo.multiply %1, %4 : tensor<1x32x8x64xf32>
    %6 = stablehlo.subtract %3, %5 : tensor<1x32x8x64xf32>
    %7 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2, 3] : (tensor<1x32x1x64xf32>) -> tensor<1x32x8x64xf32>
    %8 = stablehlo.multiply %1, %7 : tensor<1x32x8x64xf32>
    %9 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2, 3] : (tensor<1x32x1x64xf32>) -> tensor<1x32x8x64xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<1x32x8x64xf32>
    %11 = stablehlo.add %8, %10 : tensor<1x32x8x64xf32>
    %12 = stablehlo.concatenate %6, %11, dim = 3 : (tensor<1x32x8x64xf32>, tensor<1x32x8x64xf32>) -> tensor<1x32x8x128xf32>
    return %12 : tensor<1x32x8x128xf32>
  }
}
