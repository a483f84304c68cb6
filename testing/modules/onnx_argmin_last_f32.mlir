module {
  func.func @onnx_argmin_last_f32(%arg0: !torch.vtensor<[64,1000],f32>) -> !torch.vtensor<[64,1],si64> attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 18 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.ArgMin"(%arg0) {torch.onnx.axis = 1 : si64, torch.onnx.select_last_index = 1 : si64} : (!torch.vtensor<[64,1000],f32>) -> !torch.vtensor<[64,1],si64>
    return %0 : !torch.vtensor<[64,1],si64>
  }
}
