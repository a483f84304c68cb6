//! Spaces of parameters: T1 files, and small random spaces against a filtered product.

use std::path::Path;

use super::{Checksum, Enumeration, Expression, ExpressionStack, ParameterSpace, ParameterValue};
use proptest::prelude::*;

/// Checks the number of configurations and the checksum of a file in `../shared/data/spaces`.
#[track_caller]
fn check(name: &str, count: u64, sum: u64) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/spaces");
    let Ok(text) = std::fs::read_to_string(root.join(name)) else {
        eprintln!("{name} is not on this machine");
        return;
    };
    let space = ParameterSpace::parse_t1(&text).unwrap();
    let enumeration = Enumeration::new(&space);
    assert_eq!(enumeration.count(), count);
    let mut checksum = Checksum::new(space.parameters()).unwrap();
    let added = checksum.add_all(&mut enumeration.configurations());
    assert_eq!((added, checksum.sum()), (count, sum));
}

#[test]
fn published_spaces_have_their_counts_and_checksums() {
    check("space_S.t1.json", 10_392, 1_042_629_044_561_518_904);
    check("space_M.t1.json", 630_518, 811_462_362_397_524_234);
    check("space_L.t1.json", 9_328_241, 13_702_849_408_241_392_370);
}

/// Returns the valid configurations of a space by filtering the whole product.
fn filtered(space: &ParameterSpace) -> Vec<Vec<u32>> {
    let parameters = space.parameters();
    let mut found = Vec::new();
    let mut places = vec![0u32; parameters.len()];
    loop {
        let holds = |condition: &Expression| {
            let value = |&one: &usize| &parameters[one].values[places[one] as usize];
            let values: Vec<&ParameterValue> = condition.parameters().iter().map(value).collect();
            condition.holds(&values, &mut ExpressionStack::default())
        };
        if space.conditions().iter().all(holds) {
            found.push(places.clone());
        }
        let full = |slot: &usize| places[*slot] as usize + 1 == parameters[*slot].values.len();
        let Some(slot) = (0..places.len()).rev().find(|slot| !full(slot)) else {
            return found;
        };
        places[slot] += 1;
        places[slot + 1..].fill(0);
    }
}

/// Returns an expression with up to `depth` levels.
fn expression(depth: u32) -> BoxedStrategy<String> {
    let name = prop::sample::select(vec!["a", "b", "c", "d", "e"]).prop_map(str::to_owned);
    let leaf = prop_oneof![3 => name, 1 => (0..6i64).prop_map(|it| it.to_string())];
    leaf.prop_recursive(depth, 12, 3, |inner| {
        let sign = prop::sample::select(vec![
            "+", "-", "*", "/", "//", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or",
        ]);
        let pair = (inner.clone(), sign, inner.clone());
        let chain = (inner.clone(), inner.clone(), inner.clone());
        prop_oneof![
            4 => pair.prop_map(|(left, sign, right)| format!("({left} {sign} {right})")),
            1 => chain.prop_map(|(a, b, c)| format!("({a} < {b} <= {c})")),
            1 => chain_members(inner.clone()),
            1 => inner.prop_map(|one| format!("(not {one})")),
        ]
    })
    .boxed()
}

fn chain_members(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (inner, 0..4i64, 0..4i64).prop_map(|(one, x, y)| format!("({one} in [{x}, {y}, 2])"))
}

fn space() -> impl Strategy<Value = String> {
    let values = prop::collection::vec(prop::collection::btree_set(-3..9i64, 1..5), 5);
    // One parameter has more values than a word has bits.
    let conditions = prop::collection::vec(expression(3), 0..5);
    (values, 1..80usize, conditions).prop_map(|(values, many, conditions)| {
        let parameter = |(name, values): (&str, Vec<i64>)| {
            format!(r#"{{"Name": "{name}", "Values": "{values:?}"}}"#)
        };
        let mut values: Vec<Vec<i64>> = values
            .into_iter()
            .map(|set| set.into_iter().collect())
            .collect();
        values[2] = (0..many as i64).collect();
        let parameters = ["a", "b", "c", "d", "e"].into_iter().zip(values);
        let parameters: Vec<String> = parameters.map(parameter).collect();
        let conditions = conditions.iter();
        let conditions: Vec<String> = conditions
            .map(|one| format!(r#"{{"Expression": "{one}"}}"#))
            .collect();
        format!(
            r#"{{"ConfigurationSpace": {{"TuningParameters": [{}], "Conditions": [{}]}}}}"#,
            parameters.join(", "),
            conditions.join(", ")
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn an_enumeration_equals_the_filtered_product(text in space()) {
        let space = ParameterSpace::parse_t1(&text).unwrap();
        let expected = filtered(&space);
        let enumeration = Enumeration::new(&space);
        let mut all = enumeration.configurations();
        let mut found = Vec::new();
        while let Some(configuration) = all.next() {
            found.push(configuration.to_vec());
        }
        prop_assert!(all.next().is_none());
        found.sort_unstable();
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(enumeration.count(), expected.len() as u64);
        let mut checksum = Checksum::new(space.parameters()).unwrap();
        let count = checksum.add_all(&mut enumeration.configurations());
        prop_assert_eq!(count, expected.len() as u64);
    }
}

/// Checks a condition over too many combinations for a table.
#[test]
fn a_condition_over_many_parameters_is_evaluated_directly() {
    let parameter = |name: char| format!(r#"{{"Name": "{name}", "Values": "[0, 1, 2, 3]"}}"#);
    let names: Vec<char> = ('a'..='k').collect();
    let parameters: Vec<String> = names.iter().map(|&name| parameter(name)).collect();
    let names: Vec<String> = names.iter().map(char::to_string).collect();
    let text = format!(
        r#"{{"ConfigurationSpace": {{"TuningParameters": [{}], "Conditions": [
            {{"Expression": "{} == 32"}}, {{"Expression": "1"}}]}}}}"#,
        parameters.join(", "),
        names.join(" + ")
    );
    let space = ParameterSpace::parse_t1(&text).unwrap();
    let enumeration = Enumeration::new(&space);
    // 32 of at most 33: one of 11 parameters is 2.
    assert_eq!(enumeration.count(), 11);
    let text = text.replace("\"1\"", "\"1 > 2\"");
    let space = ParameterSpace::parse_t1(&text).unwrap();
    assert_eq!(Enumeration::new(&space).count(), 0);
}

/// Checks a parameter whose values need several words of a mask.
#[test]
fn a_mask_may_have_several_words() {
    let values: Vec<u32> = (0..150).collect();
    let text = format!(
        r#"{{"ConfigurationSpace": {{"TuningParameters": [{{"Name": "a", "Values": "[0, 1, 2]"}},
            {{"Name": "c", "Values": "{values:?}"}}],
            "Conditions": [{{"Expression": "c % 3 == a and c != 149"}}]}}}}"#
    );
    let space = ParameterSpace::parse_t1(&text).unwrap();
    let mut found = filtered(&space);
    found.sort_unstable();
    assert_eq!(found.len(), 149);
    let enumeration = Enumeration::new(&space);
    let mut all = enumeration.configurations();
    let mut listed = Vec::new();
    while let Some(configuration) = all.next() {
        listed.push(configuration.to_vec());
    }
    listed.sort_unstable();
    assert_eq!(listed, found);
}
