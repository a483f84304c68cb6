//! Tests of the explanations of configurations, in the form that clients get.

use answers_explanation::{Question, explain};
use configgen::{Configuration, Generator, Space, TARGETS, Target};
use serde_json::{Value, json};

fn question(problem: &str, generator: Generator, configuration: Option<Configuration>) -> Question {
    Question {
        problem: problem.parse().unwrap(),
        target: Target::named("gfx942").unwrap(),
        generator,
        configuration,
    }
}

/// Returns the explanation as JSON, validated against its schema.
fn answer(question: &Question) -> Value {
    let line = answers::line(&explain(question)) + "\n";
    testing_conformance::answer("explanation", line.as_bytes());
    serde_json::from_str(&line).unwrap()
}

#[test]
fn a_configuration_of_the_worked_examples() {
    let configuration = json!({"workgroup": [16, 0], "partial_reduction": [0, 32], "thread": [0, 1],
        "lane_basis": [[16, 4], [1, 0]], "subgroup_basis": [[1, 2], [0, 1]],
        "subgroup_size": 64, "workgroup_size": [128, 1, 1]});
    let given: Configuration = serde_json::from_value(configuration.clone()).unwrap();
    let answer = answer(&question(
        "argmax:1152x[384]xf32",
        Generator::NATIVE,
        Some(given),
    ));
    assert_eq!(answer["refusal"], Value::Null);
    assert_eq!(
        answer["attributes"],
        "#iree_gpu.lowering_config<{workgroup = [16, 0], partial_reduction = [0, 32], thread = [0, 1], \
         lane_basis = [[16, 4], [1, 0]], subgroup_basis = [[1, 2], [0, 1]]}>"
    );
    assert_eq!(
        answer["translation_info"],
        "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> \
         workgroup_size = [128, 1, 1] subgroup_size = 64>"
    );
    assert_eq!(
        answer["command"],
        "wavetune explain 'argmax:1152x[384]xf32:i32' --target gfx942 --configuration \
         '{\"workgroup\":[16,0],\"partial_reduction\":[0,32],\"thread\":[0,1],\"lane_basis\":[[16,4],[1,0]],\
         \"subgroup_basis\":[[1,2],[0,1]],\"subgroup_size\":64,\"workgroup_size\":[128,1,1]}' --stage isa"
    );
    let layout = &answer["layout"];
    assert_eq!(layout["nested_layout"], answer["nested_layout"]);
    let numbers = [
        "threads",
        "subgroups",
        "workgroups",
        "split",
        "rows",
        "columns",
        "steps",
    ];
    let numbers = numbers.map(|name| layout[name].as_u64().unwrap());
    assert_eq!(numbers, [128, 2, 72, 1, 16, 384, 12]);
    assert_eq!(
        layout["dimensions"],
        json!([
            {"size": 1152, "reduced": false, "tile": 16, "steps": 1, "subgroup": {"count": 1, "stride": 16, "id_stride": 2},
             "batch": {"count": 4, "stride": 4}, "lane": {"count": 4, "stride": 1, "id_stride": 1},
             "element": {"count": 1}, "cover": "exact"},
            {"size": 384, "reduced": true, "tile": 32, "steps": 12, "subgroup": {"count": 2, "stride": 16, "id_stride": 1},
             "batch": {"count": 1, "stride": 16}, "lane": {"count": 16, "stride": 1, "id_stride": 4},
             "element": {"count": 1}, "cover": "exact"},
        ])
    );
    let loads = &layout["loads"];
    assert_eq!(loads["steps_shown"], json!([0, 1, 11]));
    assert_eq!(
        (&loads["truncated"], &loads["along"]),
        (&json!(false), &json!("columns"))
    );
    let values = loads["values"].as_array().unwrap();
    assert_eq!(values.len(), 3 * 128 * 4);
    // Lane 42 has row 2 of each batch of four, and column 10 of the subgroup's sixteen.
    let of_lane = |step: u64, subgroup: u64| -> Vec<Value> {
        let wanted = |load: &&Value| load[0] == step && load[1] == subgroup && load[3] == 42;
        values.iter().filter(wanted).cloned().collect()
    };
    assert_eq!(
        of_lane(1, 1)[1],
        json!([1, 1, 1, 42, 6, 32 + 16 + 10, 1, 0, 6 * 384 + 58])
    );
    assert_eq!(
        of_lane(11, 0)[3],
        json!([11, 0, 3, 42, 14, 11 * 32 + 10, 1, 0, 14 * 384 + 362])
    );
    let exchange = layout["exchange"].as_array().unwrap();
    let scopes: Vec<&str> = exchange
        .iter()
        .map(|step| step["scope"].as_str().unwrap())
        .collect();
    assert_eq!(scopes, [vec!["subgroup"; 8], vec!["workgroup"; 2]].concat());
    let lds = &exchange[8];
    assert_eq!(
        (&lds["kind"], &lds["what"]),
        (&json!("lds"), &json!("state"))
    );
    // Each row has two partial results: those of row 1 are in lane 1 of both subgroups.
    assert_eq!(
        (&lds["from"][2], &lds["from"][3]),
        (&json!(1), &json!(64 + 1))
    );
    assert_eq!(lds["from"][32], Value::Null);
}

/// Checks that a question without a configuration explains the generator's default. IREE's has
/// attributes and no map.
#[test]
fn defaults_of_generators() {
    let native = answer(&question("argmax:4x[32000]xf32", Generator::NATIVE, None));
    let default = configgen::native_default(
        &"argmax:4x[32000]xf32".parse().unwrap(),
        Target::named("gfx942").unwrap(),
    );
    assert_eq!(
        native["configuration"],
        serde_json::to_value(default.unwrap()).unwrap()
    );
    assert!(native["layout"].is_object());
    let iree = answer(&question("argmax:4x[32000]xf32", Generator::IREE, None));
    assert!(
        iree["nested_layout"]
            .as_str()
            .unwrap()
            .starts_with("#iree_vector_ext.nested_layout<subgroup_tile = [1, ")
    );
    assert_eq!(
        (&iree["layout"], &iree["command"]),
        (&Value::Null, &Value::Null)
    );
    // IREE assigns one thread to each output, which is no configuration.
    let own = answer(&question("argmax:4x[1009]xf32", Generator::IREE, None));
    assert_eq!(
        (&own["refusal"]["rule"], &own["configuration"]),
        (&Value::Null, &Value::Null)
    );
    assert!(
        own["refusal"]["message"]
            .as_str()
            .unwrap()
            .contains("TileAndFuse")
    );
}

#[test]
fn refusals_have_a_reason() {
    let mut configuration = configgen::native_default(
        &"argmax:4x[32000]xf32".parse().unwrap(),
        Target::named("gfx942").unwrap(),
    )
    .unwrap();
    configuration.lowering.partial_reduction[1] = 3;
    let refused = answer(&question(
        "argmax:4x[32000]xf32",
        Generator::NATIVE,
        Some(configuration.clone()),
    ));
    assert_eq!(refused["refusal"]["rule"], "N7");
    assert!(refused["attributes"].is_string() && refused["configuration"].is_object());
    for name in ["layout", "nested_layout", "command"] {
        assert_eq!(refused[name], Value::Null, "{name}");
    }
    // A configuration for another rank.
    let refused = answer(&question(
        "argmax:[32000]xf32",
        Generator::NATIVE,
        Some(configuration),
    ));
    assert!(refused["refusal"]["rule"].is_string());
    let several = answer(&question("argmax:[4]x[8]xf32", Generator::IREE, None));
    assert_eq!(several["refusal"]["rule"], "0");
}

/// Checks that any configuration of any target is explained with limited output.
#[test]
fn random_questions_have_limited_answers() {
    let mut cut = 0;
    for target in &TARGETS {
        for problem in [
            "argmax:4x[32000]xf32",
            "argmin:[2147483647]xi8",
            "argmax:100000x[5]xf16",
            "argmax:7x[3]x64x[65]xbf16",
        ] {
            let parsed = problem.parse().unwrap();
            for configuration in Space::new(&parsed, target, Generator::NATIVE).sample(20, 3) {
                let asked = Question {
                    target,
                    ..question(problem, Generator::NATIVE, Some(configuration))
                };
                let explanation = explain(&asked);
                let layout = explanation.layout.unwrap();
                assert!(layout.loads.values.len() <= 1 << 16);
                cut += usize::from(layout.loads.truncated);
            }
        }
    }
    assert!(cut > 0);
}
