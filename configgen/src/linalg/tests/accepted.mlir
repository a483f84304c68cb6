// Reductions and the problems that they are. `with` has the arguments of a function around a fragment, which gives
// %r of this type, for iree-compile.

// -----
// problem: dot:4096x[11008]xbf16,bf16(1)
// with: %a: tensor<4096x11008xbf16>, %b: tensor<11008xbf16> -> tensor<4096xf32>
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
%zero = arith.constant 0.0 : f32
%empty = tensor.empty() : tensor<4096xf32>
%init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4096xf32>) -> tensor<4096xf32>
%r = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "reduction"]}
    ins(%a, %b : tensor<4096x11008xbf16>, tensor<11008xbf16>) outs(%init : tensor<4096xf32>) {
^bb0(%x: bf16, %y: bf16, %acc: f32):
  %0 = arith.extf %x : bf16 to f32
  %1 = arith.extf %y : bf16 to f32
  %2 = arith.mulf %0, %1 : f32
  %3 = arith.addf %acc, %2 : f32
  linalg.yield %3 : f32
} -> tensor<4096xf32>

// -----
// What is printed of a whole module, with places, other operations, and a second generic that reduces nothing.
// problem: sum:?x[768]xf16
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#loc = loc("model.py":0:0)
module @model attributes {some.attribute = {nested = [1, 2]}} {
  func.func @forward(%arg0: tensor<?x768xf16> loc("model.py":0:0)) -> tensor<?xf32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc1)
    %c0 = arith.constant 0 : index loc(#loc1)
    %dim = tensor.dim %arg0, %c0 : tensor<?x768xf16> loc(#loc1)
    %0 = tensor.empty(%dim) : tensor<?x768xf32> loc(#loc1)
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<?x768xf16>) outs(%0 : tensor<?x768xf32>) {
    ^bb0(%in: f16 loc("model.py":0:0), %out: f32 loc("model.py":0:0)):
      %5 = arith.extf %in : f16 to f32 loc(#loc1)
      %6 = math.exp %5 : f32 loc(#loc1)
      linalg.yield %6 : f32 loc(#loc1)
    } -> tensor<?x768xf32> loc(#loc1)
    %2 = tensor.empty(%dim) : tensor<?xf32> loc(#loc1)
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<?xf32>) -> tensor<?xf32> loc(#loc1)
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x768xf16>) outs(%3 : tensor<?xf32>) attrs = {tag = "it"} {
    ^bb0(%in: f16 loc("model.py":0:0), %out: f32 loc("model.py":0:0)):
      %5 = arith.extf %in : f16 to f32 loc(#loc1)
      %6 = arith.addf %5, %out : f32 loc(#loc1)
      linalg.yield %6 : f32 loc(#loc1)
    } -> tensor<?xf32> loc(#loc1)
    util.optimization_barrier %1 : tensor<?x768xf32>
    return %4 : tensor<?xf32> loc(#loc1)
  } loc(#loc1)
} loc(#loc)
#loc1 = loc("model.py":3:7)

// -----
// The second input has all dimensions in their order, and becomes the first.
// problem: dot:4x[8]xf32,f32(1,0)
// with: %t: tensor<8x4xf32>, %a: tensor<4x8xf32> -> tensor<4xf32>
%zero = arith.constant 0.0 : f32
%empty = tensor.empty() : tensor<4xf32>
%init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
%r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%t, %a : tensor<8x4xf32>, tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
^bb0(%x: f32, %y: f32, %acc: f32):
  %0 = arith.mulf %x, %y : f32
  %1 = arith.addf %0, %acc : f32
  linalg.yield %1 : f32
} -> tensor<4xf32>

// -----
// Which operand is which makes a difference.
// problem: sum(4=arith.subf(1,0);5=arith.mulf(2,4);arith.divf(5,3)):3x[5]x2xf32,f32(0,1),f32(2),f32()
// with: %p: tensor<3x5xf32>, %q: tensor<2xf32>, %a: tensor<3x5x2xf32>, %s: tensor<f32> -> tensor<3x2xf32>
#trait = {
  doc = "A trait with all maps.",
  indexing_maps = [
    affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2)>,
    affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d2)>
  ],
  iterator_types = ["parallel", "reduction", "parallel"]
}
%zero = arith.constant 0.0 : f32
%empty = tensor.empty() : tensor<3x2xf32>
%init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x2xf32>) -> tensor<3x2xf32>
%r = linalg.generic #trait
    ins(%p, %q, %a, %s : tensor<3x5xf32>, tensor<2xf32>, tensor<3x5x2xf32>, tensor<f32>) outs(%init : tensor<3x2xf32>) {
^bb0(%x: f32, %y: f32, %z: f32, %w: f32, %acc: f32):
  %0 = arith.subf %x, %z : f32
  %1 = arith.mulf %0, %y : f32
  %2 = arith.divf %1, %w : f32
  %3 = arith.addf %acc, %2 : f32
  linalg.yield %3 : f32
} -> tensor<3x2xf32>

// -----
// Everything is reduced, and the fold begins elsewhere.
// problem: max:[7]x[9]xf32:initial=-1.5
// with: %a: tensor<7x9xf32> -> tensor<f32>
%c = arith.constant -1.5 : f32
%empty = tensor.empty() : tensor<f32>
%init = linalg.fill ins(%c : f32) outs(%empty : tensor<f32>) -> tensor<f32>
%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]} ins(%a : tensor<7x9xf32>) outs(%init : tensor<f32>) {
^bb0(%x: f32, %acc: f32):
  %0 = arith.maximumf %x, %acc : f32
  linalg.yield %0 : f32
} -> tensor<f32>

// -----
// problem: abs_max:4x[8]xf16
// with: %a: tensor<4x8xf16> -> tensor<4xf16>
%c = arith.constant 0xFC00 : f16
%empty = tensor.empty() : tensor<4xf16>
%init = linalg.fill ins(%c : f16) outs(%empty : tensor<4xf16>) -> tensor<4xf16>
%r = linalg.reduce ins(%a : tensor<4x8xf16>) outs(%init : tensor<4xf16>) dimensions = [1]
  (%in: f16, %acc: f16) {
    %0 = math.absf %in : f16
    %1 = arith.maximumf %0, %acc : f16
    linalg.yield %1 : f16
  }

// -----
// problem: sum:4x[8]x[2]xi32:initial=7
// with: %a: tensor<4x8x2xi32> -> tensor<4xi32>
%c = arith.constant 7 : i32
%empty = tensor.empty() : tensor<4xi32>
%init = linalg.fill ins(%c : i32) outs(%empty : tensor<4xi32>) -> tensor<4xi32>
%r = linalg.reduce { arith.addi {overflowFlags = #arith.overflow<none>} } ins(%a : tensor<4x8x2xi32>) outs(%init : tensor<4xi32>) dimensions = [1, 2]

// -----
// problem: minnum:4x[8]xf64
// with: %a: tensor<4x8xf64> -> tensor<4xf64>
%c = arith.constant 0x7FF0000000000000 : f64
%empty = tensor.empty() : tensor<4xf64>
%init = linalg.fill ins(%c : f64) outs(%empty : tensor<4xf64>) -> tensor<4xf64>
%r = linalg.reduce { arith.minnumf } ins(%a : tensor<4x8xf64>) outs(%init : tensor<4xf64>) dimensions = [1]

// -----
// problem: usum:[8]x4xi8
// with: %a: tensor<8x4xi8> -> tensor<4xi32>
%c = arith.constant 0 : i32
%empty = tensor.empty() : tensor<4xi32>
%init = linalg.fill ins(%c : i32) outs(%empty : tensor<4xi32>) -> tensor<4xi32>
%r = linalg.reduce ins(%a : tensor<8x4xi8>) outs(%init : tensor<4xi32>) dimensions = [0]
  (%in: i8, %acc: i32) {
    %0 = arith.extui %in : i8 to i32
    %1 = arith.addi %acc, %0 : i32
    linalg.yield %1 : i32
  }

// -----
// problem: umax:4x[8]xi16
// with: %a: tensor<4x8xi16> -> tensor<4xi16>
%c = arith.constant 0 : i16
%empty = tensor.empty() : tensor<4xi16>
%init = linalg.fill ins(%c : i16) outs(%empty : tensor<4xi16>) -> tensor<4xi16>
%r = linalg.reduce { arith.maxui } ins(%a : tensor<4x8xi16>) outs(%init : tensor<4xi16>) dimensions = [1]

// -----
// A truth value counts as 1.
// problem: sum:4x[8]xi1:i64
// with: %a: tensor<4x8xi1> -> tensor<4xi64>
%c = arith.constant 0 : i64
%empty = tensor.empty() : tensor<4xi64>
%init = linalg.fill ins(%c : i64) outs(%empty : tensor<4xi64>) -> tensor<4xi64>
%r = linalg.reduce ins(%a : tensor<4x8xi1>) outs(%init : tensor<4xi64>) dimensions = [1]
  (%in: i1, %acc: i64) {
    %0 = arith.extui %in : i1 to i64
    %1 = arith.addi %0, %acc : i64
    linalg.yield %1 : i64
  }

// -----
// Or as -1, which no plain sum says.
// problem: sum(arith.extsi(0,i32)):4x[8]xi1
// with: %a: tensor<4x8xi1> -> tensor<4xi32>
%c = arith.constant 0 : i32
%empty = tensor.empty() : tensor<4xi32>
%init = linalg.fill ins(%c : i32) outs(%empty : tensor<4xi32>) -> tensor<4xi32>
%r = linalg.reduce ins(%a : tensor<4x8xi1>) outs(%init : tensor<4xi32>) dimensions = [1]
  (%in: i1, %acc: i32) {
    %0 = arith.extsi %in : i1 to i32
    %1 = arith.addi %0, %acc : i32
    linalg.yield %1 : i32
  }

// -----
// problem: sum:4x[8]xbf16:f64:initial=-0.0
// with: %a: tensor<4x8xbf16> -> tensor<4xf64>
%c = arith.constant -0.0 : f64
%empty = tensor.empty() : tensor<4xf64>
%init = linalg.fill ins(%c : f64) outs(%empty : tensor<4xf64>) -> tensor<4xf64>
%r = linalg.reduce ins(%a : tensor<4x8xbf16>) outs(%init : tensor<4xf64>) dimensions = [1]
  (%in: bf16, %acc: f64) {
    %0 = arith.extf %in : bf16 to f64
    %1 = arith.addf %acc, %0 : f64
    linalg.yield %1 : f64
  }

// -----
// problem: sum(arith.extf(0,f32)):4x[8]xf8E4M3FN
// with: %a: tensor<4x8xf8E4M3FN> -> tensor<4xf32>
%c = arith.constant 0.0 : f32
%empty = tensor.empty() : tensor<4xf32>
%init = linalg.fill ins(%c : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
%r = linalg.reduce ins(%a : tensor<4x8xf8E4M3FN>) outs(%init : tensor<4xf32>) dimensions = [1]
  (%in: f8E4M3FN, %acc: f32) {
    %0 = arith.extf %in : f8E4M3FN to f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }

// -----
// A greatest value that was extended is that of a function: plain ones keep the type.
// problem: max(arith.extf(0,f32)):4x[8]xf16
// with: %a: tensor<4x8xf16> -> tensor<4xf32>
%c = arith.constant 0xFF800000 : f32
%empty = tensor.empty() : tensor<4xf32>
%init = linalg.fill ins(%c : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
%r = linalg.reduce ins(%a : tensor<4x8xf16>) outs(%init : tensor<4xf32>) dimensions = [1]
  (%in: f16, %acc: f32) {
    %0 = arith.extf %in : f16 to f32
    %1 = arith.maximumf %acc, %0 : f32
    linalg.yield %1 : f32
  }

// -----
// Constants from outside of the body, values that nobody uses, and a combination that is not the last line.
// problem: product(1=arith.constant(f32,40000000);arith.subf(0,1)):4x[8]xf32
// with: %a: tensor<4x8xf32> -> tensor<4xf32>
%one = arith.constant 1.0 : f32
%two = arith.constant 2.0 : f32
%empty = tensor.empty() : tensor<4xf32>
%init = linalg.fill ins(%one : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
%r = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  (%in: f32, %acc: f32) {
    %0 = arith.subf %in, %two : f32
    %1 = arith.mulf %acc, %0 : f32
    %2 = arith.addf %in, %in : f32
    linalg.yield %1 : f32
  }

// -----
// problem: xor(arith.andi(0,1)):4x[8]xi64,i64(0)
// with: %a: tensor<4x8xi64>, %b: tensor<4xi64> -> tensor<4xi64>
%c = arith.constant 0 : i64
%empty = tensor.empty() : tensor<4xi64>
%init = linalg.fill ins(%c : i64) outs(%empty : tensor<4xi64>) -> tensor<4xi64>
%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]} ins(%a, %b : tensor<4x8xi64>, tensor<4xi64>) outs(%init : tensor<4xi64>) {
^bb0(%x: i64, %y: i64, %acc: i64):
  %0 = arith.andi %y, %x : i64
  %1 = arith.xori %acc, %0 : i64
  linalg.yield %1 : i64
} -> tensor<4xi64>

// -----
// Of a softmax the greatest of a row is a problem; the sum of what MLIR's exponential gives is none.
// problem: max:4x[128]xf32:initial=-3.4028235e38
// with: %a: tensor<4x128xf32> -> tensor<4xf32>
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
%low = arith.constant -3.40282347E+38 : f32
%zero = arith.constant 0.0 : f32
%empty = tensor.empty() : tensor<4xf32>
%low_init = linalg.fill ins(%low : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
%zero_init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
%r = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<4x128xf32>) outs(%low_init : tensor<4xf32>) {
^bb0(%in: f32, %out: f32):
  %0 = arith.maximumf %in, %out : f32
  linalg.yield %0 : f32
} -> tensor<4xf32>
%sum = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]}
    ins(%a, %r : tensor<4x128xf32>, tensor<4xf32>) outs(%zero_init : tensor<4xf32>) {
^bb0(%in: f32, %most: f32, %out: f32):
  %0 = arith.subf %in, %most : f32
  %1 = math.exp %0 : f32
  %2 = arith.addf %1, %out : f32
  linalg.yield %2 : f32
} -> tensor<4xf32>

// -----
// The generic form.
// problem: square_sum:64x[768]xf32:initial=1.0
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<64x768xf32>) -> tensor<64xf32>, sym_name = "f"}> ({
  ^bb0(%arg0: tensor<64x768xf32>):
    %0 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %1 = "tensor.empty"() : () -> tensor<64xf32>
    %2 = "linalg.fill"(%0, %1) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg3: f32, %arg4: f32):
      "linalg.yield"(%arg3) : (f32) -> ()
    }) : (f32, tensor<64xf32>) -> tensor<64xf32>
    %3 = "linalg.generic"(%arg0, %2) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %4 = "arith.mulf"(%arg1, %arg1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %5 = "arith.addf"(%arg2, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%5) : (f32) -> ()
    }) : (tensor<64x768xf32>, tensor<64xf32>) -> tensor<64xf32>
    "func.return"(%3) : (tensor<64xf32>) -> ()
  }) : () -> ()
}) : () -> ()

// -----
// problem: and:4x[8]xi8
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x8xi8>) -> tensor<4xi8>, sym_name = "f"}> ({
  ^bb0(%arg0: tensor<4x8xi8>):
    %0 = "arith.constant"() <{value = -1 : i8}> : () -> i8
    %1 = "tensor.empty"() : () -> tensor<4xi8>
    %2 = "linalg.fill"(%0, %1) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg3: i8, %arg4: i8):
      "linalg.yield"(%arg3) : (i8) -> ()
    }) : (i8, tensor<4xi8>) -> tensor<4xi8>
    %3 = "linalg.reduce"(%arg0, %2) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg1: i8, %arg2: i8):
      %4 = "arith.andi"(%arg2, %arg1) : (i8, i8) -> i8
      "linalg.yield"(%4) : (i8) -> ()
    }) : (tensor<4x8xi8>, tensor<4xi8>) -> tensor<4xi8>
    "func.return"(%3) : (tensor<4xi8>) -> ()
  }) : () -> ()
}) : () -> ()

// -----
// problem: softmax:64x[768]xf32
// with: %x: tensor<64x768xf32> -> tensor<64x768xf32>
%e = tensor.empty() : tensor<64x768xf32>
%r = linalg.softmax dimension(1) ins(%x : tensor<64x768xf32>) outs(%e : tensor<64x768xf32>) -> tensor<64x768xf32>

// -----
// Of another dimension, with rows whose number is known at launch.
// problem: softmax:?x[8]x4xbf16
func.func @attention(%x: tensor<?x8x4xbf16>, %e: tensor<?x8x4xbf16>) -> tensor<?x8x4xbf16> {
  %r = linalg.softmax {tag = "it"} dimension(1)
    ins(%x : tensor<?x8x4xbf16>) outs(%e : tensor<?x8x4xbf16>) -> tensor<?x8x4xbf16>
  return %r : tensor<?x8x4xbf16>
}

// -----
// problem: softmax:[8]x4xf16
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<8x4xf16>) -> tensor<8x4xf16>, sym_name = "f"}> ({
  ^bb0(%arg0: tensor<8x4xf16>):
    %0 = "tensor.empty"() : () -> tensor<8x4xf16>
    %1 = "linalg.softmax"(%arg0, %0) <{dimension = 0 : i64}> : (tensor<8x4xf16>, tensor<8x4xf16>) -> tensor<8x4xf16>
    "func.return"(%1) : (tensor<8x4xf16>) -> ()
  }) : () -> ()
}) : () -> ()

// -----
// By hand what a product of matrices is of which one has a single row and the other a single column.
// problem: dot:[50]xf32,f32
func.func @one(%x: tensor<1x50xf32>, %y: tensor<50x1xf32>) -> tensor<1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1xf32>) -> tensor<1x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<1x50xf32>, tensor<50x1xf32>) outs(%z : tensor<1x1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----
// The iteration goes along columns first; the problem, as the input lies.
// problem: sum:4x[8]x3xf32
func.func @columns(%x: tensor<4x8x3xf32>) -> tensor<4x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>], iterator_types = ["reduction", "parallel", "parallel"]} ins(%x : tensor<4x8x3xf32>) outs(%z : tensor<4x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// -----
// Both inputs have all dimensions: the one that has them in the iteration's order is the first.
// problem: dot:4x[8]xf32,f32(1,0)
func.func @turned(%x: tensor<8x4xf32>, %y: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x, %y : tensor<8x4xf32>, tensor<4x8xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
