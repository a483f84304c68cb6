#rows = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0, d1) -> ()>
module {
  func.func @hand_scalar_temperature(%x: tensor<64x4096xf32>, %t: tensor<f32>) -> tensor<64x4096xf32> {
    %empty = tensor.empty() : tensor<64x4096xf32>
    %scaled = linalg.generic {indexing_maps = [#rows, #scalar, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %t : tensor<64x4096xf32>, tensor<f32>) outs(%empty : tensor<64x4096xf32>) {
    ^bb0(%in: f32, %temperature: f32, %unused: f32):
      %quotient = arith.divf %in, %temperature : f32
      linalg.yield %quotient : f32
    } -> tensor<64x4096xf32>
    %out = tensor.empty() : tensor<64x4096xf32>
    %y = linalg.softmax dimension(1) ins(%scaled : tensor<64x4096xf32>) outs(%out : tensor<64x4096xf32>)
      -> tensor<64x4096xf32>
    return %y : tensor<64x4096xf32>
  }
}
