module {
  func.func @torch_raw_sampler_f32(%arg0: !torch.vtensor<[8,4096],f32>, %arg1: !torch.vtensor<[8,4096],f32>) -> !torch.vtensor<[8,1],si64> {
    %int-1 = torch.constant.int -1
    %false = torch.constant.bool false
    %0 = torch.aten._softmax %arg0, %int-1, %false : !torch.vtensor<[8,4096],f32>, !torch.int, !torch.bool -> !torch.vtensor<[8,4096],f32>
    %1 = torch.aten.div.Tensor %0, %arg1 : !torch.vtensor<[8,4096],f32>, !torch.vtensor<[8,4096],f32> -> !torch.vtensor<[8,4096],f32>
    %int-1_0 = torch.constant.int -1
    %true = torch.constant.bool true
    %2 = torch.aten.argmax %1, %int-1_0, %true : !torch.vtensor<[8,4096],f32>, !torch.int, !torch.bool -> !torch.vtensor<[8,1],si64>
    return %2 : !torch.vtensor<[8,1],si64>
  }
}
