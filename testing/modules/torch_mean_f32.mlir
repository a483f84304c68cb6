module {
  func.func @torch_mean_f32(%arg0: !torch.vtensor<[64,4096],f32>) -> !torch.vtensor<[64],f32> {
    %int4096 = torch.constant.int 4096
    %none = torch.constant.none
    %false = torch.constant.bool false
    %int-1 = torch.constant.int -1
    %0 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %1 = torch.aten.sum.dim_IntList %arg0, %0, %false, %none : !torch.vtensor<[64,4096],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[64],f32>
    %2 = torch.aten.div.Scalar %1, %int4096 : !torch.vtensor<[64],f32>, !torch.int -> !torch.vtensor<[64],f32>
    return %2 : !torch.vtensor<[64],f32>
  }
}
