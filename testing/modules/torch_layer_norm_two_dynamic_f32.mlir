module {
  func.func @torch_layer_norm_two_dynamic_f32(%arg0: !torch.vtensor<[?,?,384],f32>, %arg1: !torch.vtensor<[384],f32>, %arg2: !torch.vtensor<[384],f32>) -> !torch.vtensor<[?,?,384],f32> {
    %int6 = torch.constant.int 6
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %int384 = torch.constant.int 384
    %false = torch.constant.bool false
    %int7 = torch.constant.int 7
    %none = torch.constant.none
    %int1 = torch.constant.int 1
    %float1.000000e-05 = torch.constant.float 1.000000e-05
    %true = torch.constant.bool true
    %int2 = torch.constant.int 2
    %0 = torch.prim.ListConstruct %int2 : (!torch.int) -> !torch.list<int>
    %1 = torch.aten.to.dtype %arg0, %int7, %false, %false, %none : !torch.vtensor<[?,?,384],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,?,384],f64>
    %2 = torch.aten.sum.dim_IntList %1, %0, %true, %none : !torch.vtensor<[?,?,384],f64>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,?,1],f64>
    %3 = torch.aten.div.Scalar %2, %int384 : !torch.vtensor<[?,?,1],f64>, !torch.int -> !torch.vtensor<[?,?,1],f64>
    %4 = torch.aten.sub.Tensor %1, %3, %float1.000000e00 : !torch.vtensor<[?,?,384],f64>, !torch.vtensor<[?,?,1],f64>, !torch.float -> !torch.vtensor<[?,?,384],f64>
    %5 = torch.aten.mul.Tensor %4, %4 : !torch.vtensor<[?,?,384],f64>, !torch.vtensor<[?,?,384],f64> -> !torch.vtensor<[?,?,384],f64>
    %6 = torch.aten.sum.dim_IntList %5, %0, %true, %none : !torch.vtensor<[?,?,384],f64>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,?,1],f64>
    %7 = torch.aten.div.Scalar %6, %int384 : !torch.vtensor<[?,?,1],f64>, !torch.int -> !torch.vtensor<[?,?,1],f64>
    %8 = torch.aten.to.dtype %7, %int6, %false, %false, %none : !torch.vtensor<[?,?,1],f64>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,?,1],f32>
    %9 = torch.aten.sum.dim_IntList %arg0, %0, %true, %none : !torch.vtensor<[?,?,384],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,?,1],f32>
    %10 = torch.aten.div.Scalar %9, %int384 : !torch.vtensor<[?,?,1],f32>, !torch.int -> !torch.vtensor<[?,?,1],f32>
    %11 = torch.aten.add.Scalar %8, %float1.000000e-05, %int1 : !torch.vtensor<[?,?,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[?,?,1],f32>
    %12 = torch.aten.rsqrt %11 : !torch.vtensor<[?,?,1],f32> -> !torch.vtensor<[?,?,1],f32>
    %13 = torch.aten.sub.Tensor %arg0, %10, %int1 : !torch.vtensor<[?,?,384],f32>, !torch.vtensor<[?,?,1],f32>, !torch.int -> !torch.vtensor<[?,?,384],f32>
    %14 = torch.aten.mul.Tensor %13, %12 : !torch.vtensor<[?,?,384],f32>, !torch.vtensor<[?,?,1],f32> -> !torch.vtensor<[?,?,384],f32>
    %15 = torch.aten.mul.Tensor %14, %arg1 : !torch.vtensor<[?,?,384],f32>, !torch.vtensor<[384],f32> -> !torch.vtensor<[?,?,384],f32>
    %16 = torch.aten.add.Tensor %15, %arg2, %int1 : !torch.vtensor<[?,?,384],f32>, !torch.vtensor<[384],f32>, !torch.int -> !torch.vtensor<[?,?,384],f32>
    return %16 : !torch.vtensor<[?,?,384],f32>
  }
}
