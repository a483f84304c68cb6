func.func @argmax(%input: tensor<4x4096xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %worst = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %values = tensor.empty() : tensor<4xf32>
  %indices = tensor.empty() : tensor<4xi32>
  %value = linalg.fill ins(%worst : f32) outs(%values : tensor<4xf32>) -> tensor<4xf32>
  %index = linalg.fill ins(%zero : i32) outs(%indices : tensor<4xi32>) -> tensor<4xi32>
  %result:2 = iree_linalg_ext.arg_compare dimension(1)
      ins(%input : tensor<4x4096xf32>) outs(%value, %index : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%a: f32, %b: f32):
    %better = arith.cmpf ogt, %a, %b : f32
    iree_linalg_ext.yield %better : i1
  } -> tensor<4xf32>, tensor<4xi32>
  return %result#0, %result#1 : tensor<4xf32>, tensor<4xi32>
}
