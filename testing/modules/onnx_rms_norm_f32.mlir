module {
  func.func @onnx_rms_norm_f32(%arg0: !torch.vtensor<[64,1024],f32>, %arg1: !torch.vtensor<[1024],f32>) -> !torch.vtensor<[64,1024],f32> attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 18 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<-1> : tensor<1xsi64>} : () -> !torch.vtensor<[1],si64>
    %1 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<2.000000e+00> : tensor<f32>} : () -> !torch.vtensor<[],f32>
    %2 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<9.99999997E-7> : tensor<f32>} : () -> !torch.vtensor<[],f32>
    %none = torch.constant.none
    %3 = torch.operator "onnx.Pow"(%arg0, %1) : (!torch.vtensor<[64,1024],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[64,1024],f32>
    %4 = torch.operator "onnx.ReduceMean"(%3, %0) : (!torch.vtensor<[64,1024],f32>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[64,1],f32>
    %5 = torch.operator "onnx.Add"(%4, %2) : (!torch.vtensor<[64,1],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[64,1],f32>
    %6 = torch.operator "onnx.Sqrt"(%5) : (!torch.vtensor<[64,1],f32>) -> !torch.vtensor<[64,1],f32>
    %7 = torch.operator "onnx.Div"(%arg0, %6) : (!torch.vtensor<[64,1024],f32>, !torch.vtensor<[64,1],f32>) -> !torch.vtensor<[64,1024],f32>
    %8 = torch.operator "onnx.Mul"(%7, %arg1) : (!torch.vtensor<[64,1024],f32>, !torch.vtensor<[1024],f32>) -> !torch.vtensor<[64,1024],f32>
    return %8 : !torch.vtensor<[64,1024],f32>
  }
}
