module {
  func.func @torch_moe_router_f16(%arg0: !torch.vtensor<[16,256],f16>, %arg1: !torch.vtensor<[8,256],f16>) -> (!torch.vtensor<[16,2],f16>, !torch.vtensor<[16,2],si64>) {
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %false = torch.constant.bool false
    %true = torch.constant.bool true
    %int2 = torch.constant.int 2
    %int-1 = torch.constant.int -1
    %int6 = torch.constant.int 6
    %int5 = torch.constant.int 5
    %none = torch.constant.none
    %int1 = torch.constant.int 1
    %int0 = torch.constant.int 0
    %0 = torch.prim.ListConstruct %int1, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
    %1 = torch.aten.permute %arg1, %0 : !torch.vtensor<[8,256],f16>, !torch.list<int> -> !torch.vtensor<[256,8],f16>
    %2 = torch.aten.mm %arg0, %1 : !torch.vtensor<[16,256],f16>, !torch.vtensor<[256,8],f16> -> !torch.vtensor<[16,8],f16>
    %3 = torch.aten.to.dtype %2, %int6, %false, %false, %none : !torch.vtensor<[16,8],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[16,8],f32>
    %values, %indices = torch.aten.max.dim %3, %int-1, %true : !torch.vtensor<[16,8],f32>, !torch.int, !torch.bool -> !torch.vtensor<[16,1],f32>, !torch.vtensor<[16,1],si64>
    %4 = torch.aten.sub.Tensor %3, %values, %float1.000000e00 : !torch.vtensor<[16,8],f32>, !torch.vtensor<[16,1],f32>, !torch.float -> !torch.vtensor<[16,8],f32>
    %5 = torch.aten.exp %4 : !torch.vtensor<[16,8],f32> -> !torch.vtensor<[16,8],f32>
    %6 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %7 = torch.aten.sum.dim_IntList %5, %6, %true, %none : !torch.vtensor<[16,8],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[16,1],f32>
    %8 = torch.aten.div.Tensor %5, %7 : !torch.vtensor<[16,8],f32>, !torch.vtensor<[16,1],f32> -> !torch.vtensor<[16,8],f32>
    %values_0, %indices_1 = torch.aten.sort %8, %int-1, %true : !torch.vtensor<[16,8],f32>, !torch.int, !torch.bool -> !torch.vtensor<[16,8],f32>, !torch.vtensor<[16,8],si64>
    %9 = torch.aten.slice.Tensor %values_0, %int-1, %int0, %int2, %int1 : !torch.vtensor<[16,8],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[16,2],f32>
    %10 = torch.aten.slice.Tensor %indices_1, %int-1, %int0, %int2, %int1 : !torch.vtensor<[16,8],si64>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[16,2],si64>
    %11 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %12 = torch.aten.sum.dim_IntList %9, %11, %true, %none : !torch.vtensor<[16,2],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[16,1],f32>
    %13 = torch.aten.div.Tensor %9, %12 : !torch.vtensor<[16,2],f32>, !torch.vtensor<[16,1],f32> -> !torch.vtensor<[16,2],f32>
    %14 = torch.aten.to.dtype %13, %int5, %false, %false, %none : !torch.vtensor<[16,2],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[16,2],f16>
    return %14, %10 : !torch.vtensor<[16,2],f16>, !torch.vtensor<[16,2],si64>
  }
}
