module {
  func.func @torch_raw_softmax_two_dynamic_f16(%arg0: !torch.vtensor<[?,?,128],f16>) -> !torch.vtensor<[?,?,128],f16> {
    %int6 = torch.constant.int 6
    %0 = torch.prims.convert_element_type %arg0, %int6 : !torch.vtensor<[?,?,128],f16>, !torch.int -> !torch.vtensor<[?,?,128],f32>
    %int-1 = torch.constant.int -1
    %false = torch.constant.bool false
    %1 = torch.aten._softmax %0, %int-1, %false : !torch.vtensor<[?,?,128],f32>, !torch.int, !torch.bool -> !torch.vtensor<[?,?,128],f32>
    %none = torch.constant.none
    %none_0 = torch.constant.none
    %int6_1 = torch.constant.int 6
    %cpu = torch.constant.device "cpu"
    %int0 = torch.constant.int 0
    torch.aten._assert_tensor_metadata %1, %none, %none_0, %int6_1, %cpu, %int0 : !torch.vtensor<[?,?,128],f32>, !torch.none, !torch.none, !torch.int, !torch.Device, !torch.int
    %int5 = torch.constant.int 5
    %2 = torch.prims.convert_element_type %1, %int5 : !torch.vtensor<[?,?,128],f32>, !torch.int -> !torch.vtensor<[?,?,128],f16>
    return %2 : !torch.vtensor<[?,?,128],f16>
  }
}
