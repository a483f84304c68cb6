module {
  func.func @torch_swiglu_f16_dynamic(%arg0: !torch.vtensor<[?,1024],f16>, %arg1: !torch.vtensor<[?,1024],f16>) -> !torch.vtensor<[?,1024],f16> {
    %int5 = torch.constant.int 5
    %int6 = torch.constant.int 6
    %false = torch.constant.bool false
    %none = torch.constant.none
    %0 = torch.aten.to.dtype %arg0, %int6, %false, %false, %none : !torch.vtensor<[?,1024],f16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,1024],f32>
    %1 = torch.aten.sigmoid %0 : !torch.vtensor<[?,1024],f32> -> !torch.vtensor<[?,1024],f32>
    %2 = torch.aten.mul.Tensor %0, %1 : !torch.vtensor<[?,1024],f32>, !torch.vtensor<[?,1024],f32> -> !torch.vtensor<[?,1024],f32>
    %3 = torch.aten.to.dtype %2, %int5, %false, %false, %none : !torch.vtensor<[?,1024],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,1024],f16>
    %4 = torch.aten.mul.Tensor %3, %arg1 : !torch.vtensor<[?,1024],f16>, !torch.vtensor<[?,1024],f16> -> !torch.vtensor<[?,1024],f16>
    return %4 : !torch.vtensor<[?,1024],f16>
  }
}
