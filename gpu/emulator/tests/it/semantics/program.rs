//! Assembling and running the tests' kernels.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use emulator::{CodeObject, EmulatedMemory, KernelLaunch, run};
use testing::Failed;

use crate::semantics::dialect::Dialect;
use crate::semantics::support::llvm;

/// A kernel of many instructions, with each of them and its text.
pub(crate) type Kernel<T> = Result<(CodeObject, Vec<(T, String)>), Failed>;

/// Runs llvm-mc on a file; returns its messages.
fn assemble(dialect: Dialect, source: &Path, object: &Path) -> Result<(bool, String), Failed> {
    let output = Command::new(llvm("llvm-mc").ok_or("no llvm-mc")?)
        .args(["-triple=amdgcn-amd-amdhsa", "-filetype=obj"])
        .arg(format!("-mcpu={}", dialect.isa))
        .arg(format!("-mattr={}", dialect.features()))
        .arg("-o")
        .args([object, source])
        .output()?;
    Ok((
        output.status.success(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    ))
}

/// Returns the candidates that the instruction set has, at least `least`. The first line of each
/// text decides.
pub(crate) fn present<T>(
    dialect: Dialect,
    candidates: Vec<T>,
    text: impl Fn(&T) -> &str,
    least: usize,
) -> Result<Vec<T>, Failed> {
    let lines: Vec<&str> = candidates
        .iter()
        .map(|candidate| text(candidate).split('\n').next().unwrap_or_default())
        .collect();
    let known = accepted(dialect, &lines)?;
    let all = candidates.len();
    let present: Vec<T> = candidates
        .into_iter()
        .zip(known)
        .filter_map(|(one, known)| known.then_some(one))
        .collect();
    if present.len() < least {
        return Err(format!("only {} of {all} instructions assemble", present.len()).into());
    }
    Ok(present)
}

/// Returns true for each of these instructions that the instruction set has.
fn accepted(dialect: Dialect, instructions: &[&str]) -> Result<Vec<bool>, Failed> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("lines.s");
    std::fs::write(&source, instructions.join("\n") + "\n")?;
    let (_, complaints) = assemble(dialect, &source, &folder.path().join("lines.o"))?;
    // The format is FILE:LINE:COLUMN: error: MESSAGE.
    let refused: HashSet<usize> = complaints
        .lines()
        .filter(|line| line.contains(": error: "))
        .filter_map(|line| {
            line.rsplit_once("lines.s:")?
                .1
                .split(':')
                .next()?
                .parse()
                .ok()
        })
        .collect();
    Ok((1..=instructions.len())
        .map(|line| !refused.contains(&line))
        .collect())
}

/// Inserts the constant of a multiply-add, pi, before or after the last factor.
pub(crate) fn add_constant(name: &str, operands: &mut Vec<String>) {
    let pi = if name.ends_with("f16") {
        "0x4248"
    } else {
        "0x40490fdb"
    };
    if name.contains("ak_f") {
        operands.push(pi.into());
    } else if name.contains("mk_f") {
        operands.insert(2, pi.into());
    }
}

/// Assembles, links and loads a kernel.
pub(crate) fn load(dialect: Dialect, text: &str) -> Result<CodeObject, Failed> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("test.s"), text)?;
    let (good, complaints) = assemble(dialect, &file("test.s"), &file("test.o"))?;
    if !good {
        return Err(format!(
            "llvm-mc: {}",
            complaints.lines().take(12).collect::<Vec<_>>().join("\n")
        )
        .into());
    }
    let status = Command::new(llvm("ld.lld").ok_or("no ld.lld")?)
        .arg("-shared")
        .arg(file("test.o"))
        .arg("-o")
        .arg(file("test.hsaco"))
        .status()?;
    if !status.success() {
        return Err("ld.lld failed".into());
    }
    Ok(CodeObject::load(&std::fs::read(file("test.hsaco"))?)?)
}

/// Runs the kernel `test` on `workgroups` workgroups of 64 items; returns the outputs.
pub(crate) fn execute(
    code: &CodeObject,
    workgroups: usize,
    inputs: &[u8],
    output_bytes: usize,
) -> Result<Vec<u8>, Failed> {
    let mut memory = EmulatedMemory::new();
    let input = memory.allocate(inputs.len() as u64)?;
    memory.bytes_mut(input).copy_from_slice(inputs);
    let output = memory.allocate(output_bytes as u64)?;
    memory.bytes_mut(output).fill(0xa5);
    let kernarg: Vec<u8> = [input, output]
        .iter()
        .flat_map(|address| address.get().to_le_bytes())
        .collect();
    let launch = KernelLaunch {
        kernel: code.kernel("test").ok_or("no kernel")?,
        workgroups: [workgroups as u32, 1, 1],
        workgroup_size: [64, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        workgroup_subset: None,
        instruction_limit: 10_000_000,
        resident_workgroups: 0,
        threads: 1,
    };
    run(code, &mut memory, &launch)?;
    Ok(memory.bytes(output).to_vec())
}
