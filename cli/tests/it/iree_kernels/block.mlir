// A transformer block of 64 tokens of 256 elements in f32, with 4 heads: a norm, attention, a residual, another norm, a feed-forward network,
// a residual, and of what comes out the sum and the greatest element along the tokens.
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#each = affine_map<(d0) -> (d0)>
#whole = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#heads = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#keys = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
func.func @block(
    %x: tensor<64x256xf32>, %wq: tensor<256x256xf32>, %wk: tensor<256x256xf32>, %wv: tensor<256x256xf32>,
    %wo: tensor<256x256xf32>, %up: tensor<256x512xf32>, %down: tensor<512x256xf32>,
    %weight1: tensor<256xf32>, %weight2: tensor<256xf32>, %bias2: tensor<256xf32>)
    -> (tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %length = arith.constant 256.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %scale = arith.constant 0.125 : f32
  %row = tensor.empty() : tensor<64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<64xf32>) -> tensor<64xf32>
  %e = tensor.empty() : tensor<64x256xf32>
  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<64x256xf32>) -> tensor<64x256xf32>

  // An RMS norm.
  %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x256xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %scales = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]} ins(%squares : tensor<64xf32>) outs(%row : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.divf %a, %length : f32
    %1 = arith.addf %0, %epsilon : f32
    %2 = math.rsqrt %1 : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  %h = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %scales, %weight1 : tensor<64x256xf32>, tensor<64xf32>, tensor<256xf32>) outs(%e : tensor<64x256xf32>) {
  ^bb0(%a: f32, %s: f32, %w: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    %1 = arith.mulf %0, %w : f32
    linalg.yield %1 : f32
  } -> tensor<64x256xf32>

  // Attention.
  %q = linalg.matmul ins(%h, %wq : tensor<64x256xf32>, tensor<256x256xf32>) outs(%none : tensor<64x256xf32>) -> tensor<64x256xf32>
  %k = linalg.matmul ins(%h, %wk : tensor<64x256xf32>, tensor<256x256xf32>) outs(%none : tensor<64x256xf32>) -> tensor<64x256xf32>
  %v = linalg.matmul ins(%h, %wv : tensor<64x256xf32>, tensor<256x256xf32>) outs(%none : tensor<64x256xf32>) -> tensor<64x256xf32>
  %q3 = tensor.expand_shape %q [[0], [1, 2]] output_shape [64, 4, 64] : tensor<64x256xf32> into tensor<64x4x64xf32>
  %k3 = tensor.expand_shape %k [[0], [1, 2]] output_shape [64, 4, 64] : tensor<64x256xf32> into tensor<64x4x64xf32>
  %v3 = tensor.expand_shape %v [[0], [1, 2]] output_shape [64, 4, 64] : tensor<64x256xf32> into tensor<64x4x64xf32>
  %cube = tensor.empty() : tensor<4x64x64xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%cube : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %qh = linalg.generic {indexing_maps = [#heads, #whole], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q3 : tensor<64x4x64xf32>) outs(%cube : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x64x64xf32>
  %kh = linalg.generic {indexing_maps = [#keys, #whole], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k3 : tensor<64x4x64xf32>) outs(%cube : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x64x64xf32>
  %vh = linalg.generic {indexing_maps = [#heads, #whole], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v3 : tensor<64x4x64xf32>) outs(%cube : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x64x64xf32>
  %products = linalg.batch_matmul ins(%qh, %kh : tensor<4x64x64xf32>, tensor<4x64x64xf32>) outs(%nothing : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %scores = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel", "parallel"]} ins(%products : tensor<4x64x64xf32>) outs(%cube : tensor<4x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<4x64x64xf32>
  %attention = linalg.softmax dimension(2) ins(%scores : tensor<4x64x64xf32>) outs(%cube : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %mixed = linalg.batch_matmul ins(%attention, %vh : tensor<4x64x64xf32>, tensor<4x64x64xf32>) outs(%nothing : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %turned = tensor.empty() : tensor<64x4x64xf32>
  %back = linalg.generic {indexing_maps = [#heads, #whole], iterator_types = ["parallel", "parallel", "parallel"]} ins(%mixed : tensor<4x64x64xf32>) outs(%turned : tensor<64x4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<64x4x64xf32>
  %flat = tensor.collapse_shape %back [[0], [1, 2]] : tensor<64x4x64xf32> into tensor<64x256xf32>
  %projected = linalg.matmul ins(%flat, %wo : tensor<64x256xf32>, tensor<256x256xf32>) outs(%none : tensor<64x256xf32>) -> tensor<64x256xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %projected : tensor<64x256xf32>, tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x256xf32>

  // A layer norm.
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<64x256xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %means = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]} ins(%sums : tensor<64xf32>) outs(%row : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.divf %a, %length : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %far = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%y, %means : tensor<64x256xf32>, tensor<64xf32>) outs(%e : tensor<64x256xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    linalg.yield %0 : f32
  } -> tensor<64x256xf32>
  %variances = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%far : tensor<64x256xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %deviations = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]} ins(%variances : tensor<64xf32>) outs(%row : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.divf %a, %length : f32
    %1 = arith.addf %0, %epsilon : f32
    %2 = math.rsqrt %1 : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  %normed = linalg.generic {indexing_maps = [#all, #row, #column, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%far, %deviations, %weight2, %bias2 : tensor<64x256xf32>, tensor<64xf32>, tensor<256xf32>, tensor<256xf32>) outs(%e : tensor<64x256xf32>) {
  ^bb0(%a: f32, %s: f32, %w: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    %1 = arith.mulf %0, %w : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<64x256xf32>

  // A feed-forward network with SiLU.
  %wide = tensor.empty() : tensor<64x512xf32>
  %empty = linalg.fill ins(%zero : f32) outs(%wide : tensor<64x512xf32>) -> tensor<64x512xf32>
  %hidden = linalg.matmul ins(%normed, %up : tensor<64x256xf32>, tensor<256x512xf32>) outs(%empty : tensor<64x512xf32>) -> tensor<64x512xf32>
  %active = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%hidden : tensor<64x512xf32>) outs(%wide : tensor<64x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64x512xf32>
  %fed = linalg.matmul ins(%active, %down : tensor<64x512xf32>, tensor<512x256xf32>) outs(%none : tensor<64x256xf32>) -> tensor<64x256xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%y, %fed : tensor<64x256xf32>, tensor<64x256xf32>) outs(%e : tensor<64x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x256xf32>

  // What is pooled.
  %columns = tensor.empty() : tensor<256xf32>
  %from = linalg.fill ins(%zero : f32) outs(%columns : tensor<256xf32>) -> tensor<256xf32>
  %begin = linalg.fill ins(%least : f32) outs(%columns : tensor<256xf32>) -> tensor<256xf32>
  %sum = linalg.reduce { arith.addf } ins(%z : tensor<64x256xf32>) outs(%from : tensor<256xf32>) dimensions = [0]
  %greatest = linalg.reduce { arith.maximumf } ins(%z : tensor<64x256xf32>) outs(%begin : tensor<256xf32>) dimensions = [0]
  return %z, %sum, %greatest : tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>
}
