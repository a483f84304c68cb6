//! Models of one operation as front ends write them, and numpy's results for their inputs. The
//! first NaN wins or NaN loses, and the first of equal elements wins.

use testing::Failed;

use crate::iree_kernels::rows::{Element, F16, F32, I1, Value};

/// The rule of a model for NaN.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NanRule {
    /// It is passed over.
    Loses,
    /// The first one is the result.
    Wins,
}

/// A model with a function `main`, which takes one tensor.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) mlir: String,
    /// Sizes of the input around its reduced dimension.
    sizes: [usize; 3],
    element: Element,
    nan: NanRule,
    /// The initial value of the fold.
    first: f64,
    index_bytes: usize,
    /// The number of results: the indices, or values and indices.
    pub(crate) results: usize,
    /// The problem of the operation.
    pub(crate) problem: &'static str,
}

/// Returns the six models of the book, and two with a batch that is known at launch only.
pub(crate) fn all() -> Vec<Model> {
    let least = f64::NEG_INFINITY;
    let basic = |name, mlir: String, problem| Model {
        name,
        mlir,
        sizes: [4, 4096, 1],
        element: F32,
        nan: NanRule::Loses,
        first: least,
        index_bytes: 8,
        results: 1,
        problem,
    };
    vec![
        Model {
            sizes: [4, 4096, 1],
            ..basic(
                "onnx_transformer_head",
                onnx_head(),
                "argmax:1x4x[4096]xf32",
            )
        },
        Model {
            sizes: [2, 21, 33 * 35],
            element: F16,
            ..basic(
                "segmentation_head",
                segmentation(),
                "argmax:2x[21]x33x35xf16",
            )
        },
        basic("torch_argmax", torch_argmax(), "argmax:4x[4096]xf32"),
        basic(
            "torch_argmax_of_a_batch",
            torch_argmax().replace("[4,", "[?,"),
            "argmax:?x[4096]xf32",
        ),
        basic(
            "onnx_head_of_a_batch",
            onnx_head().replace("[1,4,", "[?,").replace("[1,4]", "[?]"),
            "argmax:?x[4096]xf32",
        ),
        Model {
            results: 2,
            ..basic("torch_max_dim", torch_max_dim(), "argmax:4x[4096]xf32:i64")
        },
        Model {
            nan: NanRule::Wins,
            index_bytes: 4,
            results: 2,
            ..basic("stablehlo_reduce", stablehlo(), "argmax_nan:4x[4096]xf32")
        },
        Model {
            nan: NanRule::Wins,
            index_bytes: 4,
            first: f64::from(f32::MIN),
            ..basic("tosa_argmax", tosa(), "argmax_nan:4x[4096]xf32:i32:initial")
        },
        Model {
            index_bytes: 4,
            results: 2,
            ..basic("arg_compare", arg_compare(), "argmax:4x[4096]xf32")
        },
    ]
}

/// Returns jax.numpy.argmax of truth values: the first true one.
pub(crate) fn of_truths() -> Model {
    let mlir = stablehlo()
        .replace("xf32>", "xi1>")
        .replace("tensor<f32>", "tensor<i1>")
        .replace("0xFF800000", "false")
        .replace("%held, %new, FLOAT", "%held, %new, UNSIGNED");
    let (before, rest) = mlir.split_once("      %nan =").expect("it has them");
    let (_, after) = rest.split_once("%more, %nan : tensor<i1>\n").expect("both");
    Model {
        name: "stablehlo_of_truths",
        mlir: before.to_owned() + &after.replace("%stays", "%more"),
        sizes: [4, 4096, 1],
        element: I1,
        nan: NanRule::Loses,
        first: 0.0,
        index_bytes: 4,
        results: 2,
        problem: "argmax:4x[4096]xi1",
    }
}

/// Returns models with indices of type `index`, which iree-compile supports in no dispatch of its
/// own. They are cast as a whole, to i64 and to i32, and by an operation on each element.
pub(crate) fn of_index() -> Vec<Model> {
    let casts = [
        ("cast to i64", "i64", "arith.index_cast %best#1 : tensor<4xindex> to tensor<4xi64>"),
        ("cast to i32", "i32", "arith.index_cast %best#1 : tensor<4xindex> to tensor<4xi32>"),
        (
            "cast of each",
            "i64",
            "linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]} ins(%best#1 : tensor<4xindex>) outs(%c : tensor<4xi64>) {
    ^bb0(%at: index, %none_of_it: i64):
      %one = arith.index_cast %at : index to i64
      linalg.yield %one : i64
    } -> tensor<4xi64>",
        ),
    ];
    let model = |(name, to, cast): (&'static str, &str, &str)| {
        let mlir = arg_compare()
            .replace("i32", "index")
            .replace(
                "tensor<4xindex>) {\n    %least",
                &format!("tensor<4x{to}>) {{\n    %c = tensor.empty() : tensor<4xi64>\n    %least"),
            )
            .replace(
                "    return %best#0, %best#1",
                &format!("    %cast = {cast}\n    return %best#0, %cast"),
            )
            .replace(
                "%cast : tensor<4xf32>, tensor<4xindex>",
                &format!("%cast : tensor<4xf32>, tensor<4x{to}>"),
            );
        Model {
            name,
            mlir,
            sizes: [4, 4096, 1],
            element: F32,
            nan: NanRule::Loses,
            first: f64::NEG_INFINITY,
            index_bytes: if to == "i64" { 8 } else { 4 },
            results: 2,
            problem: "argmax:4x[4096]xf32:index",
        }
    };
    casts.into_iter().map(model).collect()
}

impl Model {
    /// Returns the problem that is read in the model. A conversion of the indices to i64 is a part
    /// of it.
    pub(crate) fn read(&self) -> String {
        match self.index_bytes == 8 && !self.problem.ends_with(":i64") {
            true => format!("{}:i64", self.problem),
            false => self.problem.to_owned(),
        }
    }

    /// Returns the model with batches of several sizes if its batch is open. One exceeds the
    /// default largest count of kernels.
    pub(crate) fn batches(self) -> Vec<Model> {
        let batches: &[usize] = match self.problem.contains('?') {
            true => &[self.sizes[0], 1, 5, 520],
            false => &[self.sizes[0]],
        };
        let of = |&batch: &usize| Model {
            sizes: [batch, self.sizes[1], self.sizes[2]],
            mlir: self.mlir.clone(),
            ..self
        };
        batches.iter().map(of).collect()
    }

    fn elements(&self) -> Vec<f64> {
        let [_, reduced, after] = self.sizes;
        let row = |number: usize| number / (reduced * after) * after + number % after;
        self.element
            .elements(self.sizes.iter().product(), row, true)
    }

    /// Returns the type of the input, as in the function's signature, and its bytes.
    pub(crate) fn input(&self) -> (String, Vec<u8>) {
        let bytes = self.elements().into_iter();
        let bytes = bytes
            .flat_map(|number| self.element.bytes(number))
            .collect();
        let shape = self.problem.split(':').nth(1).unwrap_or_default();
        let shape = shape.replace(['[', ']'], "");
        (shape.replace('?', &self.sizes[0].to_string()), bytes)
    }

    /// Returns the fold's values and indices.
    fn expected(&self) -> (Vec<Value>, Vec<i64>) {
        let [before, reduced, after] = self.sizes;
        let elements = self.elements();
        let row = |row: usize| {
            let element = |at: usize| elements[(row / after * reduced + at) * after + row % after];
            let mut best = (self.first, 0);
            for at in 0..reduced {
                let (new, old) = (element(at), best.0);
                let is_nan = new.is_nan() && self.nan == NanRule::Wins;
                if !old.is_nan() && (is_nan || new > old) {
                    best = (new, at as i64);
                }
            }
            (Value { number: best.0 }, best.1)
        };
        (0..before * after).map(row).unzip()
    }

    pub(crate) fn check(&self, results: &[Vec<u8>]) -> Result<(), Failed> {
        let (values, indices) = self.expected();
        let Some((found_indices, found_values)) = results.split_last() else {
            return Err("no results".into());
        };
        same_indices(found_indices, self.index_bytes, &indices)?;
        match found_values.first() {
            Some(found) => same_values(found, self.element, &values),
            None => Ok(()),
        }
    }
}

pub(crate) fn same_indices(bytes: &[u8], size: usize, expected: &[i64]) -> Result<(), Failed> {
    let number = |bytes: &[u8]| match size {
        4 => i64::from(i32::from_le_bytes(bytes.try_into().expect("four bytes"))),
        _ => i64::from_le_bytes(bytes.try_into().expect("eight bytes")),
    };
    let found: Vec<i64> = bytes.chunks_exact(size).map(number).collect();
    match found == expected {
        true => Ok(()),
        false => Err(format!("indices {found:?}, not {expected:?}").into()),
    }
}

pub(crate) fn same_values(
    bytes: &[u8],
    element: Element,
    expected: &[Value],
) -> Result<(), Failed> {
    let found = bytes
        .chunks_exact(element.size())
        .map(|it| element.number(it));
    let found: Vec<f64> = found.collect();
    let same = |(one, other): (&f64, &Value)| {
        *one == other.number || one.is_nan() && other.number.is_nan()
    };
    match found.len() == expected.len() && found.iter().zip(expected).all(same) {
        true => Ok(()),
        false => Err(format!("values {found:?}, not {expected:?}").into()),
    }
}

/// Returns logits of a language model, with an ArgMax from iree-import-onnx.
fn onnx_head() -> String {
    "module {
  func.func @main(%logits: !torch.vtensor<[1,4,4096],f32>) -> !torch.vtensor<[1,4],si64> attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 18 : si64} {
    %token = torch.operator \"onnx.ArgMax\"(%logits) {torch.onnx.axis = -1 : si64, torch.onnx.keepdims = 0 : si64} : (!torch.vtensor<[1,4,4096],f32>) -> !torch.vtensor<[1,4],si64>
    return %token : !torch.vtensor<[1,4],si64>
  }
}
".to_owned()
}

/// Returns a segmentation: classes first, then the pixels.
fn segmentation() -> String {
    "module {
  func.func @main(%scores: !torch.vtensor<[2,21,33,35],f16>) -> !torch.vtensor<[2,33,35],si64> {
    %classes = torch.constant.int 1
    %no = torch.constant.bool false
    %label = torch.aten.argmax %scores, %classes, %no : !torch.vtensor<[2,21,33,35],f16>, !torch.int, !torch.bool -> !torch.vtensor<[2,33,35],si64>
    return %label : !torch.vtensor<[2,33,35],si64>
  }
}
".to_owned()
}

fn torch_argmax() -> String {
    "module {
  func.func @main(%rows: !torch.vtensor<[4,4096],f32>) -> !torch.vtensor<[4,1],si64> {
    %last = torch.constant.int -1
    %yes = torch.constant.bool true
    %index = torch.aten.argmax %rows, %last, %yes : !torch.vtensor<[4,4096],f32>, !torch.int, !torch.bool -> !torch.vtensor<[4,1],si64>
    return %index : !torch.vtensor<[4,1],si64>
  }
}
".to_owned()
}

fn torch_max_dim() -> String {
    "module {
  func.func @main(%rows: !torch.vtensor<[4,4096],f32>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],si64>) {
    %last = torch.constant.int 1
    %no = torch.constant.bool false
    %most, %index = torch.aten.max.dim %rows, %last, %no : !torch.vtensor<[4,4096],f32>, !torch.int, !torch.bool -> !torch.vtensor<[4],f32>, !torch.vtensor<[4],si64>
    return %most, %index : !torch.vtensor<[4],f32>, !torch.vtensor<[4],si64>
  }
}
".to_owned()
}

/// Returns jax.numpy.argmax, with the value.
fn stablehlo() -> String {
    "module {
  func.func @main(%rows: tensor<4x4096xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
    %places = stablehlo.iota dim = 1 : tensor<4x4096xi32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %best:2 = stablehlo.reduce(%rows init: %least), (%places init: %none) across dimensions = [1] : (tensor<4x4096xf32>, tensor<4x4096xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%held: tensor<f32>, %new: tensor<f32>) (%held_place: tensor<i32>, %new_place: tensor<i32>) {
      %more = stablehlo.compare GT, %held, %new, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %held, %held, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %stays = stablehlo.or %more, %nan : tensor<i1>
      %same = stablehlo.compare EQ, %held, %new, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lower = stablehlo.compare LT, %held_place, %new_place, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.and %same, %lower : tensor<i1>
      %place_stays = stablehlo.or %stays, %first : tensor<i1>
      %value = stablehlo.select %stays, %held, %new : tensor<i1>, tensor<f32>
      %place = stablehlo.select %place_stays, %held_place, %new_place : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
    return %best#0, %best#1 : tensor<4xf32>, tensor<4xi32>
  }
}
".to_owned()
}

fn tosa() -> String {
    "module {
  func.func @main(%rows: tensor<4x4096xf32>) -> tensor<4xi32> {
    %index = \"tosa.argmax\"(%rows) <{axis = 1 : i32}> : (tensor<4x4096xf32>) -> tensor<4xi32>
    return %index : tensor<4xi32>
  }
}
"
    .to_owned()
}

fn arg_compare() -> String {
    "module {
  func.func @main(%rows: tensor<4x4096xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
    %least = arith.constant 0xFF800000 : f32
    %none = arith.constant 0 : i32
    %a = tensor.empty() : tensor<4xf32>
    %b = tensor.empty() : tensor<4xi32>
    %values = linalg.fill ins(%least : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    %indices = linalg.fill ins(%none : i32) outs(%b : tensor<4xi32>) -> tensor<4xi32>
    %best:2 = iree_linalg_ext.arg_compare dimension(1) ins(%rows : tensor<4x4096xf32>) outs(%values, %indices : tensor<4xf32>, tensor<4xi32>) {
    ^bb0(%new: f32, %held: f32):
      %more = arith.cmpf ogt, %new, %held : f32
      iree_linalg_ext.yield %more : i1
    } -> tensor<4xf32>, tensor<4xi32>
    return %best#0, %best#1 : tensor<4xf32>, tensor<4xi32>
  }
}
".to_owned()
}
