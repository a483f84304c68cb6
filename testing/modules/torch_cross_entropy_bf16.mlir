module {
  func.func @torch_cross_entropy_bf16(%arg0: !torch.vtensor<[16,4096],bf16>, %arg1: !torch.vtensor<[16],si64>) -> !torch.vtensor<[16],f32> {
    %0 = torch.vtensor.literal(dense<0.000000e+00> : tensor<f32>) : !torch.vtensor<[],f32>
    %1 = torch.vtensor.literal(dense<0> : tensor<si64>) : !torch.vtensor<[],si64>
    %false = torch.constant.bool false
    %int-100 = torch.constant.int -100
    %true = torch.constant.bool true
    %int1 = torch.constant.int 1
    %int6 = torch.constant.int 6
    %none = torch.constant.none
    %2 = torch.aten.to.dtype %arg0, %int6, %false, %false, %none : !torch.vtensor<[16,4096],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[16,4096],f32>
    %values, %indices = torch.aten.max.dim %2, %int1, %true : !torch.vtensor<[16,4096],f32>, !torch.int, !torch.bool -> !torch.vtensor<[16,1],f32>, !torch.vtensor<[16,1],si64>
    %3 = torch.aten.sub.Tensor %2, %values, %int1 : !torch.vtensor<[16,4096],f32>, !torch.vtensor<[16,1],f32>, !torch.int -> !torch.vtensor<[16,4096],f32>
    %4 = torch.aten.exp %3 : !torch.vtensor<[16,4096],f32> -> !torch.vtensor<[16,4096],f32>
    %5 = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
    %6 = torch.aten.sum.dim_IntList %4, %5, %true, %none : !torch.vtensor<[16,4096],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[16,1],f32>
    %7 = torch.aten.log %6 : !torch.vtensor<[16,1],f32> -> !torch.vtensor<[16,1],f32>
    %8 = torch.aten.sub.Tensor %3, %7, %int1 : !torch.vtensor<[16,4096],f32>, !torch.vtensor<[16,1],f32>, !torch.int -> !torch.vtensor<[16,4096],f32>
    %9 = torch.aten.ne.Scalar %arg1, %int-100 : !torch.vtensor<[16],si64>, !torch.int -> !torch.vtensor<[16],i1>
    %10 = torch.aten.where.self %9, %arg1, %1 : !torch.vtensor<[16],i1>, !torch.vtensor<[16],si64>, !torch.vtensor<[],si64> -> !torch.vtensor<[16],si64>
    %11 = torch.aten.unsqueeze %10, %int1 : !torch.vtensor<[16],si64>, !torch.int -> !torch.vtensor<[16,1],si64>
    %12 = torch.aten.gather %8, %int1, %11, %false : !torch.vtensor<[16,4096],f32>, !torch.int, !torch.vtensor<[16,1],si64>, !torch.bool -> !torch.vtensor<[16,1],f32>
    %13 = torch.aten.squeeze.dim %12, %int1 : !torch.vtensor<[16,1],f32>, !torch.int -> !torch.vtensor<[16],f32>
    %14 = torch.aten.neg %13 : !torch.vtensor<[16],f32> -> !torch.vtensor<[16],f32>
    %15 = torch.aten.ne.Scalar %arg1, %int-100 : !torch.vtensor<[16],si64>, !torch.int -> !torch.vtensor<[16],i1>
    %16 = torch.aten.where.self %15, %14, %0 : !torch.vtensor<[16],i1>, !torch.vtensor<[16],f32>, !torch.vtensor<[],f32> -> !torch.vtensor<[16],f32>
    return %16 : !torch.vtensor<[16],f32>
  }
}
