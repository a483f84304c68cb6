//! Printed modules, and options that no module supports.

use super::*;
use configgen::Knobs;
use configgen::{Basis, LoweringConfig, Tiles};
use expect_test::{Expect, expect};

#[track_caller]
fn check(problem: &str, configuration: Option<&Configuration>, expected: &Expect) {
    let problem: Problem = problem.parse().unwrap();
    let module = MlirModule::new(&problem, configuration).unwrap();
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

/// Checks the lines of the module that contain one of these words.
#[track_caller]
fn check_lines(problem: &str, words: &[&str], expected: &Expect) {
    let problem: Problem = problem.parse().unwrap();
    let module = MlirModule::new(&problem, None).unwrap().to_string();
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
    let error = MlirModule::new(&problem, None).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn impossible_modules_are_refused() {
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

/// Checks the loops, which are the parallel dimensions and then the reduced one. A
/// configuration's lists have that order.
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
    let module = MlirModule::new(&problem, Some(&configuration))
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
    let error = MlirModule::new(&problem, Some(&uneven)).unwrap_err();
    let expected = "no module is printed for a problem with pieces of different sizes";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn several_reduced_dimensions() {
    let problem: Problem = "argmax:[4]x3x[8]xf32".parse().unwrap();
    let error = MlirModule::new(&problem, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "IREE's arg_compare reduces one dimension; this problem reduces 2"
    );
}
