module {
  func.func @torch_logsumexp_f32(%arg0: !torch.vtensor<[64,4096],f32>) -> !torch.vtensor<[64],f32> {
    %0 = torch.vtensor.literal(dense<0.000000e+00> : tensor<f32>) : !torch.vtensor<[],f32>
    %false = torch.constant.bool false
    %int1 = torch.constant.int 1
    %none = torch.constant.none
    %floatInf = torch.constant.float 0x7FF0000000000000
    %int-1 = torch.constant.int -1
    %true = torch.constant.bool true
    %values, %indices = torch.aten.max.dim %arg0, %int1, %true : !torch.vtensor<[64,4096],f32>, !torch.int, !torch.bool -> !torch.vtensor<[64,1],f32>, !torch.vtensor<[64,1],si64>
    %1 = torch.aten.abs %values : !torch.vtensor<[64,1],f32> -> !torch.vtensor<[64,1],f32>
    %2 = torch.aten.eq.Scalar %1, %floatInf : !torch.vtensor<[64,1],f32>, !torch.float -> !torch.vtensor<[64,1],i1>
    %3 = torch.aten.where.self %2, %0, %values : !torch.vtensor<[64,1],i1>, !torch.vtensor<[],f32>, !torch.vtensor<[64,1],f32> -> !torch.vtensor<[64,1],f32>
    %4 = torch.aten.squeeze.dim %3, %int1 : !torch.vtensor<[64,1],f32>, !torch.int -> !torch.vtensor<[64],f32>
    %5 = torch.aten.sub.Tensor %arg0, %3, %int1 : !torch.vtensor<[64,4096],f32>, !torch.vtensor<[64,1],f32>, !torch.int -> !torch.vtensor<[64,4096],f32>
    %6 = torch.aten.exp %5 : !torch.vtensor<[64,4096],f32> -> !torch.vtensor<[64,4096],f32>
    %7 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %8 = torch.aten.sum.dim_IntList %6, %7, %false, %none : !torch.vtensor<[64,4096],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[64],f32>
    %9 = torch.aten.log %8 : !torch.vtensor<[64],f32> -> !torch.vtensor<[64],f32>
    %10 = torch.aten.add.Tensor %9, %4, %int1 : !torch.vtensor<[64],f32>, !torch.vtensor<[64],f32>, !torch.int -> !torch.vtensor<[64],f32>
    return %10 : !torch.vtensor<[64],f32>
  }
}
