module {
  func.func @torch_var_mean_f32(%arg0: !torch.vtensor<[64,4096],f32>) -> (!torch.vtensor<[64],f32>, !torch.vtensor<[64],f32>) {
    %int6 = torch.constant.int 6
    %float4.095000e03 = torch.constant.float 4.095000e+03
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %int4096 = torch.constant.int 4096
    %true = torch.constant.bool true
    %int7 = torch.constant.int 7
    %none = torch.constant.none
    %false = torch.constant.bool false
    %int-1 = torch.constant.int -1
    %0 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %1 = torch.aten.to.dtype %arg0, %int7, %false, %false, %none : !torch.vtensor<[64,4096],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[64,4096],f64>
    %2 = torch.aten.sum.dim_IntList %1, %0, %true, %none : !torch.vtensor<[64,4096],f64>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[64,1],f64>
    %3 = torch.aten.div.Scalar %2, %int4096 : !torch.vtensor<[64,1],f64>, !torch.int -> !torch.vtensor<[64,1],f64>
    %4 = torch.aten.sub.Tensor %1, %3, %float1.000000e00 : !torch.vtensor<[64,4096],f64>, !torch.vtensor<[64,1],f64>, !torch.float -> !torch.vtensor<[64,4096],f64>
    %5 = torch.aten.mul.Tensor %4, %4 : !torch.vtensor<[64,4096],f64>, !torch.vtensor<[64,4096],f64> -> !torch.vtensor<[64,4096],f64>
    %6 = torch.aten.sum.dim_IntList %5, %0, %false, %none : !torch.vtensor<[64,4096],f64>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[64],f64>
    %7 = torch.aten.div.Scalar %6, %float4.095000e03 : !torch.vtensor<[64],f64>, !torch.float -> !torch.vtensor<[64],f64>
    %8 = torch.aten.to.dtype %7, %int6, %false, %false, %none : !torch.vtensor<[64],f64>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[64],f32>
    %9 = torch.aten.sum.dim_IntList %arg0, %0, %false, %none : !torch.vtensor<[64,4096],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[64],f32>
    %10 = torch.aten.div.Scalar %9, %int4096 : !torch.vtensor<[64],f32>, !torch.int -> !torch.vtensor<[64],f32>
    return %8, %10 : !torch.vtensor<[64],f32>, !torch.vtensor<[64],f32>
  }
}
