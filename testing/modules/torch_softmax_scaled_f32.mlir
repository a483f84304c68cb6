module {
  func.func @torch_softmax_scaled_f32(%arg0: !torch.vtensor<[256,4096],f32>) -> !torch.vtensor<[256,4096],f32> {
    %none = torch.constant.none
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %true = torch.constant.bool true
    %int-1 = torch.constant.int -1
    %float1.250000e-01 = torch.constant.float 1.250000e-01
    %0 = torch.aten.mul.Scalar %arg0, %float1.250000e-01 : !torch.vtensor<[256,4096],f32>, !torch.float -> !torch.vtensor<[256,4096],f32>
    %values, %indices = torch.aten.max.dim %0, %int-1, %true : !torch.vtensor<[256,4096],f32>, !torch.int, !torch.bool -> !torch.vtensor<[256,1],f32>, !torch.vtensor<[256,1],si64>
    %1 = torch.aten.sub.Tensor %0, %values, %float1.000000e00 : !torch.vtensor<[256,4096],f32>, !torch.vtensor<[256,1],f32>, !torch.float -> !torch.vtensor<[256,4096],f32>
    %2 = torch.aten.exp %1 : !torch.vtensor<[256,4096],f32> -> !torch.vtensor<[256,4096],f32>
    %3 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %4 = torch.aten.sum.dim_IntList %2, %3, %true, %none : !torch.vtensor<[256,4096],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[256,1],f32>
    %5 = torch.aten.div.Tensor %2, %4 : !torch.vtensor<[256,4096],f32>, !torch.vtensor<[256,1],f32> -> !torch.vtensor<[256,4096],f32>
    return %5 : !torch.vtensor<[256,4096],f32>
  }
}
