module {
  func.func @torch_silu_bf16(%arg0: !torch.vtensor<[64,1024],bf16>) -> !torch.vtensor<[64,1024],bf16> {
    %int15 = torch.constant.int 15
    %int6 = torch.constant.int 6
    %false = torch.constant.bool false
    %none = torch.constant.none
    %0 = torch.aten.to.dtype %arg0, %int6, %false, %false, %none : !torch.vtensor<[64,1024],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[64,1024],f32>
    %1 = torch.aten.sigmoid %0 : !torch.vtensor<[64,1024],f32> -> !torch.vtensor<[64,1024],f32>
    %2 = torch.aten.mul.Tensor %0, %1 : !torch.vtensor<[64,1024],f32>, !torch.vtensor<[64,1024],f32> -> !torch.vtensor<[64,1024],f32>
    %3 = torch.aten.to.dtype %2, %int15, %false, %false, %none : !torch.vtensor<[64,1024],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[64,1024],bf16>
    return %3 : !torch.vtensor<[64,1024],bf16>
  }
}
