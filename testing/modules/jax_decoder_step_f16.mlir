module @jit_jax_decoder_step_f16 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x512xf16>, %arg1: tensor<1x8x128x64xf16>, %arg2: tensor<1x8x128x64xf16>, %arg3: tensor<1xi32>, %arg4: tensor<512xf16>, %arg5: tensor<512x512xf16>, %arg6: tensor<512x512xf16>, %arg7: tensor<512x512xf16>, %arg8: tensor<512x512xf16>, %arg9: tensor<512xf16>, %arg10: tensor<512x1024xf16>, %arg11: tensor<512x1024xf16>, %arg12: tensor<1024x512xf16>, %arg13: tensor<512xf16>, %arg14: tensor<512x4096xf16>) -> (tensor<1xi32> {jax.result_info = "result[0]"}, tensor<1x8x128x64xf16> {jax.result_info = "result[1]"}, tensor<1x8x128x64xf16> {jax.result_info = "result[2]"}) {
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
    %19 = stablehlo.convert %18 : (tensor<64xf32>) -> tensor<64xf16>
    %20 = stablehlo.sine %14 : tensor<32xf32>
    %21 = stablehlo.reshape %20 : (tensor<32xf32>) -> tensor<1x32xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<2x32xf32>
    %23 = stablehlo.reshape %22 : (tensor<2x32xf32>) -> tensor<64xf32>
    %24 = stablehlo.convert %23 : (tensor<64xf32>) -> tensor<64xf16>
    %25 = stablehlo.convert %arg0 : (tensor<1x512xf16>) -> tensor<1x512xf32>
    %26 = stablehlo.multiply %25, %25 : tensor<1x512xf32>
    %27 = stablehlo.reduce(%26 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<1x512xf32>, tensor<f32>) -> tensor<1xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %29 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %30 = stablehlo.divide %28, %29 : tensor<1x1xf32>
    %31 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %32 = stablehlo.add %30, %31 : tensor<1x1xf32>
    %33 = stablehlo.rsqrt %32 : tensor<1x1xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x512xf32>
    %35 = stablehlo.multiply %25, %34 : tensor<1x512xf32>
    %36 = stablehlo.convert %35 : (tensor<1x512xf32>) -> tensor<1x512xf16>
    %37 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<512xf16>) -> tensor<1x512xf16>
    %38 = stablehlo.multiply %36, %37 : tensor<1x512xf16>
    %39 = stablehlo.dot_general %38, %arg5, contracting_dims = [1] x [0] : (tensor<1x512xf16>, tensor<512x512xf16>) -> tensor<1x512xf16>
    %40 = stablehlo.reshape %39 : (tensor<1x512xf16>) -> tensor<1x8x1x64xf16>
    %41 = stablehlo.dot_general %38, %arg6, contracting_dims = [1] x [0] : (tensor<1x512xf16>, tensor<512x512xf16>) -> tensor<1x512xf16>
    %42 = stablehlo.reshape %41 : (tensor<1x512xf16>) -> tensor<1x8x1x64xf16>
    %43 = stablehlo.dot_general %38, %arg7, contracting_dims = [1] x [0] : (tensor<1x512xf16>, tensor<512x512xf16>) -> tensor<1x512xf16>
    %44 = stablehlo.reshape %43 : (tensor<1x512xf16>) -> tensor<1x8x1x64xf16>
    %45 = stablehlo.slice %40 [0:1, 0:8, 0:1, 0:32] : (tensor<1x8x1x64xf16>) -> tensor<1x8x1x32xf16>
    %46 = stablehlo.slice %40 [0:1, 0:8, 0:1, 32:64] : (tensor<1x8x1x64xf16>) -> tensor<1x8x1x32xf16>
    %47 = stablehlo.broadcast_in_dim %19, dims = [3] : (tensor<64xf16>) -> tensor<1x1x1x64xf16>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<1x1x1x64xf16>) -> tensor<1x8x1x64xf16>
    %49 = stablehlo.multiply %40, %48 : tensor<1x8x1x64xf16>
    %50 = stablehlo.negate %46 : tensor<1x8x1x32xf16>
    %51 = stablehlo.concatenate %50, %45, dim = 3 : (tensor<1x8x1x32xf16>, tensor<1x8x1x32xf16>) -> tensor<1x8x1x64xf16>
    %52 = stablehlo.broadcast_in_dim %24, dims = [3] : (tensor<64xf16>) -> tensor<1x1x1x64xf16>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2, 3] : (tensor<1x1x1x64xf16>) -> tensor<1x8x1x64xf16>
    %54 = stablehlo.multiply %51, %53 : tensor<1x8x1x64xf16>
    %55 = stablehlo.add %49, %54 : tensor<1x8x1x64xf16>
    %56 = stablehlo.slice %42 [0:1, 0:8, 0:1, 0:32] : (tensor<1x8x1x64xf16>) -> tensor<1x8x1x32xf16>
    %57 = stablehlo.slice %42 [0:1, 0:8, 0:1, 32:64] : (tensor<1x8x1x64xf16>) -> tensor<1x8x1x32xf16>
    %58 = stablehlo.broadcast_in_dim %19, dims = [3] : (tensor<64xf16>) -> tensor<1x1x1x64xf16>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<1x1x1x64xf16>) -> tensor<1x8x1x64xf16>
    %60 = stablehlo.multiply %42, %59 : tensor<1x8x1x64xf16>
    %61 = stablehlo.negate %57 : tensor<1x8x1x32xf16>
    %62 = stablehlo.concatenate %61, %56, dim = 3 : (tensor<1x8x1x32xf16>, tensor<1x8x1x32xf16>) -> tensor<1x8x1x64xf16>
    %63 = stablehlo.broadcast_in_dim %24, dims = [3] : (tensor<64xf16>) -> tensor<1x1x1x64xf16>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<1x1x1x64xf16>) -> tensor<1x8x1x64xf16>
    %65 = stablehlo.multiply %62, %64 : tensor<1x8x1x64xf16>
    %66 = stablehlo.add %60, %65 : tensor<1x8x1x64xf16>
    %67 = stablehlo.reshape %arg3 : (tensor<1xi32>) -> tensor<i32>
    %68 = stablehlo.compare LT, %67, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %69 = stablehlo.add %67, %c : tensor<i32>
    %70 = stablehlo.select %68, %69, %67 : tensor<i1>, tensor<i32>
    %71 = stablehlo.dynamic_update_slice %arg1, %66, %c_2, %c_2, %70, %c_2 : (tensor<1x8x128x64xf16>, tensor<1x8x1x64xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128x64xf16>
    %72 = stablehlo.reshape %arg3 : (tensor<1xi32>) -> tensor<i32>
    %73 = stablehlo.compare LT, %72, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %74 = stablehlo.add %72, %c : tensor<i32>
    %75 = stablehlo.select %73, %74, %72 : tensor<i1>, tensor<i32>
    %76 = stablehlo.dynamic_update_slice %arg2, %44, %c_2, %c_2, %75, %c_2 : (tensor<1x8x128x64xf16>, tensor<1x8x1x64xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128x64xf16>
    %77 = stablehlo.dot_general %55, %71, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x8x1x64xf16>, tensor<1x8x128x64xf16>) -> tensor<1x8x1x128xf16>
    %78 = stablehlo.convert %77 : (tensor<1x8x1x128xf16>) -> tensor<1x8x1x128xf32>
    %79 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x8x1x128xf32>
    %80 = stablehlo.divide %78, %79 : tensor<1x8x1x128xf32>
    %81 = stablehlo.iota dim = 0 : tensor<128xi32>
    %82 = stablehlo.reshape %arg3 : (tensor<1xi32>) -> tensor<i32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [] : (tensor<i32>) -> tensor<128xi32>
    %84 = stablehlo.compare LE, %81, %83, SIGNED : (tensor<128xi32>, tensor<128xi32>) -> tensor<128xi1>
    %85 = call @_where(%84, %80, %cst_0) : (tensor<128xi1>, tensor<1x8x1x128xf32>, tensor<f32>) -> tensor<1x8x1x128xf32>
    %86 = stablehlo.reduce(%85 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<1x8x1x128xf32>, tensor<f32>) -> tensor<1x8x1xf32>
    %87 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x8x1xf32>
    %88 = stablehlo.maximum %87, %86 : tensor<1x8x1xf32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<1x8x1x1xf32>
    %90 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<1x8x1x128xf32>
    %91 = stablehlo.subtract %85, %90 : tensor<1x8x1x128xf32>
    %92 = stablehlo.exponential %91 : tensor<1x8x1x128xf32>
    %93 = stablehlo.reduce(%92 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<1x8x1x128xf32>, tensor<f32>) -> tensor<1x8x1xf32>
    %94 = stablehlo.broadcast_in_dim %93, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<1x8x1x1xf32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<1x8x1x128xf32>
    %96 = stablehlo.divide %92, %95 : tensor<1x8x1x128xf32>
    %97 = stablehlo.convert %96 : (tensor<1x8x1x128xf32>) -> tensor<1x8x1x128xf16>
    %98 = stablehlo.dot_general %76, %97, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [3] : (tensor<1x8x128x64xf16>, tensor<1x8x1x128xf16>) -> tensor<1x8x64x1xf16>
    %99 = stablehlo.transpose %98, dims = [0, 3, 1, 2] : (tensor<1x8x64x1xf16>) -> tensor<1x1x8x64xf16>
    %100 = stablehlo.reshape %99 : (tensor<1x1x8x64xf16>) -> tensor<1x512xf16>
    %101 = stablehlo.dot_general %100, %arg8, contracting_dims = [1] x [0] : (tensor<1x512xf16>, tensor<512x512xf16>) -> tensor<1x512xf16>
    %102 = stablehlo.add %arg0, %101 : tensor<1x512xf16>
    %103 = stablehlo.convert %102 : (tensor<1x512xf16>) -> tensor<1x512xf32>
    %104 = stablehlo.multiply %103, %103 : tensor<1x512xf32>
    %105 = stablehlo.reduce(%104 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<1x512xf32>, tensor<f32>) -> tensor<1xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %107 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %108 = stablehlo.divide %106, %107 : tensor<1x1xf32>
    %109 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %110 = stablehlo.add %108, %109 : tensor<1x1xf32>
    %111 = stablehlo.rsqrt %110 : tensor<1x1xf32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x512xf32>
    %113 = stablehlo.multiply %103, %112 : tensor<1x512xf32>
    %114 = stablehlo.convert %113 : (tensor<1x512xf32>) -> tensor<1x512xf16>
    %115 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<512xf16>) -> tensor<1x512xf16>
    %116 = stablehlo.multiply %114, %115 : tensor<1x512xf16>
    %117 = stablehlo.dot_general %116, %arg10, contracting_dims = [1] x [0] : (tensor<1x512xf16>, tensor<512x1024xf16>) -> tensor<1x1024xf16>
    %118 = call @silu(%117) : (tensor<1x1024xf16>) -> tensor<1x1024xf16>
    %119 = stablehlo.dot_general %116, %arg11, contracting_dims = [1] x [0] : (tensor<1x512xf16>, tensor<512x1024xf16>) -> tensor<1x1024xf16>
    %120 = stablehlo.multiply %118, %119 : tensor<1x1024xf16>
    %121 = stablehlo.dot_general %120, %arg12, contracting_dims = [1] x [0] : (tensor<1x1024xf16>, tensor<1024x512xf16>) -> tensor<1x512xf16>
    %122 = stablehlo.add %102, %121 : tensor<1x512xf16>
    %123 = stablehlo.convert %122 : (tensor<1x512xf16>) -> tensor<1x512xf32>
    %124 = stablehlo.multiply %123, %123 : tensor<1x512xf32>
    %125 = stablehlo.reduce(%124 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<1x512xf32>, tensor<f32>) -> tensor<1xf32>
    %126 = stablehlo.broadcast_in_dim %125, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %127 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %128 = stablehlo.divide %126, %127 : tensor<1x1xf32>
    %129 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %130 = stablehlo.add %128, %129 : tensor<1x1xf32>
    %131 = stablehlo.rsqrt %130 : tensor<1x1xf32>
    %132 = stablehlo.broadcast_in_dim %131, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x512xf32>
    %133 = stablehlo.multiply %123, %132 : tensor<1x512xf32>
    %134 = stablehlo.convert %133 : (tensor<1x512xf32>) -> tensor<1x512xf16>
    %135 = stablehlo.broadcast_in_dim %arg13, dims = [1] : (tensor<512xf16>) -> tensor<1x512xf16>
    %136 = stablehlo.multiply %134, %135 : tensor<1x512xf16>
    %137 = stablehlo.dot_general %136, %arg14, contracting_dims = [1] x [0] : (tensor<1x512xf16>, tensor<512x4096xf16>) -> tensor<1x4096xf16>
    %138 = stablehlo.convert %137 : (tensor<1x4096xf16>) -> tensor<1x4096xf32>
    %139 = call @argmax(%138) : (tensor<1x4096xf32>) -> tensor<1xi32>
    return %139, %71, %76 : tensor<1xi32>, tensor<1x8x128x64xf16>, tensor<1x8x128x64xf16>
  }
  func.func private @_where(%arg0: tensor<128xi1>, %arg1: tensor<1x8x1x128xf32>, %arg2: tensor<f32>) -> tensor<1x8x1x128xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [3] : (tensor<128xi1>) -> tensor<1x8x1x128xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x8x1x128xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x8x1x128xi1>, tensor<1x8x1x128xf32>
    return %3 : tensor<1x8x1x128xf32>
  }
  func.func private @silu(%arg0: tensor<1x1024xf16>) -> tensor<1x1024xf16> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %0 = stablehlo.negate %arg0 : tensor<1x1024xf16>
    %1 = stablehlo.exponential %0 : tensor<1x1024xf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<1x1024xf16>
    %3 = stablehlo.add %2, %1 : tensor<1x1024xf16>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<1x1024xf16>
    %5 = stablehlo.divide %4, %3 : tensor<1x1024xf16>
    %6 = stablehlo.multiply %arg0, %5 : tensor<1x1024xf16>
    return %6 : tensor<1x1024xf16>
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
