//! Profiles as a trace for Perfetto (`ui.perfetto.dev`), in the JSON format of Chrome's trace
//! events.

use serde_json::{Value, json};

use crate::function_profile::FunctionProfile;

/// Returns the trace: one track for each profiled call, with its commands one after the other.
pub fn trace(device: &str, calls: &[FunctionProfile]) -> Value {
    let mut events = vec![json!({
        "name": "process_name", "ph": "M", "pid": 1, "args": { "name": device },
    })];
    for (number, call) in calls.iter().enumerate() {
        let track = number + 1;
        let name = format!("{}({})", call.function, call.inputs.join(", "));
        events.push(json!({
            "name": "thread_name", "ph": "M", "pid": 1, "tid": track, "args": { "name": name },
        }));
        let mut start = 0.0;
        for command in &call.commands {
            let mut facts = json!({
                "read_bytes": command.read_bytes,
                "written_bytes": command.written_bytes,
                "bound_us": command.bound_us,
            });
            if let Some(kernel) = command.kernel() {
                facts["operations"] = json!(kernel.operations.join(", "));
                facts["workgroups"] = json!(kernel.workgroups);
                facts["workgroup_size"] = json!(kernel.workgroup_size);
                facts["bottleneck"] = json!(kernel.bottleneck);
            }
            // A command without a time is an instant event, and the end of one with a lower bound
            // is not known.
            let mut name = command.name().to_owned();
            let (phase, length) = match &command.time_us {
                Ok(time) => ("X", *time),
                Err(unknown) => {
                    facts["time_unknown"] = json!(unknown.reason);
                    match unknown.least_us {
                        Some(least) => {
                            name += " (takes longer)";
                            facts["least_us"] = json!(least);
                            ("X", least)
                        }
                        None => ("i", 0.0),
                    }
                }
            };
            events.push(json!({
                "name": name, "ph": phase, "pid": 1, "tid": track, "s": "t",
                "ts": start, "dur": length, "args": facts,
            }));
            start += length;
        }
    }
    json!({ "traceEvents": events, "displayTimeUnit": "ns" })
}
