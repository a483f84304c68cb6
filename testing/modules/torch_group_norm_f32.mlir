module {
  func.func @torch_group_norm_f32(%arg0: !torch.vtensor<[2,64,16,16],f32>, %arg1: !torch.vtensor<[64],f32>, %arg2: !torch.vtensor<[64],f32>) -> !torch.vtensor<[2,64,16,16],f32> {
    %int16 = torch.constant.int 16
    %int6 = torch.constant.int 6
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %false = torch.constant.bool false
    %int7 = torch.constant.int 7
    %int2048 = torch.constant.int 2048
    %int2 = torch.constant.int 2
    %int8 = torch.constant.int 8
    %float1.000000e-05 = torch.constant.float 1.000000e-05
    %none = torch.constant.none
    %int1 = torch.constant.int 1
    %int-1 = torch.constant.int -1
    %true = torch.constant.bool true
    %int64 = torch.constant.int 64
    %0 = torch.prim.ListConstruct %int2, %int8, %int-1 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %1 = torch.aten.view %arg0, %0 : !torch.vtensor<[2,64,16,16],f32>, !torch.list<int> -> !torch.vtensor<[2,8,2048],f32>
    %2 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %3 = torch.aten.sum.dim_IntList %1, %2, %true, %none : !torch.vtensor<[2,8,2048],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[2,8,1],f32>
    %4 = torch.aten.div.Scalar %3, %int2048 : !torch.vtensor<[2,8,1],f32>, !torch.int -> !torch.vtensor<[2,8,1],f32>
    %5 = torch.aten.to.dtype %1, %int7, %false, %false, %none : !torch.vtensor<[2,8,2048],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[2,8,2048],f64>
    %6 = torch.aten.sum.dim_IntList %5, %2, %true, %none : !torch.vtensor<[2,8,2048],f64>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[2,8,1],f64>
    %7 = torch.aten.div.Scalar %6, %int2048 : !torch.vtensor<[2,8,1],f64>, !torch.int -> !torch.vtensor<[2,8,1],f64>
    %8 = torch.aten.sub.Tensor %5, %7, %float1.000000e00 : !torch.vtensor<[2,8,2048],f64>, !torch.vtensor<[2,8,1],f64>, !torch.float -> !torch.vtensor<[2,8,2048],f64>
    %9 = torch.aten.mul.Tensor %8, %8 : !torch.vtensor<[2,8,2048],f64>, !torch.vtensor<[2,8,2048],f64> -> !torch.vtensor<[2,8,2048],f64>
    %10 = torch.aten.sum.dim_IntList %9, %2, %true, %none : !torch.vtensor<[2,8,2048],f64>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[2,8,1],f64>
    %11 = torch.aten.div.Scalar %10, %int2048 : !torch.vtensor<[2,8,1],f64>, !torch.int -> !torch.vtensor<[2,8,1],f64>
    %12 = torch.aten.to.dtype %11, %int6, %false, %false, %none : !torch.vtensor<[2,8,1],f64>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[2,8,1],f32>
    %13 = torch.aten.add.Scalar %12, %float1.000000e-05, %int1 : !torch.vtensor<[2,8,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[2,8,1],f32>
    %14 = torch.aten.rsqrt %13 : !torch.vtensor<[2,8,1],f32> -> !torch.vtensor<[2,8,1],f32>
    %15 = torch.aten.sub.Tensor %1, %4, %int1 : !torch.vtensor<[2,8,2048],f32>, !torch.vtensor<[2,8,1],f32>, !torch.int -> !torch.vtensor<[2,8,2048],f32>
    %16 = torch.aten.mul.Tensor %15, %14 : !torch.vtensor<[2,8,2048],f32>, !torch.vtensor<[2,8,1],f32> -> !torch.vtensor<[2,8,2048],f32>
    %17 = torch.prim.ListConstruct %int2, %int64, %int16, %int16 : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %18 = torch.aten.view %16, %17 : !torch.vtensor<[2,8,2048],f32>, !torch.list<int> -> !torch.vtensor<[2,64,16,16],f32>
    %19 = torch.prim.ListConstruct %int64, %int1, %int1 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %20 = torch.aten.view %arg1, %19 : !torch.vtensor<[64],f32>, !torch.list<int> -> !torch.vtensor<[64,1,1],f32>
    %21 = torch.aten.mul.Tensor %18, %20 : !torch.vtensor<[2,64,16,16],f32>, !torch.vtensor<[64,1,1],f32> -> !torch.vtensor<[2,64,16,16],f32>
    %22 = torch.aten.view %arg2, %19 : !torch.vtensor<[64],f32>, !torch.list<int> -> !torch.vtensor<[64,1,1],f32>
    %23 = torch.aten.add.Tensor %21, %22, %int1 : !torch.vtensor<[2,64,16,16],f32>, !torch.vtensor<[64,1,1],f32>, !torch.int -> !torch.vtensor<[2,64,16,16],f32>
    %24 = torch.aten.squeeze.dim %4, %int-1 : !torch.vtensor<[2,8,1],f32>, !torch.int -> !torch.vtensor<[2,8],f32>
    %25 = torch.aten.squeeze.dim %14, %int-1 : !torch.vtensor<[2,8,1],f32>, !torch.int -> !torch.vtensor<[2,8],f32>
    return %23 : !torch.vtensor<[2,64,16,16],f32>
  }
}
