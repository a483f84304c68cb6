//! Checks of problem drafts.

use configgen::{Generator, Problem, Space, Target, default_configuration};
use serde_json::{Value, json};

use crate::endpoints::place::Place;
use crate::endpoints::service::Service;

const CHECK: &str = "/api/v1/problems:check";
const JSON: &str = "application/json";

/// A comparator without a name: it chooses the larger magnitude.
const BLOCK: &str = "^bb0(%a: f32, %b: f32):
  %x = math.absf %a : f32
  %y = math.absf %b : f32
  %r = arith.cmpf ogt, %x, %y : f32
  iree_linalg_ext.yield %r : i1
";

async fn ask(service: &Service, draft: &Value) -> Value {
    let (head, body) = service.post(CHECK, JSON, &draft.to_string()).await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{draft}: {head}\n{body}");
    serde_json::from_str(&body).unwrap()
}

pub(crate) async fn a_problem_is_told_what_it_is(place: Place) {
    let service = Service::start_at(&place).await;
    let draft = json!({
        "problem": "argmax:4x[32000]xf32", "target": "gfx942", "device": "emulated:mi300x",
    });
    let told = ask(&service, &draft).await;
    let problem: Problem = "argmax:4x[32000]xf32:i32".parse().unwrap();
    let target = Target::named("gfx942").unwrap();
    let space = Space::new(&problem, target, Generator::NATIVE);
    let default = default_configuration(&problem, target, Generator::NATIVE).unwrap();
    let expected = json!({
        "problem": "argmax:4x[32000]xf32:i32", "operation": "arg_compare", "element": "f32", "index": "i32",
        "rows": 4, "columns": 32000, "bytes": 512_032, "bound_us": told["bound_us"], "target": "gfx942",
        "generator": "native", "why_serial": null, "is_legal": true, "rule": null, "message": null,
        "configurations": space.len().to_string(), "default": default.configuration().unwrap(),
    });
    assert_eq!(told, expected);
    // The value of a test of the bound.
    let bound = told["bound_us"].as_f64().unwrap();
    assert!((bound / 4.2677 - 1.0).abs() < 1e-3, "{bound}");
    // A device of another target, or an unknown one, has no bound.
    for device in ["emulated:rx7900xtx", "hip:0"] {
        let mut draft = draft.clone();
        draft["device"] = json!(device);
        assert_eq!(ask(&service, &draft).await["bound_us"], Value::Null);
    }
}

pub(crate) async fn untunable_problems_have_a_reason(place: Place) {
    let service = Service::start_at(&place).await;
    let draft = json!({
        "problem": "argmax:[4]x[8]xf32", "target": "gfx942", "generator": "iree",
    });
    let told = ask(&service, &draft).await;
    assert_eq!(
        [&told["is_legal"], &told["rule"]],
        [&json!(false), &json!("0")]
    );
    let message = told["message"].as_str().unwrap();
    assert!(message.contains("are reduced"), "{message}");
    assert_eq!(
        [&told["configurations"], &told["bound_us"]],
        [&json!(null); 2]
    );
    assert_eq!(told["problem"], "argmax:[4]x[8]xf32:i32");
}

pub(crate) async fn a_comparator_may_stand_beside_it(place: Place) {
    let service = Service::start_at(&place).await;
    let draft = json!({
        "problem": "arg_compare:4x[100]xf32", "target": "gfx942", "comparator": BLOCK,
    });
    let told = ask(&service, &draft).await;
    let text = told["problem"].as_str().unwrap();
    assert!(text.starts_with("arg_compare{"), "{text}");
    // The answer is a problem with its full text.
    let again = ask(&service, &json!({"problem": text, "target": "gfx942"})).await;
    assert_eq!(again, told);
    // A comparator that is no order has serial rows, and is described so.
    let unordered = json!({
        "problem": "arg_compare:4x[100]xf32:i32:initial", "target": "gfx942",
        "comparator": BLOCK.replace("ogt, %x, %y", "une, %x, %y"),
    });
    let told = ask(&service, &unordered).await;
    assert!(told["why_serial"].is_string(), "{told}");
    let text = told["problem"].as_str().unwrap();
    assert!(text.starts_with("unordered{"), "{text}");
    for (comparator, position) in [
        ("", 0),
        ("^bb0(%a: f32, %b: f32):\n  %x = math.absf %c : f32", 41),
        ("%0 = iree_linalg_ext.arg_compare", 32),
    ] {
        let mut wrong = draft.clone();
        wrong["comparator"] = json!(comparator);
        let body = ask(&service, &wrong).await;
        assert_eq!(body["status"], 400, "{body}");
        assert_eq!(body["parameter"], "comparator", "{body}");
        assert_eq!(body["position"], position, "{body}");
    }
}

pub(crate) async fn invalid_problems_are_refused_with_a_position(place: Place) {
    let service = Service::start_at(&place).await;
    for (draft, status, parameter, position) in [
        (
            json!({"problem": "argmax:4x", "target": "gfx942"}),
            200,
            json!("problem"),
            json!(9),
        ),
        (
            json!({"problem": "arg_compare:4x[8]xf16", "target": "gfx942", "comparator": BLOCK}),
            200,
            json!("problem"),
            json!(0),
        ),
        (
            json!({"problem": "argmax:[8]xf32", "target": "gfx000"}),
            400,
            json!("target"),
            Value::Null,
        ),
        (
            json!({"problem": "argmax:[8]xf32", "target": "gfx942", "generator": "gcc"}),
            400,
            json!("generator"),
            Value::Null,
        ),
        (json!({"target": "gfx942"}), 422, Value::Null, Value::Null),
        (
            json!({"problem": "argmax:[8]xf32", "target": "gfx942", "budget": 1}),
            422,
            Value::Null,
            Value::Null,
        ),
    ] {
        let (head, body) = service.post(CHECK, JSON, &draft.to_string()).await;
        let begin = format!("HTTP/1.1 {status} ");
        assert!(head.starts_with(&begin), "{draft}: {head}\n{body}");
        let body: Value = serde_json::from_str(&body).unwrap();
        let found = [&body["parameter"], &body["position"]];
        assert_eq!(found, [&parameter, &position], "{draft}: {body}");
    }
}
