module {
  func.func @torch_quantise_per_token_f16(%arg0: !torch.vtensor<[64,2048],f16>) -> (!torch.vtensor<[64,2048],si8>, !torch.vtensor<[64,1],f32>) {
    %true = torch.constant.bool true
    %int1 = torch.constant.int 1
    %int127 = torch.constant.int 127
    %int-128 = torch.constant.int -128
    %float1.270000e02 = torch.constant.float 1.270000e+02
    %float1.000000e-05 = torch.constant.float 1.000000e-05
    %int6 = torch.constant.int 6
    %none = torch.constant.none
    %false = torch.constant.bool false
    %0 = torch.aten.to.dtype %arg0, %int6, %false, %false, %none : !torch.vtensor<[64,2048],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[64,2048],f32>
    %1 = torch.aten.abs %0 : !torch.vtensor<[64,2048],f32> -> !torch.vtensor<[64,2048],f32>
    %values, %indices = torch.aten.max.dim %1, %int1, %true : !torch.vtensor<[64,2048],f32>, !torch.int, !torch.bool -> !torch.vtensor<[64,1],f32>, !torch.vtensor<[64,1],si64>
    %2 = torch.aten.clamp %values, %float1.000000e-05, %none : !torch.vtensor<[64,1],f32>, !torch.float, !torch.none -> !torch.vtensor<[64,1],f32>
    %3 = torch.aten.div.Scalar %2, %float1.270000e02 : !torch.vtensor<[64,1],f32>, !torch.float -> !torch.vtensor<[64,1],f32>
    %4 = torch.aten.div.Tensor %0, %3 : !torch.vtensor<[64,2048],f32>, !torch.vtensor<[64,1],f32> -> !torch.vtensor<[64,2048],f32>
    %5 = torch.aten.round %4 : !torch.vtensor<[64,2048],f32> -> !torch.vtensor<[64,2048],f32>
    %6 = torch.aten.clamp %5, %int-128, %int127 : !torch.vtensor<[64,2048],f32>, !torch.int, !torch.int -> !torch.vtensor<[64,2048],f32>
    %7 = torch.aten.to.dtype %6, %int1, %false, %false, %none : !torch.vtensor<[64,2048],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[64,2048],si8>
    return %7, %3 : !torch.vtensor<[64,2048],si8>, !torch.vtensor<[64,1],f32>
  }
}
