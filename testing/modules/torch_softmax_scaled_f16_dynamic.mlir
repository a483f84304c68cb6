module {
  func.func @torch_softmax_scaled_f16_dynamic(%arg0: !torch.vtensor<[?,4096],f16>) -> !torch.vtensor<[?,4096],f16> {
    %int5 = torch.constant.int 5
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %true = torch.constant.bool true
    %none = torch.constant.none
    %false = torch.constant.bool false
    %int6 = torch.constant.int 6
    %int-1 = torch.constant.int -1
    %float1.250000e-01 = torch.constant.float 1.250000e-01
    %0 = torch.aten.mul.Scalar %arg0, %float1.250000e-01 : !torch.vtensor<[?,4096],f16>, !torch.float -> !torch.vtensor<[?,4096],f16>
    %1 = torch.aten.to.dtype %0, %int6, %false, %false, %none : !torch.vtensor<[?,4096],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,4096],f32>
    %values, %indices = torch.aten.max.dim %1, %int-1, %true : !torch.vtensor<[?,4096],f32>, !torch.int, !torch.bool -> !torch.vtensor<[?,1],f32>, !torch.vtensor<[?,1],si64>
    %2 = torch.aten.sub.Tensor %1, %values, %float1.000000e00 : !torch.vtensor<[?,4096],f32>, !torch.vtensor<[?,1],f32>, !torch.float -> !torch.vtensor<[?,4096],f32>
    %3 = torch.aten.exp %2 : !torch.vtensor<[?,4096],f32> -> !torch.vtensor<[?,4096],f32>
    %4 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %5 = torch.aten.sum.dim_IntList %3, %4, %true, %none : !torch.vtensor<[?,4096],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,1],f32>
    %6 = torch.aten.div.Tensor %3, %5 : !torch.vtensor<[?,4096],f32>, !torch.vtensor<[?,1],f32> -> !torch.vtensor<[?,4096],f32>
    %7 = torch.aten.to.dtype %6, %int5, %false, %false, %none : !torch.vtensor<[?,4096],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,4096],f16>
    return %7 : !torch.vtensor<[?,4096],f16>
  }
}
