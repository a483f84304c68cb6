module {
  func.func @onnx_classifier_f32_dynamic(%arg0: !torch.vtensor<[?,128,7,7],f32>, %arg1: !torch.vtensor<[100,128],f32>, %arg2: !torch.vtensor<[100],f32>) -> !torch.vtensor<[?,100],f32> attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 18 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.GlobalAveragePool"(%arg0) : (!torch.vtensor<[?,128,7,7],f32>) -> !torch.vtensor<[?,128,1,1],f32>
    %1 = torch.operator "onnx.Flatten"(%0) : (!torch.vtensor<[?,128,1,1],f32>) -> !torch.vtensor<[?,128],f32>
    %2 = torch.operator "onnx.Gemm"(%1, %arg1, %arg2) {torch.onnx.transB = 1 : si64} : (!torch.vtensor<[?,128],f32>, !torch.vtensor<[100,128],f32>, !torch.vtensor<[100],f32>) -> !torch.vtensor<[?,100],f32>
    %3 = torch.operator "onnx.Softmax"(%2) {torch.onnx.axis = -1 : si64} : (!torch.vtensor<[?,100],f32>) -> !torch.vtensor<[?,100],f32>
    return %3 : !torch.vtensor<[?,100],f32>
  }
}
