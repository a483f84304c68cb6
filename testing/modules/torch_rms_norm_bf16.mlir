module {
  func.func @torch_rms_norm_bf16(%arg0: !torch.vtensor<[64,768],bf16>, %arg1: !torch.vtensor<[768],bf16>) -> !torch.vtensor<[64,768],bf16> {
    %int768 = torch.constant.int 768
    %int1 = torch.constant.int 1
    %float9.999990e-07 = torch.constant.float 9.9999999999999995E-7
    %true = torch.constant.bool true
    %int-1 = torch.constant.int -1
    %int2 = torch.constant.int 2
    %int6 = torch.constant.int 6
    %none = torch.constant.none
    %int15 = torch.constant.int 15
    %false = torch.constant.bool false
    %0 = torch.aten.to.dtype %arg0, %int6, %false, %false, %none : !torch.vtensor<[64,768],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[64,768],f32>
    %1 = torch.aten.pow.Tensor_Scalar %0, %int2 : !torch.vtensor<[64,768],f32>, !torch.int -> !torch.vtensor<[64,768],f32>
    %2 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %3 = torch.aten.sum.dim_IntList %1, %2, %true, %none : !torch.vtensor<[64,768],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[64,1],f32>
    %4 = torch.aten.div.Scalar %3, %int768 : !torch.vtensor<[64,1],f32>, !torch.int -> !torch.vtensor<[64,1],f32>
    %5 = torch.aten.add.Scalar %4, %float9.999990e-07, %int1 : !torch.vtensor<[64,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[64,1],f32>
    %6 = torch.aten.rsqrt %5 : !torch.vtensor<[64,1],f32> -> !torch.vtensor<[64,1],f32>
    %7 = torch.aten.mul.Tensor %0, %6 : !torch.vtensor<[64,768],f32>, !torch.vtensor<[64,1],f32> -> !torch.vtensor<[64,768],f32>
    %8 = torch.aten.to.dtype %7, %int15, %false, %false, %none : !torch.vtensor<[64,768],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[64,768],bf16>
    %9 = torch.aten.mul.Tensor %arg1, %8 : !torch.vtensor<[768],bf16>, !torch.vtensor<[64,768],bf16> -> !torch.vtensor<[64,768],bf16>
    return %9 : !torch.vtensor<[64,768],bf16>
  }
}
