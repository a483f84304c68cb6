#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
module {
  util.global private @weight = dense<1.5> : tensor<1024xf32>
  util.global private mutable @bias = dense<0.25> : tensor<1024xf32>
  func.func @hand_rms_norm_globals(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
    %weight = util.global.load @weight : tensor<1024xf32>
    %bias = util.global.load @bias : tensor<1024xf32>
    %zero = arith.constant 0.0 : f32
    %count = arith.constant 1024.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %sums = tensor.empty() : tensor<64xf32>
    %cleared = linalg.fill ins(%zero : f32) outs(%sums : tensor<64xf32>) -> tensor<64xf32>
    %squares = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x1024xf32>) outs(%cleared : tensor<64xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %square = arith.mulf %in, %in : f32
      %sum = arith.addf %acc, %square : f32
      linalg.yield %sum : f32
    } -> tensor<64xf32>
    %out = tensor.empty() : tensor<64x1024xf32>
    %y = linalg.generic {indexing_maps = [#rows, #row, #column, #column, #rows],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x, %squares, %weight, %bias : tensor<64x1024xf32>, tensor<64xf32>, tensor<1024xf32>, tensor<1024xf32>)
      outs(%out : tensor<64x1024xf32>) {
    ^bb0(%in: f32, %square: f32, %w: f32, %b: f32, %unused: f32):
      %mean = arith.divf %square, %count : f32
      %shifted = arith.addf %mean, %epsilon : f32
      %inverse = math.rsqrt %shifted : f32
      %normal = arith.mulf %in, %inverse : f32
      %scaled = arith.mulf %normal, %w : f32
      %moved = arith.addf %scaled, %b : f32
      linalg.yield %moved : f32
    } -> tensor<64x1024xf32>
    return %y : tensor<64x1024xf32>
  }
}
