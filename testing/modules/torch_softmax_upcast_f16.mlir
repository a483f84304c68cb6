module {
  func.func @torch_softmax_upcast_f16(%arg0: !torch.vtensor<[64,512],f16>) -> !torch.vtensor<[64,512],f16> {
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %true = torch.constant.bool true
    %int5 = torch.constant.int 5
    %int-1 = torch.constant.int -1
    %int6 = torch.constant.int 6
    %false = torch.constant.bool false
    %none = torch.constant.none
    %0 = torch.aten.to.dtype %arg0, %int6, %false, %false, %none : !torch.vtensor<[64,512],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[64,512],f32>
    %values, %indices = torch.aten.max.dim %0, %int-1, %true : !torch.vtensor<[64,512],f32>, !torch.int, !torch.bool -> !torch.vtensor<[64,1],f32>, !torch.vtensor<[64,1],si64>
    %1 = torch.aten.sub.Tensor %0, %values, %float1.000000e00 : !torch.vtensor<[64,512],f32>, !torch.vtensor<[64,1],f32>, !torch.float -> !torch.vtensor<[64,512],f32>
    %2 = torch.aten.exp %1 : !torch.vtensor<[64,512],f32> -> !torch.vtensor<[64,512],f32>
    %3 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %4 = torch.aten.sum.dim_IntList %2, %3, %true, %none : !torch.vtensor<[64,512],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[64,1],f32>
    %5 = torch.aten.div.Tensor %2, %4 : !torch.vtensor<[64,512],f32>, !torch.vtensor<[64,1],f32> -> !torch.vtensor<[64,512],f32>
    %6 = torch.aten.to.dtype %5, %int5, %false, %false, %none : !torch.vtensor<[64,512],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[64,512],f16>
    return %6 : !torch.vtensor<[64,512],f16>
  }
}
