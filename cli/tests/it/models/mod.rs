//! Whole models: with an export's kernels, no module of `testing/modules` takes longer than with
//! iree-compile alone. Its values are those of the processor.
//!
//! `cargo xtask models` writes docs/models-table.md with `written`.

mod found;
mod measured;
mod page;
mod plain;
mod values;

use std::fmt::Write as _;

use testing::{Failed, Trial};

use crate::iree_kernels::tools::Tools;
use measured::{Corpus, MeasuredModule, measured, measured_corpus, modules};

/// The targets of the long test and of the page, each with its device.
const TARGETS: [(&str, &str); 2] = [
    ("gfx942", "emulated:mi300x"),
    ("gfx1100", "emulated:rx7900xtx"),
];

/// The most compilations of a module with up to ten candidates: the plain module, all candidates,
/// and two selections.
const COMPILATIONS: u64 = 4;

/// The modules of CI's part, with the least number of kernels that stay: each front end, and one
/// module that iree-compile computes best alone.
const SAMPLE: [(&str, usize); 9] = [
    ("hand_layer_norm_aten_f16", 1),
    ("hand_scalar_temperature", 0),
    ("jax_cross_entropy_labels_bf16", 1),
    ("jax_rms_norm_quantised_f8", 1),
    ("jax_rope_f32", 1),
    ("onnx_softmax_f16_dynamic", 1),
    ("torch_argmax_last_token_f16", 1),
    ("torch_log_softmax_padded_vocabulary_f16", 1),
    ("torch_raw_softmax_causal_f32", 1),
];

/// The largest quotient of times that counts as no slowdown.
const SAME: f64 = 1.001;

/// The name of a test, whether it is long, and the test.
type ModelTest = (&'static str, bool, fn(&Tools) -> Result<(), Failed>);

pub(crate) fn trials() -> Vec<Trial> {
    let tools: &'static Result<Tools, String> = Box::leak(Box::new(Tools::find()));
    let tests: [ModelTest; 6] = [
        ("some_are_no_slower", false, some_are_no_slower),
        ("none_is_slower", true, none_is_slower),
        ("written", true, page::written),
        ("operations_are_found", true, found::operations_are_found),
        ("some_plain_values_are_right", false, plain::some_are_right),
        ("plain_values_are_right", true, plain::all_are_right),
    ];
    let tests = tests.into_iter();
    tests
        .map(|(name, is_long, test)| match tools {
            Ok(tools) => Trial::test(name, move || test(tools)).with_ignored_flag(is_long),
            Err(reason) => Trial::test(name, move || Err(reason.into()))
                .with_kind(reason)
                .with_ignored_flag(is_long || std::env::var_os("CI").is_none()),
        })
        .collect()
}

fn some_are_no_slower(tools: &Tools) -> Result<(), Failed> {
    let modules = modules()?;
    for (name, least) in SAMPLE {
        let module = modules.iter().find(|it| it.name == name);
        let module = module.ok_or_else(|| format!("there is no {name}"))?;
        let measured = measured(tools, module, "gfx942", "emulated:mi300x", false)?;
        check(&measured)?;
        // A gate that lets nothing pass would also make nothing slower.
        if measured.kept < least {
            let kept = measured.kept;
            return Err(format!("{name} keeps {kept} kernels, not {least}").into());
        }
    }
    Ok(())
}

fn none_is_slower(tools: &Tools) -> Result<(), Failed> {
    check_all(measured_corpus(tools)?)
}

/// Checks the corpus on each target.
fn check_all(corpus: Corpus) -> Result<(), Failed> {
    let mut faults = String::new();
    for ((target, _), modules) in TARGETS.into_iter().zip(corpus) {
        for module in modules {
            if let Err(fault) = module.and_then(|it| check(&it)) {
                // Writing to a string cannot fail.
                let _ = writeln!(faults, "{target}: {}", fault.message().unwrap_or_default());
            }
        }
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(faults.into()),
    }
}

/// Checks that a module takes no longer in any call, that its values are right, and that few
/// compilations tell so.
fn check(measured: &MeasuredModule) -> Result<(), Failed> {
    let name = &measured.name;
    for call in &measured.calls {
        if let Some(plain) = call.plain_us
            && call.time_us > plain * SAME
        {
            return Err(format!("{name}: {} us instead of {plain} us", call.time_us).into());
        }
    }
    if measured.judged <= 10 && measured.compilations > COMPILATIONS {
        return Err(format!("{name}: {} compilations", measured.compilations).into());
    }
    match &measured.wrong {
        Some(wrong) => Err(format!("{name}: {wrong}").into()),
        None => Ok(()),
    }
}
