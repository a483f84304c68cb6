module @jit_jax_scan_f32 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x2048xf32>, %arg1: tensor<2048xf32>) -> (tensor<64xi32> {jax.result_info = "result[0]"}, tensor<6x64xi32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<6> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x64xi32>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_3 = %c_2, %iterArg_4 = %arg0, %iterArg_5 = %0) : tensor<2048xf32>, tensor<i32>, tensor<64x2048xf32>, tensor<6x64xi32>
    cond {
      %14 = stablehlo.compare LT, %iterArg_3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %14:2 = func.call @closed_call(%iterArg, %iterArg_4) : (tensor<2048xf32>, tensor<64x2048xf32>) -> (tensor<64x2048xf32>, tensor<64xi32>)
      %15 = func.call @dynamic_update_index_in_dim(%iterArg_5, %14#1, %iterArg_3) : (tensor<6x64xi32>, tensor<64xi32>, tensor<i32>) -> tensor<6x64xi32>
      %16 = stablehlo.add %iterArg_3, %c : tensor<i32>
      stablehlo.return %iterArg, %16, %14#0, %15 : tensor<2048xf32>, tensor<i32>, tensor<64x2048xf32>, tensor<6x64xi32>
    }
    %2 = stablehlo.reduce(%1#2 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<64x2048xf32>, tensor<f32>) -> tensor<64xf32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %4 = stablehlo.maximum %3, %2 : tensor<64xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x2048xf32>
    %7 = stablehlo.subtract %1#2, %6 : tensor<64x2048xf32>
    %8 = stablehlo.exponential %7 : tensor<64x2048xf32>
    %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<64x2048xf32>, tensor<f32>) -> tensor<64xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x2048xf32>
    %12 = stablehlo.divide %8, %11 : tensor<64x2048xf32>
    %13 = call @argmax(%12) : (tensor<64x2048xf32>) -> tensor<64xi32>
    return %13, %1#3 : tensor<64xi32>, tensor<6x64xi32>
  }
  func.func private @closed_call(%arg0: tensor<2048xf32>, %arg1: tensor<64x2048xf32>) -> (tensor<64x2048xf32>, tensor<64xi32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_0 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %cst_1 = stablehlo.constant dense<2.048000e+03> : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.multiply %arg1, %arg1 : tensor<64x2048xf32>
    %1 = stablehlo.reduce(%0 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<64x2048xf32>, tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<64x1xf32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %6 = stablehlo.add %4, %5 : tensor<64x1xf32>
    %7 = stablehlo.rsqrt %6 : tensor<64x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x2048xf32>
    %9 = stablehlo.multiply %arg1, %8 : tensor<64x2048xf32>
    %10 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<2048xf32>) -> tensor<1x2048xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x2048xf32>) -> tensor<64x2048xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<64x2048xf32>
    %13 = stablehlo.reduce(%12 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<64x2048xf32>, tensor<f32>) -> tensor<64xf32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %15 = stablehlo.maximum %14, %13 : tensor<64xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x2048xf32>
    %18 = stablehlo.subtract %12, %17 : tensor<64x2048xf32>
    %19 = stablehlo.exponential %18 : tensor<64x2048xf32>
    %20 = stablehlo.reduce(%19 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<64x2048xf32>, tensor<f32>) -> tensor<64xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x2048xf32>
    %23 = stablehlo.divide %19, %22 : tensor<64x2048xf32>
    %24 = stablehlo.add %23, %arg1 : tensor<64x2048xf32>
    %25 = call @log_softmax(%24) : (tensor<64x2048xf32>) -> tensor<64x2048xf32>
    %26 = call @standardize(%25) : (tensor<64x2048xf32>) -> tensor<64x2048xf32>
    %27 = call @argmax(%26) : (tensor<64x2048xf32>) -> tensor<64xi32>
    return %26, %27 : tensor<64x2048xf32>, tensor<64xi32>
  }
  func.func private @log_softmax(%arg0: tensor<64x2048xf32>) -> tensor<64x2048xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<64x2048xf32>, tensor<f32>) -> tensor<64xf32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<64xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x2048xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<64x2048xf32>
    %6 = stablehlo.exponential %5 : tensor<64x2048xf32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<64x2048xf32>, tensor<f32>) -> tensor<64xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %9 = stablehlo.log %8 : tensor<64x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x2048xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<64x2048xf32>
    return %11 : tensor<64x2048xf32>
  }
  func.func private @standardize(%arg0: tensor<64x2048xf32>) -> tensor<64x2048xf32> {
    %cst = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst_0 = stablehlo.constant dense<2.048000e+03> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<64x2048xf32>, tensor<f32>) -> tensor<64xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<64x1xf32>
    %4 = stablehlo.multiply %arg0, %arg0 : tensor<64x2048xf32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<64x2048xf32>, tensor<f32>) -> tensor<64xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %8 = stablehlo.divide %6, %7 : tensor<64x1xf32>
    %9 = stablehlo.multiply %3, %3 : tensor<64x1xf32>
    %10 = stablehlo.subtract %8, %9 : tensor<64x1xf32>
    %11 = call @clip(%10, %c) : (tensor<64x1xf32>, tensor<i32>) -> tensor<64x1xf32>
    %12 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x2048xf32>
    %13 = stablehlo.subtract %arg0, %12 : tensor<64x2048xf32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %15 = stablehlo.add %11, %14 : tensor<64x1xf32>
    %16 = stablehlo.rsqrt %15 : tensor<64x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x2048xf32>
    %18 = stablehlo.multiply %13, %17 : tensor<64x2048xf32>
    return %18 : tensor<64x2048xf32>
  }
  func.func private @clip(%arg0: tensor<64x1xf32>, %arg1: tensor<i32>) -> tensor<64x1xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<64x1xf32>
    return %2 : tensor<64x1xf32>
  }
  func.func private @argmax(%arg0: tensor<64x2048xf32>) -> tensor<64xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.iota dim = 1 : tensor<64x2048xi32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<64x2048xf32>, tensor<64x2048xi32>, tensor<f32>, tensor<i32>) -> (tensor<64xf32>, tensor<64xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<64xi32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6x64xi32>, %arg1: tensor<64xi32>, %arg2: tensor<i32>) -> tensor<6x64xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<64xi32>) -> tensor<1x64xi32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<6x64xi32>, tensor<1x64xi32>, tensor<i32>, tensor<i32>) -> tensor<6x64xi32>
    return %1 : tensor<6x64xi32>
  }
}
