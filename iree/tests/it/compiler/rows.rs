//! Spec entries of row operations that IREE compiles to one kernel: all operations of the kernel
//! are configured, in each form that the entry matches.

use std::fs;
use std::process::Command;

use configgen::{Pipeline, Problem};
use iree::spec::{Spec, SpecEntry};
use iree::{IreeCompiler, MlirModule};
use testing::Failed;

use super::{ensure, target};

/// One wave for a row of 768 elements.
const ROW: &str = r#"{"workgroup": [1, 0], "partial_reduction": [0, 256], "thread": [0, 4],
    "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[1, 1], [0, 1]], "subgroup_size": 64, "workgroup_size": [64, 1, 1]}"#;

/// The form of torch's RMS norm in iree-compile.
const OF_TORCH: &str =
    include_str!("../../../../configgen/src/linalg/frontend_forms/rms_norm.mlir");

/// Returns the number of a module's operations with the steps of [`ROW`], folds and others, and
/// the number of applied entries.
fn steps(compiler: &IreeCompiler, module: &str, entry: &str) -> Result<[usize; 3], Failed> {
    let problem: Problem = entry.parse()?;
    let pipeline = Pipeline::VectorDistribute(serde_json::from_str(ROW)?);
    let entries = [SpecEntry {
        problem: &problem,
        range: None,
        pipeline: &pipeline,
        provenance: "a test",
    }];
    let folder = tempfile::tempdir()?;
    let [source, spec] = ["module.mlir", "spec.mlir"].map(|name| folder.path().join(name));
    fs::write(&source, module)?;
    fs::write(
        &spec,
        Spec::new(target(), "iree-compile", &entries)?.to_string(),
    )?;
    let output = Command::new(compiler.path())
        .args(["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"])
        .args(["--compile-to=executable-configurations", "-o", "-"])
        .arg("--mlir-disable-threading")
        .arg(format!(
            "--iree-codegen-tuning-spec-path={}",
            spec.display()
        ))
        .arg(source)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let text = String::from_utf8(output.stdout)?;
    let found = [
        "partial_reduction = [0, 256]",
        "serial = [0, 256]",
        "__tuning_spec_applied__",
    ];
    Ok(found.map(|found| text.matches(found).count()))
}

fn check(
    compiler: &IreeCompiler,
    (module, entry): (&str, &str),
    expected: [usize; 3],
) -> Result<(), Failed> {
    let found = steps(compiler, module, entry)?;
    ensure(found == expected, || {
        format!("{found:?} of an entry of {entry} and\n{module}")
    })
}

/// Checks that the module of a problem takes its entry as a whole, and no entry of a neighbour.
pub(super) fn rows_are_configured_as_a_whole(compiler: &IreeCompiler) -> Result<(), Failed> {
    let (softmax, norm, none) = ([2, 1, 1], [1, 1, 1], [0; 3]);
    for (module, entry, expected) in [
        ("softmax:64x[768]xf32", "softmax:64x[768]xf32", softmax),
        ("softmax:64x[768]xf16", "softmax:64x[768]xf16", softmax),
        ("softmax:64x[768]xf16", "softmax:64x[768]xbf16", none),
        ("rms_norm:64x[768]xf32", "rms_norm:64x[768]xf32", norm),
        ("rms_norm:64x[768]xbf16", "rms_norm:64x[768]xbf16", norm),
        ("rms_norm:64x[768]xbf16", "rms_norm:64x[768]xf16", none),
        ("rms_norm:64x[768]xf32", "rms_norm:32x[768]xf32", none),
        (
            "rms_norm:64x[768]xf32",
            "rms_norm:64x[768]xf32:epsilon=0.5",
            none,
        ),
    ] {
        let problem: Problem = module.parse()?;
        let module = MlirModule::new(&problem, None)?.to_string();
        check(compiler, (&module, entry), expected)?;
    }
    let entry = "rms_norm:64x[768]xf32";
    for (epsilon, expected) in [("0x358637BD", norm), ("0x358637BE", none)] {
        let module = OF_TORCH
            .replace("ROWS", "64")
            .replace("COLUMNS", "768")
            .replace("COUNT", "768.0 : f32")
            .replace("EPSILON", &format!("{epsilon} : f32"));
        check(compiler, (&module, entry), expected)?;
    }
    Ok(())
}
