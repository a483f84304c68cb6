//! Models of a service: the comparison is that of the command line, a bad module harms its own
//! result only, and a restart loses nothing.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testing::Failed;

use super::gate::HEAD;
use super::{Bed, array, close, number};
use crate::iree_kernels::tools::Tools;
use crate::support::running::{Running, answer, ask};

/// A module that iree-compile refuses, at the end of a text that would be long to compile.
const WRONG: &str =
    "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %b : tensor<4xf32>\n}";

/// A module with 64 GiB of inputs.
const LARGE: &str = "func.func @main(%a: tensor<17179869184xf32>) -> tensor<17179869184xf32> {
  %0 = math.absf %a : tensor<17179869184xf32>
  return %0 : tensor<17179869184xf32>
}";

/// Returns a module with regions that nest deeper than any frontend writes.
fn nested() -> String {
    let depth = 1500;
    let open = "scf.if %c {\n".repeat(depth);
    let close = "}\n".repeat(depth);
    format!("func.func @main(%c: i1) {{\n{open}{close}return\n}}")
}

/// The time that a comparison may take on a busy machine.
const LONG: Duration = Duration::from_secs(300);

fn service(bed: &Bed) -> Result<Running, Failed> {
    Running::service(bed.command(), "127.0.0.1:0")
}

/// Submits a module, and returns the ID.
fn submit(service: &Running, module: &str) -> Result<String, Failed> {
    let model = json!({ "module": module, "target": "gfx942", "name": "model.mlir" });
    let answer = answer(service.address(), "POST /api/v1/models", &model.to_string())?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("no body")?;
    let model = testing_conformance::answer("submitted-model", body.as_bytes());
    let id = model["id"].as_str().ok_or("no id")?.to_owned();
    let location = format!("location: /api/v1/models/{id}");
    match head.starts_with("HTTP/1.1 202 ") && head.contains(&location) {
        true => Ok(id),
        false => Err(answer.into()),
    }
}

fn model(service: &Running, id: &str) -> Result<Value, Failed> {
    ask(service.address(), &format!("GET /api/v1/models/{id}"), "")
}

/// Waits until a model is in one of these states.
fn wait(service: &Running, id: &str, states: &[&str]) -> Result<Value, Failed> {
    let begun = Instant::now();
    loop {
        let found = model(service, id)?;
        let state = found["model"]["state"].as_str().unwrap_or_default();
        if states.contains(&state) {
            testing_conformance::check("judged-model", &found);
            return Ok(found);
        }
        if begun.elapsed() > LONG {
            return Err(format!("not {states:?}: {found}").into());
        }
        sleep(Duration::from_millis(50));
    }
}

/// Returns the times of a profile's commands, call by call.
fn times(profile: &Value) -> Result<Vec<f64>, Failed> {
    let mut times = Vec::new();
    for call in array(profile, "functions")? {
        let commands = array(call, "commands")?.iter();
        times.extend(commands.filter_map(|it| it["time_us"].as_f64()));
    }
    Ok(times)
}

/// Checks that the service says the figures of `wavetune profile` and of `wavetune export`.
pub(super) fn a_service_compares_as_the_command_does(tools: &Tools) -> Result<(), Failed> {
    let bed = Bed::new(tools, HEAD)?;
    let service = service(&bed)?;
    let id = submit(&service, HEAD)?;
    let done = wait(&service, &id, &["done", "failed"])?;
    let comparison = &done["comparison"];
    testing_conformance::check("comparison", comparison);
    let export =
        "export iree-kernels model.mlir --target gfx942 --out kernels --output-format=json";
    let ended = bed.run(export)?;
    let exported = testing_conformance::answer("iree-kernels", &ended.output);
    if comparison["judgement"] != exported["judgement"] {
        return Err(format!("{comparison}\n{exported}").into());
    }
    for (part, words) in [
        ("before", "model.mlir"),
        ("after", "model.mlir --kernels kernels"),
    ] {
        let (one, other) = (times(&comparison[part])?, times(&bed.profile(words)?)?);
        let is_same =
            one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| close(*a, *b));
        if one.is_empty() || !is_same {
            return Err(format!("{part}: {one:?}, not {other:?}").into());
        }
    }
    let gain = &done["model"]["gain"];
    let sum: f64 = times(&comparison["after"])?.iter().sum();
    // The sum in the softmax is an alternative to it, and is left alone, too.
    if !close(number(gain, "after_us")?, sum) || gain["kept"] != 1 || gain["left_alone"] != 2 {
        return Err(format!("{gain}").into());
    }
    // The same request has the same ID, and keeps its comparison meanwhile.
    if submit(&service, HEAD)? != id || submit(&service, &format!("{HEAD}\n"))? == id {
        return Err("another ID".into());
    }
    if model(&service, &id)?["comparison"] != *comparison {
        return Err("the comparison is lost".into());
    }
    service.end()?;
    Ok(())
}

/// Checks that modules which do not compile, nest deeply or need all memory end with a reason, and
/// that the service then compares the next one. It is killed in between.
pub(super) fn bad_models_harm_themselves_only(tools: &Tools) -> Result<(), Failed> {
    let bed = Bed::new(tools, HEAD)?;
    let first = service(&bed)?;
    let wrong = submit(&first, WRONG)?;
    let failed = wait(&first, &wrong, &["done", "failed"])?;
    let reason = failed["model"]["reason"].as_str().unwrap_or_default();
    if failed["model"]["state"] != "failed" || !reason.contains("undeclared SSA value") {
        return Err(format!("{failed}").into());
    }
    let deep = submit(&first, &nested())?;
    wait(&first, &deep, &["done", "failed"])?;
    let (large, last) = (submit(&first, LARGE)?, submit(&first, HEAD)?);
    wait(&first, &large, &["compiling", "judging", "failed", "done"])?;
    first.kill()?;
    // Another service takes a model of a silent one up after 15 s.
    let second = service(&bed)?;
    let failed = wait(&second, &large, &["done", "failed"])?;
    if failed["model"]["state"] != "failed" {
        return Err(format!("{failed}").into());
    }
    let done = wait(&second, &last, &["done", "failed"])?;
    let memory = second.memory()?;
    second.end()?;
    match done["model"]["state"] == "done" && memory < 1 << 20 {
        true => Ok(()),
        false => Err(format!("{memory} kB: {done}").into()),
    }
}
