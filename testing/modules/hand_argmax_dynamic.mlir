#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module {
  func.func @hand_argmax_dynamic(%x: tensor<?x4096xf32>) -> (tensor<?xf32>, tensor<?xi32>) {
    %c0 = arith.constant 0 : index
    %batch = tensor.dim %x, %c0 : tensor<?x4096xf32>
    %lowest = arith.constant 0xFF800000 : f32
    %first = arith.constant 0 : i32
    %values = tensor.empty(%batch) : tensor<?xf32>
    %places = tensor.empty(%batch) : tensor<?xi32>
    %value0 = linalg.fill ins(%lowest : f32) outs(%values : tensor<?xf32>) -> tensor<?xf32>
    %place0 = linalg.fill ins(%first : i32) outs(%places : tensor<?xi32>) -> tensor<?xi32>
    %value, %place = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x4096xf32>) outs(%value0, %place0 : tensor<?xf32>, tensor<?xi32>) {
    ^bb0(%in: f32, %best: f32, %at: i32):
      %column = linalg.index 1 : index
      %here = arith.index_cast %column : index to i32
      %greater = arith.cmpf ogt, %in, %best : f32
      %v = arith.select %greater, %in, %best : f32
      %p = arith.select %greater, %here, %at : i32
      linalg.yield %v, %p : f32, i32
    } -> (tensor<?xf32>, tensor<?xi32>)
    return %value, %place : tensor<?xf32>, tensor<?xi32>
  }
}
