module {
  func.func @onnx_cross_entropy_f32(%arg0: !torch.vtensor<[32,1000],f32>, %arg1: !torch.vtensor<[32],si64>) -> !torch.vtensor<[],f32> attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 18 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.SoftmaxCrossEntropyLoss"(%arg0, %arg1) {torch.onnx.reduction = "mean"} : (!torch.vtensor<[32,1000],f32>, !torch.vtensor<[32],si64>) -> !torch.vtensor<[],f32>
    return %0 : !torch.vtensor<[],f32>
  }
}
