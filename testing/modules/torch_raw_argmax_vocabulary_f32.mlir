module {
  func.func @torch_raw_argmax_vocabulary_f32(%arg0: !torch.vtensor<[4,32000],f32>) -> !torch.vtensor<[4],si64> {
    %int-1 = torch.constant.int -1
    %false = torch.constant.bool false
    %0 = torch.aten.argmax %arg0, %int-1, %false : !torch.vtensor<[4,32000],f32>, !torch.int, !torch.bool -> !torch.vtensor<[4],si64>
    return %0 : !torch.vtensor<[4],si64>
  }
}
