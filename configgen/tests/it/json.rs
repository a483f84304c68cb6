//! The JSON of a configuration: one flat object, and an error for everything else.

use configgen::{Configuration, Generator, Space, Target};
use serde_json::{Value, json};

fn example() -> Value {
    json!({
        "workgroup": [1, 0],
        "partial_reduction": [0, 4096],
        "thread": [0, 4],
        "lane_basis": [[1, 64], [0, 1]],
        "subgroup_basis": [[1, 16], [0, 1]],
        "subgroup_size": 64,
        "workgroup_size": [1024, 1, 1],
    })
}

#[test]
fn round_trip() {
    let configuration: Configuration = serde_json::from_value(example()).unwrap();
    assert_eq!(serde_json::to_value(&configuration).unwrap(), example());
    assert_eq!(
        serde_json::to_string(&configuration).unwrap(),
        r#"{"workgroup":[1,0],"partial_reduction":[0,4096],"thread":[0,4],"lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,16],[0,1]],"subgroup_size":64,"workgroup_size":[1024,1,1]}"#
    );
    let target = Target::named("gfx942").unwrap();
    let space = Space::new(
        &"argmax:300x[4096]xf32".parse().unwrap(),
        target,
        Generator::NATIVE,
    );
    for configuration in space.sample(200, 2) {
        let text = serde_json::to_string(&configuration).unwrap();
        assert_eq!(
            serde_json::from_str::<Configuration>(&text).unwrap(),
            configuration
        );
    }
}

#[track_caller]
fn fails(key: &str, value: Value, message: &str) {
    let mut object = example();
    object[key] = value;
    let error = serde_json::from_value::<Configuration>(object)
        .unwrap_err()
        .to_string();
    assert!(error.contains(message), "{error}");
}

#[test]
fn errors() {
    fails("waves_per_eu", json!(2), "unknown field `waves_per_eu`");
    fails(
        "subgroup_size",
        json!(-64),
        "invalid value: integer `-64`, expected u32",
    );
    fails("subgroup_size", json!(4_294_967_296u64), "expected u32");
    fails("subgroup_size", json!(64.5), "expected u32");
    fails("subgroup_size", json!("64"), "expected u32");
    fails("subgroup_size", Value::Null, "expected u32");
    fails("workgroup", json!([1, -1]), "expected u32");
    fails("workgroup", json!([1, 1e40]), "expected u32");
    fails(
        "workgroup",
        json!([0, 0, 0, 0, 0, 0, 0]),
        "no more than 6 items",
    );
    fails("workgroup", json!(1), "invalid type");
    fails("thread", json!({"0": 1}), "invalid type");
    fails("lane_basis", json!([[1, 64]]), "invalid length 1");
    fails("lane_basis", json!([[1, 64], [0, 256]]), "expected u8");
    fails("lane_basis", json!([[1, 64], [0, -1]]), "expected u8");
    fails(
        "lane_basis",
        json!([[1, 64], [0, 1], [2]]),
        "expected fewer elements",
    );
    fails(
        "lane_basis",
        json!([[1, 1, 1, 1, 1, 1, 1], [0]]),
        "no more than 6 items",
    );
    fails("workgroup_size", json!([1024, 1]), "invalid length 2");
    fails("workgroup_size", json!([1024, 1, 1, 1]), "invalid length 4");
    let missing = |key: &str| {
        let mut object = example();
        object.as_object_mut().unwrap().remove(key);
        serde_json::from_value::<Configuration>(object)
            .unwrap_err()
            .to_string()
    };
    for key in example().as_object().unwrap().keys() {
        assert_eq!(missing(key), format!("missing field `{key}`"));
    }
    let text = serde_json::to_string(&example()).unwrap();
    let twice = text.replacen('{', r#"{"thread":[0,4],"#, 1);
    let error = serde_json::from_str::<Configuration>(&twice)
        .unwrap_err()
        .to_string();
    assert!(error.contains("duplicate field `thread`"), "{error}");
}

#[test]
fn mutated_text_never_panics() {
    let text = serde_json::to_string(&example()).unwrap();
    for position in 0..text.len() {
        for insert in [
            "",
            "0",
            "9999999999",
            "[",
            "]",
            "{",
            "-",
            "\"",
            "1e999",
            "é",
        ] {
            let mutated = format!("{}{insert}{}", &text[..position], &text[position + 1..]);
            if let Ok(value) = serde_json::from_str::<Configuration>(&mutated) {
                let again = serde_json::to_string(&value).unwrap();
                assert_eq!(
                    serde_json::from_str::<Configuration>(&again).unwrap(),
                    value
                );
            }
        }
    }
}
