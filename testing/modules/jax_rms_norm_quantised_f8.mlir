module @jit_jax_rms_norm_quantised_f8 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x4096xf32>, %arg1: tensor<4096xf32>) -> (tensor<64x4096xf8E4M3FNUZ> {jax.result_info = "result[0]"}, tensor<64x1xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<2.400000e+02> : tensor<f32>
    %cst_0 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %cst_3 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<64x4096xf32>
    %1 = stablehlo.reduce(%0 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<64x4096xf32>, tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %3 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<64x1xf32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %6 = stablehlo.add %4, %5 : tensor<64x1xf32>
    %7 = stablehlo.rsqrt %6 : tensor<64x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x4096xf32>
    %9 = stablehlo.multiply %arg0, %8 : tensor<64x4096xf32>
    %10 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4096xf32>) -> tensor<1x4096xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x4096xf32>) -> tensor<64x4096xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<64x4096xf32>
    %13 = stablehlo.abs %12 : tensor<64x4096xf32>
    %14 = stablehlo.reduce(%13 init: %cst_1) applies stablehlo.maximum across dimensions = [1] : (tensor<64x4096xf32>, tensor<f32>) -> tensor<64xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %16 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %17 = stablehlo.maximum %15, %16 : tensor<64x1xf32>
    %18 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %19 = stablehlo.divide %17, %18 : tensor<64x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x4096xf32>
    %21 = stablehlo.divide %12, %20 : tensor<64x4096xf32>
    %22 = stablehlo.convert %21 : (tensor<64x4096xf32>) -> tensor<64x4096xf8E4M3FNUZ>
    return %22, %19 : tensor<64x4096xf8E4M3FNUZ>, tensor<64x1xf32>
  }
}
