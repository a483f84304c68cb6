//! `cargo xtask demo`: the main task, from a problem to a module that only compiles with a tuned
//! configuration.
//!
//! The demo prints each command as a user would type it. It runs in its own folder with its own
//! database, and touches no file of the user. A step that does not show its result ends the demo.

mod build;
mod service;
mod shell;

use std::time::Instant;

use anyhow::{Context, Result};

use crate::setup;
use crate::step::StepFailure;
use crate::workspace;
use shell::Shell;

/// Trials of the first tuning without `--budget`.
pub(crate) const BUDGET: u32 = 128;

/// The problem of the native kernels: one argmax over the vocabulary for each of four sequences.
const NATIVE: &str = "argmax:4x[32000]xf32";
/// A problem that iree-compile cannot compile unaided. IREE 3.13.0 gives each of the four rows
/// several subgroups, and its distribution of arg_compare does not support that.
const IREE: &str = "argmax:4x[4096]xf32";
/// [`IREE`] as a module.
const MODULE: &str = include_str!("argmax_4x4096xf32.mlir");

/// Parses the value of `--budget`.
pub(crate) fn parse_budget(text: &str) -> Result<u32> {
    let trials = text.parse().ok().filter(|trials| *trials > 0);
    trials.with_context(|| format!("--budget {text}: not a number of trials from 1 on"))
}

/// Runs the demo, with `budget` trials in the first tuning.
pub(crate) fn run(budget: u32) -> Result<()> {
    setup::run(setup::SetupPurpose::Demo)?;
    let wavetune = build::wavetune()?;
    let start = Instant::now();
    let shell = Shell::new(&workspace::target_dir()?, wavetune)?;
    tune(&shell, budget)?;
    compile(&shell)?;
    service::ask(&shell, NATIVE)?;
    println!(
        "\nThe demo took {:.1} s after the build.",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn tune(shell: &Shell, budget: u32) -> Result<()> {
    println!("\n== What wavetune works with");
    shell.run(&["wavetune", "doctor"])?;
    println!("\n== A faster configuration for an MI300X that is not there");
    let budget = budget.to_string();
    shell.run(&[
        "wavetune", "tune", NATIVE, "--budget", &budget, "--db", "demo.db",
    ])?;
    println!("\n== The answer is stored");
    shell.run(&[
        "wavetune", "lookup", NATIVE, "--target", "gfx942", "--db", "demo.db",
    ])?;
    Ok(())
}

fn compile(shell: &Shell) -> Result<()> {
    std::fs::write(shell.folder().join("argmax.mlir"), MODULE)?;
    let target = ["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"];
    let plain = [
        &["iree-compile"],
        &target[..],
        &["argmax.mlir", "-o", "argmax.vmfb"],
    ]
    .concat();
    let spec = "--iree-codegen-tuning-spec-path=spec.mlir";

    println!("\n== iree-compile does not compile argmax.mlir, an argmax of 4x4096 f32");
    let said = shell.fails(&plain)?;
    // Another error would mean that the demo no longer shows this limit of IREE.
    expect(
        said.contains("failed to distribute"),
        "iree-compile failed for another reason",
    )?;

    println!("\n== A configuration that it can compile, and the same compiler with it");
    let generator = ["--generator", "iree", "--budget", "32", "--db", "demo.db"];
    shell.run(&[&["wavetune", "tune", IREE], &generator[..]].concat())?;
    let export = [
        "wavetune",
        "export",
        "iree-spec",
        "--target",
        "gfx942",
        "--db",
        "demo.db",
    ];
    shell.run(&[&export[..], &["--output", "spec.mlir", IREE]].concat())?;
    shell.run(&[&plain[..], &[spec]].concat())?;
    expect(
        shell.folder().join("argmax.vmfb").is_file(),
        "iree-compile left no argmax.vmfb",
    )?;
    // The module alone does not tell if the spec was applied; the configurations of its
    // executables do.
    let configurations = [
        "argmax.mlir",
        "--compile-to=executable-configurations",
        "-o",
        "-",
    ];
    let shown =
        shell.prints(&[&["iree-compile"], &target[..], &configurations, &[spec]].concat())?;
    expect(
        shown.contains("__tuning_spec_applied__"),
        "no operation took the tuning spec",
    )?;
    println!("(its arg_compare now carries __tuning_spec_applied__)");
    Ok(())
}

/// Returns an error if the demo's promise is not kept.
fn expect(as_promised: bool, otherwise: &str) -> Result<()> {
    if as_promised {
        Ok(())
    } else {
        Err(StepFailure(format!("demo: {otherwise}")).into())
    }
}
