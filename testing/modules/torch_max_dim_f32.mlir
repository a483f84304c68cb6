module {
  func.func @torch_max_dim_f32(%arg0: !torch.vtensor<[64,4096],f32>) -> (!torch.vtensor<[64],f32>, !torch.vtensor<[64],si64>) {
    %int-1 = torch.constant.int -1
    %false = torch.constant.bool false
    %values, %indices = torch.aten.max.dim %arg0, %int-1, %false : !torch.vtensor<[64,4096],f32>, !torch.int, !torch.bool -> !torch.vtensor<[64],f32>, !torch.vtensor<[64],si64>
    return %values, %indices : !torch.vtensor<[64],f32>, !torch.vtensor<[64],si64>
  }
}
