module {
  func.func @onnx_instance_norm_f32(%arg0: !torch.vtensor<[2,32,32,32],f32>, %arg1: !torch.vtensor<[32],f32>, %arg2: !torch.vtensor<[32],f32>) -> !torch.vtensor<[2,32,32,32],f32> attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 18 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.InstanceNormalization"(%arg0, %arg1, %arg2) : (!torch.vtensor<[2,32,32,32],f32>, !torch.vtensor<[32],f32>, !torch.vtensor<[32],f32>) -> !torch.vtensor<[2,32,32,32],f32>
    return %0 : !torch.vtensor<[2,32,32,32],f32>
  }
}
