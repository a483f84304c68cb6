module {
  func.func @torch_argmax_vocabulary_f32(%arg0: !torch.vtensor<[4,32000],f32>) -> !torch.vtensor<[4],si64> {
    %int-1 = torch.constant.int -1
    %false = torch.constant.bool false
    %values, %indices = torch.aten.max.dim %arg0, %int-1, %false : !torch.vtensor<[4,32000],f32>, !torch.int, !torch.bool -> !torch.vtensor<[4],f32>, !torch.vtensor<[4],si64>
    return %indices : !torch.vtensor<[4],si64>
  }
}
