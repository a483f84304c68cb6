module {
  func.func @onnx_reducesum_f16_dynamic(%arg0: !torch.vtensor<[?,4096],f16>) -> !torch.vtensor<[?],f16> attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 18 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<-1> : tensor<1xsi64>} : () -> !torch.vtensor<[1],si64>
    %none = torch.constant.none
    %1 = torch.operator "onnx.ReduceSum"(%arg0, %0) {torch.onnx.keepdims = 0 : si64} : (!torch.vtensor<[?,4096],f16>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[?],f16>
    return %1 : !torch.vtensor<[?],f16>
  }
}
