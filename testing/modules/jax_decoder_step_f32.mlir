module @jit_jax_decoder_step_f32 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x512xf32>, %arg1: tensor<1x8x128x64xf32>, %arg2: tensor<1x8x128x64xf32>, %arg3: tensor<1xi32>, %arg4: tensor<512xf32>, %arg5: tensor<512x512xf32>, %arg6: tensor<512x512xf32>, %arg7: tensor<512x512xf32>, %arg8: tensor<512x512xf32>, %arg9: tensor<512xf32>, %arg10: tensor<512x1024xf32>, %arg11: tensor<512x1024xf32>, %arg12: tensor<1024x512xf32>, %arg13: tensor<512xf32>, %arg14: tensor<512x4096xf32>) -> (tensor<1xi32> {jax.result_info = "result[0]"}, tensor<1x8x128x64xf32> {jax.result_info = "result[1]"}, tensor<1x8x128x64xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<128> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %cst_3 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %cst_4 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_6 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %cst_7 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.iota dim = 0 : tensor<32xf32>
    %1 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<32xf32>
    %3 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %4 = stablehlo.add %3, %2 : tensor<32xf32>
    %5 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %6 = stablehlo.divide %4, %5 : tensor<32xf32>
    %7 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %8 = stablehlo.power %7, %6 : tensor<32xf32>
    %9 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %10 = stablehlo.divide %9, %8 : tensor<32xf32>
    %11 = stablehlo.reshape %arg3 : (tensor<1xi32>) -> tensor<i32>
    %12 = stablehlo.convert %11 : (tensor<i32>) -> tensor<f32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %14 = stablehlo.multiply %13, %10 : tensor<32xf32>
    %15 = stablehlo.cosine %14 : tensor<32xf32>
    %16 = stablehlo.reshape %15 : (tensor<32xf32>) -> tensor<1x32xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<2x32xf32>
    %18 = stablehlo.reshape %17 : (tensor<2x32xf32>) -> tensor<64xf32>
    %19 = stablehlo.sine %14 : tensor<32xf32>
    %20 = stablehlo.reshape %19 : (tensor<32xf32>) -> tensor<1x32xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<2x32xf32>
    %22 = stablehlo.reshape %21 : (tensor<2x32xf32>) -> tensor<64xf32>
    %23 = stablehlo.multiply %arg0, %arg0 : tensor<1x512xf32>
    %24 = stablehlo.reduce(%23 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<1x512xf32>, tensor<f32>) -> tensor<1xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %27 = stablehlo.divide %25, %26 : tensor<1x1xf32>
    %28 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %29 = stablehlo.add %27, %28 : tensor<1x1xf32>
    %30 = stablehlo.rsqrt %29 : tensor<1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x512xf32>
    %32 = stablehlo.multiply %arg0, %31 : tensor<1x512xf32>
    %33 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<512xf32>) -> tensor<1x512xf32>
    %34 = stablehlo.multiply %32, %33 : tensor<1x512xf32>
    %35 = stablehlo.dot_general %34, %arg5, contracting_dims = [1] x [0] : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
    %36 = stablehlo.reshape %35 : (tensor<1x512xf32>) -> tensor<1x8x1x64xf32>
    %37 = stablehlo.dot_general %34, %arg6, contracting_dims = [1] x [0] : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
    %38 = stablehlo.reshape %37 : (tensor<1x512xf32>) -> tensor<1x8x1x64xf32>
    %39 = stablehlo.dot_general %34, %arg7, contracting_dims = [1] x [0] : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
    %40 = stablehlo.reshape %39 : (tensor<1x512xf32>) -> tensor<1x8x1x64xf32>
    %41 = stablehlo.slice %36 [0:1, 0:8, 0:1, 0:32] : (tensor<1x8x1x64xf32>) -> tensor<1x8x1x32xf32>
    %42 = stablehlo.slice %36 [0:1, 0:8, 0:1, 32:64] : (tensor<1x8x1x64xf32>) -> tensor<1x8x1x32xf32>
    %43 = stablehlo.broadcast_in_dim %18, dims = [3] : (tensor<64xf32>) -> tensor<1x1x1x64xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<1x1x1x64xf32>) -> tensor<1x8x1x64xf32>
    %45 = stablehlo.multiply %36, %44 : tensor<1x8x1x64xf32>
    %46 = stablehlo.negate %42 : tensor<1x8x1x32xf32>
    %47 = stablehlo.concatenate %46, %41, dim = 3 : (tensor<1x8x1x32xf32>, tensor<1x8x1x32xf32>) -> tensor<1x8x1x64xf32>
    %48 = stablehlo.broadcast_in_dim %22, dims = [3] : (tensor<64xf32>) -> tensor<1x1x1x64xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<1x1x1x64xf32>) -> tensor<1x8x1x64xf32>
    %50 = stablehlo.multiply %47, %49 : tensor<1x8x1x64xf32>
    %51 = stablehlo.add %45, %50 : tensor<1x8x1x64xf32>
    %52 = stablehlo.slice %38 [0:1, 0:8, 0:1, 0:32] : (tensor<1x8x1x64xf32>) -> tensor<1x8x1x32xf32>
    %53 = stablehlo.slice %38 [0:1, 0:8, 0:1, 32:64] : (tensor<1x8x1x64xf32>) -> tensor<1x8x1x32xf32>
    %54 = stablehlo.broadcast_in_dim %18, dims = [3] : (tensor<64xf32>) -> tensor<1x1x1x64xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2, 3] : (tensor<1x1x1x64xf32>) -> tensor<1x8x1x64xf32>
    %56 = stablehlo.multiply %38, %55 : tensor<1x8x1x64xf32>
    %57 = stablehlo.negate %53 : tensor<1x8x1x32xf32>
    %58 = stablehlo.concatenate %57, %52, dim = 3 : (tensor<1x8x1x32xf32>, tensor<1x8x1x32xf32>) -> tensor<1x8x1x64xf32>
    %59 = stablehlo.broadcast_in_dim %22, dims = [3] : (tensor<64xf32>) -> tensor<1x1x1x64xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2, 3] : (tensor<1x1x1x64xf32>) -> tensor<1x8x1x64xf32>
    %61 = stablehlo.multiply %58, %60 : tensor<1x8x1x64xf32>
    %62 = stablehlo.add %56, %61 : tensor<1x8x1x64xf32>
    %63 = stablehlo.reshape %arg3 : (tensor<1xi32>) -> tensor<i32>
    %64 = stablehlo.compare LT, %63, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %65 = stablehlo.add %63, %c : tensor<i32>
    %66 = stablehlo.select %64, %65, %63 : tensor<i1>, tensor<i32>
    %67 = stablehlo.dynamic_update_slice %arg1, %62, %c_2, %c_2, %66, %c_2 : (tensor<1x8x128x64xf32>, tensor<1x8x1x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128x64xf32>
    %68 = stablehlo.reshape %arg3 : (tensor<1xi32>) -> tensor<i32>
    %69 = stablehlo.compare LT, %68, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %70 = stablehlo.add %68, %c : tensor<i32>
    %71 = stablehlo.select %69, %70, %68 : tensor<i1>, tensor<i32>
    %72 = stablehlo.dynamic_update_slice %arg2, %40, %c_2, %c_2, %71, %c_2 : (tensor<1x8x128x64xf32>, tensor<1x8x1x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128x64xf32>
    %73 = stablehlo.dot_general %51, %67, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x8x1x64xf32>, tensor<1x8x128x64xf32>) -> tensor<1x8x1x128xf32>
    %74 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x8x1x128xf32>
    %75 = stablehlo.divide %73, %74 : tensor<1x8x1x128xf32>
    %76 = stablehlo.iota dim = 0 : tensor<128xi32>
    %77 = stablehlo.reshape %arg3 : (tensor<1xi32>) -> tensor<i32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [] : (tensor<i32>) -> tensor<128xi32>
    %79 = stablehlo.compare LE, %76, %78, SIGNED : (tensor<128xi32>, tensor<128xi32>) -> tensor<128xi1>
    %80 = call @_where(%79, %75, %cst_0) : (tensor<128xi1>, tensor<1x8x1x128xf32>, tensor<f32>) -> tensor<1x8x1x128xf32>
    %81 = stablehlo.reduce(%80 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<1x8x1x128xf32>, tensor<f32>) -> tensor<1x8x1xf32>
    %82 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x8x1xf32>
    %83 = stablehlo.maximum %82, %81 : tensor<1x8x1xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<1x8x1x1xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<1x8x1x128xf32>
    %86 = stablehlo.subtract %80, %85 : tensor<1x8x1x128xf32>
    %87 = stablehlo.exponential %86 : tensor<1x8x1x128xf32>
    %88 = stablehlo.reduce(%87 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<1x8x1x128xf32>, tensor<f32>) -> tensor<1x8x1xf32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<1x8x1x1xf32>
    %90 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<1x8x1x128xf32>
    %91 = stablehlo.divide %87, %90 : tensor<1x8x1x128xf32>
    %92 = stablehlo.dot_general %72, %91, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [3] : (tensor<1x8x128x64xf32>, tensor<1x8x1x128xf32>) -> tensor<1x8x64x1xf32>
    %93 = stablehlo.transpose %92, dims = [0, 3, 1, 2] : (tensor<1x8x64x1xf32>) -> tensor<1x1x8x64xf32>
    %94 = stablehlo.reshape %93 : (tensor<1x1x8x64xf32>) -> tensor<1x512xf32>
    %95 = stablehlo.dot_general %94, %arg8, contracting_dims = [1] x [0] : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
    %96 = stablehlo.add %arg0, %95 : tensor<1x512xf32>
    %97 = stablehlo.multiply %96, %96 : tensor<1x512xf32>
    %98 = stablehlo.reduce(%97 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<1x512xf32>, tensor<f32>) -> tensor<1xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %100 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %101 = stablehlo.divide %99, %100 : tensor<1x1xf32>
    %102 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %103 = stablehlo.add %101, %102 : tensor<1x1xf32>
    %104 = stablehlo.rsqrt %103 : tensor<1x1xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x512xf32>
    %106 = stablehlo.multiply %96, %105 : tensor<1x512xf32>
    %107 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<512xf32>) -> tensor<1x512xf32>
    %108 = stablehlo.multiply %106, %107 : tensor<1x512xf32>
    %109 = stablehlo.dot_general %108, %arg10, contracting_dims = [1] x [0] : (tensor<1x512xf32>, tensor<512x1024xf32>) -> tensor<1x1024xf32>
    %110 = call @silu(%109) : (tensor<1x1024xf32>) -> tensor<1x1024xf32>
    %111 = stablehlo.dot_general %108, %arg11, contracting_dims = [1] x [0] : (tensor<1x512xf32>, tensor<512x1024xf32>) -> tensor<1x1024xf32>
    %112 = stablehlo.multiply %110, %111 : tensor<1x1024xf32>
    %113 = stablehlo.dot_general %112, %arg12, contracting_dims = [1] x [0] : (tensor<1x1024xf32>, tensor<1024x512xf32>) -> tensor<1x512xf32>
    %114 = stablehlo.add %96, %113 : tensor<1x512xf32>
    %115 = stablehlo.multiply %114, %114 : tensor<1x512xf32>
    %116 = stablehlo.reduce(%115 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<1x512xf32>, tensor<f32>) -> tensor<1xf32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %118 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %119 = stablehlo.divide %117, %118 : tensor<1x1xf32>
    %120 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %121 = stablehlo.add %119, %120 : tensor<1x1xf32>
    %122 = stablehlo.rsqrt %121 : tensor<1x1xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x512xf32>
    %124 = stablehlo.multiply %114, %123 : tensor<1x512xf32>
    %125 = stablehlo.broadcast_in_dim %arg13, dims = [1] : (tensor<512xf32>) -> tensor<1x512xf32>
    %126 = stablehlo.multiply %124, %125 : tensor<1x512xf32>
    %127 = stablehlo.dot_general %126, %arg14, contracting_dims = [1] x [0] : (tensor<1x512xf32>, tensor<512x4096xf32>) -> tensor<1x4096xf32>
    %128 = call @argmax(%127) : (tensor<1x4096xf32>) -> tensor<1xi32>
    return %128, %67, %72 : tensor<1xi32>, tensor<1x8x128x64xf32>, tensor<1x8x128x64xf32>
  }
  func.func private @_where(%arg0: tensor<128xi1>, %arg1: tensor<1x8x1x128xf32>, %arg2: tensor<f32>) -> tensor<1x8x1x128xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [3] : (tensor<128xi1>) -> tensor<1x8x1x128xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x8x1x128xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x8x1x128xi1>, tensor<1x8x1x128xf32>
    return %3 : tensor<1x8x1x128xf32>
  }
  func.func private @silu(%arg0: tensor<1x1024xf32>) -> tensor<1x1024xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.negate %arg0 : tensor<1x1024xf32>
    %1 = stablehlo.exponential %0 : tensor<1x1024xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x1024xf32>
    %3 = stablehlo.add %2, %1 : tensor<1x1024xf32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x1024xf32>
    %5 = stablehlo.divide %4, %3 : tensor<1x1024xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<1x1024xf32>
    return %6 : tensor<1x1024xf32>
  }
  func.func private @argmax(%arg0: tensor<1x4096xf32>) -> tensor<1xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.iota dim = 1 : tensor<1x4096xi32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<1x4096xf32>, tensor<1x4096xi32>, tensor<f32>, tensor<i32>) -> (tensor<1xf32>, tensor<1xi32>)
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
    return %1#1 : tensor<1xi32>
  }
}
