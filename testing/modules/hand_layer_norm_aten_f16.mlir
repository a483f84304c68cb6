module {
  func.func @hand_layer_norm_aten_f16(%x: !torch.vtensor<[64,768],f16>, %residual: !torch.vtensor<[64,768],f16>,
      %weight: !torch.vtensor<[768],f16>, %bias: !torch.vtensor<[768],f16>)
      -> (!torch.vtensor<[64,768],f16>, !torch.vtensor<[64,768],f16>) attributes {torch.assume_strict_symbolic_shapes} {
    %one = torch.constant.int 1
    %sum = torch.aten.add.Tensor %x, %residual, %one
      : !torch.vtensor<[64,768],f16>, !torch.vtensor<[64,768],f16>, !torch.int -> !torch.vtensor<[64,768],f16>
    %width = torch.constant.int 768
    %shape = torch.prim.ListConstruct %width : (!torch.int) -> !torch.list<int>
    %epsilon = torch.constant.float 1.0e-05
    %no = torch.constant.bool false
    %y = torch.aten.layer_norm %sum, %shape, %weight, %bias, %epsilon, %no
      : !torch.vtensor<[64,768],f16>, !torch.list<int>, !torch.vtensor<[768],f16>, !torch.vtensor<[768],f16>, !torch.float,
        !torch.bool -> !torch.vtensor<[64,768],f16>
    return %y, %sum : !torch.vtensor<[64,768],f16>, !torch.vtensor<[64,768],f16>
  }
}
