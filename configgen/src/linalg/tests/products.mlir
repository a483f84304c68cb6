// Products by their names, which are read in this form alone: their generic one repeats what the name says as a body.

// -----
// A linear layer of one token, as torch has it: a product of two matrices.
// problem: dot:40x[96]xf16,f16(1)
func.func @token(%x: tensor<1x96xf16>, %w: tensor<40x96xf16>) -> tensor<1x40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x40xf32>) -> tensor<1x40xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
    ins(%x, %w : tensor<1x96xf16>, tensor<40x96xf16>) outs(%z : tensor<1x40xf32>) -> tensor<1x40xf32>
  return %r : tensor<1x40xf32>
}

// -----
// The values of the attention of one token. The matrix has the dimensions in another order than the iteration.
// problem: dot:6x[50]x64xf32,f32(0,1)
func.func @values(%x: tensor<6x1x50xf32>, %v: tensor<6x50x64xf32>) -> tensor<6x1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x1x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x1x64xf32>) -> tensor<6x1x64xf32>
  %r = linalg.batch_matmul ins(%x, %v : tensor<6x1x50xf32>, tensor<6x50x64xf32>) outs(%z : tensor<6x1x64xf32>) -> tensor<6x1x64xf32>
  return %r : tensor<6x1x64xf32>
}
