//! Shared code of the tests with LLVM.
#![allow(
    unreachable_pub,
    dead_code,
    reason = "a module of each test, and not each uses all of it"
)]

pub mod try_out;

use std::path::Path;
use std::process::Command;

use emulator::CodeObject;
use testing::{Failed, Trial};
pub use testing::{Random, llvm};

/// Creates a test that is shown as ignored without LLVM 22, and that fails without it in CI.
pub fn with_llvm(
    name: &str,
    tools: &[&str],
    test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let absent: Vec<&str> = tools
        .iter()
        .copied()
        .filter(|tool| llvm(tool).is_none())
        .collect();
    if absent.is_empty() {
        return Trial::test(name, test);
    }
    let reason = format!("LLVM 22's {} not found", absent.join(", "));
    let in_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    let ignored = !in_ci;
    Trial::test(format!("{name} ({reason})"), move || Err(reason.into())).with_ignored_flag(ignored)
}

/// Compiles a suite's `kernels.hip` for an instruction set, at an optimization level.
pub fn kernels(suite: &str, isa: &str, level: &str) -> Result<CodeObject, Failed> {
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("kernels.hsaco");
    let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let source = suites.join(suite).join("kernels.hip");
    let options = "-x hip --cuda-device-only -nogpuinc -nogpulib --no-gpu-bundle-output";
    let mut clang = Command::new(llvm("clang").ok_or("no clang")?);
    clang.args(options.split(' ')).arg(level);
    clang.arg(format!("--offload-arch={isa}"));
    clang.arg("-o").args([&output, &source]);
    let compiled = codegen_object_cache::compile(&mut clang, &[&source], &output)?;
    match compiled.status.success() {
        true => Ok(CodeObject::load(&std::fs::read(output)?)?),
        false => Err(String::from_utf8_lossy(&compiled.stderr)
            .into_owned()
            .into()),
    }
}
