//! The stages as text: one golden file per specimen, and the operations and printed code of some.
//! `UPDATE_EXPECT=1` blesses.

use codegen::native::{NativeStage, explain, specimens};
use configgen::{Configuration, Generator, Problem, Space, TARGETS, Target};
use expect_test::expect_file;

/// Specimens with few enough operations to read:
///
/// - one lane per row; exchanges between some lanes; a ballot;
/// - splits with several subgroups, for their fences and atomics;
/// - counts known only at launch, with a tile of several rows and pieces, and with more
///   workgroups than fit along x;
/// - a sum with repeated elements and an initial value, a reduction that may repeat elements, and
///   rows whose result is used again.
const OPS: [&str; 10] = [
    "argmax:128x[33]xf16:i32",
    "argmin:12x[70]xbf16:i32",
    "argmax:100000000x[2]xf32:i32",
    "argmax_nan:[70000]xf32:i32",
    "argmax_last:3x[5000]xf64:i64:index_base",
    "argmin:?x[130]x6xf16:i64:index_base:count=3..50",
    "argmax:?x[9]x1xf32:i32:initial:count=1..70000000",
    "sum:64x[257]xi16:initial=5",
    "max:300x[77]xbf16",
    "softmax:64x[768]xf32",
];

/// Specimens whose HIP C++ stands for all: a ballot and partials in LDS; exchanges between some
/// lanes; one lane per row; counts known only at launch, with their grids; a sum; a norm.
const HIP: [&str; 8] = [
    "argmax:4x[32000]xf32:i32",
    "argmin:12x[70]xbf16:i32",
    "argmax:128x[33]xf16:i32",
    "argmax:?x[3000]xf32:i32:count=1..40",
    "argmin:?x[130]x6xf16:i64:index_base:count=3..50",
    "argmax:?x[9]x1xf32:i32:initial:count=1..70000000",
    "sum:64x[257]xi16:initial=5",
    "layer_norm:64x[768]xbf16",
];

/// Targets with golden files, and their subgroup sizes there.
const GOLDEN: [(&str, u32); 3] = [("gfx942", 64), ("gfx90a", 64), ("gfx1030", 32)];

fn gfx942() -> &'static Target {
    Target::named("gfx942").unwrap()
}

fn print(
    target: &Target,
    problem: &Problem,
    configuration: &Configuration,
    stage: NativeStage,
) -> String {
    explain(problem, target, configuration, stage).unwrap()
}

/// Returns `argmax:4x[32000]xf32:i32` as a file name. A comparator without a name has its name in
/// symbols.
fn file(target: &Target, problem: &Problem, ending: &str) -> String {
    let text = problem.to_string();
    let (head, rest) = text.split_once(':').unwrap();
    let name = match head.contains(['{', '(']) {
        true => format!("{}:{rest}", problem.symbol()),
        false => text,
    };
    let name = name
        .replace(['[', ']', ')'], "")
        .replace([':', ',', '('], "_");
    let name = name.replace('?', "n");
    format!("../golden/native/{target}/{name}.{ending}")
}

#[test]
fn stages_of_the_specimens() {
    let stages = [
        NativeStage::Gridwise,
        NativeStage::Blockwise,
        NativeStage::Lanewise,
        NativeStage::Final,
        NativeStage::Layout,
    ];
    for (target, size) in GOLDEN {
        let target = Target::named(target).unwrap();
        for (problem, configuration) in specimens(size) {
            let texts = stages.map(|stage| print(target, &problem, &configuration, stage));
            let configuration = serde_json::to_string(&configuration).unwrap();
            let text = format!("{problem}\n{configuration}\n\n{}", texts.join("\n"));
            expect_file![file(target, &problem, "txt")].assert_eq(&text);
        }
    }
}

#[test]
fn operations_of_some_specimens() {
    let mut seen = 0;
    for (target, size) in GOLDEN {
        let target = Target::named(target).unwrap();
        for (problem, configuration) in specimens(size) {
            if OPS.contains(&problem.to_string().as_str()) {
                let text = print(target, &problem, &configuration, NativeStage::Ops);
                expect_file![file(target, &problem, "ops")].assert_eq(&text);
                seen += 1;
            }
        }
    }
    assert_eq!(seen, GOLDEN.len() * OPS.len());
}

/// Checks the LLVM IR on one target. The printer's text of an operation depends on nothing else.
#[test]
fn llvm_ir_of_some_specimens() {
    for (problem, configuration) in specimens(64) {
        if OPS.contains(&problem.to_string().as_str()) {
            let text = print(gfx942(), &problem, &configuration, NativeStage::Llvm);
            expect_file![file(gfx942(), &problem, "ll")].assert_eq(&text);
        }
    }
}

#[test]
fn hip_of_some_specimens() {
    let mut some = specimens(64);
    some.retain(|(problem, _)| HIP.contains(&problem.to_string().as_str()));
    assert_eq!(some.len(), HIP.len());
    for (problem, configuration) in some {
        let text = print(gfx942(), &problem, &configuration, NativeStage::Hip);
        expect_file![file(gfx942(), &problem, "hip")].assert_eq(&text);
    }
}

#[test]
fn legal_configurations_are_lowered() {
    for problem in [
        "argmax:[151936]xf16",
        "argmin:300x[1000]xi32",
        "argmax:3x[7]xbf16",
        "argmax:[1]xf32",
    ] {
        let problem: Problem = problem.parse().unwrap();
        for target in &TARGETS {
            let space = Space::new(&problem, target, Generator::NATIVE);
            for configuration in space.sample(25, 1) {
                for stage in [NativeStage::Lanewise, NativeStage::Hip, NativeStage::Llvm] {
                    assert!(!print(target, &problem, &configuration, stage).is_empty());
                }
            }
        }
    }
}

/// Checks that the HIP text adds no negative number to an address as an unsigned one. C++ does not
/// define such a sum, and clang has computed another address.
#[test]
fn negative_offsets_are_subtracted() {
    let mut negative = 0;
    for problem in [
        "argmin:2x[9]x3x20xi32:i32:pitch=64",
        "argmin:[130]x65xi32:i32",
    ] {
        let problem: Problem = problem.parse().unwrap();
        let space = Space::new(&problem, gfx942(), Generator::NATIVE);
        for configuration in space.sample(50, 1) {
            let text = print(gfx942(), &problem, &configuration, NativeStage::Hip);
            assert!(!text.contains("+ 0xfffffff"), "{text}");
            let mut loads = text.lines().filter(|line| line.contains("load<"));
            negative += usize::from(loads.any(|line| line.contains(" - ")));
        }
    }
    assert!(negative > 0);
}

#[test]
fn an_illegal_configuration_names_the_rule() {
    let (problem, mut configuration) = specimens(64).swap_remove(0);
    configuration.lowering.partial_reduction[1] = 3;
    let error = explain(&problem, gfx942(), &configuration, NativeStage::Llvm).unwrap_err();
    assert!(error.to_string().starts_with("rule N7"), "{error}");
}
