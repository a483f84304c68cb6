//! Rows that IREE splits: tuned, exported, and compiled by `wavetune iree-compile`.

use std::path::Path;

use testing::Failed;

use crate::iree_kernels::arrived::{self, ARGMAX, Operation};
use crate::iree_kernels::tools::{Tools, compiling_words, tuned_by};

/// Few long rows: pieces are best, and a lane's block within a piece gives the fold's index on
/// ties.
const LONG: Operation = Operation {
    sizes: [2, 32768, 1],
    ..ARGMAX
};

/// The mark of an operation with a configuration from a spec; with both files an operation
/// becomes two.
const APPLIED: &str = "__tuning_spec_applied__";

/// The attribute of a module for which a spec was read.
const READ: &str = "iree_codegen.tuning_spec_mlirbc";

/// The operation with given initial pairs: iree-compile would start each piece from them, and
/// lose the rows.
const BEGUN: &str = "
func.func @f0(%input: tensor<2x32768xf32>, %values: tensor<2xf32>, %indices: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0:2 = iree_linalg_ext.arg_compare dimension(1) ins(%input : tensor<2x32768xf32>) outs(%values, %indices : tensor<2xf32>, tensor<2xi32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf ogt, %a, %b : f32
    iree_linalg_ext.yield %1 : i1
  } -> tensor<2xf32>, tensor<2xi32>
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}
";

/// Checks that rows are split only with both files. With the spec alone, or with another file in
/// the place of the splits, the operation still compiles, with another tie-break.
pub(crate) fn rows_are_split_by_iree(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let db = folder.join("a.db");
    let text = |path: &Path| path.display().to_string();
    let run = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        tools.wavetune_said(&db, &arguments)
    };
    let tune = ["tune", &LONG.problem(), "--generator=iree", "--budget=8"];
    let (status, output, _) = run(&tune)?;
    let output = String::from_utf8_lossy(&output).into_owned();
    let best = output.lines().find(|line| line.contains("  best "));
    if status != Some(0) || !best.is_some_and(|best| best.contains(", split ")) {
        return Err(output.into());
    }

    let (spec, splits) = (folder.join("spec.mlir"), folder.join("splits.mlir"));
    let export = ["export", "iree-spec", "--target=gfx942"];
    let [to, beside] = [
        format!("--output={}", text(&spec)),
        format!("--splits={}", text(&splits)),
    ];
    let (_, _, said) = run(&[&export[..], &[&to]].concat())?;
    if !said.contains("write the file for that with --splits") || splits.exists() {
        return Err(said.into());
    }
    let (status, _, said) = run(&[&export[..], &[&to, &beside]].concat())?;
    if status != Some(0) || !said.contains("1 configurations for gfx942") {
        return Err(said.into());
    }
    let mlir = arrived::module(&[LONG]);
    let vmfb = folder.join("out.vmfb");
    let tuned = tuned_by(&spec)?;
    let [tuned, early] = tuned.each_ref().map(String::as_str);
    let split = format!(
        "--iree-preprocessing-transform-spec-filename={}",
        text(&splits)
    );
    let is_right = || {
        let results = tools.run(folder, &vmfb, "f0", &LONG.inputs(), 2)?;
        LONG.check(&results)
    };
    let configured = folder.join("configured.txt");
    for (options, expected) in [(&[tuned, early, &split][..], 2), (&[tuned, early], 1)] {
        tools.compile_with(&mlir, "gfx942", options, &vmfb)?;
        if expected == 2 {
            is_right()?;
        }
        let stop = ["--compile-to=executable-configurations"];
        tools.compile_with(&mlir, "gfx942", &[options, &stop].concat(), &configured)?;
        let found = std::fs::read_to_string(&configured)?;
        let found = found.matches(APPLIED).count();
        if found != expected {
            return Err(format!("{options:?}: {found} operations are configured").into());
        }
    }

    let preprocessed = [&*split, "--compile-to=preprocessing"];
    for (mlir, expected) in [(&*mlir, 1), (BEGUN, 0)] {
        tools.compile_with(mlir, "gfx942", &preprocessed, &configured)?;
        let found = std::fs::read_to_string(&configured)?;
        let found = found.matches("iree_linalg_ext.split_reduction").count();
        if found != expected {
            return Err(format!("{found} operations are to be split of {mlir}").into());
        }
    }

    let source = folder.join("model.mlir");
    std::fs::write(&source, &mlir)?;
    let compile = |to: &Path, more: &[&str]| {
        let (input, to) = (text(&source), text(to));
        run(&[&compiling_words(&input, &to), more].concat())
    };
    let none = folder.join("none.mlir");
    std::fs::write(
        &none,
        "module attributes {transform.with_named_sequence} {\n  transform.named_sequence @__transform_main(%module: \
         !transform.any_op) {\n    transform.yield\n  }\n}\n",
    )?;
    let other = format!(
        "--iree-preprocessing-transform-spec-filename={}",
        text(&none)
    );
    for (more, expected) in [(&[][..], 2), (&[&*other], 1)] {
        let (status, _, said) = compile(&vmfb, more)?;
        let is_told = said.contains("no rows are split: the command already has ");
        if status != Some(0) || is_told == more.is_empty() {
            return Err(format!("{status:?} {said}").into());
        }
        if expected == 2 {
            is_right()?;
        }
        let stop = ["--compile-to=executable-configurations"];
        compile(&configured, &[more, &stop].concat())?;
        let found = std::fs::read_to_string(&configured)?;
        let found = found.matches(APPLIED).count();
        if found != expected {
            return Err(format!("{more:?}: {found} operations are configured").into());
        }
    }

    // The spec is read before dispatches are compiled in parallel, unless the command has its own
    // passes.
    let stop = "--compile-to=preprocessing";
    let own = "--iree-preprocessing-pass-pipeline=builtin.module(canonicalize)";
    for (more, expected) in [(&[stop][..], true), (&[stop, own], false)] {
        let (status, _, said) = compile(&configured, more)?;
        let is_read = std::fs::read_to_string(&configured)?.contains(READ);
        if (status, is_read) != (Some(0), expected) {
            return Err(format!("{more:?}: {status:?}, read early: {is_read}; {said}").into());
        }
    }
    Ok(())
}
