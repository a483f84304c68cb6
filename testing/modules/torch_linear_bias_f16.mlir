module {
  func.func @torch_linear_bias_f16(%arg0: !torch.vtensor<[1,1024],f16>, %arg1: !torch.vtensor<[512,1024],f16>, %arg2: !torch.vtensor<[512],f16>) -> !torch.vtensor<[1,512],f16> {
    %none = torch.constant.none
    %false = torch.constant.bool false
    %int5 = torch.constant.int 5
    %int512 = torch.constant.int 512
    %int6 = torch.constant.int 6
    %int1 = torch.constant.int 1
    %int0 = torch.constant.int 0
    %0 = torch.prim.ListConstruct %int1, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
    %1 = torch.aten.permute %arg1, %0 : !torch.vtensor<[512,1024],f16>, !torch.list<int> -> !torch.vtensor<[1024,512],f16>
    %2 = torch.aten.to.dtype %arg2, %int6, %false, %false, %none : !torch.vtensor<[512],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[512],f32>
    %3 = torch.aten.to.dtype %arg0, %int6, %false, %false, %none : !torch.vtensor<[1,1024],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[1,1024],f32>
    %4 = torch.aten.to.dtype %1, %int6, %false, %false, %none : !torch.vtensor<[1024,512],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[1024,512],f32>
    %5 = torch.aten.mm %3, %4 : !torch.vtensor<[1,1024],f32>, !torch.vtensor<[1024,512],f32> -> !torch.vtensor<[1,512],f32>
    %6 = torch.aten.mul.Scalar %5, %int1 : !torch.vtensor<[1,512],f32>, !torch.int -> !torch.vtensor<[1,512],f32>
    %7 = torch.prim.ListConstruct %int1, %int512 : (!torch.int, !torch.int) -> !torch.list<int>
    %8 = torch.aten.broadcast_to %2, %7 : !torch.vtensor<[512],f32>, !torch.list<int> -> !torch.vtensor<[1,512],f32>
    %9 = torch.aten.mul.Scalar %8, %int1 : !torch.vtensor<[1,512],f32>, !torch.int -> !torch.vtensor<[1,512],f32>
    %10 = torch.aten.add.Tensor %6, %9, %int1 : !torch.vtensor<[1,512],f32>, !torch.vtensor<[1,512],f32>, !torch.int -> !torch.vtensor<[1,512],f32>
    %11 = torch.aten.to.dtype %10, %int5, %false, %false, %none : !torch.vtensor<[1,512],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[1,512],f16>
    return %11 : !torch.vtensor<[1,512],f16>
  }
}
