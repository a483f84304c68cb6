//! Tests of scalars: they distinguish all configurations, with names of the JSON.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use configgen::scalars::{ScalarName, Value, scalars};
use configgen::{Accumulators, Configuration, Generator};

use crate::{gfx942, gfx1100, space, space_on};

fn text(configuration: &Configuration) -> Vec<String> {
    let text = |(name, value): (ScalarName, Value)| {
        let value = serde_json::to_string(&value).unwrap();
        format!("{name} = {value}")
    };
    scalars(configuration).into_iter().map(text).collect()
}

#[track_caller]
fn check(json: &str, expected: &[&str]) {
    let configuration = serde_json::from_str(json).unwrap();
    assert_eq!(text(&configuration), expected);
}

#[test]
fn each_has_its_name() {
    check(
        r#"{"workgroup": [2, 0], "partial_reduction": [0, 1280], "thread": [0, 4], "lane_basis": [[16, 4], [1, 0]],
            "subgroup_basis": [[1, 8], [0, 1]], "subgroup_size": 64, "workgroup_size": [64, 4, 2], "split": 4,
            "lazy_index": true, "accumulators": "one"}"#,
        &[
            "workgroup[0] = 2",
            "workgroup[1] = 0",
            "partial_reduction[0] = 0",
            "partial_reduction[1] = 1280",
            "thread[0] = 0",
            "thread[1] = 4",
            "lane_basis[0] = 4",
            "lane_basis[1] = 16",
            "lane_order = \"[1, 0]\"",
            "subgroup_basis[0] = 1",
            "subgroup_basis[1] = 8",
            "subgroup_order = \"[0, 1]\"",
            "subgroup_size = 64",
            "workgroup_size = 512",
            "split = 4",
            "lazy_index = true",
            "accumulators = \"one\"",
        ],
    );
    // An illegal configuration has scalars too.
    check(
        r#"{"workgroup": [], "partial_reduction": [7], "thread": [], "lane_basis": [[], [5]], "subgroup_basis": [[3], []],
            "subgroup_size": 0, "workgroup_size": [4294967295, 4294967295, 4294967295]}"#,
        &[
            "partial_reduction[0] = 7",
            "lane_basis[0] = 1",
            "lane_order = \"[5]\"",
            "subgroup_order = \"[]\"",
            "subgroup_size = 0",
            "workgroup_size = 18446744073709551615",
            "split = 1",
            "lazy_index = false",
            "accumulators = \"vector\"",
        ],
    );
}

/// Checks that every key of the JSON has scalars, no others exist, and a name has one kind.
#[test]
fn names_are_those_of_the_json() {
    let (mut keys, mut named) = (BTreeSet::new(), BTreeSet::new());
    let mut kinds = HashMap::new();
    for (problem, generator) in [
        ("argmax:4x[32000]xf32", Generator::NATIVE),
        ("argmax:2x3x[500]xi64", Generator::NATIVE),
        ("argmax:4x[4096]xf32", Generator::IREE),
    ] {
        let (_, space) = space(problem, generator);
        for configuration in space.sample(300, 1) {
            let json: BTreeMap<String, serde_json::Value> =
                serde_json::from_value(serde_json::to_value(&configuration).unwrap()).unwrap();
            keys.extend(json.into_keys());
            for (name, value) in scalars(&configuration) {
                named.insert(name.attribute.replace("_order", "_basis"));
                let kind = std::mem::discriminant(&value);
                assert_eq!(*kinds.entry(name.attribute).or_insert(kind), kind);
            }
        }
    }
    assert_eq!(keys.len(), 10, "a knob that is at its default everywhere");
    assert_eq!(keys, named);
}

/// Checks that no two configurations of a space have the same scalars, and all have the same
/// names.
#[test]
fn scalars_tell_configurations_apart() {
    for (target, problem, generator) in [
        (gfx942(), "argmax:4x[32000]xf32", Generator::NATIVE),
        (gfx942(), "argmax:6x5x[300]xf16", Generator::NATIVE),
        (gfx1100(), "argmin:64x[4]x[100]xi8", Generator::NATIVE),
        (gfx942(), "argmax:4x[4096]xf32", Generator::IREE),
    ] {
        let (_, space) = space_on(target, problem, generator);
        let (mut seen, mut names) = (HashMap::new(), BTreeSet::new());
        for configuration in space.sample(3000, 7) {
            let scalars = scalars(&configuration);
            let of = |(name, _): &(ScalarName, Value)| name.to_string();
            names.insert(scalars.iter().map(of).collect::<Vec<String>>());
            let values: Vec<Value> = scalars.into_iter().map(|(_, value)| value).collect();
            if let Some(other) = seen.insert(values, configuration.clone()) {
                panic!("{configuration} and {other}");
            }
        }
        assert_eq!(names.len(), 1, "{names:?}");
    }
}

#[test]
fn accumulators_have_the_names_of_the_json() {
    for accumulators in [Accumulators::Vector, Accumulators::One] {
        let json = serde_json::to_value(accumulators).unwrap();
        assert_eq!(json, accumulators.name());
    }
}
