module {
  func.func @torch_raw_softmax_scaled_f32(%arg0: !torch.vtensor<[64,2048],f32>) -> !torch.vtensor<[64,2048],f32> {
    %float1.250000e-01 = torch.constant.float 1.250000e-01
    %0 = torch.aten.mul.Scalar %arg0, %float1.250000e-01 : !torch.vtensor<[64,2048],f32>, !torch.float -> !torch.vtensor<[64,2048],f32>
    %int-1 = torch.constant.int -1
    %false = torch.constant.bool false
    %1 = torch.aten._softmax %0, %int-1, %false : !torch.vtensor<[64,2048],f32>, !torch.int, !torch.bool -> !torch.vtensor<[64,2048],f32>
    return %1 : !torch.vtensor<[64,2048],f32>
  }
}
