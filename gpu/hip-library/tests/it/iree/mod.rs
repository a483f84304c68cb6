//! IREE's own runtime on this library. Programs from iree-compile run under iree-run-module and
//! iree-benchmark-module from PyPI. Needs iree-base-compiler and iree-base-runtime.
//!
//! The results are compared with the fold on the host, on rows of distinct values, whose winners
//! have one index.

mod operation;
mod rows;
mod tools;

use std::path::Path;

use operation::{CASES, Case, Indices};
use testing::{Failed, Trial};
use tools::Tools;

/// Instruction sets, each with a device.
const DEVICES: [(&str, &str); 2] = [("gfx942", "mi300x"), ("gfx90a", "mi250x")];

type Test = fn(&Tools) -> Result<(), Failed>;

pub(crate) fn trials() -> Vec<Trial> {
    let tools: &'static Result<Tools, String> = Box::leak(Box::new(Tools::find()));
    let mut trials = Vec::new();
    for (target, device) in DEVICES {
        for case in CASES {
            let name = format!("iree_run_module {target} {}", case.name);
            trials.push(trial(tools, name, move |tools| {
                runs(tools, case, target, device)
            }));
        }
    }
    let more: [(&str, Test); 3] = [
        ("iree_run_module with_graphs", with_graphs),
        ("iree_benchmark_module", benchmark),
        ("iree_run_module of_another_target", of_another_target),
    ];
    for (name, test) in more {
        trials.push(trial(tools, name.to_owned(), test));
    }
    trials
}

/// Returns a trial. Without the tools it is ignored, with the reason as its kind; in CI it fails.
fn trial(
    tools: &'static Result<Tools, String>,
    name: String,
    test: impl FnOnce(&Tools) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    match tools {
        Ok(tools) => Trial::test(name, move || test(tools)),
        Err(reason) => Trial::test(name, move || Err(reason.into()))
            .with_kind(reason)
            .with_ignored_flag(std::env::var_os("CI").is_none()),
    }
}

/// Compiles a case, writes its inputs, and returns the arguments of iree-run-module.
fn prepare(tools: &Tools, case: &Case, target: &str, folder: &Path) -> Result<Vec<String>, Failed> {
    let module = folder.join("module.vmfb");
    tools.compile(&case.mlir(), target, case.options, &module)?;
    let mut arguments = vec![
        format!("--module={}", module.display()),
        "--function=main".to_owned(),
    ];
    let shape = case.shape();
    let mut input = |name: &str, kind: &str, bytes: &[u8]| -> Result<(), Failed> {
        let file = folder.join(name);
        std::fs::write(&file, bytes)?;
        arguments.push(format!("--input={shape}x{kind}=@{}", file.display()));
        Ok(())
    };
    input("elements.bin", case.element.name, &case.elements())?;
    if case.indices == Indices::Explicit {
        input("indices.bin", case.index.name, &case.explicit_indices())?;
    }
    Ok(arguments)
}

fn check(
    tools: &Tools,
    case: &Case,
    target: &str,
    device: &str,
    flags: &[&str],
) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut arguments = prepare(tools, case, target, folder.path())?;
    let (values, indices) = (folder.path().join("v.bin"), folder.path().join("i.bin"));
    for file in [&values, &indices] {
        arguments.push(format!("--output=@{}", file.display()));
    }
    arguments.extend(flags.iter().map(ToString::to_string));
    tools.run("iree-run-module", device, &arguments)?;
    let (expected_values, expected_indices) = case.expected();
    if std::fs::read(&values)? != expected_values {
        return Err("the values differ".into());
    }
    let found = std::fs::read(&indices)?;
    if found != expected_indices {
        return Err(format!("indices {found:?}, expected {expected_indices:?}").into());
    }
    Ok(())
}

fn runs(tools: &Tools, case: &Case, target: &str, device: &str) -> Result<(), Failed> {
    check(tools, case, target, device, &[])
}

/// Checks command buffers that are graphs.
fn with_graphs(tools: &Tools) -> Result<(), Failed> {
    check(
        tools,
        &CASES[0],
        "gfx942",
        "mi300x",
        &["--hip_use_streams=false"],
    )
}

fn benchmark(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut arguments = prepare(tools, &CASES[0], "gfx942", folder.path())?;
    arguments.push("--benchmark_min_time=3x".to_owned());
    let said = tools.run("iree-benchmark-module", "mi300x", &arguments)?;
    match said.contains("BM_main") {
        true => Ok(()),
        false => Err(said.into()),
    }
}

/// Checks that code for another device is refused, by name.
fn of_another_target(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let arguments = prepare(tools, &CASES[0], "gfx90a", folder.path())?;
    match tools.run("iree-run-module", "mi300x", &arguments) {
        Ok(said) => Err(format!("it ran: {said}").into()),
        Err(said) if said.contains("hipErrorNoBinaryForGpu") => Ok(()),
        Err(said) => Err(said.into()),
    }
}
