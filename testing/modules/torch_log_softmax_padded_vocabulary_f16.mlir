module {
  func.func @torch_log_softmax_padded_vocabulary_f16(%arg0: !torch.vtensor<[16,8064],f16>) -> !torch.vtensor<[16,8000],f32> {
    %false = torch.constant.bool false
    %true = torch.constant.bool true
    %int-1 = torch.constant.int -1
    %int6 = torch.constant.int 6
    %none = torch.constant.none
    %int1 = torch.constant.int 1
    %int0 = torch.constant.int 0
    %int8000 = torch.constant.int 8000
    %0 = torch.aten.slice.Tensor %arg0, %int1, %int0, %int8000, %int1 : !torch.vtensor<[16,8064],f16>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[16,8000],f16>
    %1 = torch.aten.to.dtype %0, %int6, %false, %false, %none : !torch.vtensor<[16,8000],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[16,8000],f32>
    %values, %indices = torch.aten.max.dim %1, %int1, %true : !torch.vtensor<[16,8000],f32>, !torch.int, !torch.bool -> !torch.vtensor<[16,1],f32>, !torch.vtensor<[16,1],si64>
    %2 = torch.aten.sub.Tensor %1, %values, %int1 : !torch.vtensor<[16,8000],f32>, !torch.vtensor<[16,1],f32>, !torch.int -> !torch.vtensor<[16,8000],f32>
    %3 = torch.aten.exp %2 : !torch.vtensor<[16,8000],f32> -> !torch.vtensor<[16,8000],f32>
    %4 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %5 = torch.aten.sum.dim_IntList %3, %4, %true, %none : !torch.vtensor<[16,8000],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[16,1],f32>
    %6 = torch.aten.log %5 : !torch.vtensor<[16,1],f32> -> !torch.vtensor<[16,1],f32>
    %7 = torch.aten.sub.Tensor %2, %6, %int1 : !torch.vtensor<[16,8000],f32>, !torch.vtensor<[16,1],f32>, !torch.int -> !torch.vtensor<[16,8000],f32>
    return %7 : !torch.vtensor<[16,8000],f32>
  }
}
