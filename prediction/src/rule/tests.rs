//! Tests of learnt rules.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::*;

/// The declarations that a printed rule uses.
const STUB: &str = include_str!("stub.hpp");

fn learnt(operation: &str, device: &str) -> ReductionRule {
    ReductionRule::learn(operation, Device::named(device).unwrap()).unwrap()
}

/// Checks that a compiler accepts a C++ function.
#[track_caller]
fn check_compiles(function: &str) {
    let arguments = [
        "-x",
        "c++",
        "-std=c++17",
        "-fsyntax-only",
        "-Wall",
        "-Werror",
    ];
    let start = |name: &&str| {
        let mut compiler = Command::new(name);
        // The function and a parameter have no use here.
        compiler.args(arguments).args(["-Wno-unused", "-"]);
        compiler.stdin(Stdio::piped()).spawn().ok()
    };
    let compilers = ["clang++-22", "clang++", "g++"];
    let mut compiler = compilers.iter().find_map(start).expect("a C++ compiler");
    let mut input = compiler.stdin.take().unwrap();
    input.write_all(STUB.as_bytes()).unwrap();
    input.write_all(function.as_bytes()).unwrap();
    drop(input);
    assert!(compiler.wait().unwrap().success(), "{function}");
}

/// Checks a rule: the conditions partition the shapes, no configuration is illegal, and the mean
/// regret is at most 10 %.
#[track_caller]
fn check(operation: &str, device: &str) {
    let rule = learnt(operation, device);
    let (count, mean) = (rule.held_out.len(), rule.mean_regret());
    let (worst, most) = &rule.held_out[0];
    let worst = &worst.problem;
    println!("{operation} on {device}: {count} shapes, mean {mean:.4}, {worst} {most:.3}");
    assert_eq!(count, HELD_OUT);
    for (shape, _) in &rule.held_out {
        let rows = rule.rows.iter().filter(|row| row.applies_to(shape));
        assert_eq!(rows.count(), 1, "{}", shape.problem);
        assert!(rule.configuration(shape).is_some(), "{}", shape.problem);
    }
    assert!(rule.rows.len() <= LEAVES);
    assert!(mean <= 0.1, "{operation} on {device}: {mean}");
    check_compiles(&rule.cpp());
}

#[test]
fn a_rule_is_near_the_best_on_other_shapes() {
    check("argmax", "mi300x");
}

#[test]
#[ignore = "five rules of 100 rankings each"]
fn rules_of_other_operations_and_targets_are_near_the_best() {
    check("argmax", "rx7900xtx");
    for operation in ["rms_norm", "layer_norm"] {
        check(operation, "mi300x");
        check(operation, "rx7900xtx");
    }
}

#[test]
fn an_unknown_operation_has_no_rule() {
    let device = Device::named("mi300x").unwrap();
    for operation in ["copy", "nothing"] {
        assert!(ReductionRule::learn(operation, device).is_err());
    }
}

/// Checks the learner on regrets that two conditions separate.
#[test]
fn a_tree_separates_what_differs() {
    let device = Device::named("mi300x").unwrap();
    let mut table = RegretTable::new(grid("argmax", device), device);
    let recipe = |shape: &RuleShape| match shape.values {
        [..=64, _, 16] => 0,
        [..=64, ..] => 1,
        _ => 2,
    };
    for (regrets, shape) in table.regrets.iter_mut().zip(&table.shapes) {
        regrets.fill(1.0);
        regrets[recipe(shape)] = 0.0;
    }
    let rows = table.learn();
    assert_eq!(rows.len(), 3);
    for shape in &table.shapes {
        let found = rows.iter().find(|row| row.applies_to(shape)).unwrap();
        assert_eq!(found.recipe, table.recipes[recipe(shape)]);
    }
}
