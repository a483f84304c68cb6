//! Explanations: a configuration, and the elements that each lane of its kernel reads.

use serde_json::{Value, json};

use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{key, right, trial};

const EXPLAIN: &str = "/api/v1/explanations";
const JSON: &str = "application/json";

pub(crate) const KERNEL: &str = "/api/v1/explanations:kernel";

/// Checks the status of an answer, and returns the answer.
pub(crate) async fn answer(service: &Service, target: &str, status: u16, body: &Value) -> Value {
    let (head, body) = service.post(target, JSON, &body.to_string()).await;
    let start = format!("HTTP/1.1 {status} ");
    assert!(head.starts_with(&start), "{head}\n{body:.400}");
    serde_json::from_str(&body).unwrap()
}

pub(crate) async fn a_configuration_is_explained(place: Place) {
    let service = Service::start_at(&place).await;
    let question = json!({"problem": "argmax:4x[32000]xf32", "target": "gfx942"});
    let default = answer(&service, EXPLAIN, 200, &question).await;
    assert_eq!(default["problem"], "argmax:4x[32000]xf32:i32");
    assert_eq!(default["generator"], "native");
    assert_eq!(default["refusal"], Value::Null);
    let values = default["layout"]["loads"]["values"].as_array().unwrap();
    assert!(values.len() > 100, "{}", values.len());

    // The service accepts the configuration that it returns.
    let mut again = question.clone();
    again["configuration"] = default["configuration"].clone();
    assert_eq!(answer(&service, EXPLAIN, 200, &again).await, default);
    // The name is that of the database.
    service.record(&key(), &[trial(1, 256, right(8.0))]).await;
    let (_, trials) = service.get("/api/v1/trials").await;
    let trials: Value = serde_json::from_str(&trials).unwrap();
    let known = &trials["trials"][0];
    again["configuration"] = known["configuration"].clone();
    let explained = answer(&service, EXPLAIN, 200, &again).await;
    assert_eq!(explained["configuration_hash"], known["configuration_hash"]);

    again["configuration"]["partial_reduction"] = json!([0, 3]);
    let refused = answer(&service, EXPLAIN, 200, &again).await;
    assert_eq!(
        (&refused["refusal"]["rule"], &refused["layout"]),
        (&json!("N7"), &Value::Null)
    );
    let iree = json!({"problem": "argmax:4x[32000]xf32", "target": "gfx942", "generator": "iree"});
    let iree = answer(&service, EXPLAIN, 200, &iree).await;
    assert_eq!(
        (&iree["layout"], &iree["command"]),
        (&Value::Null, &Value::Null)
    );
    assert!(iree["nested_layout"].is_string());
}

pub(crate) async fn invalid_questions_are_refused(place: Place) {
    let service = Service::start_without_tools(&place).await;
    let good = || json!({"problem": "argmax:4x[32000]xf32", "target": "gfx942"});
    let with = |name: &str, value: Value| {
        let mut question = good();
        question[name] = value;
        question
    };
    let basis = json!([[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [0, 1]]);
    for (question, status, kind, parameter) in [
        (json!({}), 422, "invalid-body", json!(null)),
        (json!([]), 422, "invalid-body", json!(null)),
        (
            with("problem", json!("argmax:4x[0]xf32")),
            400,
            "invalid-problem",
            json!("problem"),
        ),
        (
            with("target", json!("gfx000")),
            400,
            "invalid-value",
            json!("target"),
        ),
        (
            with("generator", json!("triton")),
            400,
            "invalid-value",
            json!("generator"),
        ),
        (
            with("configuration", json!({"thread": 1})),
            422,
            "invalid-body",
            json!(null),
        ),
        (
            with("configuration", json!({"lane_basis": basis})),
            422,
            "invalid-body",
            json!(null),
        ),
        (
            with("stage", json!("isa")),
            422,
            "invalid-body",
            json!(null),
        ),
    ] {
        let told = answer(&service, EXPLAIN, status, &question).await;
        assert_eq!(told["type"], format!("/problems/{kind}"), "{question}");
        assert_eq!(told["parameter"], parameter, "{question}");
    }
    // Numbers that no kernel has.
    for number in [0, 1, u32::MAX] {
        let tiles = json!([number, number]);
        let basis = json!([[number, number], [1, 0]]);
        let configuration = json!({"workgroup": tiles, "partial_reduction": tiles, "thread": tiles, "lane_basis": basis,
            "subgroup_basis": basis, "subgroup_size": number, "workgroup_size": [number, number, number]});
        let told = answer(
            &service,
            EXPLAIN,
            200,
            &with("configuration", configuration),
        )
        .await;
        assert!(
            told["refusal"]["message"].is_string() && told["layout"].is_null(),
            "{told}"
        );
    }
}

pub(crate) async fn without_tools_a_kernel_is_not_explained(place: Place) {
    let service = Service::start_without_tools(&place).await;
    let question = json!({"problem": "argmax:4x[32000]xf32", "target": "gfx942"});
    let told = answer(&service, KERNEL, 501, &question).await;
    assert_eq!(told["type"], "/problems/tools-missing");
    let nothing = answer(&service, KERNEL, 422, &json!({"device": 1})).await;
    assert_eq!(nothing["type"], "/problems/invalid-body");
}
