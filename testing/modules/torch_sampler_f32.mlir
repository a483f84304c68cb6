module {
  func.func @torch_sampler_f32(%arg0: !torch.vtensor<[8,4096],f32>, %arg1: !torch.vtensor<[8,4096],f32>) -> !torch.vtensor<[8,1],si64> {
    %none = torch.constant.none
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %true = torch.constant.bool true
    %int-1 = torch.constant.int -1
    %values, %indices = torch.aten.max.dim %arg0, %int-1, %true : !torch.vtensor<[8,4096],f32>, !torch.int, !torch.bool -> !torch.vtensor<[8,1],f32>, !torch.vtensor<[8,1],si64>
    %0 = torch.aten.sub.Tensor %arg0, %values, %float1.000000e00 : !torch.vtensor<[8,4096],f32>, !torch.vtensor<[8,1],f32>, !torch.float -> !torch.vtensor<[8,4096],f32>
    %1 = torch.aten.exp %0 : !torch.vtensor<[8,4096],f32> -> !torch.vtensor<[8,4096],f32>
    %2 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %3 = torch.aten.sum.dim_IntList %1, %2, %true, %none : !torch.vtensor<[8,4096],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[8,1],f32>
    %4 = torch.aten.div.Tensor %1, %3 : !torch.vtensor<[8,4096],f32>, !torch.vtensor<[8,1],f32> -> !torch.vtensor<[8,4096],f32>
    %5 = torch.aten.div.Tensor %4, %arg1 : !torch.vtensor<[8,4096],f32>, !torch.vtensor<[8,4096],f32> -> !torch.vtensor<[8,4096],f32>
    %values_0, %indices_1 = torch.aten.max.dim %5, %int-1, %true : !torch.vtensor<[8,4096],f32>, !torch.int, !torch.bool -> !torch.vtensor<[8,1],f32>, !torch.vtensor<[8,1],si64>
    return %indices_1 : !torch.vtensor<[8,1],si64>
  }
}
