module {
  func.func @torch_cnn_head_f16_dynamic(%arg0: !torch.vtensor<[?,256,7,7],f16>, %arg1: !torch.vtensor<[100,256],f16>, %arg2: !torch.vtensor<[100],f16>) -> !torch.vtensor<[?,100],f16> {
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %false = torch.constant.bool false
    %int49 = torch.constant.int 49
    %int5 = torch.constant.int 5
    %int100 = torch.constant.int 100
    %int6 = torch.constant.int 6
    %int1 = torch.constant.int 1
    %int256 = torch.constant.int 256
    %none = torch.constant.none
    %true = torch.constant.bool true
    %int-2 = torch.constant.int -2
    %int-1 = torch.constant.int -1
    %int0 = torch.constant.int 0
    %0 = torch.aten.size.int %arg0, %int0 : !torch.vtensor<[?,256,7,7],f16>, !torch.int -> !torch.int
    %1 = torch.prim.ListConstruct %int-1, %int-2 : (!torch.int, !torch.int) -> !torch.list<int>
    %2 = torch.aten.sum.dim_IntList %arg0, %1, %true, %none : !torch.vtensor<[?,256,7,7],f16>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,256,1,1],f16>
    %3 = torch.aten.div.Scalar %2, %int49 : !torch.vtensor<[?,256,1,1],f16>, !torch.int -> !torch.vtensor<[?,256,1,1],f16>
    %4 = torch.prim.ListConstruct %0, %int256 : (!torch.int, !torch.int) -> !torch.list<int>
    %5 = torch.aten.view %3, %4 : !torch.vtensor<[?,256,1,1],f16>, !torch.list<int> -> !torch.vtensor<[?,256],f16>
    %6 = torch.prim.ListConstruct %int1, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
    %7 = torch.aten.permute %arg1, %6 : !torch.vtensor<[100,256],f16>, !torch.list<int> -> !torch.vtensor<[256,100],f16>
    %8 = torch.aten.to.dtype %arg2, %int6, %false, %false, %none : !torch.vtensor<[100],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[100],f32>
    %9 = torch.aten.to.dtype %5, %int6, %false, %false, %none : !torch.vtensor<[?,256],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,256],f32>
    %10 = torch.aten.to.dtype %7, %int6, %false, %false, %none : !torch.vtensor<[256,100],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[256,100],f32>
    %11 = torch.aten.mm %9, %10 : !torch.vtensor<[?,256],f32>, !torch.vtensor<[256,100],f32> -> !torch.vtensor<[?,100],f32>
    %12 = torch.aten.mul.Scalar %11, %int1 : !torch.vtensor<[?,100],f32>, !torch.int -> !torch.vtensor<[?,100],f32>
    %13 = torch.prim.ListConstruct %0, %int100 : (!torch.int, !torch.int) -> !torch.list<int>
    %14 = torch.aten.broadcast_to %8, %13 : !torch.vtensor<[100],f32>, !torch.list<int> -> !torch.vtensor<[?,100],f32>
    %15 = torch.aten.mul.Scalar %14, %int1 : !torch.vtensor<[?,100],f32>, !torch.int -> !torch.vtensor<[?,100],f32>
    %16 = torch.aten.add.Tensor %12, %15, %int1 : !torch.vtensor<[?,100],f32>, !torch.vtensor<[?,100],f32>, !torch.int -> !torch.vtensor<[?,100],f32>
    %17 = torch.aten.to.dtype %16, %int5, %false, %false, %none : !torch.vtensor<[?,100],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,100],f16>
    %18 = torch.aten.to.dtype %17, %int6, %false, %false, %none : !torch.vtensor<[?,100],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,100],f32>
    %values, %indices = torch.aten.max.dim %18, %int-1, %true : !torch.vtensor<[?,100],f32>, !torch.int, !torch.bool -> !torch.vtensor<[?,1],f32>, !torch.vtensor<[?,1],si64>
    %19 = torch.aten.sub.Tensor %18, %values, %float1.000000e00 : !torch.vtensor<[?,100],f32>, !torch.vtensor<[?,1],f32>, !torch.float -> !torch.vtensor<[?,100],f32>
    %20 = torch.aten.exp %19 : !torch.vtensor<[?,100],f32> -> !torch.vtensor<[?,100],f32>
    %21 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %22 = torch.aten.sum.dim_IntList %20, %21, %true, %none : !torch.vtensor<[?,100],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,1],f32>
    %23 = torch.aten.div.Tensor %20, %22 : !torch.vtensor<[?,100],f32>, !torch.vtensor<[?,1],f32> -> !torch.vtensor<[?,100],f32>
    %24 = torch.aten.to.dtype %23, %int5, %false, %false, %none : !torch.vtensor<[?,100],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,100],f16>
    return %24 : !torch.vtensor<[?,100],f16>
  }
}
