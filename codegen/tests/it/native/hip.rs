//! The HIP C++ of a kernel, compiled by clang as a person would, in place of LLVM's code object.

use std::path::Path;
use std::process::Command;

use codegen::CompiledKernel;
use codegen::cache;
use codegen::native::{Native, NativeStage, explain, specimens};
use configgen::{Configuration, Problem, Target};
use testing::Failed;

use crate::native::{ensure, run};

/// The newest target of each family, and both subgroup sizes if there are two.
const SOME: [(&str, u32); 4] = [
    ("gfx942", 64),
    ("gfx950", 64),
    ("gfx1030", 64),
    ("gfx1201", 32),
];

/// The targets that run all specimens.
const ALL: [&str; 6] = [
    "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201",
];

/// Compiles a source with clang, without a warning, to a code object or assembly.
pub(crate) fn compile(
    source: &str,
    target: &Target,
    subgroup_size: u32,
    options: &[&str],
) -> Result<Vec<u8>, Failed> {
    let folder = tempfile::tempdir()?;
    let [input, output] = ["kernel.hip", "kernel.out"].map(|name| folder.path().join(name));
    std::fs::write(&input, source)?;
    let width = match subgroup_size {
        64 => "-mwavefrontsize64",
        _ => "-mno-wavefrontsize64",
    };
    let mut clang = Command::new(testing::llvm("clang").ok_or("no clang")?);
    clang
        .args(["-x", "hip", "--cuda-device-only", "-nogpuinc", "-nogpulib"])
        .args(["-std=c++17", "-O3", "-Wall", "-Wextra", "-Werror"])
        .args(["--no-gpu-bundle-output", width])
        .arg(format!("--offload-arch={target}"))
        .args(options)
        .args([Path::new("-o"), &output, &input]);
    let result = cache::compile(&mut clang, &[&input], &output)?;
    ensure(result.status.success(), || {
        String::from_utf8_lossy(&result.stderr).into_owned()
    })?;
    Ok(std::fs::read(output)?)
}

/// Checks the small specimens on two of a few targets each; [`every_specimen_is_right`] checks
/// the others.
pub(crate) fn some_specimens_are_right(native: &Native) -> Result<(), Failed> {
    for (number, (target, size)) in SOME.into_iter().enumerate() {
        let mut kernels = specimens(size);
        kernels.retain(|(problem, _)| problem.shape.elements() < 1 << 15);
        let kernels = kernels.into_iter().enumerate();
        let kernels = kernels.filter(|(place, _)| place % 2 == number % 2);
        let kernels: Vec<_> = kernels.map(|(_, kernel)| kernel).collect();
        check(native, Target::named(target).ok_or("no target")?, &kernels)?;
    }
    Ok(())
}

pub(crate) fn every_specimen_is_right(native: &Native) -> Result<(), Failed> {
    for target in ALL {
        let target = Target::named(target).ok_or("no target")?;
        for &size in target.subgroup_sizes {
            check(native, target, &specimens(size))?;
        }
    }
    Ok(())
}

/// Launches clang's kernels with the launches of LLVM's. Kernels that are too large for the
/// emulator are only compiled.
pub(crate) fn check(
    native: &Native,
    target: &Target,
    kernels: &[(Problem, Configuration)],
) -> Result<(), Failed> {
    let results = native.compile_batch(target, kernels);
    let mut failures = Vec::new();
    for ((problem, configuration), kernel) in kernels.iter().zip(results) {
        let one = || {
            let source = explain(problem, target, configuration, NativeStage::Hip)?;
            let code_object = compile(&source, target, configuration.subgroup_size, &[])?;
            let kernel = CompiledKernel {
                code_object: code_object.into(),
                ..kernel?
            };
            match problem.shape.elements() < 1 << 24 {
                true => run::check(problem, &kernel, 5),
                false => Ok(()),
            }
        };
        if let Err(failed) = one() {
            let message = failed.message().unwrap_or("failed").to_owned();
            let configuration = serde_json::to_string(configuration)?;
            failures.push(format!("{target} {problem} {configuration}: {message}"));
        }
    }
    ensure(failures.is_empty(), || failures.join("\n"))
}

/// Checks that clang inlines the functions of a source on each target. A call costs as much as a
/// step of a small kernel.
pub(crate) fn kernels_call_nothing(_: &Native) -> Result<(), Failed> {
    for target in &configgen::TARGETS {
        let size = target.subgroup_sizes[0];
        let specimens = specimens(size).into_iter().take(4);
        for (problem, configuration) in specimens {
            let source = explain(&problem, target, &configuration, NativeStage::Hip)?;
            let text = String::from_utf8(compile(&source, target, size, &["-S"])?)?;
            ensure(!text.contains("s_swappc"), || format!("{target}: {source}"))?;
        }
    }
    Ok(())
}

/// Checks the loop of the f32x4 specimen: wide loads from a scalar base, and as few vector
/// instructions as the IR's, see `the_inner_loop_is_tight`. After the loop, exchanges of
/// positions are part of the instructions that use them.
pub(crate) fn the_inner_loop_is_tight(_: &Native) -> Result<(), Failed> {
    let target = crate::native::target();
    let (problem, configuration) = &specimens(64)[0];
    let source = explain(problem, target, configuration, NativeStage::Hip)?;
    let text = String::from_utf8(compile(&source, target, 64, &["-S"])?)?;
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let loop_start = lines.iter().position(|line| line.starts_with(".LBB0_1:"));
    let body: Vec<&str> = lines[loop_start.ok_or("no loop")?..]
        .iter()
        .copied()
        .take_while(|line| !line.starts_with("s_cbranch"))
        .collect();
    let shown = || body.join("\n");
    let count =
        |lines: &[&str], prefix: &str| lines.iter().filter(|line| line.starts_with(prefix)).count();
    let vector = count(&body, "v_");
    // A comparison and two selects per element, the positions of two batches at once, and the
    // instructions that keep the offset apart.
    ensure(vector == 3 * 16 + 3, || {
        format!("{vector} vector instructions:\n{}", shown())
    })?;
    let loads: Vec<&&str> = body
        .iter()
        .filter(|line| line.starts_with("global_load"))
        .collect();
    let is_wide = |line: &&&str| line.starts_with("global_load_dwordx4") && line.contains(", s[");
    ensure(loads.len() == 4 && loads.iter().all(is_wide), shown)?;
    // All exchanges of the position except the broadcasts to some rows. Each exchange of the best
    // value is an instruction of its own, see `max_of_numbers`.
    ensure(count(&lines, "v_min_u32_dpp") == 4, || text.clone())
}
