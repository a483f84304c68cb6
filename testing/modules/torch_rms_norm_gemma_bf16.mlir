module {
  func.func @torch_rms_norm_gemma_bf16(%arg0: !torch.vtensor<[16,2048],bf16>, %arg1: !torch.vtensor<[2048],bf16>) -> !torch.vtensor<[16,2048],bf16> {
    %int2048 = torch.constant.int 2048
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %int1 = torch.constant.int 1
    %float9.999990e-07 = torch.constant.float 9.9999999999999995E-7
    %true = torch.constant.bool true
    %int-1 = torch.constant.int -1
    %int2 = torch.constant.int 2
    %int6 = torch.constant.int 6
    %none = torch.constant.none
    %int15 = torch.constant.int 15
    %false = torch.constant.bool false
    %0 = torch.aten.to.dtype %arg0, %int6, %false, %false, %none : !torch.vtensor<[16,2048],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[16,2048],f32>
    %1 = torch.aten.pow.Tensor_Scalar %0, %int2 : !torch.vtensor<[16,2048],f32>, !torch.int -> !torch.vtensor<[16,2048],f32>
    %2 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %3 = torch.aten.sum.dim_IntList %1, %2, %true, %none : !torch.vtensor<[16,2048],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[16,1],f32>
    %4 = torch.aten.div.Scalar %3, %int2048 : !torch.vtensor<[16,1],f32>, !torch.int -> !torch.vtensor<[16,1],f32>
    %5 = torch.aten.add.Scalar %4, %float9.999990e-07, %int1 : !torch.vtensor<[16,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[16,1],f32>
    %6 = torch.aten.rsqrt %5 : !torch.vtensor<[16,1],f32> -> !torch.vtensor<[16,1],f32>
    %7 = torch.aten.mul.Tensor %0, %6 : !torch.vtensor<[16,2048],f32>, !torch.vtensor<[16,1],f32> -> !torch.vtensor<[16,2048],f32>
    %8 = torch.aten.to.dtype %arg1, %int6, %false, %false, %none : !torch.vtensor<[2048],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[2048],f32>
    %9 = torch.aten.add.Scalar %8, %float1.000000e00, %int1 : !torch.vtensor<[2048],f32>, !torch.float, !torch.int -> !torch.vtensor<[2048],f32>
    %10 = torch.aten.mul.Tensor %7, %9 : !torch.vtensor<[16,2048],f32>, !torch.vtensor<[2048],f32> -> !torch.vtensor<[16,2048],f32>
    %11 = torch.aten.to.dtype %10, %int15, %false, %false, %none : !torch.vtensor<[16,2048],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[16,2048],bf16>
    return %11 : !torch.vtensor<[16,2048],bf16>
  }
}
