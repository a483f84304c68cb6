module {
  func.func @onnx_argmax_f32(%arg0: !torch.vtensor<[4,32000],f32>) -> !torch.vtensor<[4,1],si64> attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 18 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.ArgMax"(%arg0) {torch.onnx.axis = -1 : si64} : (!torch.vtensor<[4,32000],f32>) -> !torch.vtensor<[4,1],si64>
    return %0 : !torch.vtensor<[4,1],si64>
  }
}
