#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module {
  func.func @hand_dispatch_region(%x: tensor<64x2048xf32>) -> (tensor<64xf32>, tensor<64x2048xf32>) {
    %sum = flow.dispatch.region -> (tensor<64xf32>) {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<64xf32>
      %cleared = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
      %total = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x2048xf32>) outs(%cleared : tensor<64xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %next = arith.addf %acc, %in : f32
        linalg.yield %next : f32
      } -> tensor<64xf32>
      flow.return %total : tensor<64xf32>
    }
    %out = tensor.empty() : tensor<64x2048xf32>
    %y = linalg.softmax dimension(1) ins(%x : tensor<64x2048xf32>) outs(%out : tensor<64x2048xf32>)
      -> tensor<64x2048xf32>
    return %sum, %y : tensor<64xf32>, tensor<64x2048xf32>
  }
}
