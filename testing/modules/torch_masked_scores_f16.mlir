module {
  func.func @torch_masked_scores_f16(%arg0: !torch.vtensor<[1,8,64,128],f16>, %arg1: !torch.vtensor<[1,1,64,128],f16>) -> !torch.vtensor<[1,8,64,128],f16> {
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %true = torch.constant.bool true
    %none = torch.constant.none
    %false = torch.constant.bool false
    %int5 = torch.constant.int 5
    %int-1 = torch.constant.int -1
    %int6 = torch.constant.int 6
    %int1 = torch.constant.int 1
    %float8.000000e00 = torch.constant.float 8.000000e+00
    %0 = torch.aten.div.Scalar %arg0, %float8.000000e00 : !torch.vtensor<[1,8,64,128],f16>, !torch.float -> !torch.vtensor<[1,8,64,128],f16>
    %1 = torch.aten.add.Tensor %0, %arg1, %int1 : !torch.vtensor<[1,8,64,128],f16>, !torch.vtensor<[1,1,64,128],f16>, !torch.int -> !torch.vtensor<[1,8,64,128],f16>
    %2 = torch.aten.to.dtype %1, %int6, %false, %false, %none : !torch.vtensor<[1,8,64,128],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[1,8,64,128],f32>
    %values, %indices = torch.aten.max.dim %2, %int-1, %true : !torch.vtensor<[1,8,64,128],f32>, !torch.int, !torch.bool -> !torch.vtensor<[1,8,64,1],f32>, !torch.vtensor<[1,8,64,1],si64>
    %3 = torch.aten.sub.Tensor %2, %values, %float1.000000e00 : !torch.vtensor<[1,8,64,128],f32>, !torch.vtensor<[1,8,64,1],f32>, !torch.float -> !torch.vtensor<[1,8,64,128],f32>
    %4 = torch.aten.exp %3 : !torch.vtensor<[1,8,64,128],f32> -> !torch.vtensor<[1,8,64,128],f32>
    %5 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %6 = torch.aten.sum.dim_IntList %4, %5, %true, %none : !torch.vtensor<[1,8,64,128],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[1,8,64,1],f32>
    %7 = torch.aten.div.Tensor %4, %6 : !torch.vtensor<[1,8,64,128],f32>, !torch.vtensor<[1,8,64,1],f32> -> !torch.vtensor<[1,8,64,128],f32>
    %8 = torch.aten.to.dtype %7, %int5, %false, %false, %none : !torch.vtensor<[1,8,64,128],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[1,8,64,128],f16>
    return %8 : !torch.vtensor<[1,8,64,128],f16>
  }
}
