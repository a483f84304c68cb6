//! Exported kernels run with the launch parameters of their manifest.

use std::path::Path;

use configgen::Problem;
use configgen::reduction::RowOperation;
use serde_json::Value;
use testing::Failed;

use crate::emulated::{TARGETS, export, json, split, target};

/// Runs each operation with row results, with rows shared by workgroups, on the targets in turn.
pub(crate) fn split_row_operations_run() -> Result<(), Failed> {
    for (number, operation) in RowOperation::ALL.into_iter().enumerate() {
        let problem: Problem = format!("{}:2x[7000]xf16", operation.name()).parse()?;
        let name = TARGETS[number % TARGETS.len()];
        let directory = tempfile::tempdir()?;
        let kernel = exported_split(directory.path(), &problem, name)?;
        let kernel = kernel.ok_or_else(|| format!("{problem}: nothing is split on {name}"))?;
        if kernel["waiting_workgroups"].is_null() {
            return Err(format!("{problem}: nobody waits for anybody").into());
        }
        run(directory.path(), &kernel)?;
    }
    Ok(())
}

/// Runs kernels of these problems on each target, or on the targets in turn if `in_turn`: the
/// default, and one with shared rows if there is one.
pub(crate) fn exported_kernels_run(problems: &[Problem], in_turn: bool) -> Result<(), Failed> {
    for (number, problem) in problems.iter().enumerate() {
        let on = match in_turn {
            true => &TARGETS[number % TARGETS.len()..][..1],
            false => &TARGETS[..],
        };
        for name in on {
            let directory = tempfile::tempdir()?;
            let text = problem.to_string();
            // The target lacks the type, so there is no kernel.
            if let Err(rejection) = configgen::native_default(problem, target(name)) {
                println!("{text} on {name}: {rejection}");
                continue;
            }
            for kernel in export(directory.path(), &[text.as_str(), "--target", name])? {
                run(directory.path(), &kernel)?;
            }
            if let Some(kernel) = exported_split(directory.path(), problem, name)? {
                run(directory.path(), &kernel)?;
            }
        }
    }
    Ok(())
}

/// Exports a kernel of the problem with rows shared by workgroups, if there is one.
fn exported_split(
    directory: &Path,
    problem: &Problem,
    name: &str,
) -> Result<Option<Value>, Failed> {
    let Some(configuration) = split(problem, target(name), 1) else {
        return Ok(None);
    };
    let configuration = serde_json::to_string(&configuration)?;
    let text = problem.to_string();
    let of = [
        text.as_str(),
        "--target",
        name,
        "--configuration",
        configuration.as_str(),
    ];
    Ok(export(directory, &of)?.into_iter().next())
}

/// Runs an exported kernel with the launch parameters of its manifest. It exits with 0 and has a
/// time.
fn run(directory: &Path, kernel: &Value) -> Result<(), Failed> {
    let answer = emulate(
        directory,
        kernel,
        "emulated:",
        |_, argument| match argument["access"].as_str() {
            Some("read") => ":random".to_owned(),
            Some("write") => String::new(),
            _ => ":zero".to_owned(),
        },
    )?;
    match answer["time_us"].as_f64() {
        Some(time) if time > 0.0 => Ok(()),
        _ => Err(format!("{}: {answer}", kernel["problem"]).into()),
    }
}

/// Returns the answer of `wavetune emulate` for an exported kernel, on the device, or on any of
/// the target if its name ends with the colon. `content` returns the text behind a buffer's size,
/// from the argument's number and description.
pub(crate) fn emulate(
    directory: &Path,
    kernel: &Value,
    device: &str,
    content: impl Fn(usize, &Value) -> String,
) -> Result<Value, Failed> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let extent = |value: &Value| {
        let sizes = value.as_array().into_iter().flatten();
        sizes.map(Value::to_string).collect::<Vec<_>>().join(",")
    };
    let file = directory.join("kernels").join(text(&kernel["file"]));
    let mut command = vec![
        "emulate".to_owned(),
        file.display().to_string(),
        format!("--grid={}", extent(&kernel["grid"])),
        format!("--block={}", extent(&kernel["block"])),
    ];
    if !device.ends_with(':') {
        command.push(format!("--device={device}"));
    }
    let arguments = kernel["arguments"].as_array().ok_or("no arguments")?;
    for (number, argument) in arguments.iter().enumerate() {
        let (name, kind) = (text(&argument["name"]), text(&argument["type"]));
        command.push(match &argument["bytes"] {
            Value::Null if name == "count" => format!("--arg=i32:{}", kernel["count"]["largest"]),
            Value::Null => format!("--arg={kind}:0"),
            bytes => format!("--arg=buf:{bytes}{}", content(number, argument)),
        });
    }
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let answer = json(directory, &command);
    answer.map_err(|error| {
        let (problem, said) = (&kernel["problem"], error.message().unwrap_or_default());
        format!("{problem} {}: {said}", kernel["configuration"]).into()
    })
}
