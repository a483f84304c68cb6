module {
  func.func @hand_row_max(%x: tensor<64x4096xf32>) -> tensor<64xf32> {
    %lowest = arith.constant 0xFF800000 : f32
    %empty = tensor.empty() : tensor<64xf32>
    %filled = linalg.fill ins(%lowest : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %max = linalg.reduce ins(%x : tensor<64x4096xf32>) outs(%filled : tensor<64xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %m = arith.maximumf %in, %acc : f32
        linalg.yield %m : f32
      }
    return %max : tensor<64xf32>
  }
  func.func @hand_row_softmax(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
    %empty = tensor.empty() : tensor<64x4096xf32>
    %y = linalg.softmax dimension(1) ins(%x : tensor<64x4096xf32>) outs(%empty : tensor<64x4096xf32>)
      -> tensor<64x4096xf32>
    return %y : tensor<64x4096xf32>
  }
}
