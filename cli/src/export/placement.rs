//! Placement: the kernels that iree-compile puts into a model, by its text before it forms
//! dispatches.

use std::ffi::OsString;

use anyhow::Context;
use configgen::Target;
use iree::LoweredModule;
use iree_export::IreeExport;

use crate::model::ModelFile;

/// Removes the kernels that iree-compile puts into none of these models, with the reason.
///
/// Two kernels may be for the same operation, and only one is placed there.
pub(super) fn remove_unplaced(
    export: &mut IreeExport<'_>,
    models: &[ModelFile],
    target: &Target,
    options: &[OsString],
) -> anyhow::Result<()> {
    let kernels = export.kernels().iter();
    let symbols: Vec<String> = kernels.map(|it| it.symbol.clone()).collect();
    if symbols.is_empty() {
        return Ok(());
    }
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let spec = folder.path().join("spec.mlir");
    let all: Vec<&str> = symbols.iter().map(String::as_str).collect();
    std::fs::write(&spec, export.spec_of(&all)).context("cannot write a temporary file")?;
    let lowered = models.iter().map(|model| {
        let module = model.module();
        let lowered = (model.compiler).lower(module, target, options, Some(&spec));
        lowered.with_context(|| {
            format!(
                "iree-compile does not read {} with the kernels",
                module.display()
            )
        })
    });
    let lowered: Vec<LoweredModule> = lowered.collect::<anyhow::Result<_>>()?;
    for symbol in &symbols {
        let launch = format!("\"{symbol}\"");
        if !lowered.iter().any(|it| it.text.contains(&launch)) {
            let reason = "iree-compile places it nowhere in the model";
            export.remove(symbol, Some(reason.to_owned()));
        }
    }
    Ok(())
}
