//! The untuned kernels of iree-compile for row operations, norms and sums, as a baseline: their
//! results, their modelled times on the emulated MI300X, and the tuned times of the same
//! problems. Tuning uses `--generator iree`, if that supports the problem, and `--generator
//! native`. IREE's own runtime runs the kernels on libwavetune_hip.so, with the times of
//! `emulated:mi300x`. Each launch has cold caches, so a second kernel finds no data of the first.
//!
//! `cargo test -p wavetune --test it -- --ignored --nocapture iree_rows::` prints the tables; a
//! word of a name selects some. Needs iree-compile, IREE's runtime and libLLVM.

mod baseline;
pub(crate) mod element;
pub(crate) mod host;
use crate::iree_kernels::limited;
pub(crate) mod operation;
use crate::iree_kernels::tools;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use configgen::Target;
use element::Element::{Bf16, F16, F32};
use operation::{Kind, Operation, rows};
use serde_json::Value;
use testing::{Failed, Trial};
use tools::Tools;

/// Trials of each search.
const BUDGET: &str = "64";
/// Time limit of a search: some minutes for many long rows.
const SEARCHING: Duration = Duration::from_secs(1500);
/// Tolerated error in units in the last place, for f32 and for other types: IREE's softmax in f16
/// is off by four.
const WRONG: (f64, f64) = (100.0, 8.0);

/// The operations of a table.
type Operations = fn() -> Vec<Operation>;

pub(crate) fn trials() -> Vec<Trial> {
    let tools: &'static Result<Tools, String> = Box::leak(Box::new(Tools::find()));
    let tables: [(&str, Operations); 6] = [
        ("layer_norm_f32", || norms(Kind::LayerNorm, F32)),
        ("layer_norm_bf16", || norms(Kind::LayerNorm, Bf16)),
        ("rms_norm_f32", || norms(Kind::RmsNorm, F32)),
        ("rms_norm_bf16", || norms(Kind::RmsNorm, Bf16)),
        ("softmax", softmaxes),
        ("sums", sums),
    ];
    let mut trials = vec![trial(
        tools,
        "small_ones_are_right".to_owned(),
        small,
        false,
    )];
    for (name, operations) in tables {
        let test = move |tools: &Tools| table(tools, name, &operations());
        trials.push(trial(tools, format!("full: {name}"), test, true));
    }
    trials
}

/// Creates a test. Without the tools it is ignored, with the reason as its kind; in CI it fails.
fn trial(
    tools: &'static Result<Tools, String>,
    name: String,
    test: impl FnOnce(&Tools) -> Result<(), Failed> + Send + 'static,
    is_long: bool,
) -> Trial {
    match tools {
        Ok(tools) => Trial::test(name, move || test(tools)).with_ignored_flag(is_long),
        Err(reason) => Trial::test(name, move || Err(reason.into()))
            .with_kind(reason)
            .with_ignored_flag(is_long || std::env::var_os("CI").is_none()),
    }
}

fn norms(kind: Kind, element: element::Element) -> Vec<Operation> {
    let counts = [1, 64, 4096].into_iter();
    let all = counts.flat_map(|count| [768, 4096].map(|length| rows(kind, count, length, element)));
    all.collect()
}

fn softmaxes() -> Vec<Operation> {
    let shapes = [(4096, 128), (1024, 2048), (64, 32_768), (8, 128_256)];
    let forms = [
        (Kind::Softmax, F32),
        (Kind::Softmax, F16),
        (Kind::SoftmaxInF32, F16),
    ];
    let of_form =
        |(kind, element)| shapes.map(|(count, length)| rows(kind, count, length, element));
    forms.into_iter().flat_map(of_form).collect()
}

fn sums() -> Vec<Operation> {
    let of = |reduced| Operation {
        kind: Kind::Sum,
        sizes: vec![32, 64, 28, 28],
        reduced,
        element: F32,
    };
    vec![of(3), of(1), rows(Kind::Dot, 4096, 4096, F16)]
}

/// Checks that each form compiles, is correct within a tolerance, and has kernels with known
/// times.
fn small(tools: &Tools) -> Result<(), Failed> {
    let sum = Operation {
        kind: Kind::Sum,
        sizes: vec![3, 16, 5],
        reduced: 1,
        element: F32,
    };
    let operations = [
        rows(Kind::LayerNorm, 3, 128, Bf16),
        rows(Kind::RmsNorm, 5, 128, F16),
        rows(Kind::Softmax, 4, 256, F32),
        rows(Kind::SoftmaxInF32, 4, 256, F16),
        rows(Kind::Dot, 16, 256, F16),
        sum,
    ];
    for operation in operations {
        let problem = operation.problem();
        let failed = |reason: String| Failed::from(format!("{problem}: {reason}"));
        let found = baseline::of(tools, &operation)?.map_err(failed)?;
        if is_wrong(&operation, found.error) {
            return Err(failed(format!("off by {} steps", found.error)));
        }
        if found.kernels.is_empty() {
            return Err(failed("no kernel was launched".to_owned()));
        }
    }
    Ok(())
}

fn is_wrong(operation: &Operation, error: f64) -> bool {
    let (of_f32, of_others) = WRONG;
    let most = match operation.result() {
        F32 => of_f32,
        F16 | Bf16 => of_others,
    };
    error > most
}

/// Returns the best time of `wavetune tune` with this generator, and the bound. Continues an
/// earlier run's study in the same file.
fn tuned(problem: &str, generator: &str) -> Result<(f64, f64), Failed> {
    let db = Path::new(env!("CARGO_TARGET_TMPDIR")).join("iree-rows.db");
    let arguments = [
        "tune",
        problem,
        "--generator",
        generator,
        "--device=emulated:mi300x",
        "--budget",
        BUDGET,
        "--output-format=json",
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command.args(arguments).env("WAVETUNE_DB", db);
    let output = limited::output_within(&mut command, SEARCHING)?;
    let said = String::from_utf8_lossy(&output.stderr);
    let answer: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{problem}: {error}: {said}"))?;
    let best = answer["best"]["time_us"].as_f64();
    let bound = answer["bound_us"].as_f64();
    best.zip(bound)
        .ok_or_else(|| format!("{problem}: {answer}").into())
}

/// Prints the rows. A row tells if IREE does not compile the operation or computes it wrongly. A
/// time of IREE's that no kernel beats is an error, and so is one below the bound.
fn table(tools: &Tools, name: &str, operations: &[Operation]) -> Result<(), Failed> {
    let mut faults = Vec::new();
    let target = Target::named("gfx942").ok_or("no gfx942")?;
    println!(
        "\n{name}, modelled on emulated:mi300x\n| problem | as | IREE, µs | dispatches | error, steps | `iree`, µs | `native`, µs | bound, µs | IREE / `iree` | IREE / `native` |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    );
    for operation in operations {
        let problem = operation.problem();
        let found = baseline::of(tools, operation)?;
        let (best, bound) = tuned(&problem, "native")?;
        let configured = operation.problem_of_iree(target);
        let configured = configured
            .map(|problem| tuned(&problem, "iree"))
            .transpose()?;
        let configured = configured.map(|(best, _)| best);
        let written =
            |number: Option<f64>| number.map_or("–".to_owned(), |it| format!("{it:.2}"));
        let (cells, time_us) = match &found {
            Ok(found) => {
                let wrong = if is_wrong(operation, found.error) {
                    ", wrong"
                } else {
                    ""
                };
                let others = match found.others {
                    0 => String::new(),
                    others => format!(" and {others} copies or fills"),
                };
                let cells = format!(
                    "{:.2} | {}{others} | {:.2}{wrong}",
                    found.time_us,
                    found.kernels.len(),
                    found.error
                );
                (cells, Some(found.time_us))
            }
            Err(reason) => (format!("{reason} | – | –"), None),
        };
        let of_iree =
            |time_us: Option<f64>| written(time_us.zip(configured).map(|(all, one)| all / one));
        println!(
            "| `{problem}` | {} | {cells} | {} | {best:.2} | {bound:.2} | {} | {} |",
            operation.form(),
            written(configured),
            of_iree(time_us),
            written(time_us.map(|it| it / best)),
        );
        let Ok(found) = found else { continue };
        for kernel in &found.kernels {
            println!(
                "    {:.2} µs: {}, workgroups {} of {}",
                kernel.time_us, kernel.name, kernel.workgroups, kernel.workgroup_size
            );
        }
        if found.time_us <= best {
            faults.push(format!(
                "{problem}: IREE's {} is not beaten by {best}",
                found.time_us
            ));
        }
        let least = found.time_us.min(best).min(configured.unwrap_or(best));
        if least < bound * (1.0 - 1e-9) {
            faults.push(format!("{problem}: {least} of a bound of {bound}"));
        }
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(faults.join("\n").into()),
    }
}
