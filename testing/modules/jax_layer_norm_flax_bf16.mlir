module @jit_jax_layer_norm_flax_bf16 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024x2048xbf16>, %arg1: tensor<2048xbf16>, %arg2: tensor<2048xbf16>) -> (tensor<1024x2048xbf16> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.048000e+03> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.convert %arg0 : (tensor<1024x2048xbf16>) -> tensor<1024x2048xf32>
    %1 = stablehlo.reduce(%0 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<1024x2048xf32>, tensor<f32>) -> tensor<1024xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<1024x1xf32>
    %5 = stablehlo.multiply %0, %0 : tensor<1024x2048xf32>
    %6 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<1024x2048xf32>, tensor<f32>) -> tensor<1024xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %9 = stablehlo.divide %7, %8 : tensor<1024x1xf32>
    %10 = stablehlo.multiply %4, %4 : tensor<1024x1xf32>
    %11 = stablehlo.subtract %9, %10 : tensor<1024x1xf32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %13 = stablehlo.maximum %12, %11 : tensor<1024x1xf32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %15 = stablehlo.add %13, %14 : tensor<1024x1xf32>
    %16 = stablehlo.rsqrt %15 : tensor<1024x1xf32>
    %17 = stablehlo.convert %arg1 : (tensor<2048xbf16>) -> tensor<2048xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [1] : (tensor<2048xf32>) -> tensor<1x2048xf32>
    %19 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x2048xf32>
    %20 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x2048xf32>) -> tensor<1024x2048xf32>
    %21 = stablehlo.multiply %19, %20 : tensor<1024x2048xf32>
    %22 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x2048xf32>
    %23 = stablehlo.subtract %0, %22 : tensor<1024x2048xf32>
    %24 = stablehlo.multiply %23, %21 : tensor<1024x2048xf32>
    %25 = stablehlo.convert %arg2 : (tensor<2048xbf16>) -> tensor<2048xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1] : (tensor<2048xf32>) -> tensor<1x2048xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<1x2048xf32>) -> tensor<1024x2048xf32>
    %28 = stablehlo.add %24, %27 : tensor<1024x2048xf32>
    %29 = stablehlo.convert %28 : (tensor<1024x2048xf32>) -> tensor<1024x2048xbf16>
    return %29 : tensor<1024x2048xbf16>
  }
}
