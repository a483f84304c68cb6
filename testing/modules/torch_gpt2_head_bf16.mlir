module {
  func.func @torch_gpt2_head_bf16(%arg0: !torch.vtensor<[8,192],bf16>, %arg1: !torch.vtensor<[192],bf16>, %arg2: !torch.vtensor<[192],bf16>, %arg3: !torch.vtensor<[2048,192],bf16>) -> !torch.vtensor<[8,2048],bf16> {
    %float1.000000e00 = torch.constant.float 1.000000e+00
    %int192 = torch.constant.int 192
    %int7 = torch.constant.int 7
    %none = torch.constant.none
    %int-1 = torch.constant.int -1
    %int15 = torch.constant.int 15
    %float1.000000e-05 = torch.constant.float 1.000000e-05
    %true = torch.constant.bool true
    %int0 = torch.constant.int 0
    %int1 = torch.constant.int 1
    %int6 = torch.constant.int 6
    %false = torch.constant.bool false
    %0 = torch.aten.to.dtype %arg0, %int6, %false, %false, %none : !torch.vtensor<[8,192],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[8,192],f32>
    %1 = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
    %2 = torch.aten.to.dtype %0, %int7, %false, %false, %none : !torch.vtensor<[8,192],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[8,192],f64>
    %3 = torch.aten.sum.dim_IntList %2, %1, %true, %none : !torch.vtensor<[8,192],f64>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[8,1],f64>
    %4 = torch.aten.div.Scalar %3, %int192 : !torch.vtensor<[8,1],f64>, !torch.int -> !torch.vtensor<[8,1],f64>
    %5 = torch.aten.sub.Tensor %2, %4, %float1.000000e00 : !torch.vtensor<[8,192],f64>, !torch.vtensor<[8,1],f64>, !torch.float -> !torch.vtensor<[8,192],f64>
    %6 = torch.aten.mul.Tensor %5, %5 : !torch.vtensor<[8,192],f64>, !torch.vtensor<[8,192],f64> -> !torch.vtensor<[8,192],f64>
    %7 = torch.aten.sum.dim_IntList %6, %1, %true, %none : !torch.vtensor<[8,192],f64>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[8,1],f64>
    %8 = torch.aten.div.Scalar %7, %int192 : !torch.vtensor<[8,1],f64>, !torch.int -> !torch.vtensor<[8,1],f64>
    %9 = torch.aten.to.dtype %8, %int6, %false, %false, %none : !torch.vtensor<[8,1],f64>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[8,1],f32>
    %10 = torch.aten.sum.dim_IntList %0, %1, %true, %none : !torch.vtensor<[8,192],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[8,1],f32>
    %11 = torch.aten.div.Scalar %10, %int192 : !torch.vtensor<[8,1],f32>, !torch.int -> !torch.vtensor<[8,1],f32>
    %12 = torch.aten.add.Scalar %9, %float1.000000e-05, %int1 : !torch.vtensor<[8,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[8,1],f32>
    %13 = torch.aten.rsqrt %12 : !torch.vtensor<[8,1],f32> -> !torch.vtensor<[8,1],f32>
    %14 = torch.aten.sub.Tensor %0, %11, %int1 : !torch.vtensor<[8,192],f32>, !torch.vtensor<[8,1],f32>, !torch.int -> !torch.vtensor<[8,192],f32>
    %15 = torch.aten.mul.Tensor %14, %13 : !torch.vtensor<[8,192],f32>, !torch.vtensor<[8,1],f32> -> !torch.vtensor<[8,192],f32>
    %16 = torch.aten.mul.Tensor %15, %arg1 : !torch.vtensor<[8,192],f32>, !torch.vtensor<[192],bf16> -> !torch.vtensor<[8,192],f32>
    %17 = torch.aten.add.Tensor %16, %arg2, %int1 : !torch.vtensor<[8,192],f32>, !torch.vtensor<[192],bf16>, !torch.int -> !torch.vtensor<[8,192],f32>
    %18 = torch.aten.to.dtype %17, %int15, %false, %false, %none : !torch.vtensor<[8,192],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[8,192],bf16>
    %19 = torch.prim.ListConstruct %int1, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
    %20 = torch.aten.permute %arg3, %19 : !torch.vtensor<[2048,192],bf16>, !torch.list<int> -> !torch.vtensor<[192,2048],bf16>
    %21 = torch.aten.mm %18, %20 : !torch.vtensor<[8,192],bf16>, !torch.vtensor<[192,2048],bf16> -> !torch.vtensor<[8,2048],bf16>
    %22 = torch.aten.to.dtype %21, %int6, %false, %false, %none : !torch.vtensor<[8,2048],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[8,2048],f32>
    %values, %indices = torch.aten.max.dim %22, %int1, %true : !torch.vtensor<[8,2048],f32>, !torch.int, !torch.bool -> !torch.vtensor<[8,1],f32>, !torch.vtensor<[8,1],si64>
    %23 = torch.aten.sub.Tensor %22, %values, %int1 : !torch.vtensor<[8,2048],f32>, !torch.vtensor<[8,1],f32>, !torch.int -> !torch.vtensor<[8,2048],f32>
    %24 = torch.aten.exp %23 : !torch.vtensor<[8,2048],f32> -> !torch.vtensor<[8,2048],f32>
    %25 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
    %26 = torch.aten.sum.dim_IntList %24, %25, %true, %none : !torch.vtensor<[8,2048],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[8,1],f32>
    %27 = torch.aten.log %26 : !torch.vtensor<[8,1],f32> -> !torch.vtensor<[8,1],f32>
    %28 = torch.aten.sub.Tensor %23, %27, %int1 : !torch.vtensor<[8,2048],f32>, !torch.vtensor<[8,1],f32>, !torch.int -> !torch.vtensor<[8,2048],f32>
    %29 = torch.aten.to.dtype %28, %int15, %false, %false, %none : !torch.vtensor<[8,2048],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[8,2048],bf16>
    return %29 : !torch.vtensor<[8,2048],bf16>
  }
}
