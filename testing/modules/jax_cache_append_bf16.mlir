module @jit_jax_cache_append_bf16 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x8x63x128xbf16>, %arg1: tensor<1x8x1x128xbf16>) -> (tensor<1x8x64x128xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 2 : (tensor<1x8x63x128xbf16>, tensor<1x8x1x128xbf16>) -> tensor<1x8x64x128xbf16>
    return %0 : tensor<1x8x64x128xbf16>
  }
}
