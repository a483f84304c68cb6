//! The MLIR module of a problem, printed from our own types alone.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use configgen::comparator::Constant;
use configgen::generic::{self, Generic};
use configgen::operation::{Names, NoOperation, Operation};
use configgen::softmax::Softmax;
use configgen::{Configuration, IndexMode, Initial, Pieces, Problem, SPLIT_REDUCTION};

use super::IreeError;

/// A module whose function `@main` takes the inputs of `problem` and returns its results.
///
/// Of an `arg_compare` explicit indices are its second argument; so is an index base, of 64 bits whatever the index type is: that is
/// what IREE hands to a kernel for a number of its type `index`.
///
/// With a configuration the operation carries it as `compilation_info`, which IREE uses instead of its own choice
/// and of any tuning spec; without one the choice is IREE's. A configuration that splits rows is on no operation yet: the
/// `arg_compare` carries the size of the pieces, and a spec has what is for the operations that IREE makes of it. Of a softmax, too, a spec
/// has the configuration. `Display`
/// prints the module.
#[derive(Debug)]
pub struct Module<'a> {
    operation: Either<'a>,
    configuration: Option<Cow<'a, Configuration>>,
    pieces: Option<Pieces>,
}

/// The operation, and where it begins.
#[derive(Debug)]
enum Either<'a> {
    ArgCompare(Operation<'a>, Constant),
    Generic(Generic<'a>),
    Softmax(Softmax<'a>),
}

impl<'a> Module<'a> {
    /// The module of a problem.
    ///
    /// # Errors
    ///
    /// [`IreeError::NoOperation`] of what is neither an `arg_compare` nor a plain reduction nor a softmax that IREE has, [`IreeError::SeveralReductions`] where an
    /// `arg_compare` reduces more than one dimension, [`IreeError::NoWorst`] where its comparator has no value to begin with,
    /// [`IreeError::Option`] where the problem has what no module says.
    pub fn new(
        problem: &'a Problem,
        configuration: Option<&'a Configuration>,
    ) -> Result<Self, IreeError> {
        if !problem.shape.is_dense() {
            return Err(IreeError::Option { option: "pitch" });
        }
        let pieces = configuration.and_then(|configuration| Pieces::of(problem, configuration));
        let split = configuration.map_or(1, |configuration| configuration.knobs.split);
        if split != 1 && pieces.is_none() {
            return Err(IreeError::Option {
                option: "pieces of different sizes",
            });
        }
        if let Some(generic) = Generic::of(problem) {
            return Ok(Self {
                configuration: configuration.map(|it| generic.configuration(it)),
                operation: Either::Generic(generic),
                pieces,
            });
        }
        if let Some(softmax) = Softmax::of(problem) {
            return Ok(Self {
                configuration: configuration.map(Cow::Borrowed),
                operation: Either::Softmax(softmax),
                pieces,
            });
        }
        let operation = Operation::of(problem).map_err(|reason| match reason {
            NoOperation::AnotherReduction => IreeError::NoOperation {
                name: problem.name().into_owned(),
            },
            NoOperation::Dimensions(count) => IreeError::SeveralReductions { count },
        })?;
        let arg_compare = operation.arg_compare;
        if arg_compare.initial != Initial::Worst {
            return Err(IreeError::Option { option: "initial" });
        }
        let comparator = &arg_compare.comparator;
        let worst = comparator.order().worst.ok_or(IreeError::NoWorst)?;
        Ok(Self {
            operation: Either::ArgCompare(operation, Constant(worst.bits, comparator.element())),
            configuration: configuration.map(Cow::Borrowed),
            pieces,
        })
    }

    /// The configuration as the operation has it.
    pub(super) fn configuration(&self) -> Option<&Configuration> {
        self.configuration.as_deref()
    }

    /// Whether a spec has what is for the operations that IREE makes of it, and the operation itself has no configuration.
    pub(super) fn has_spec(&self) -> bool {
        let is_softmax = matches!(self.operation, Either::Softmax(_));
        self.pieces.is_some() || is_softmax && self.configuration.is_some()
    }

    /// The attributes of the operation, where it has some.
    fn attributes(&self) -> Option<String> {
        match (&self.pieces, &self.configuration) {
            (Some(pieces), _) => Some(format!("{{{SPLIT_REDUCTION} = [{}]}}", pieces.size)),
            (None, Some(configuration)) => Some(format!("{{compilation_info = {configuration}}}")),
            (None, None) => None,
        }
    }
}

impl Display for Module<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let attributes = self.attributes();
        match &self.operation {
            Either::ArgCompare(operation, worst) => {
                let attributes = attributes.map(|it| format!(" {it}"));
                arg_compare(f, operation, worst, &attributes.unwrap_or_default())
            }
            Either::Generic(generic) => {
                let attributes = attributes.map(|it| format!(" attrs = {it}"));
                self::generic(f, generic, &attributes.unwrap_or_default())
            }
            Either::Softmax(operation) => softmax(f, operation),
        }
    }
}

/// What the module calls the operands of an `arg_compare`.
const NAMES: Names<'_> = Names {
    input: "%input",
    explicit: "%explicit",
    values: "%first_values",
    indices: "%first_indices",
    base: "%first",
    indent: 2,
};

fn arg_compare(
    f: &mut Formatter<'_>,
    operation: &Operation<'_>,
    worst: &Constant,
    attributes: &str,
) -> fmt::Result {
    let (values, indices) = (operation.values(), operation.indices());
    let (element, index) = (values.element, indices.element);
    let mode = operation.arg_compare.index_mode;

    write!(f, "func.func @main(%input: {}", operation.input())?;
    match mode {
        IndexMode::Position => {}
        IndexMode::Based => write!(f, ", %base: i64")?,
        IndexMode::Explicit => write!(f, ", %explicit: {}", operation.explicit())?,
    }
    writeln!(f, ") -> ({values}, {indices}) {{")?;
    if mode == IndexMode::Based {
        writeln!(f, "  %first = arith.index_cast %base : i64 to index")?;
    }
    writeln!(f, "  %worst = arith.constant {worst}")?;
    writeln!(f, "  %zero = arith.constant 0 : {index}")?;
    let count = count(f, operation.is_open(), operation.input())?;
    writeln!(f, "  %no_values = tensor.empty({count}) : {values}")?;
    writeln!(f, "  %no_indices = tensor.empty({count}) : {indices}")?;
    writeln!(
        f,
        "  %first_values = linalg.fill ins(%worst : {element}) outs(%no_values : {values}) -> {values}"
    )?;
    writeln!(
        f,
        "  %first_indices = linalg.fill ins(%zero : {index}) outs(%no_indices : {indices}) -> {indices}"
    )?;
    writeln!(f, "  %result:2 = {}", operation.written(attributes, NAMES))?;
    writeln!(f, "  return %result#0, %result#1 : {values}, {indices}")?;
    writeln!(f, "}}")
}

fn generic(f: &mut Formatter<'_>, generic: &Generic<'_>, attributes: &str) -> fmt::Result {
    let types: Vec<String> = generic.inputs().map(|it| it.to_string()).collect();
    let operands = (1..types.len()).map(|number| format!("%operand_{number}"));
    let inputs: Vec<String> = ["%input".to_owned()].into_iter().chain(operands).collect();
    let parameters = inputs.iter().zip(&types);
    let parameters: Vec<String> = parameters
        .map(|(name, of)| format!("{name}: {of}"))
        .collect();
    let (result, initial) = (generic.result(), generic.initial());
    writeln!(
        f,
        "func.func @main({}) -> {result} {{",
        parameters.join(", ")
    )?;
    writeln!(f, "  %begin = arith.constant {initial}")?;
    let count = count(f, generic.is_open(), &types[0])?;
    writeln!(f, "  %none = tensor.empty({count}) : {result}")?;
    writeln!(
        f,
        "  %first = linalg.fill ins(%begin : {}) outs(%none : {result}) -> {result}",
        initial.1
    )?;
    let names = generic::Names {
        inputs: &inputs,
        first: "%first",
        indent: 2,
    };
    writeln!(f, "  %result = {}", generic.written(attributes, names))?;
    writeln!(f, "  return %result : {result}")?;
    writeln!(f, "}}")
}

fn softmax(f: &mut Formatter<'_>, softmax: &Softmax<'_>) -> fmt::Result {
    let elements = softmax.elements();
    writeln!(f, "func.func @main(%input: {elements}) -> {elements} {{")?;
    writeln!(f, "  %none = tensor.empty() : {elements}")?;
    writeln!(f, "  %result = {}", softmax.written())?;
    writeln!(f, "  return %result : {elements}")?;
    writeln!(f, "}}")
}

/// Writes what gives the count of the outermost dimension of `%input`, where it is open, and gives its name.
fn count(
    f: &mut Formatter<'_>,
    is_open: bool,
    input: impl Display,
) -> Result<&'static str, fmt::Error> {
    if !is_open {
        return Ok("");
    }
    writeln!(f, "  %outermost = arith.constant 0 : index")?;
    writeln!(f, "  %count = tensor.dim %input, %outermost : {input}")?;
    Ok("%count")
}

#[cfg(test)]
mod tests {
    use super::*;
    use configgen::Knobs;
    use configgen::{Basis, LoweringConfig, Tiles};
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(problem: &str, configuration: Option<&Configuration>, expected: &Expect) {
        let problem: Problem = problem.parse().unwrap();
        let module = Module::new(&problem, configuration).unwrap();
        expected.assert_eq(&module.to_string());
    }

    #[test]
    fn without_a_configuration() {
        check(
            "argmax:4x[32000]xf32",
            None,
            &expect![[r#"
                func.func @main(%input: tensor<4x32000xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
                  %worst = arith.constant 0xFF800000 : f32
                  %zero = arith.constant 0 : i32
                  %no_values = tensor.empty() : tensor<4xf32>
                  %no_indices = tensor.empty() : tensor<4xi32>
                  %first_values = linalg.fill ins(%worst : f32) outs(%no_values : tensor<4xf32>) -> tensor<4xf32>
                  %first_indices = linalg.fill ins(%zero : i32) outs(%no_indices : tensor<4xi32>) -> tensor<4xi32>
                  %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input : tensor<4x32000xf32>) outs(%first_values, %first_indices : tensor<4xf32>, tensor<4xi32>) {
                  ^bb0(%a: f32, %b: f32):
                    %0 = arith.cmpf ogt, %a, %b : f32
                    iree_linalg_ext.yield %0 : i1
                  } -> tensor<4xf32>, tensor<4xi32>
                  return %result#0, %result#1 : tensor<4xf32>, tensor<4xi32>
                }
            "#]],
        );
        check(
            "argmin:[21]x513x2xbf16:i64",
            None,
            &expect![[r#"
                func.func @main(%input: tensor<21x513x2xbf16>) -> (tensor<513x2xbf16>, tensor<513x2xi64>) {
                  %worst = arith.constant 0x7F80 : bf16
                  %zero = arith.constant 0 : i64
                  %no_values = tensor.empty() : tensor<513x2xbf16>
                  %no_indices = tensor.empty() : tensor<513x2xi64>
                  %first_values = linalg.fill ins(%worst : bf16) outs(%no_values : tensor<513x2xbf16>) -> tensor<513x2xbf16>
                  %first_indices = linalg.fill ins(%zero : i64) outs(%no_indices : tensor<513x2xi64>) -> tensor<513x2xi64>
                  %result:2 = iree_linalg_ext.arg_compare dimension(0) ins(%input : tensor<21x513x2xbf16>) outs(%first_values, %first_indices : tensor<513x2xbf16>, tensor<513x2xi64>) {
                  ^bb0(%a: bf16, %b: bf16):
                    %0 = arith.cmpf olt, %a, %b : bf16
                    iree_linalg_ext.yield %0 : i1
                  } -> tensor<513x2xbf16>, tensor<513x2xi64>
                  return %result#0, %result#1 : tensor<513x2xbf16>, tensor<513x2xi64>
                }
            "#]],
        );
    }

    /// The lines of the module that have one of these words.
    #[track_caller]
    fn check_lines(problem: &str, words: &[&str], expected: &Expect) {
        let problem: Problem = problem.parse().unwrap();
        let module = Module::new(&problem, None).unwrap().to_string();
        let lines = module.lines();
        let lines = lines.filter(|line| words.iter().any(|word| line.contains(word)));
        expected.assert_eq(&lines.fold(String::new(), |text, line| text + line + "\n"));
    }

    #[test]
    fn with_an_index_base_or_explicit_indices() {
        let words = ["@main", "index_cast", "ins(%input"];
        check_lines(
            "argmax:4x[64]xf32:i32:index_base",
            &words,
            &expect![[r#"
            func.func @main(%input: tensor<4x64xf32>, %base: i64) -> (tensor<4xf32>, tensor<4xi32>) {
              %first = arith.index_cast %base : i64 to index
              %result:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input : tensor<4x64xf32>) outs(%first_values, %first_indices : tensor<4xf32>, tensor<4xi32>) index_base(%first : index) {
        "#]],
        );
        check_lines(
            "argmax:[64]x4xf16:i64:explicit_index",
            &words,
            &expect![[r#"
            func.func @main(%input: tensor<64x4xf16>, %explicit: tensor<64x4xi64>) -> (tensor<4xf16>, tensor<4xi64>) {
              %result:2 = iree_linalg_ext.arg_compare dimension(0) ins(%input, %explicit : tensor<64x4xf16>, tensor<64x4xi64>) outs(%first_values, %first_indices : tensor<4xf16>, tensor<4xi64>) {
        "#]],
        );
    }

    #[test]
    fn with_a_count_that_is_known_at_launch_only() {
        let words = ["@main", "%count", "linalg.fill", "ins(%input"];
        check_lines(
            "argmax:?x3x[64]xf32",
            &words,
            &expect![[r#"
                func.func @main(%input: tensor<?x3x64xf32>) -> (tensor<?x3xf32>, tensor<?x3xi32>) {
                  %count = tensor.dim %input, %outermost : tensor<?x3x64xf32>
                  %no_values = tensor.empty(%count) : tensor<?x3xf32>
                  %no_indices = tensor.empty(%count) : tensor<?x3xi32>
                  %first_values = linalg.fill ins(%worst : f32) outs(%no_values : tensor<?x3xf32>) -> tensor<?x3xf32>
                  %first_indices = linalg.fill ins(%zero : i32) outs(%no_indices : tensor<?x3xi32>) -> tensor<?x3xi32>
                  %result:2 = iree_linalg_ext.arg_compare dimension(2) ins(%input : tensor<?x3x64xf32>) outs(%first_values, %first_indices : tensor<?x3xf32>, tensor<?x3xi32>) {
            "#]],
        );
    }

    #[track_caller]
    fn check_refused(problem: &str, expected: &str) {
        let problem: Problem = problem.parse().unwrap();
        let error = Module::new(&problem, None).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn what_no_module_says() {
        let initial = "argmax:4x[64]xf32:i32:initial";
        check_refused(initial, "no module is printed for a problem with initial");
        let pitch = "argmax:4x[64]xf32:i32:pitch=80";
        check_refused(pitch, "no module is printed for a problem with pitch");
    }

    #[test]
    fn with_a_configuration() {
        let tiles = |tiles: &[u32]| Tiles::try_from(tiles).unwrap();
        let basis = |counts: &[u32]| Basis {
            counts: tiles(counts),
            mapping: [0].into_iter().collect(),
        };
        let configuration = Configuration {
            lowering: LoweringConfig {
                workgroup: tiles(&[0]),
                partial_reduction: tiles(&[1024]),
                thread: tiles(&[4]),
                lane_basis: basis(&[64]),
                subgroup_basis: basis(&[4]),
            },
            subgroup_size: 64,
            workgroup_size: [256, 1, 1],
            knobs: Knobs::DEFAULT,
        };
        check(
            "argmax:[8192]xi8",
            Some(&configuration),
            &expect![[r#"
                func.func @main(%input: tensor<8192xi8>) -> (tensor<i8>, tensor<i32>) {
                  %worst = arith.constant -128 : i8
                  %zero = arith.constant 0 : i32
                  %no_values = tensor.empty() : tensor<i8>
                  %no_indices = tensor.empty() : tensor<i32>
                  %first_values = linalg.fill ins(%worst : i8) outs(%no_values : tensor<i8>) -> tensor<i8>
                  %first_indices = linalg.fill ins(%zero : i32) outs(%no_indices : tensor<i32>) -> tensor<i32>
                  %result:2 = iree_linalg_ext.arg_compare {compilation_info = #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [0], partial_reduction = [1024], thread = [4], lane_basis = [[64], [0]], subgroup_basis = [[4], [0]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [256, 1, 1] subgroup_size = 64>>} dimension(0) ins(%input : tensor<8192xi8>) outs(%first_values, %first_indices : tensor<i8>, tensor<i32>) {
                  ^bb0(%a: i8, %b: i8):
                    %0 = arith.cmpi sgt, %a, %b : i8
                    iree_linalg_ext.yield %0 : i1
                  } -> tensor<i8>, tensor<i32>
                  return %result#0, %result#1 : tensor<i8>, tensor<i32>
                }
            "#]],
        );
    }

    /// Loops are the parallel dimensions, then the reduced one, and a configuration's lists have that order.
    #[test]
    fn plain_reductions() {
        check(
            "sum:?x[4096]xf16",
            None,
            &expect![[r#"
                func.func @main(%input: tensor<?x4096xf16>) -> tensor<?xf32> {
                  %begin = arith.constant 0.0 : f32
                  %outermost = arith.constant 0 : index
                  %count = tensor.dim %input, %outermost : tensor<?x4096xf16>
                  %none = tensor.empty(%count) : tensor<?xf32>
                  %first = linalg.fill ins(%begin : f32) outs(%none : tensor<?xf32>) -> tensor<?xf32>
                  %result = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%input : tensor<?x4096xf16>) outs(%first : tensor<?xf32>) {
                  ^bb0(%a: f16, %b: f32):
                    %0 = arith.extf %a : f16 to f32
                    %1 = arith.addf %b, %0 : f32
                    linalg.yield %1 : f32
                  } -> tensor<?xf32>
                  return %result : tensor<?xf32>
                }
            "#]],
        );
        let json = r#"{"workgroup": [1, 0, 16], "partial_reduction": [0, 64, 0], "thread": [0, 2, 4], "lane_basis": [[1, 16, 4], [0, 1, 2]],
            "subgroup_basis": [[1, 2, 1], [0, 1, 2]], "subgroup_size": 64, "workgroup_size": [128, 1, 1]}"#;
        let configuration: Configuration = serde_json::from_str(json).unwrap();
        check(
            "umax:8x[640]x32xi8:initial=7",
            Some(&configuration),
            &expect![[r#"
                func.func @main(%input: tensor<8x640x32xi8>) -> tensor<8x32xi8> {
                  %begin = arith.constant 7 : i8
                  %none = tensor.empty() : tensor<8x32xi8>
                  %first = linalg.fill ins(%begin : i8) outs(%none : tensor<8x32xi8>) -> tensor<8x32xi8>
                  %result = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%input : tensor<8x640x32xi8>) outs(%first : tensor<8x32xi8>) attrs = {compilation_info = #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 16, 0], partial_reduction = [0, 0, 64], thread = [0, 4, 2], lane_basis = [[1, 16, 4], [0, 2, 1]], subgroup_basis = [[1, 1, 2], [0, 1, 2]]}>, translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [128, 1, 1] subgroup_size = 64>>} {
                  ^bb0(%a: i8, %b: i8):
                    %0 = arith.maxui %b, %a : i8
                    linalg.yield %0 : i8
                  } -> tensor<8x32xi8>
                  return %result : tensor<8x32xi8>
                }
            "#]],
        );
    }

    #[test]
    fn with_pieces_of_rows() {
        let problem: Problem = "argmax:4x[32000]xf32".parse().unwrap();
        let json = r#"{"workgroup": [1, 0], "partial_reduction": [0, 256], "thread": [0, 4], "lane_basis": [[1, 64], [0, 1]],
            "subgroup_basis": [[1, 1], [0, 1]], "subgroup_size": 64, "workgroup_size": [64, 1, 1], "split": 125}"#;
        let configuration: Configuration = serde_json::from_str(json).unwrap();
        let module = Module::new(&problem, Some(&configuration))
            .unwrap()
            .to_string();
        let attribute = "arg_compare {iree_linalg_ext.split_reduction = [256]} dimension(1)";
        assert!(module.contains(attribute), "{module}");
        assert!(!module.contains("compilation_info"), "{module}");
        let uneven = Configuration {
            knobs: Knobs {
                split: 3,
                ..Knobs::DEFAULT
            },
            ..configuration
        };
        let error = Module::new(&problem, Some(&uneven)).unwrap_err();
        let expected = "no module is printed for a problem with pieces of different sizes";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn several_reduced_dimensions() {
        let problem: Problem = "argmax:[4]x3x[8]xf32".parse().unwrap();
        let error = Module::new(&problem, None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "IREE's arg_compare reduces one dimension; this problem reduces 2"
        );
    }
}
