//! Explanations of built kernels: their stages side by side, and their cost on a device.

use serde_json::{Value, json};

use crate::endpoints::explanations::{KERNEL, answer};
use crate::endpoints::place::Place;
use crate::endpoints::service::Service;

pub(crate) async fn a_kernel_is_explained(place: Place) {
    let service = Service::start_at(&place).await;
    let question = json!({"problem": "argmax:4x[32000]xf32", "target": "gfx942"});
    let told = answer(&service, KERNEL, 200, &question).await;
    let stages = told["stages"].as_array().unwrap();
    let names: Vec<&str> = stages
        .iter()
        .map(|stage| stage["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "gridwise",
            "blockwise",
            "lanewise",
            "final",
            "layout",
            "ops",
            "hip",
            "llvm",
            "isa"
        ]
    );
    for stage in stages {
        let lines = stage["text"].as_str().unwrap().lines().count();
        assert_eq!(
            stage["marks"].as_array().unwrap().len(),
            lines,
            "{}",
            stage["name"]
        );
    }
    // A load of the operations corresponds to one of the assembly.
    let marks = |stage: usize, word: &str| -> Vec<Value> {
        let lines = stages[stage]["text"].as_str().unwrap().lines();
        let lines = lines.zip(stages[stage]["marks"].as_array().unwrap());
        let lines = lines.filter(|(line, _)| line.contains(word));
        lines
            .flat_map(|(_, marks)| marks.as_array().unwrap().clone())
            .collect()
    };
    let (loads, instructions) = (marks(5, "= load vector"), marks(8, "global_load_dword"));
    assert!(!instructions.is_empty());
    assert!(
        instructions.iter().all(|mark| loads.contains(mark)) || loads.is_empty(),
        "{loads:?} {instructions:?}"
    );

    // Four rows, each shared by 16 workgroups.
    assert_eq!(told["launch"]["grid"], json!([64, 1, 1]));
    // A load of 16 bytes needs four registers.
    assert!(told["launch"]["vgprs"].as_u64().unwrap() > 4);
    let counts = told["instructions"].as_object().unwrap();
    let sum: u64 = counts
        .iter()
        .filter(|(name, _)| *name != "total")
        .map(|(_, n)| n.as_u64().unwrap())
        .sum();
    assert_eq!(counts["total"], sum);
    assert!(
        counts["vmem"].as_u64() >= Some(2) && counts["cross_lane"].as_u64() >= Some(6),
        "{counts:?}"
    );

    let occupancy = &told["occupancy"];
    assert_eq!(occupancy["limit"], "workgroups");
    let each = occupancy["each"].as_array().unwrap();
    let least = each.iter().map(|one| one["waves"].as_u64().unwrap()).min();
    assert_eq!(occupancy["waves_per_simd"].as_u64(), least);
    let model = &told["model"];
    assert_eq!(
        (&model["clock"], &model["device"]),
        (&json!("modelled"), &json!("emulated:mi300x"))
    );
    assert!(
        model["time_us"].as_f64() > model["bound_us"].as_f64(),
        "{model}"
    );
    assert_eq!(model["parts"].as_array().unwrap().len(), 12);

    let mut other = question.clone();
    other["device"] = json!("emulated:mi300a");
    assert_eq!(
        answer(&service, KERNEL, 200, &other).await["model"]["device"],
        "emulated:mi300a"
    );
    // A device of another target, and unknown ones.
    for device in ["emulated:mi210", "hip:0", "emulated:emulated:"] {
        other["device"] = json!(device);
        let told = answer(&service, KERNEL, 200, &other).await;
        assert_eq!(
            (&told["model"], &told["occupancy"]),
            (&Value::Null, &Value::Null),
            "{device}"
        );
    }
    // Too large for an emulation within an answer.
    let large = json!({"problem": "argmax:[67108864]xf16", "target": "gfx942"});
    let told = answer(&service, KERNEL, 200, &large).await;
    assert!(told["model"].is_null() && told["occupancy"].is_object());
    let refused =
        json!({"problem": "argmax:4x[32000]xf32", "target": "gfx942", "generator": "iree"});
    let refused = answer(&service, KERNEL, 422, &refused).await;
    assert_eq!(refused["type"], "/problems/problem-refused");
}
