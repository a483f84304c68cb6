//! Compiles the sources of this folder to code objects with debug information.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use emulator::CodeObject;

use super::support::llvm;

/// A source to compile.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    /// A `.hip` file at an optimization level, for waves of `wave` lanes.
    Hip {
        file: &'static str,
        isa: &'static str,
        lanes: u32,
        level: &'static str,
    },
    /// The `.s` file of the instruction set.
    Assembly { isa: &'static str },
}

/// Returns the lanes of a wave of assembly for an instruction set.
fn lanes_of(isa: &str) -> u32 {
    if isa.starts_with("gfx9") { 64 } else { 32 }
}

/// A loaded code object with its source text.
pub(crate) struct Build {
    pub(crate) code: CodeObject,
    pub(crate) lanes: u32,
    text: String,
}

impl Source {
    /// Builds the source with the bugs, or `fixed`.
    ///
    /// # Errors
    /// Returns the messages of a tool or of the loader.
    pub(crate) fn build(self, fixed: bool) -> Result<Build, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let output = folder.path().join("output");
        let (text, lanes) = match self {
            Source::Hip {
                file,
                isa,
                lanes,
                level,
            } => (hip(file, isa, lanes, level, fixed, &output)?, lanes),
            Source::Assembly { isa } => {
                let mut text = read("head.s")? + &read(&format!("{isa}.s"))?;
                if fixed {
                    text = text.replace("// fixed ", "");
                }
                let text = assemble(isa, text, folder.path(), &output)?;
                (text, lanes_of(isa))
            }
        };
        let code = load(&output)?;
        Ok(Build { code, lanes, text })
    }
}

/// Assembles kernels in the form of the `.s` files.
///
/// # Errors
/// Returns the messages of a tool or of the loader.
pub(crate) fn assembled(isa: &str, kernels: &str) -> Result<CodeObject, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let output = folder.path().join("output");
    assemble(isa, read("head.s")? + kernels, folder.path(), &output)?;
    load(&output)
}

/// Returns clang's assembly of a `.hip` file.
///
/// # Errors
/// Returns the messages of clang.
pub(crate) fn assembly_of(file: &str, isa: &str) -> Result<String, String> {
    let options = "-x hip --cuda-device-only -nogpuinc -nogpulib -std=c++20 -O2 -S -DWAVE=64 -o -";
    let mut clang = Command::new(llvm("clang").ok_or("no clang")?);
    clang
        .args(options.split(' '))
        .arg(format!("--offload-arch={isa}"));
    let output = clang.arg(folder().join(file)).output();
    let output = output.map_err(|error| error.to_string())?;
    succeed(&output)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Assembles and links a whole text.
///
/// # Errors
/// Returns the messages of a tool or of the loader.
pub(crate) fn linked(isa: &str, text: &str) -> Result<CodeObject, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let output = folder.path().join("output");
    link(isa, text, folder.path(), &output)?;
    load(&output)
}

fn load(path: &Path) -> Result<CodeObject, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    CodeObject::load(&bytes).map_err(|error| error.to_string())
}

impl Build {
    /// Returns the line number of the kernel's bug.
    ///
    /// # Errors
    /// Returns an error if the source has none.
    pub(crate) fn line_of_bug(&self, kernel: &str) -> Result<u32, String> {
        let mut lines = self.text.lines().zip(1..);
        let (hip, assembly) = (format!("KERNEL void {kernel}("), format!("begin {kernel}"));
        lines
            .find(|(line, _)| line.starts_with(&hip) || *line == assembly)
            .and_then(|_| lines.find(|(line, _)| line.ends_with("// BUG")))
            .map(|(_, number)| number)
            .ok_or_else(|| format!("no bug in {kernel}"))
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/checker")
}

fn read(name: &str) -> Result<String, String> {
    std::fs::read_to_string(folder().join(name)).map_err(|error| format!("{name}: {error}"))
}

fn call(tool: &str, arguments: &[String]) -> Result<(), String> {
    let path = llvm(tool).ok_or_else(|| format!("no {tool}"))?;
    let output = Command::new(path)
        .args(arguments)
        .output()
        .map_err(|error| error.to_string())?;
    succeed(&output)
}

fn succeed(output: &Output) -> Result<(), String> {
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn hip(
    file: &str,
    isa: &str,
    lanes: u32,
    level: &str,
    fixed: bool,
    output: &Path,
) -> Result<String, String> {
    let options =
        "-x hip --cuda-device-only -nogpuinc -nogpulib --no-gpu-bundle-output -std=c++20 -g";
    let mut arguments: Vec<String> = options.split(' ').map(String::from).collect();
    let wave = if lanes == 64 {
        "-mwavefrontsize64"
    } else {
        "-mno-wavefrontsize64"
    };
    arguments.extend([
        format!("--offload-arch={isa}"),
        wave.into(),
        format!("-{level}"),
        format!("-DWAVE={lanes}"),
    ]);
    arguments.push("-o".into());
    arguments.push(output.display().to_string());
    if fixed {
        arguments.push("-DFIXED".into());
    }
    arguments.push(folder().join(file).display().to_string());
    let mut clang = Command::new(llvm("clang").ok_or("no clang")?);
    let compiled = codegen_object_cache::compile(clang.args(&arguments), &[&folder()], output);
    succeed(&compiled.map_err(|error| error.to_string())?)?;
    read(file)
}

/// Completes the text of kernels, assembles and links it, and returns it.
fn assemble(isa: &str, mut text: String, place: &Path, output: &Path) -> Result<String, String> {
    let lanes = lanes_of(isa);
    let descriptor = match lanes {
        64 if isa != "gfx906" => ".amdhsa_accum_offset 64",
        _ => "",
    };
    text = text.replace("DESCRIPTOR", descriptor);
    let kernels: String = text
        .lines()
        .filter_map(|line| line.strip_prefix("begin "))
        .map(|name| {
            format!(
                "  - {{.name: {name}, .symbol: {name}.kd, .kernarg_segment_size: 32, .kernarg_segment_align: 8, \
                 .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0, .wavefront_size: {lanes}, \
                 .sgpr_count: 32, .vgpr_count: 32, .max_flat_workgroup_size: 256}}\n"
            )
        })
        .collect();
    text += &format!(
        ".amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--{isa}\namdhsa.kernels:\n{kernels}\
         .end_amdgpu_metadata\n"
    );
    link(isa, &text, place, output)?;
    Ok(text)
}

fn link(isa: &str, text: &str, place: &Path, output: &Path) -> Result<(), String> {
    let (from, object) = (place.join("source.s"), place.join("object.o"));
    std::fs::write(&from, text).map_err(|error| error.to_string())?;
    let options = "-triple=amdgcn-amd-amdhsa -filetype=obj -g";
    let mut arguments: Vec<String> = options.split(' ').map(String::from).collect();
    arguments.extend([
        format!("-mcpu={isa}"),
        "-o".into(),
        object.display().to_string(),
    ]);
    arguments.push(from.display().to_string());
    call("llvm-mc", &arguments)?;
    let link = [
        "-shared",
        "-o",
        &output.display().to_string(),
        &object.display().to_string(),
    ];
    call("ld.lld", &link.map(String::from))
}
