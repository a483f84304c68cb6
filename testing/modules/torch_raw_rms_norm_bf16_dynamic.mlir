module {
  func.func @torch_raw_rms_norm_bf16_dynamic(%arg0: !torch.vtensor<[?,2048],bf16>, %arg1: !torch.vtensor<[2048],bf16>) -> !torch.vtensor<[?,2048],bf16> {
    %none = torch.constant.none
    %none_0 = torch.constant.none
    %int15 = torch.constant.int 15
    %cpu = torch.constant.device "cpu"
    %int0 = torch.constant.int 0
    torch.aten._assert_tensor_metadata %arg0, %none, %none_0, %int15, %cpu, %int0 : !torch.vtensor<[?,2048],bf16>, !torch.none, !torch.none, !torch.int, !torch.Device, !torch.int
    %int6 = torch.constant.int 6
    %0 = torch.prims.convert_element_type %arg0, %int6 : !torch.vtensor<[?,2048],bf16>, !torch.int -> !torch.vtensor<[?,2048],f32>
    %int2 = torch.constant.int 2
    %1 = torch.aten.pow.Tensor_Scalar %0, %int2 : !torch.vtensor<[?,2048],f32>, !torch.int -> !torch.vtensor<[?,2048],f32>
    %int-1 = torch.constant.int -1
    %2 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %true = torch.constant.bool true
    %none_1 = torch.constant.none
    %3 = torch.aten.mean.dim %1, %2, %true, %none_1 : !torch.vtensor<[?,2048],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,1],f32>
    %float9.999990e-07 = torch.constant.float 9.9999999999999995E-7
    %int1 = torch.constant.int 1
    %4 = torch.aten.add.Scalar %3, %float9.999990e-07, %int1 : !torch.vtensor<[?,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[?,1],f32>
    %5 = torch.aten.rsqrt %4 : !torch.vtensor<[?,1],f32> -> !torch.vtensor<[?,1],f32>
    %6 = torch.aten.mul.Tensor %0, %5 : !torch.vtensor<[?,2048],f32>, !torch.vtensor<[?,1],f32> -> !torch.vtensor<[?,2048],f32>
    %none_2 = torch.constant.none
    %none_3 = torch.constant.none
    %int6_4 = torch.constant.int 6
    %cpu_5 = torch.constant.device "cpu"
    %int0_6 = torch.constant.int 0
    torch.aten._assert_tensor_metadata %6, %none_2, %none_3, %int6_4, %cpu_5, %int0_6 : !torch.vtensor<[?,2048],f32>, !torch.none, !torch.none, !torch.int, !torch.Device, !torch.int
    %int15_7 = torch.constant.int 15
    %7 = torch.prims.convert_element_type %6, %int15_7 : !torch.vtensor<[?,2048],f32>, !torch.int -> !torch.vtensor<[?,2048],bf16>
    %8 = torch.aten.mul.Tensor %arg1, %7 : !torch.vtensor<[2048],bf16>, !torch.vtensor<[?,2048],bf16> -> !torch.vtensor<[?,2048],bf16>
    return %8 : !torch.vtensor<[?,2048],bf16>
  }
}
