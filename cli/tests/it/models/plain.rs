//! Whole models as iree-compile makes them by default, matrix instructions included. IREE's own
//! runtime runs them on libwavetune_hip.so.

use std::fmt::Write as _;

use testing::Failed;

use super::measured::{CorpusModule, modules};
use super::values;
use crate::iree_kernels::tools::Tools;

/// The targets, each with its device.
const TARGETS: [(&str, &str); 4] = [
    ("gfx942", "mi300x"),
    ("gfx90a", "mi250x"),
    ("gfx1100", "rx7900xtx"),
    ("gfx1201", "rx9070xt"),
];

/// The models: transformer blocks, decoder steps and classifiers, by parts of their names.
const MODELS: [&str; 5] = ["bert", "gpt2", "llama_step", "cnn_head", "classifier"];

/// The models of CI's part: small ones with matrix products, each on a target.
const SAMPLE: [(&str, usize); 2] = [
    ("torch_gpt2_head_bf16", 0),
    ("torch_cnn_head_f16_dynamic", 2),
];

/// Modules that iree-compile 3.13.0 itself refuses: the targets, and a part of the reason.
const REFUSED: [(&str, &[&str], &str); 3] = [
    (
        "torch_llama_step_f16",
        &["gfx90a"],
        "only supported on gfx942+",
    ),
    (
        "torch_raw_llama_step_f16",
        &["gfx90a"],
        "only supported on gfx942+",
    ),
    (
        "torch_raw_llama_step_f16_dynamic",
        &["gfx942", "gfx90a", "gfx1100", "gfx1201"],
        "failed to distribute",
    ),
];

fn check(tools: &Tools, module: &CorpusModule, target: usize) -> Result<(), String> {
    let (target, device) = TARGETS[target];
    let fault = |fault: Failed| fault.message().unwrap_or_default().to_owned();
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let found = values::wrong(tools, folder.path(), module, target, device, None).map_err(fault);
    let is_it = |it: &&(&str, &[&str], &str)| it.0 == module.name && it.1.contains(&target);
    let refused = REFUSED.iter().find(is_it);
    match (found, refused) {
        (Ok(None), None) => Ok(()),
        (Err(failed), Some(&(_, _, reason))) if failed.contains(reason) => Ok(()),
        (found, refused) => Err(format!(
            "{} on {target}: {found:?} {refused:?}",
            module.name
        )),
    }
}

pub(super) fn some_are_right(tools: &Tools) -> Result<(), Failed> {
    let modules = modules()?;
    for (name, target) in SAMPLE {
        let module = modules.iter().find(|it| it.name == name);
        check(tools, module.ok_or(format!("no {name}"))?, target)?;
    }
    Ok(())
}

pub(super) fn all_are_right(tools: &Tools) -> Result<(), Failed> {
    let modules = modules()?.into_iter();
    let models = modules.filter(|it| MODELS.iter().any(|word| it.name.contains(word)));
    let mut faults = String::new();
    for module in models {
        for target in 0..TARGETS.len() {
            if let Err(fault) = check(tools, &module, target) {
                // Writing to a string cannot fail.
                let _ = writeln!(faults, "{fault}");
            }
        }
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(faults.into()),
    }
}
