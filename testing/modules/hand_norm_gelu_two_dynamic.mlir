#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
#column = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @hand_norm_gelu_two_dynamic(%x: tensor<?x?x512xf32>, %weight: tensor<512xf32>) -> tensor<?x?x512xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %batch = tensor.dim %x, %c0 : tensor<?x?x512xf32>
    %sequence = tensor.dim %x, %c1 : tensor<?x?x512xf32>
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.707106769 : f32
    %count = arith.constant 512.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %sums = tensor.empty(%batch, %sequence) : tensor<?x?xf32>
    %cleared = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
    %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x?x512xf32>) outs(%cleared : tensor<?x?xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %square = arith.mulf %in, %in : f32
      %sum = arith.addf %acc, %square : f32
      linalg.yield %sum : f32
    } -> tensor<?x?xf32>
    %out = tensor.empty(%batch, %sequence) : tensor<?x?x512xf32>
    %y = linalg.generic {indexing_maps = [#all, #row, #column, #all],
                         iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %squares, %weight : tensor<?x?x512xf32>, tensor<?x?xf32>, tensor<512xf32>)
      outs(%out : tensor<?x?x512xf32>) {
    ^bb0(%in: f32, %square: f32, %w: f32, %unused: f32):
      %mean = arith.divf %square, %count : f32
      %shifted = arith.addf %mean, %epsilon : f32
      %inverse = math.rsqrt %shifted : f32
      %normal = arith.mulf %in, %inverse : f32
      %scaled = arith.mulf %normal, %w : f32
      %narrowed = arith.mulf %scaled, %root : f32
      %erf = math.erf %narrowed : f32
      %shift = arith.addf %erf, %one : f32
      %halved = arith.mulf %scaled, %half : f32
      %gelu = arith.mulf %halved, %shift : f32
      linalg.yield %gelu : f32
    } -> tensor<?x?x512xf32>
    return %y : tensor<?x?x512xf32>
  }
}
