module {
  func.func @onnx_softmax_f16_dynamic(%arg0: !torch.vtensor<[?,1000],f16>) -> !torch.vtensor<[?,1000],f16> attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 18 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.Softmax"(%arg0) {torch.onnx.axis = -1 : si64} : (!torch.vtensor<[?,1000],f16>) -> !torch.vtensor<[?,1000],f16>
    return %0 : !torch.vtensor<[?,1000],f16>
  }
}
