module {
  func.func @torch_mean_pooling_f32_dynamic(%arg0: !torch.vtensor<[?,64,384],f32>, %arg1: !torch.vtensor<[?,64],si64>) -> !torch.vtensor<[?,384],f32> {
    %int384 = torch.constant.int 384
    %float9.999990e-13 = torch.constant.float 9.9999999999999998E-13
    %true = torch.constant.bool true
    %float2.000000e00 = torch.constant.float 2.000000e+00
    %float1.000000e-09 = torch.constant.float 1.000000e-09
    %false = torch.constant.bool false
    %int1 = torch.constant.int 1
    %int6 = torch.constant.int 6
    %none = torch.constant.none
    %int-1 = torch.constant.int -1
    %int0 = torch.constant.int 0
    %0 = torch.aten.size.int %arg1, %int0 : !torch.vtensor<[?,64],si64>, !torch.int -> !torch.int
    %1 = torch.aten.unsqueeze %arg1, %int-1 : !torch.vtensor<[?,64],si64>, !torch.int -> !torch.vtensor<[?,64,1],si64>
    %2 = torch.aten.to.dtype %1, %int6, %false, %false, %none : !torch.vtensor<[?,64,1],si64>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,64,1],f32>
    %3 = torch.aten.mul.Tensor %arg0, %2 : !torch.vtensor<[?,64,384],f32>, !torch.vtensor<[?,64,1],f32> -> !torch.vtensor<[?,64,384],f32>
    %4 = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
    %5 = torch.aten.sum.dim_IntList %3, %4, %false, %none : !torch.vtensor<[?,64,384],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,384],f32>
    %6 = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
    %7 = torch.aten.sum.dim_IntList %2, %6, %false, %none : !torch.vtensor<[?,64,1],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,1],f32>
    %8 = torch.aten.clamp %7, %float1.000000e-09, %none : !torch.vtensor<[?,1],f32>, !torch.float, !torch.none -> !torch.vtensor<[?,1],f32>
    %9 = torch.aten.div.Tensor %5, %8 : !torch.vtensor<[?,384],f32>, !torch.vtensor<[?,1],f32> -> !torch.vtensor<[?,384],f32>
    %10 = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
    %11 = torch.aten.linalg_vector_norm %9, %float2.000000e00, %10, %true, %none : !torch.vtensor<[?,384],f32>, !torch.float, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,1],f32>
    %12 = torch.aten.clamp %11, %float9.999990e-13, %none : !torch.vtensor<[?,1],f32>, !torch.float, !torch.none -> !torch.vtensor<[?,1],f32>
    %13 = torch.prim.ListConstruct %0, %int384 : (!torch.int, !torch.int) -> !torch.list<int>
    %14 = torch.aten.broadcast_to %12, %13 : !torch.vtensor<[?,1],f32>, !torch.list<int> -> !torch.vtensor<[?,384],f32>
    %15 = torch.aten.div.Tensor %9, %14 : !torch.vtensor<[?,384],f32>, !torch.vtensor<[?,384],f32> -> !torch.vtensor<[?,384],f32>
    return %15 : !torch.vtensor<[?,384],f32>
  }
}
