//! A plain reduction passes problem, space, legality and default; none of these knows it by name.

use std::collections::HashSet;

use configgen::{
    Accumulators, Configuration, Generator, Problem, Space, TARGETS, Target, check, native_default,
};

/// Returns the sum of the rows of a shape such as `4x[1000]`.
fn problem(shape: &str) -> Problem {
    let (shape, options) = shape.split_once(':').unwrap_or((shape, ""));
    let colon = if options.is_empty() { "" } else { ":" };
    format!("sum:{shape}xi32{colon}{options}").parse().unwrap()
}

#[test]
fn its_text_names_it() {
    let dense = problem("4x[1000]");
    assert_eq!(dense.to_string(), "sum:4x[1000]xi32");
    let spread = problem("3x[7]x2x[5]:pitch=9");
    assert_eq!(spread.to_string(), "sum:3x[7]x2x[5]xi32:pitch=9");
    assert!(dense == problem("4x[1000]") && dense != problem("4x[1001]"));
    let argmax: Problem = "argmax:4x[1000]xi32".parse().unwrap();
    assert!(dense != argmax && dense.arg_compare().is_none());
    assert!(argmax.arg_compare().is_some());
}

#[test]
fn its_bytes_are_those_of_elements_and_sums() {
    let problem = problem("4x[1000]");
    assert_eq!(problem.output_bytes(), 16);
    assert_eq!(problem.operand_bytes(), 0);
    assert_eq!(problem.compulsory_bytes(), 16_016);
}

#[test]
fn its_space_is_counted_listed_and_legal() {
    for shape in ["4x[1000]", "[4099]", "3x[7]x2x[5]", "65x[2]"] {
        let problem = problem(shape);
        for target in &TARGETS {
            let space = Space::new(&problem, target, Generator::NATIVE);
            assert!(space.len() > 10, "{shape} {target}");
            let mut seen = HashSet::new();
            for configuration in space.sample(100, 7) {
                check(&problem, target, Generator::NATIVE, &configuration).unwrap();
                assert!(!configuration.knobs.lazy_index, "{configuration}");
                seen.insert(configuration);
            }
            assert!(seen.iter().any(|one| one.knobs.split > 1) || problem.shape.rows() > 60);
            native_default(&problem, target).unwrap();
        }
    }
}

/// Checks that a partial sum takes 4 bytes of LDS, and a value with a position 8 (rule N11).
#[test]
fn its_partial_results_are_smaller() {
    let target = Target::named("gfx942").unwrap();
    let json = r#"{"workgroup": [512, 0], "partial_reduction": [0, 16], "thread": [8, 1],
        "lane_basis": [[64, 1], [0, 1]], "subgroup_basis": [[1, 16], [0, 1]], "subgroup_size": 64,
        "workgroup_size": [1024, 1, 1]}"#;
    let configuration: Configuration = serde_json::from_str(json).unwrap();
    let sum = problem("16384x[4096]");
    check(&sum, target, Generator::NATIVE, &configuration).unwrap();
    let argmax: Problem = "argmax:16384x[4096]xi32".parse().unwrap();
    let rejection = check(&argmax, target, Generator::NATIVE, &configuration).unwrap_err();
    assert_eq!(rejection.rule, "N11");
}

#[test]
fn rules_of_comparators_reject_it() {
    let target = Target::named("gfx942").unwrap();
    let problem = problem("4x[1000]");
    let mut lazy = native_default(&problem, target).unwrap();
    lazy.knobs.lazy_index = true;
    let rejection = check(&problem, target, Generator::NATIVE, &lazy).unwrap_err();
    assert_eq!(rejection.rule, "N14");
}

/// Checks that one accumulator needs a thread tile, for a sum as for a comparison.
#[test]
fn it_has_the_knob_of_accumulators() {
    let target = Target::named("gfx942").unwrap();
    let space = Space::new(&problem("4x[4000]"), target, Generator::NATIVE);
    let mut sample = space.sample(500, 1).into_iter();
    assert!(sample.any(|one| one.knobs.accumulators == Accumulators::One));
}
