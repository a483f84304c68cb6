module {
  func.func @main(%x: tensor<64x4096xf32>, %rows: tensor<4x4096xf32>) -> (tensor<64xf32>, tensor<4xi32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x4096xf32>, tensor<f32>) -> tensor<64xf32>
    %count = stablehlo.constant dense<4096.0> : tensor<64xf32>
    %mean = stablehlo.divide %sum, %count : tensor<64xf32>
    %places = stablehlo.iota dim = 1 : tensor<4x4096xi32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %best:2 = stablehlo.reduce(%rows init: %least), (%places init: %none) across dimensions = [1] : (tensor<4x4096xf32>, tensor<4x4096xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%held: tensor<f32>, %new: tensor<f32>) (%held_place: tensor<i32>, %new_place: tensor<i32>) {
      %more = stablehlo.compare GT, %held, %new, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %held, %held, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %stays = stablehlo.or %more, %nan : tensor<i1>
      %same = stablehlo.compare EQ, %held, %new, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lower = stablehlo.compare LT, %held_place, %new_place, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.and %same, %lower : tensor<i1>
      %place_stays = stablehlo.or %stays, %first : tensor<i1>
      %value = stablehlo.select %stays, %held, %new : tensor<i1>, tensor<f32>
      %place = stablehlo.select %place_stays, %held_place, %new_place : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
    return %mean, %best#1 : tensor<64xf32>, tensor<4xi32>
  }
}
