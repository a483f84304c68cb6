module {
  func.func @torch_residual_layer_norm_f32(%arg0: !torch.vtensor<[1024,768],f32>, %arg1: !torch.vtensor<[1024,768],f32>, %arg2: !torch.vtensor<[768],f32>, %arg3: !torch.vtensor<[768],f32>) -> !torch.vtensor<[1024,768],f32> {
    %int6 = torch.constant.int 6
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %int768 = torch.constant.int 768
    %false = torch.constant.bool false
    %int7 = torch.constant.int 7
    %none = torch.constant.none
    %float1.000000e-05 = torch.constant.float 1.000000e-05
    %true = torch.constant.bool true
    %int1 = torch.constant.int 1
    %0 = torch.aten.add.Tensor %arg0, %arg1, %int1 : !torch.vtensor<[1024,768],f32>, !torch.vtensor<[1024,768],f32>, !torch.int -> !torch.vtensor<[1024,768],f32>
    %1 = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
    %2 = torch.aten.to.dtype %0, %int7, %false, %false, %none : !torch.vtensor<[1024,768],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[1024,768],f64>
    %3 = torch.aten.sum.dim_IntList %2, %1, %true, %none : !torch.vtensor<[1024,768],f64>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[1024,1],f64>
    %4 = torch.aten.div.Scalar %3, %int768 : !torch.vtensor<[1024,1],f64>, !torch.int -> !torch.vtensor<[1024,1],f64>
    %5 = torch.aten.sub.Tensor %2, %4, %float1.000000e00 : !torch.vtensor<[1024,768],f64>, !torch.vtensor<[1024,1],f64>, !torch.float -> !torch.vtensor<[1024,768],f64>
    %6 = torch.aten.mul.Tensor %5, %5 : !torch.vtensor<[1024,768],f64>, !torch.vtensor<[1024,768],f64> -> !torch.vtensor<[1024,768],f64>
    %7 = torch.aten.sum.dim_IntList %6, %1, %true, %none : !torch.vtensor<[1024,768],f64>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[1024,1],f64>
    %8 = torch.aten.div.Scalar %7, %int768 : !torch.vtensor<[1024,1],f64>, !torch.int -> !torch.vtensor<[1024,1],f64>
    %9 = torch.aten.to.dtype %8, %int6, %false, %false, %none : !torch.vtensor<[1024,1],f64>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[1024,1],f32>
    %10 = torch.aten.sum.dim_IntList %0, %1, %true, %none : !torch.vtensor<[1024,768],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[1024,1],f32>
    %11 = torch.aten.div.Scalar %10, %int768 : !torch.vtensor<[1024,1],f32>, !torch.int -> !torch.vtensor<[1024,1],f32>
    %12 = torch.aten.add.Scalar %9, %float1.000000e-05, %int1 : !torch.vtensor<[1024,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[1024,1],f32>
    %13 = torch.aten.rsqrt %12 : !torch.vtensor<[1024,1],f32> -> !torch.vtensor<[1024,1],f32>
    %14 = torch.aten.sub.Tensor %0, %11, %int1 : !torch.vtensor<[1024,768],f32>, !torch.vtensor<[1024,1],f32>, !torch.int -> !torch.vtensor<[1024,768],f32>
    %15 = torch.aten.mul.Tensor %14, %13 : !torch.vtensor<[1024,768],f32>, !torch.vtensor<[1024,1],f32> -> !torch.vtensor<[1024,768],f32>
    %16 = torch.aten.mul.Tensor %15, %arg2 : !torch.vtensor<[1024,768],f32>, !torch.vtensor<[768],f32> -> !torch.vtensor<[1024,768],f32>
    %17 = torch.aten.add.Tensor %16, %arg3, %int1 : !torch.vtensor<[1024,768],f32>, !torch.vtensor<[768],f32>, !torch.int -> !torch.vtensor<[1024,768],f32>
    return %17 : !torch.vtensor<[1024,768],f32>
  }
}
