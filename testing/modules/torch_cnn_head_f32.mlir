module {
  func.func @torch_cnn_head_f32(%arg0: !torch.vtensor<[1,256,7,7],f32>, %arg1: !torch.vtensor<[100,256],f32>, %arg2: !torch.vtensor<[100],f32>) -> !torch.vtensor<[1,100],f32> {
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %int49 = torch.constant.int 49
    %int100 = torch.constant.int 100
    %int0 = torch.constant.int 0
    %int256 = torch.constant.int 256
    %int1 = torch.constant.int 1
    %none = torch.constant.none
    %true = torch.constant.bool true
    %int-1 = torch.constant.int -1
    %int-2 = torch.constant.int -2
    %0 = torch.prim.ListConstruct %int-1, %int-2 : (!torch.int, !torch.int) -> !torch.list<int>
    %1 = torch.aten.sum.dim_IntList %arg0, %0, %true, %none : !torch.vtensor<[1,256,7,7],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[1,256,1,1],f32>
    %2 = torch.aten.div.Scalar %1, %int49 : !torch.vtensor<[1,256,1,1],f32>, !torch.int -> !torch.vtensor<[1,256,1,1],f32>
    %3 = torch.prim.ListConstruct %int1, %int256 : (!torch.int, !torch.int) -> !torch.list<int>
    %4 = torch.aten.view %2, %3 : !torch.vtensor<[1,256,1,1],f32>, !torch.list<int> -> !torch.vtensor<[1,256],f32>
    %5 = torch.prim.ListConstruct %int1, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
    %6 = torch.aten.permute %arg1, %5 : !torch.vtensor<[100,256],f32>, !torch.list<int> -> !torch.vtensor<[256,100],f32>
    %7 = torch.aten.mm %4, %6 : !torch.vtensor<[1,256],f32>, !torch.vtensor<[256,100],f32> -> !torch.vtensor<[1,100],f32>
    %8 = torch.aten.mul.Scalar %7, %int1 : !torch.vtensor<[1,100],f32>, !torch.int -> !torch.vtensor<[1,100],f32>
    %9 = torch.prim.ListConstruct %int1, %int100 : (!torch.int, !torch.int) -> !torch.list<int>
    %10 = torch.aten.broadcast_to %arg2, %9 : !torch.vtensor<[100],f32>, !torch.list<int> -> !torch.vtensor<[1,100],f32>
    %11 = torch.aten.mul.Scalar %10, %int1 : !torch.vtensor<[1,100],f32>, !torch.int -> !torch.vtensor<[1,100],f32>
    %12 = torch.aten.add.Tensor %8, %11, %int1 : !torch.vtensor<[1,100],f32>, !torch.vtensor<[1,100],f32>, !torch.int -> !torch.vtensor<[1,100],f32>
    %values, %indices = torch.aten.max.dim %12, %int-1, %true : !torch.vtensor<[1,100],f32>, !torch.int, !torch.bool -> !torch.vtensor<[1,1],f32>, !torch.vtensor<[1,1],si64>
    %13 = torch.aten.sub.Tensor %12, %values, %float1.000000e00 : !torch.vtensor<[1,100],f32>, !torch.vtensor<[1,1],f32>, !torch.float -> !torch.vtensor<[1,100],f32>
    %14 = torch.aten.exp %13 : !torch.vtensor<[1,100],f32> -> !torch.vtensor<[1,100],f32>
    %15 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %16 = torch.aten.sum.dim_IntList %14, %15, %true, %none : !torch.vtensor<[1,100],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[1,1],f32>
    %17 = torch.aten.div.Tensor %14, %16 : !torch.vtensor<[1,100],f32>, !torch.vtensor<[1,1],f32> -> !torch.vtensor<[1,100],f32>
    return %17 : !torch.vtensor<[1,100],f32>
  }
}
