module {
  func.func @onnx_layer_norm_f16_dynamic(%arg0: !torch.vtensor<[?,768],f16>, %arg1: !torch.vtensor<[768],f16>, %arg2: !torch.vtensor<[768],f16>) -> !torch.vtensor<[?,768],f16> attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 18 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.LayerNormalization"(%arg0, %arg1, %arg2) {torch.onnx.axis = -1 : si64} : (!torch.vtensor<[?,768],f16>, !torch.vtensor<[768],f16>, !torch.vtensor<[768],f16>) -> !torch.vtensor<[?,768],f16>
    return %0 : !torch.vtensor<[?,768],f16>
  }
}
