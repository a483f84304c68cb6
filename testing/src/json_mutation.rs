//! JSON mutations: a value with one part replaced, as a faulty or hostile client may send it.

use proptest::prelude::*;
use serde_json::{Value, json};

/// Generates a part to put into a value.
pub fn odd_value() -> impl Strategy<Value = Value> {
    let odd = vec![
        json!(null),
        json!(true),
        json!(""),
        json!("\0"),
        // A right-to-left override, and an escape sequence of terminals.
        json!("\u{202E}\u{1b}[31m"),
        json!([]),
        json!({}),
        json!(-1),
        json!(0),
        json!(u64::MAX),
        json!(i64::MIN),
        // One second after the year 9999, the last that RFC 3339 can write.
        json!(253_402_300_800_u64),
        json!(9_000_000_000_000_u64),
        json!(1e-300),
        // The smallest subnormal number.
        json!(5e-324),
        json!(1e300),
        json!(-0.0),
        json!([1e308, 1e308]),
        json!({"secs_since_epoch": u64::MAX, "nanos_since_epoch": u32::MAX}),
        // Longer than a field may be.
        json!("x".repeat(300_000)),
    ];
    prop_oneof![
        3 => prop::sample::select(odd),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<String>().prop_map(Value::from),
        1 => prop::collection::vec(any::<f64>(), 0..5).prop_map(Value::from),
    ]
}

/// Returns the value with the part at position `place`, modulo the number of positions.
pub fn mutate_json(json: &Value, place: usize, part: &Value) -> Value {
    let mut left = place % count(json);
    replaced(json, &mut left, part)
}

fn count(json: &Value) -> usize {
    1 + match json {
        Value::Array(all) => all.iter().map(count).sum(),
        Value::Object(all) => all.values().map(count).sum(),
        _ => 0,
    }
}

/// Replaces the part after `left` more positions.
fn replaced(json: &Value, left: &mut usize, part: &Value) -> Value {
    if *left == 0 {
        // A number that no further position can count down to 0.
        *left = usize::MAX;
        return part.clone();
    }
    *left = left.saturating_sub(usize::from(*left != usize::MAX));
    match json {
        Value::Array(all) => all.iter().map(|one| replaced(one, left, part)).collect(),
        Value::Object(all) => {
            let fields = all.iter();
            let fields = fields.map(|(name, one)| (name.clone(), replaced(one, left, part)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}
