module {
  func.func @torch_switch_router_bf16_dynamic(%arg0: !torch.vtensor<[?,256],bf16>, %arg1: !torch.vtensor<[64,256],bf16>) -> (!torch.vtensor<[?],f32>, !torch.vtensor<[?],si64>) {
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %true = torch.constant.bool true
    %none = torch.constant.none
    %false = torch.constant.bool false
    %int-1 = torch.constant.int -1
    %int6 = torch.constant.int 6
    %int1 = torch.constant.int 1
    %int0 = torch.constant.int 0
    %0 = torch.prim.ListConstruct %int1, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
    %1 = torch.aten.permute %arg1, %0 : !torch.vtensor<[64,256],bf16>, !torch.list<int> -> !torch.vtensor<[256,64],bf16>
    %2 = torch.aten.mm %arg0, %1 : !torch.vtensor<[?,256],bf16>, !torch.vtensor<[256,64],bf16> -> !torch.vtensor<[?,64],bf16>
    %3 = torch.aten.to.dtype %2, %int6, %false, %false, %none : !torch.vtensor<[?,64],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,64],f32>
    %values, %indices = torch.aten.max.dim %3, %int-1, %true : !torch.vtensor<[?,64],f32>, !torch.int, !torch.bool -> !torch.vtensor<[?,1],f32>, !torch.vtensor<[?,1],si64>
    %4 = torch.aten.sub.Tensor %3, %values, %float1.000000e00 : !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,1],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
    %5 = torch.aten.exp %4 : !torch.vtensor<[?,64],f32> -> !torch.vtensor<[?,64],f32>
    %6 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %7 = torch.aten.sum.dim_IntList %5, %6, %true, %none : !torch.vtensor<[?,64],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,1],f32>
    %8 = torch.aten.div.Tensor %5, %7 : !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,1],f32> -> !torch.vtensor<[?,64],f32>
    %values_0, %indices_1 = torch.aten.max.dim %8, %int-1, %false : !torch.vtensor<[?,64],f32>, !torch.int, !torch.bool -> !torch.vtensor<[?],f32>, !torch.vtensor<[?],si64>
    return %values_0, %indices_1 : !torch.vtensor<[?],f32>, !torch.vtensor<[?],si64>
  }
}
