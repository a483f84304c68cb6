module {
  func.func @torch_raw_layer_norm_bf16(%arg0: !torch.vtensor<[64,1024],bf16>, %arg1: !torch.vtensor<[64,1024],bf16>, %arg2: !torch.vtensor<[1024],bf16>, %arg3: !torch.vtensor<[1024],bf16>) -> !torch.vtensor<[64,1024],bf16> {
    %int1 = torch.constant.int 1
    %0 = torch.aten.add.Tensor %arg0, %arg1, %int1 : !torch.vtensor<[64,1024],bf16>, !torch.vtensor<[64,1024],bf16>, !torch.int -> !torch.vtensor<[64,1024],bf16>
    %int6 = torch.constant.int 6
    %1 = torch.prims.convert_element_type %0, %int6 : !torch.vtensor<[64,1024],bf16>, !torch.int -> !torch.vtensor<[64,1024],f32>
    %int1_0 = torch.constant.int 1
    %2 = torch.prim.ListConstruct %int1_0 : (!torch.int) -> !torch.list<int>
    %int0 = torch.constant.int 0
    %true = torch.constant.bool true
    %result0, %result1 = torch.aten.var_mean.correction %1, %2, %int0, %true : !torch.vtensor<[64,1024],f32>, !torch.list<int>, !torch.int, !torch.bool -> !torch.vtensor<[64,1],f32>, !torch.vtensor<[64,1],f32>
    %float1.000000e-05 = torch.constant.float 1.000000e-05
    %int1_1 = torch.constant.int 1
    %3 = torch.aten.add.Scalar %result0, %float1.000000e-05, %int1_1 : !torch.vtensor<[64,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[64,1],f32>
    %4 = torch.aten.rsqrt %3 : !torch.vtensor<[64,1],f32> -> !torch.vtensor<[64,1],f32>
    %int1_2 = torch.constant.int 1
    %5 = torch.aten.sub.Tensor %1, %result1, %int1_2 : !torch.vtensor<[64,1024],f32>, !torch.vtensor<[64,1],f32>, !torch.int -> !torch.vtensor<[64,1024],f32>
    %6 = torch.aten.mul.Tensor %5, %4 : !torch.vtensor<[64,1024],f32>, !torch.vtensor<[64,1],f32> -> !torch.vtensor<[64,1024],f32>
    %7 = torch.aten.mul.Tensor %6, %arg2 : !torch.vtensor<[64,1024],f32>, !torch.vtensor<[1024],bf16> -> !torch.vtensor<[64,1024],f32>
    %int1_3 = torch.constant.int 1
    %8 = torch.aten.add.Tensor %7, %arg3, %int1_3 : !torch.vtensor<[64,1024],f32>, !torch.vtensor<[1024],bf16>, !torch.int -> !torch.vtensor<[64,1024],f32>
    %int15 = torch.constant.int 15
    %9 = torch.prims.convert_element_type %8, %int15 : !torch.vtensor<[64,1024],f32>, !torch.int -> !torch.vtensor<[64,1024],bf16>
    return %9 : !torch.vtensor<[64,1024],bf16>
  }
}
