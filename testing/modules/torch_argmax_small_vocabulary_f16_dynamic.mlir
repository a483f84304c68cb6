module {
  func.func @torch_argmax_small_vocabulary_f16_dynamic(%arg0: !torch.vtensor<[?,4096],f16>) -> !torch.vtensor<[?],si64> {
    %int-1 = torch.constant.int -1
    %false = torch.constant.bool false
    %values, %indices = torch.aten.max.dim %arg0, %int-1, %false : !torch.vtensor<[?,4096],f16>, !torch.int, !torch.bool -> !torch.vtensor<[?],f16>, !torch.vtensor<[?],si64>
    return %indices : !torch.vtensor<[?],si64>
  }
}
