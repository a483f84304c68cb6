module {
  func.func @torch_raw_argmax_small_vocabulary_f16_dynamic(%arg0: !torch.vtensor<[?,4096],f16>) -> !torch.vtensor<[?],si64> {
    %int-1 = torch.constant.int -1
    %false = torch.constant.bool false
    %0 = torch.aten.argmax %arg0, %int-1, %false : !torch.vtensor<[?,4096],f16>, !torch.int, !torch.bool -> !torch.vtensor<[?],si64>
    return %0 : !torch.vtensor<[?],si64>
  }
}
