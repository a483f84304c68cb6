module {
  func.func @torch_argmax_last_token_f16(%arg0: !torch.vtensor<[4,16,8064],f16>) -> !torch.vtensor<[4],si64> {
    %false = torch.constant.bool false
    %int8000 = torch.constant.int 8000
    %int0 = torch.constant.int 0
    %int1 = torch.constant.int 1
    %int-1 = torch.constant.int -1
    %int15 = torch.constant.int 15
    %int16 = torch.constant.int 16
    %0 = torch.aten.slice.Tensor %arg0, %int1, %int15, %int16, %int1 : !torch.vtensor<[4,16,8064],f16>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[4,1,8064],f16>
    %1 = torch.aten.squeeze.dim %0, %int1 : !torch.vtensor<[4,1,8064],f16>, !torch.int -> !torch.vtensor<[4,8064],f16>
    %2 = torch.aten.slice.Tensor %1, %int1, %int0, %int8000, %int1 : !torch.vtensor<[4,8064],f16>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[4,8000],f16>
    %values, %indices = torch.aten.max.dim %2, %int-1, %false : !torch.vtensor<[4,8000],f16>, !torch.int, !torch.bool -> !torch.vtensor<[4],f16>, !torch.vtensor<[4],si64>
    return %indices : !torch.vtensor<[4],si64>
  }
}
