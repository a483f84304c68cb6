#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @torch_argmax_vocabulary_bf16_dynamic(%arg0: tensor<?x32000xbf16>) -> tensor<?xi64> {
    %c0 = arith.constant 0 : index
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF80 : bf16
    %dim = tensor.dim %arg0, %c0 : tensor<?x32000xbf16>
    %0 = tensor.empty(%dim) : tensor<?xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<?xi64>) -> tensor<?xi64>
    %2 = tensor.empty(%dim) : tensor<?xbf16>
    %3 = linalg.fill ins(%cst : bf16) outs(%2 : tensor<?xbf16>) -> tensor<?xbf16>
    %4:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x32000xbf16>) outs(%3, %1 : tensor<?xbf16>, tensor<?xi64>) {
    ^bb0(%in: bf16, %out: bf16, %out_0: i64):
      %5 = linalg.index 1 : index
      %6 = arith.index_cast %5 : index to i64
      %7 = arith.maximumf %in, %out : bf16
      %8 = arith.cmpf ogt, %in, %out : bf16
      %9 = arith.select %8, %6, %out_0 : i64
      linalg.yield %7, %9 : bf16, i64
    } -> (tensor<?xbf16>, tensor<?xi64>)
    return %4#1 : tensor<?xi64>
  }
}
