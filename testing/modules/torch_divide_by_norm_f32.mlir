module {
  func.func @torch_divide_by_norm_f32(%arg0: !torch.vtensor<[128,768],f32>) -> !torch.vtensor<[128,768],f32> {
    %none = torch.constant.none
    %true = torch.constant.bool true
    %int2 = torch.constant.int 2
    %int-1 = torch.constant.int -1
    %0 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %1 = torch.aten.linalg_vector_norm %arg0, %int2, %0, %true, %none : !torch.vtensor<[128,768],f32>, !torch.int, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[128,1],f32>
    %2 = torch.aten.div.Tensor %arg0, %1 : !torch.vtensor<[128,768],f32>, !torch.vtensor<[128,1],f32> -> !torch.vtensor<[128,768],f32>
    return %2 : !torch.vtensor<[128,768],f32>
  }
}
