func.func @rows(%x: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x512xf32>
  %a = tensor.empty(%n) : tensor<?x512xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x512xf32>) outs(%a : tensor<?x512xf32>) -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}
func.func @product(%x: tensor<256x256xf16>, %y: tensor<256x256xf16>) -> (tensor<256x256xf32>, tensor<256xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<256x256xf32>
  %c = linalg.fill ins(%zero : f32) outs(%a : tensor<256x256xf32>) -> tensor<256x256xf32>
  %p = linalg.matmul ins(%x, %y : tensor<256x256xf16>, tensor<256x256xf16>) outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
  %b = tensor.empty() : tensor<256xf32>
  %d = linalg.fill ins(%zero : f32) outs(%b : tensor<256xf32>) -> tensor<256xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<256x256xf32>) outs(%d : tensor<256xf32>) {
  ^bb0(%one: f32, %held: f32):
    %sum = arith.addf %one, %held : f32
    linalg.yield %sum : f32
  } -> tensor<256xf32>
  return %p, %s : tensor<256x256xf32>, tensor<256xf32>
}
func.func @idle(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @constant(%x: tensor<4xf32>) -> tensor<1024xf32> {
  %one = arith.constant 1.0 : f32
  %a = tensor.empty() : tensor<1024xf32>
  %b = linalg.fill ins(%one : f32) outs(%a : tensor<1024xf32>) -> tensor<1024xf32>
  return %b : tensor<1024xf32>
}
