"""Modules written by hand: several entries, globals, regions, dynamic batches."""

import catalogue

TWO_ENTRIES = """\
module {
  func.func @hand_row_max(%x: tensor<64x4096xf32>) -> tensor<64xf32> {
    %lowest = arith.constant 0xFF800000 : f32
    %empty = tensor.empty() : tensor<64xf32>
    %filled = linalg.fill ins(%lowest : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %max = linalg.reduce ins(%x : tensor<64x4096xf32>) outs(%filled : tensor<64xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %m = arith.maximumf %in, %acc : f32
        linalg.yield %m : f32
      }
    return %max : tensor<64xf32>
  }
  func.func @hand_row_softmax(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
    %empty = tensor.empty() : tensor<64x4096xf32>
    %y = linalg.softmax dimension(1) ins(%x : tensor<64x4096xf32>) outs(%empty : tensor<64x4096xf32>)
      -> tensor<64x4096xf32>
    return %y : tensor<64x4096xf32>
  }
}
"""

GLOBAL_WEIGHTS = """\
#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
module {
  util.global private @weight = dense<1.5> : tensor<1024xf32>
  util.global private mutable @bias = dense<0.25> : tensor<1024xf32>
  func.func @hand_rms_norm_globals(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
    %weight = util.global.load @weight : tensor<1024xf32>
    %bias = util.global.load @bias : tensor<1024xf32>
    %zero = arith.constant 0.0 : f32
    %count = arith.constant 1024.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %sums = tensor.empty() : tensor<64xf32>
    %cleared = linalg.fill ins(%zero : f32) outs(%sums : tensor<64xf32>) -> tensor<64xf32>
    %squares = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x1024xf32>) outs(%cleared : tensor<64xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %square = arith.mulf %in, %in : f32
      %sum = arith.addf %acc, %square : f32
      linalg.yield %sum : f32
    } -> tensor<64xf32>
    %out = tensor.empty() : tensor<64x1024xf32>
    %y = linalg.generic {indexing_maps = [#rows, #row, #column, #column, #rows],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x, %squares, %weight, %bias : tensor<64x1024xf32>, tensor<64xf32>, tensor<1024xf32>, tensor<1024xf32>)
      outs(%out : tensor<64x1024xf32>) {
    ^bb0(%in: f32, %square: f32, %w: f32, %b: f32, %unused: f32):
      %mean = arith.divf %square, %count : f32
      %shifted = arith.addf %mean, %epsilon : f32
      %inverse = math.rsqrt %shifted : f32
      %normal = arith.mulf %in, %inverse : f32
      %scaled = arith.mulf %normal, %w : f32
      %moved = arith.addf %scaled, %b : f32
      linalg.yield %moved : f32
    } -> tensor<64x1024xf32>
    return %y : tensor<64x1024xf32>
  }
}
"""

REGION = """\
#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module {
  func.func @hand_dispatch_region(%x: tensor<64x2048xf32>) -> (tensor<64xf32>, tensor<64x2048xf32>) {
    %sum = flow.dispatch.region -> (tensor<64xf32>) {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<64xf32>
      %cleared = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
      %total = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x2048xf32>) outs(%cleared : tensor<64xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %next = arith.addf %acc, %in : f32
        linalg.yield %next : f32
      } -> tensor<64xf32>
      flow.return %total : tensor<64xf32>
    }
    %out = tensor.empty() : tensor<64x2048xf32>
    %y = linalg.softmax dimension(1) ins(%x : tensor<64x2048xf32>) outs(%out : tensor<64x2048xf32>)
      -> tensor<64x2048xf32>
    return %sum, %y : tensor<64xf32>, tensor<64x2048xf32>
  }
}
"""

DYNAMIC = """\
#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module {
  func.func @hand_argmax_dynamic(%x: tensor<?x4096xf32>) -> (tensor<?xf32>, tensor<?xi32>) {
    %c0 = arith.constant 0 : index
    %batch = tensor.dim %x, %c0 : tensor<?x4096xf32>
    %lowest = arith.constant 0xFF800000 : f32
    %first = arith.constant 0 : i32
    %values = tensor.empty(%batch) : tensor<?xf32>
    %places = tensor.empty(%batch) : tensor<?xi32>
    %value0 = linalg.fill ins(%lowest : f32) outs(%values : tensor<?xf32>) -> tensor<?xf32>
    %place0 = linalg.fill ins(%first : i32) outs(%places : tensor<?xi32>) -> tensor<?xi32>
    %value, %place = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x4096xf32>) outs(%value0, %place0 : tensor<?xf32>, tensor<?xi32>) {
    ^bb0(%in: f32, %best: f32, %at: i32):
      %column = linalg.index 1 : index
      %here = arith.index_cast %column : index to i32
      %greater = arith.cmpf ogt, %in, %best : f32
      %v = arith.select %greater, %in, %best : f32
      %p = arith.select %greater, %here, %at : i32
      linalg.yield %v, %p : f32, i32
    } -> (tensor<?xf32>, tensor<?xi32>)
    return %value, %place : tensor<?xf32>, tensor<?xi32>
  }
}
"""


NORM_GELU = """\
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
#column = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @hand_norm_gelu_two_dynamic(%x: tensor<?x?x512xf32>, %weight: tensor<512xf32>) -> tensor<?x?x512xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %batch = tensor.dim %x, %c0 : tensor<?x?x512xf32>
    %sequence = tensor.dim %x, %c1 : tensor<?x?x512xf32>
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.707106769 : f32
    %count = arith.constant 512.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %sums = tensor.empty(%batch, %sequence) : tensor<?x?xf32>
    %cleared = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
    %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x?x512xf32>) outs(%cleared : tensor<?x?xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %square = arith.mulf %in, %in : f32
      %sum = arith.addf %acc, %square : f32
      linalg.yield %sum : f32
    } -> tensor<?x?xf32>
    %out = tensor.empty(%batch, %sequence) : tensor<?x?x512xf32>
    %y = linalg.generic {indexing_maps = [#all, #row, #column, #all],
                         iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %squares, %weight : tensor<?x?x512xf32>, tensor<?x?xf32>, tensor<512xf32>)
      outs(%out : tensor<?x?x512xf32>) {
    ^bb0(%in: f32, %square: f32, %w: f32, %unused: f32):
      %mean = arith.divf %square, %count : f32
      %shifted = arith.addf %mean, %epsilon : f32
      %inverse = math.rsqrt %shifted : f32
      %normal = arith.mulf %in, %inverse : f32
      %scaled = arith.mulf %normal, %w : f32
      %narrowed = arith.mulf %scaled, %root : f32
      %erf = math.erf %narrowed : f32
      %shift = arith.addf %erf, %one : f32
      %halved = arith.mulf %scaled, %half : f32
      %gelu = arith.mulf %halved, %shift : f32
      linalg.yield %gelu : f32
    } -> tensor<?x?x512xf32>
    return %y : tensor<?x?x512xf32>
  }
}
"""

TEMPERATURE = """\
#rows = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0, d1) -> ()>
module {
  func.func @hand_scalar_temperature(%x: tensor<64x4096xf32>, %t: tensor<f32>) -> tensor<64x4096xf32> {
    %empty = tensor.empty() : tensor<64x4096xf32>
    %scaled = linalg.generic {indexing_maps = [#rows, #scalar, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %t : tensor<64x4096xf32>, tensor<f32>) outs(%empty : tensor<64x4096xf32>) {
    ^bb0(%in: f32, %temperature: f32, %unused: f32):
      %quotient = arith.divf %in, %temperature : f32
      linalg.yield %quotient : f32
    } -> tensor<64x4096xf32>
    %out = tensor.empty() : tensor<64x4096xf32>
    %y = linalg.softmax dimension(1) ins(%scaled : tensor<64x4096xf32>) outs(%out : tensor<64x4096xf32>)
      -> tensor<64x4096xf32>
    return %y : tensor<64x4096xf32>
  }
}
"""


PARTIAL_ROPE = """\
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#table = affine_map<(d0, d1, d2) -> (d1, d2)>
module {
  func.func @hand_rope_partial_f16(%x: tensor<8x16x80xf16>, %cos: tensor<16x32xf16>, %sin: tensor<16x32xf16>) -> tensor<8x16x80xf16> {
    %rotated = tensor.extract_slice %x[0, 0, 0] [8, 16, 32] [1, 1, 1] : tensor<8x16x80xf16> to tensor<8x16x32xf16>
    %kept = tensor.extract_slice %x[0, 0, 32] [8, 16, 48] [1, 1, 1] : tensor<8x16x80xf16> to tensor<8x16x48xf16>
    %first = tensor.extract_slice %x[0, 0, 0] [8, 16, 16] [1, 1, 1] : tensor<8x16x80xf16> to tensor<8x16x16xf16>
    %second = tensor.extract_slice %x[0, 0, 16] [8, 16, 16] [1, 1, 1] : tensor<8x16x80xf16> to tensor<8x16x16xf16>
    %half = tensor.empty() : tensor<8x16x16xf16>
    %negative = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%second : tensor<8x16x16xf16>) outs(%half : tensor<8x16x16xf16>) {
    ^bb0(%in: f16, %out: f16):
      %y = arith.negf %in : f16
      linalg.yield %y : f16
    } -> tensor<8x16x16xf16>
    %turned = tensor.concat dim(2) %negative, %first : (tensor<8x16x16xf16>, tensor<8x16x16xf16>) -> tensor<8x16x32xf16>
    %whole = tensor.empty() : tensor<8x16x32xf16>
    %sum = linalg.generic {indexing_maps = [#all, #table, #all, #table, #all],
                           iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%rotated, %cos, %turned, %sin : tensor<8x16x32xf16>, tensor<16x32xf16>, tensor<8x16x32xf16>, tensor<16x32xf16>)
      outs(%whole : tensor<8x16x32xf16>) {
    ^bb0(%a: f16, %c: f16, %b: f16, %s: f16, %out: f16):
      %one = arith.mulf %a, %c : f16
      %other = arith.mulf %b, %s : f16
      %y = arith.addf %one, %other : f16
      linalg.yield %y : f16
    } -> tensor<8x16x32xf16>
    %y = tensor.concat dim(2) %sum, %kept : (tensor<8x16x32xf16>, tensor<8x16x48xf16>) -> tensor<8x16x80xf16>
    return %y : tensor<8x16x80xf16>
  }
}
"""


ATEN_LAYER_NORM = """\
module {
  func.func @hand_layer_norm_aten_f16(%x: !torch.vtensor<[64,768],f16>, %residual: !torch.vtensor<[64,768],f16>,
      %weight: !torch.vtensor<[768],f16>, %bias: !torch.vtensor<[768],f16>)
      -> (!torch.vtensor<[64,768],f16>, !torch.vtensor<[64,768],f16>) attributes {torch.assume_strict_symbolic_shapes} {
    %one = torch.constant.int 1
    %sum = torch.aten.add.Tensor %x, %residual, %one
      : !torch.vtensor<[64,768],f16>, !torch.vtensor<[64,768],f16>, !torch.int -> !torch.vtensor<[64,768],f16>
    %width = torch.constant.int 768
    %shape = torch.prim.ListConstruct %width : (!torch.int) -> !torch.list<int>
    %epsilon = torch.constant.float 1.0e-05
    %no = torch.constant.bool false
    %y = torch.aten.layer_norm %sum, %shape, %weight, %bias, %epsilon, %no
      : !torch.vtensor<[64,768],f16>, !torch.list<int>, !torch.vtensor<[768],f16>, !torch.vtensor<[768],f16>, !torch.float,
        !torch.bool -> !torch.vtensor<[64,768],f16>
    return %y, %sum : !torch.vtensor<[64,768],f16>, !torch.vtensor<[64,768],f16>
  }
}
"""


def model(name, what, inputs, rows, text, entry=None):
    catalogue.add(name, "hand", what, inputs, rows, lambda: text, entry)


model("hand_two_entries", "two entry functions: row maximum, softmax", ["64x4096xf32"], "1 max, 1 softmax", TWO_ENTRIES,
      "hand_row_max,hand_row_softmax")
model("hand_rms_norm_globals", "rms_norm with weights in util.global, one of them mutable", ["64x1024xf32"],
      "1 rms_norm", GLOBAL_WEIGHTS)
model("hand_dispatch_region", "row sum inside flow.dispatch.region, softmax outside", ["64x2048xf32"],
      "1 sum, 1 softmax", REGION)
model("hand_argmax_dynamic", "argmax as linalg.generic with indices of i32, dynamic batch", ["Bx4096xf32"], "1 argmax",
      DYNAMIC)
model("hand_norm_gelu_two_dynamic", "rms_norm and GELU by erf, dynamic batch and sequence", ["BxSx512xf32", "512xf32"],
      "1 rms_norm", NORM_GELU)
model("hand_scalar_temperature", "softmax of rows divided by a tensor of rank 0", ["64x4096xf32", "f32"],
      "1 softmax", TEMPERATURE)
model("hand_rope_partial_f16", "rotary embedding of 32 elements of 80, as HuggingFace writes it",
      ["8x16x80xf16", "16x32xf16", "16x32xf16"], "-", PARTIAL_ROPE, "hand_rope_partial_f16")
model("hand_layer_norm_aten_f16", "residual and layer norm in f16: the operation that iree-turbine 3.9 keeps",
      ["64x768xf16", "64x768xf16", "768xf16", "768xf16"], "1 layer_norm", ATEN_LAYER_NORM, "hand_layer_norm_aten_f16")
