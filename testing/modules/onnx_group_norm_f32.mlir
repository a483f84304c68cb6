module {
  func.func @onnx_group_norm_f32(%arg0: !torch.vtensor<[2,64,16,16],f32>, %arg1: !torch.vtensor<[64],f32>, %arg2: !torch.vtensor<[64],f32>) -> !torch.vtensor<[2,64,16,16],f32> attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 21 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.GroupNormalization"(%arg0, %arg1, %arg2) {torch.onnx.num_groups = 8 : si64} : (!torch.vtensor<[2,64,16,16],f32>, !torch.vtensor<[64],f32>, !torch.vtensor<[64],f32>) -> !torch.vtensor<[2,64,16,16],f32>
    return %0 : !torch.vtensor<[2,64,16,16],f32>
  }
}
