module {
  func.func @onnx_reducesum_f32(%arg0: !torch.vtensor<[64,4096],f32>) -> !torch.vtensor<[64,1],f32> attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 18 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<-1> : tensor<1xsi64>} : () -> !torch.vtensor<[1],si64>
    %none = torch.constant.none
    %1 = torch.operator "onnx.ReduceSum"(%arg0, %0) : (!torch.vtensor<[64,4096],f32>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[64,1],f32>
    return %1 : !torch.vtensor<[64,1],f32>
  }
}
