module {
  func.func @torch_residual_layer_norm_kept_f16_dynamic(%arg0: !torch.vtensor<[?,768],f16>, %arg1: !torch.vtensor<[?,768],f16>, %arg2: !torch.vtensor<[768],f16>, %arg3: !torch.vtensor<[768],f16>) -> (!torch.vtensor<[?,768],f16>, !torch.vtensor<[?,768],f16>) {
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %int768 = torch.constant.int 768
    %int7 = torch.constant.int 7
    %none = torch.constant.none
    %false = torch.constant.bool false
    %int5 = torch.constant.int 5
    %float1.000000e-05 = torch.constant.float 1.000000e-05
    %true = torch.constant.bool true
    %int6 = torch.constant.int 6
    %int1 = torch.constant.int 1
    %0 = torch.aten.add.Tensor %arg0, %arg1, %int1 : !torch.vtensor<[?,768],f16>, !torch.vtensor<[?,768],f16>, !torch.int -> !torch.vtensor<[?,768],f16>
    %1 = torch.aten.to.dtype %0, %int6, %false, %false, %none : !torch.vtensor<[?,768],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,768],f32>
    %2 = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
    %3 = torch.aten.to.dtype %1, %int7, %false, %false, %none : !torch.vtensor<[?,768],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,768],f64>
    %4 = torch.aten.sum.dim_IntList %3, %2, %true, %none : !torch.vtensor<[?,768],f64>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,1],f64>
    %5 = torch.aten.div.Scalar %4, %int768 : !torch.vtensor<[?,1],f64>, !torch.int -> !torch.vtensor<[?,1],f64>
    %6 = torch.aten.sub.Tensor %3, %5, %float1.000000e00 : !torch.vtensor<[?,768],f64>, !torch.vtensor<[?,1],f64>, !torch.float -> !torch.vtensor<[?,768],f64>
    %7 = torch.aten.mul.Tensor %6, %6 : !torch.vtensor<[?,768],f64>, !torch.vtensor<[?,768],f64> -> !torch.vtensor<[?,768],f64>
    %8 = torch.aten.sum.dim_IntList %7, %2, %true, %none : !torch.vtensor<[?,768],f64>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,1],f64>
    %9 = torch.aten.div.Scalar %8, %int768 : !torch.vtensor<[?,1],f64>, !torch.int -> !torch.vtensor<[?,1],f64>
    %10 = torch.aten.to.dtype %9, %int6, %false, %false, %none : !torch.vtensor<[?,1],f64>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,1],f32>
    %11 = torch.aten.sum.dim_IntList %1, %2, %true, %none : !torch.vtensor<[?,768],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,1],f32>
    %12 = torch.aten.div.Scalar %11, %int768 : !torch.vtensor<[?,1],f32>, !torch.int -> !torch.vtensor<[?,1],f32>
    %13 = torch.aten.add.Scalar %10, %float1.000000e-05, %int1 : !torch.vtensor<[?,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[?,1],f32>
    %14 = torch.aten.rsqrt %13 : !torch.vtensor<[?,1],f32> -> !torch.vtensor<[?,1],f32>
    %15 = torch.aten.sub.Tensor %1, %12, %int1 : !torch.vtensor<[?,768],f32>, !torch.vtensor<[?,1],f32>, !torch.int -> !torch.vtensor<[?,768],f32>
    %16 = torch.aten.mul.Tensor %15, %14 : !torch.vtensor<[?,768],f32>, !torch.vtensor<[?,1],f32> -> !torch.vtensor<[?,768],f32>
    %17 = torch.aten.mul.Tensor %16, %arg2 : !torch.vtensor<[?,768],f32>, !torch.vtensor<[768],f16> -> !torch.vtensor<[?,768],f32>
    %18 = torch.aten.add.Tensor %17, %arg3, %int1 : !torch.vtensor<[?,768],f32>, !torch.vtensor<[768],f16>, !torch.int -> !torch.vtensor<[?,768],f32>
    %19 = torch.aten.to.dtype %18, %int5, %false, %false, %none : !torch.vtensor<[?,768],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,768],f16>
    return %19, %0 : !torch.vtensor<[?,768],f16>, !torch.vtensor<[?,768],f16>
  }
}
