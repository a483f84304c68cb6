//! Placement: the kernels that iree-compile puts into a model, by its text before it forms
//! dispatches.

use std::ffi::OsString;

use anyhow::Context;
use configgen::{Problem, Target};
use iree::LoweredModule;
use iree_export::IreeExport;

use crate::model::ModelFile;

/// Removes the kernels that iree-compile puts into none of these models, with the reason.
///
/// Two kernels may be for the same operation, and only one is placed there. The other one is a
/// variant of the same problem, or the kernel of another problem.
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
    let is_placed = |symbol: &str| {
        let launch = format!("\"{symbol}\"");
        lowered.iter().any(|it| it.text.contains(&launch))
    };
    let (placed, others): (Vec<_>, Vec<_>) = (export
        .kernels()
        .iter()
        .map(|it| (it.symbol.clone(), it.problem.clone())))
    .partition(|it| is_placed(&it.0));
    let placed: Vec<Problem> = placed.into_iter().map(|it| it.1).collect();
    for (symbol, problem) in others {
        let reason = unplaced_reason(&problem, &placed, &export.rivals(&problem));
        export.remove(&symbol, reason);
    }
    Ok(())
}

/// Returns the reason why a kernel of this problem has no place. There is none if another kernel of
/// the problem has one.
fn unplaced_reason(problem: &Problem, placed: &[Problem], rivals: &[&Problem]) -> Option<String> {
    if placed.contains(problem) {
        return None;
    }
    let rival = placed.iter().find(|it| rivals.contains(it));
    Some(match rival {
        Some(rival) => format!("the kernel of {rival} takes its operations"),
        None => "iree-compile places it nowhere in the model".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(placed: &[&str], rivals: &[&str], expected: Option<&str>) {
        let of = |texts: &[&str]| -> Vec<Problem> {
            texts.iter().map(|it| it.parse().unwrap()).collect()
        };
        let (own, placed, rivals) = (of(&["softmax:8x[64]xf32"]), of(placed), of(rivals));
        let rivals: Vec<&Problem> = rivals.iter().collect();
        let reason = unplaced_reason(&own[0], &placed, &rivals);
        assert_eq!(reason.as_deref(), expected);
    }

    #[test]
    fn reasons_of_kernels_without_a_place() {
        let nowhere = Some("iree-compile places it nowhere in the model");
        check(&[], &[], nowhere);
        check(&["sum:8x[64]xf32"], &[], nowhere);
        check(&[], &["sum:8x[64]xf32"], nowhere);
        // A variant without split rows.
        check(&["softmax:8x[64]xf32"], &["sum:8x[64]xf32"], None);
        check(
            &["max:8x[64]xf32", "sum:8x[64]xf32"],
            &["sum:8x[64]xf32"],
            Some("the kernel of sum:8x[64]xf32 takes its operations"),
        );
    }
}
