module {
  func.func @torch_cross_entropy_f32(%arg0: !torch.vtensor<[32,1000],f32>, %arg1: !torch.vtensor<[32],si64>) -> !torch.vtensor<[],f32> {
    %0 = torch.vtensor.literal(dense<0.000000e+00> : tensor<f32>) : !torch.vtensor<[],f32>
    %1 = torch.vtensor.literal(dense<0> : tensor<si64>) : !torch.vtensor<[],si64>
    %int6 = torch.constant.int 6
    %false = torch.constant.bool false
    %int-100 = torch.constant.int -100
    %none = torch.constant.none
    %true = torch.constant.bool true
    %int1 = torch.constant.int 1
    %values, %indices = torch.aten.max.dim %arg0, %int1, %true : !torch.vtensor<[32,1000],f32>, !torch.int, !torch.bool -> !torch.vtensor<[32,1],f32>, !torch.vtensor<[32,1],si64>
    %2 = torch.aten.sub.Tensor %arg0, %values, %int1 : !torch.vtensor<[32,1000],f32>, !torch.vtensor<[32,1],f32>, !torch.int -> !torch.vtensor<[32,1000],f32>
    %3 = torch.aten.exp %2 : !torch.vtensor<[32,1000],f32> -> !torch.vtensor<[32,1000],f32>
    %4 = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
    %5 = torch.aten.sum.dim_IntList %3, %4, %true, %none : !torch.vtensor<[32,1000],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[32,1],f32>
    %6 = torch.aten.log %5 : !torch.vtensor<[32,1],f32> -> !torch.vtensor<[32,1],f32>
    %7 = torch.aten.sub.Tensor %2, %6, %int1 : !torch.vtensor<[32,1000],f32>, !torch.vtensor<[32,1],f32>, !torch.int -> !torch.vtensor<[32,1000],f32>
    %8 = torch.aten.ne.Scalar %arg1, %int-100 : !torch.vtensor<[32],si64>, !torch.int -> !torch.vtensor<[32],i1>
    %9 = torch.aten.where.self %8, %arg1, %1 : !torch.vtensor<[32],i1>, !torch.vtensor<[32],si64>, !torch.vtensor<[],si64> -> !torch.vtensor<[32],si64>
    %10 = torch.aten.unsqueeze %9, %int1 : !torch.vtensor<[32],si64>, !torch.int -> !torch.vtensor<[32,1],si64>
    %11 = torch.aten.gather %7, %int1, %10, %false : !torch.vtensor<[32,1000],f32>, !torch.int, !torch.vtensor<[32,1],si64>, !torch.bool -> !torch.vtensor<[32,1],f32>
    %12 = torch.aten.squeeze.dim %11, %int1 : !torch.vtensor<[32,1],f32>, !torch.int -> !torch.vtensor<[32],f32>
    %13 = torch.aten.neg %12 : !torch.vtensor<[32],f32> -> !torch.vtensor<[32],f32>
    %14 = torch.aten.ne.Scalar %arg1, %int-100 : !torch.vtensor<[32],si64>, !torch.int -> !torch.vtensor<[32],i1>
    %15 = torch.aten.where.self %14, %13, %0 : !torch.vtensor<[32],i1>, !torch.vtensor<[32],f32>, !torch.vtensor<[],f32> -> !torch.vtensor<[32],f32>
    %16 = torch.aten.ne.Scalar %arg1, %int-100 : !torch.vtensor<[32],si64>, !torch.int -> !torch.vtensor<[32],i1>
    %17 = torch.prim.ListConstruct  : () -> !torch.list<int>
    %18 = torch.aten.sum.dim_IntList %16, %17, %false, %none : !torch.vtensor<[32],i1>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[],si64>
    %19 = torch.aten.to.dtype %18, %int6, %false, %false, %none : !torch.vtensor<[],si64>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[],f32>
    %20 = torch.prim.ListConstruct  : () -> !torch.list<int>
    %21 = torch.aten.sum.dim_IntList %15, %20, %false, %none : !torch.vtensor<[32],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[],f32>
    %22 = torch.aten.div.Tensor %21, %19 : !torch.vtensor<[],f32>, !torch.vtensor<[],f32> -> !torch.vtensor<[],f32>
    return %22 : !torch.vtensor<[],f32>
  }
}
