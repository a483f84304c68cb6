module {
  func.func @torch_raw_softmax_causal_f32(%arg0: !torch.vtensor<[8,64,64],f32>, %arg1: !torch.vtensor<[8,64,64],f32>) -> (!torch.vtensor<[8,64,64],f32>, !torch.vtensor<[8,64,64],f32>) {
    %int0 = torch.constant.int 0
    %int64 = torch.constant.int 64
    %int1 = torch.constant.int 1
    %none = torch.constant.none
    %int0_0 = torch.constant.int 0
    %cpu = torch.constant.device "cpu"
    %false = torch.constant.bool false
    %0 = torch.aten.arange.start_step %int0, %int64, %int1, %none, %int0_0, %cpu, %false : !torch.int, !torch.int, !torch.int, !torch.none, !torch.int, !torch.Device, !torch.bool -> !torch.vtensor<[64],si64>
    %int0_1 = torch.constant.int 0
    %1 = torch.aten.unsqueeze %0, %int0_1 : !torch.vtensor<[64],si64>, !torch.int -> !torch.vtensor<[1,64],si64>
    %int1_2 = torch.constant.int 1
    %2 = torch.aten.unsqueeze %0, %int1_2 : !torch.vtensor<[64],si64>, !torch.int -> !torch.vtensor<[64,1],si64>
    %3 = torch.aten.gt.Tensor %1, %2 : !torch.vtensor<[1,64],si64>, !torch.vtensor<[64,1],si64> -> !torch.vtensor<[64,64],i1>
    %float-1.000000e04 = torch.constant.float -1.000000e+04
    %int6 = torch.constant.int 6
    %int0_3 = torch.constant.int 0
    %cpu_4 = torch.constant.device "cpu"
    %none_5 = torch.constant.none
    %4 = torch.aten.scalar_tensor %float-1.000000e04, %int6, %int0_3, %cpu_4, %none_5 : !torch.float, !torch.int, !torch.int, !torch.Device, !torch.none -> !torch.vtensor<[],f32>
    %5 = torch.aten.where.self %3, %4, %arg0 : !torch.vtensor<[64,64],i1>, !torch.vtensor<[],f32>, !torch.vtensor<[8,64,64],f32> -> !torch.vtensor<[8,64,64],f32>
    %int-1 = torch.constant.int -1
    %false_6 = torch.constant.bool false
    %6 = torch.aten._softmax %5, %int-1, %false_6 : !torch.vtensor<[8,64,64],f32>, !torch.int, !torch.bool -> !torch.vtensor<[8,64,64],f32>
    %float-1.000000e04_7 = torch.constant.float -1.000000e+04
    %int6_8 = torch.constant.int 6
    %int0_9 = torch.constant.int 0
    %cpu_10 = torch.constant.device "cpu"
    %none_11 = torch.constant.none
    %7 = torch.aten.scalar_tensor %float-1.000000e04_7, %int6_8, %int0_9, %cpu_10, %none_11 : !torch.float, !torch.int, !torch.int, !torch.Device, !torch.none -> !torch.vtensor<[],f32>
    %8 = torch.aten.where.self %3, %7, %arg1 : !torch.vtensor<[64,64],i1>, !torch.vtensor<[],f32>, !torch.vtensor<[8,64,64],f32> -> !torch.vtensor<[8,64,64],f32>
    %int-1_12 = torch.constant.int -1
    %false_13 = torch.constant.bool false
    %9 = torch.aten._softmax %8, %int-1_12, %false_13 : !torch.vtensor<[8,64,64],f32>, !torch.int, !torch.bool -> !torch.vtensor<[8,64,64],f32>
    return %6, %9 : !torch.vtensor<[8,64,64],f32>, !torch.vtensor<[8,64,64],f32>
  }
}
