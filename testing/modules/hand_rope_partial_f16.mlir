#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#table = affine_map<(d0, d1, d2) -> (d1, d2)>
module {
  func.func @hand_rope_partial_f16(%x: tensor<8x16x80xf16>, %cos: tensor<16x32xf16>, %sin: tensor<16x32xf16>) -> tensor<8x16x80xf16> {
    %rotated = tensor.extract_slice %x[0, 0, 0] [8, 16, 32] [1, 1, 1] : tensor<8x16x80xf16> to tensor<8x16x32xf16>
    %kept = tensor.extract_slice %x[0, 0, 32] [8, 16, 48] [1, 1, 1] : tensor<8x16x80xf16> to tensor<8x16x48xf16>
    %first = tensor.extract_slice %x[0, 0, 0] [8, 16, 16] [1, 1, 1] : tensor<8x16x80xf16> to tensor<8x16x16xf16>
    %second = tensor.extract_slice %x[0, 0, 16] [8, 16, 16] [1, 1, 1] : tensor<8x16x80xf16> to tensor<8x16x16xf16>
    %half = tensor.empty() : tensor<8x16x16xf16>
    %negative = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%second : tensor<8x16x16xf16>) outs(%half : tensor<8x16x16xf16>) {
    ^bb0(%in: f16, %out: f16):
      %y = arith.negf %in : f16
      linalg.yield %y : f16
    } -> tensor<8x16x16xf16>
    %turned = tensor.concat dim(2) %negative, %first : (tensor<8x16x16xf16>, tensor<8x16x16xf16>) -> tensor<8x16x32xf16>
    %whole = tensor.empty() : tensor<8x16x32xf16>
    %sum = linalg.generic {indexing_maps = [#all, #table, #all, #table, #all],
                           iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%rotated, %cos, %turned, %sin : tensor<8x16x32xf16>, tensor<16x32xf16>, tensor<8x16x32xf16>, tensor<16x32xf16>)
      outs(%whole : tensor<8x16x32xf16>) {
    ^bb0(%a: f16, %c: f16, %b: f16, %s: f16, %out: f16):
      %one = arith.mulf %a, %c : f16
      %other = arith.mulf %b, %s : f16
      %y = arith.addf %one, %other : f16
      linalg.yield %y : f16
    } -> tensor<8x16x32xf16>
    %y = tensor.concat dim(2) %sum, %kept : (tensor<8x16x32xf16>, tensor<8x16x48xf16>) -> tensor<8x16x80xf16>
    return %y : tensor<8x16x80xf16>
  }
}
