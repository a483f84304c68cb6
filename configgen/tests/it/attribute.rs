//! Tests of IREE's attributes: printed text, parsed text, and errors of malformed text.

use std::fmt::Debug;
use std::str::FromStr;

use configgen::attribute::{AttributeError, TranslationInfo};
use configgen::{Configuration, Generator, Knobs, LoweringConfig, Space, Target};

const LOWERING: &str = "#iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1280], thread = [0, 4], \
                        lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>";
const TRANSLATION: &str = "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> \
                           workgroup_size = [64, 1, 1] subgroup_size = 64>";
const COMPILATION: &str = "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], \
                           partial_reduction = [0, 1280], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], \
                           subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = \
                           #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>>";

#[track_caller]
fn lowering_prints(text: &str, expected: &str) {
    let lowering: LoweringConfig = text.parse().unwrap();
    assert_eq!(lowering.to_string(), expected);
}

#[test]
fn lowering_configs() {
    lowering_prints(LOWERING, LOWERING);
    // MLIR's print, with sorted keys; iree-compile printed this text.
    lowering_prints(
        "#iree_gpu.lowering_config<{lane_basis = [[1, 64, 1], [0, 1, 2]], partial_reduction = [0, 4096, 0], subgroup_basis = \
         [[1, 16, 1], [0, 1, 2]], thread = [0, 4, 0], workgroup = [1, 0, 1]}>",
        "#iree_gpu.lowering_config<{workgroup = [1, 0, 1], partial_reduction = [0, 4096, 0], thread = [0, 4, 0], lane_basis = \
         [[1, 64, 1], [0, 1, 2]], subgroup_basis = [[1, 16, 1], [0, 1, 2]]}>",
    );
    let spread: String = LOWERING
        .chars()
        .flat_map(|c| match c {
            '[' | ']' | '=' | ',' | '{' | '}' => vec!['\n', c, '\t'],
            c => vec![c],
        })
        .collect();
    lowering_prints(&spread, LOWERING);
    let extreme = "#iree_gpu.lowering_config<{workgroup = [], partial_reduction = [4294967295], thread = [0, 0, 0, 0, 0, 0], \
                   lane_basis = [[], []], subgroup_basis = [[1], [5, 0]]}>";
    lowering_prints(extreme, extreme);
}

#[test]
fn translation_and_compilation_infos() {
    let translation: TranslationInfo = TRANSLATION.parse().unwrap();
    assert_eq!(translation.to_string(), TRANSLATION);
    let short = "#iree_codegen.translation_info<subgroup_size = 64 workgroup_size = [64] pipeline = \
                 #iree_gpu.pipeline<VectorDistribute>>";
    assert_eq!(short.parse::<TranslationInfo>(), Ok(translation));
    let configuration: Configuration = COMPILATION.parse().unwrap();
    assert_eq!(configuration.to_string(), COMPILATION);
    assert_eq!(TranslationInfo::from(&configuration), translation);
    assert_eq!(configuration.lowering, LOWERING.parse().unwrap());
    // The name of a known type may be present, and the keys may be in any order.
    let other = format!(
        "#iree_codegen.compilation_info<translation_info = {TRANSLATION}, lowering_config = {LOWERING}>"
    );
    assert_eq!(other.parse(), Ok(configuration));
}

#[test]
fn every_configuration_comes_back() {
    let target = Target::named("gfx942").unwrap();
    for (problem, generator) in [
        ("argmax:300x[4096]xf32", Generator::NATIVE),
        ("argmax:[131072]xf16", Generator::NATIVE),
        ("argmax:2x3x4x5x6x[960]xf16", Generator::IREE),
    ] {
        let space = Space::new(&problem.parse().unwrap(), target, generator);
        for mut configuration in space.sample(300, 1) {
            // IREE's attributes have no knobs.
            configuration.knobs = Knobs::DEFAULT;
            assert_eq!(configuration.to_string().parse(), Ok(configuration));
        }
    }
}

/// Checks that `text` is no attribute `T`, with the error at `near`.
#[track_caller]
fn fails<T: FromStr<Err = AttributeError> + Debug>(text: &str, near: &str, message: &str) {
    let error = text.parse::<T>().unwrap_err();
    assert!(error.message.contains(message), "{error}");
    assert!(
        error.near.starts_with(near) && error.near.is_empty() == near.is_empty(),
        "{error}"
    );
    let rest: String = text.chars().skip(error.position).take(20).collect();
    assert_eq!(error.near, rest);
}

#[track_caller]
fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from));
    text.replacen(from, to, 1)
}

#[test]
fn errors_of_lowering_configs() {
    let fails = |from, to, near, message| {
        fails::<LoweringConfig>(&replaced(LOWERING, from, to), near, message);
    };
    fails(
        LOWERING,
        "",
        "",
        "\"#iree_gpu.lowering_config\" is expected",
    );
    fails(
        LOWERING,
        TRANSLATION,
        "#iree_codegen",
        "\"#iree_gpu.lowering_config\" is expected",
    );
    fails("<{", "<", "workgroup =", "\"{\" is expected");
    fails(
        "workgroup",
        "workgruop",
        "workgruop =",
        "unknown key \"workgruop\"; one of workgroup, partial_",
    );
    fails(
        "thread",
        "workgroup",
        "workgroup = [0, 4]",
        "workgroup is given twice",
    );
    fails("thread = [0, 4], ", "", ">", "thread is missing");
    fails(
        "workgroup = [1",
        "workgroup [1",
        "[1, 0]",
        "\"=\" is expected",
    );
    fails("workgroup = [1", "= [1", "= [1, 0]", "a key is expected");
    fails(
        "[1, 0]",
        "[-1, 0]",
        "-1, 0]",
        "a whole number from 0 to 4294967295",
    );
    fails("[1, 0]", "[1, 4294967296]", "4294967296]", "a whole number");
    fails(
        "[1, 0]",
        "[1, 99999999999999999999999]",
        "9999",
        "a whole number",
    );
    fails("[1, 0]", "[1.5, 0]", ".5, 0]", "\",\" is expected");
    fails("[1, 0]", "[1, 0,]", "]", "a whole number");
    fails("[1, 0]", "[1 0]", "0]", "\",\" is expected");
    fails(
        "[1, 0]",
        "[1, 0, 0, 0, 0, 0, 9]",
        "9]",
        "more than 6 entries",
    );
    fails("[1, 0]", "[[1, 0]]", "[1, 0]]", "a whole number");
    fails(
        "[1, 0], p",
        "[1, 0] p",
        "partial_reduction",
        "\",\" is expected",
    );
    fails(
        "[0, 1]]",
        "[0, 6]]",
        "6]]",
        "an entry of a mapping is at most 5",
    );
    fails(
        "[0, 1]]",
        "[0, 300]]",
        "300]]",
        "an entry of a mapping is at most 5",
    );
    fails(
        "[[1, 64], [0, 1]]",
        "[[1, 64]]",
        "], subgroup",
        "\",\" is expected",
    );
    fails(
        "[[1, 64], [0, 1]]",
        "[[1, 64], [0, 1], []]",
        ", []]",
        "\"]\" is expected",
    );
    fails(">", "> ü", "ü", "the attribute should end here");
    fails("#", "ü#", "ü#iree", "is expected");
    fails(
        ", partial_reduction = [0, 1280]",
        "",
        ">",
        "partial_reduction is missing",
    );
    fails("]}>", "]", "", "\",\" is expected");
}

#[test]
fn errors_of_translation_infos() {
    let fails = |from, to, near, message| {
        fails::<TranslationInfo>(&replaced(TRANSLATION, from, to), near, message);
    };
    fails(
        "VectorDistribute",
        "TileAndFuse",
        "TileAndFuse>",
        "\"VectorDistribute\" is expected",
    );
    fails("[64, 1, 1]", "[]", "[] sub", "one to three numbers");
    fails("[64, 1, 1]", "[64, 1, 1, 9]", "9]", "more than 3 entries");
    fails("subgroup_size = 64>", ">", "", "subgroup_size is missing");
    fails(
        "subgroup_size",
        "workgroup_size",
        "workgroup_size = 64",
        "workgroup_size is given twice",
    );
    fails(
        "subgroup_size",
        "denormals",
        "denormals = 64",
        "unknown key \"denormals\"; one of pipeline",
    );
}

#[test]
fn errors_of_compilation_infos() {
    let fails = |from, to, near, message| {
        fails::<Configuration>(&replaced(COMPILATION, from, to), near, message);
    };
    fails(
        "lowering_config =",
        "lowering =",
        "lowering =",
        "unknown key \"lowering\"",
    );
    fails(
        " translation_info = ",
        " ",
        "<pipeline",
        "a key is expected",
    );
    fails(
        ", translation_info",
        " translation_info",
        "translation_info",
        "\",\" is expected",
    );
    fails(
        "workgroup = ",
        "workgroup = x",
        "x[1, 0]",
        "\"[\" is expected",
    );
}

#[test]
fn mutated_text_never_panics() {
    for seed in [LOWERING, TRANSLATION, COMPILATION] {
        for position in 0..seed.len() {
            for insert in [
                "",
                "0",
                "9999999999",
                "[",
                "]",
                "<",
                ">",
                "}",
                ",",
                "é",
                "\0",
                "-",
            ] {
                let text = format!("{}{insert}{}", &seed[..position], &seed[position + 1..]);
                if let Ok(value) = text.parse::<LoweringConfig>() {
                    assert_eq!(value.to_string().parse(), Ok(value));
                }
                if let Ok(value) = text.parse::<TranslationInfo>() {
                    assert_eq!(value.to_string().parse(), Ok(value));
                }
                if let Ok(value) = text.parse::<Configuration>() {
                    assert_eq!(value.to_string().parse(), Ok(value));
                }
            }
        }
    }
}
