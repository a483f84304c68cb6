//! The tools that wavetune finds at run time: libLLVM, ld.lld and iree-compile.
//!
//! [`find`] returns the file and version of a [`Tool`], or the reason that it is missing and the
//! command that installs it. [`search`] defines the search order. If the tool's environment
//! variable is set, no other candidate counts, so that a wrong value is reported. This module
//! starts no compilation.

mod search;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codegen_sandbox::Sandbox;

use crate::child_process::{self, ChildEnd};
use crate::llvm::{Llvm, OLDEST};

/// The major versions of LLVM that the search tries, the preferred version first.
pub const LLVM_VERSIONS: [u32; 4] = [22, 21, 20, 19];

/// The release of iree-base-compiler that the `iree` generator supports.
pub const IREE_VERSION: &str = "3.13.0";

/// The time limit for a tool's answer to `--version`.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

/// A tool of the generators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    /// The shared library with LLVM's C API and AMDGPU back end.
    LibLlvm,
    /// LLVM's ELF linker.
    Lld,
    /// IREE's compiler.
    IreeCompile,
}

impl Tool {
    /// Every tool.
    pub const ALL: [Tool; 3] = [Tool::LibLlvm, Tool::Lld, Tool::IreeCompile];

    /// Returns the name that users know.
    pub fn name(self) -> &'static str {
        match self {
            Tool::LibLlvm => "libLLVM",
            Tool::Lld => "ld.lld",
            Tool::IreeCompile => "iree-compile",
        }
    }

    /// Returns the tool's purpose, for messages.
    pub fn purpose(self) -> &'static str {
        match self {
            Tool::LibLlvm => "compiles the kernels of the native generator",
            Tool::Lld => "links the kernels of the native generator",
            Tool::IreeCompile => "compiles the kernels of the iree generator",
        }
    }

    /// Returns the environment variable that names the tool's file.
    pub fn variable(self) -> &'static str {
        match self {
            Tool::LibLlvm => "WAVETUNE_LIBLLVM",
            Tool::Lld => "WAVETUNE_LLD",
            Tool::IreeCompile => "WAVETUNE_IREE_COMPILE",
        }
    }

    /// Returns the text before the version in the output of `--version`. Empty for libLLVM, which
    /// is no program.
    fn states(self) -> &'static str {
        match self {
            Tool::LibLlvm => "",
            Tool::Lld => "LLD ",
            Tool::IreeCompile => "IREE compiler version ",
        }
    }

    /// Returns the command that installs the tool. For LLVM's tools it is Debian's and Ubuntu's,
    /// if the distribution has this version.
    pub fn install(self) -> String {
        let [newest, ..] = LLVM_VERSIONS;
        match self {
            Tool::LibLlvm => format!("sudo apt-get install libllvm{newest}"),
            Tool::Lld => format!("sudo apt-get install lld-{newest}"),
            // The search finds the compiler while the venv is active. Distributions forbid
            // installing into their own Python.
            Tool::IreeCompile => format!(
                "python3 -m venv iree-venv && . iree-venv/bin/activate && pip install iree-base-compiler=={IREE_VERSION}"
            ),
        }
    }

    /// Returns the text after the install command: the other versions that work.
    pub fn other_versions(self) -> String {
        let [_, others @ ..] = LLVM_VERSIONS;
        match self {
            Tool::LibLlvm | Tool::Lld => {
                format!(
                    " (or {}; see https://apt.llvm.org)",
                    others.map(|n| n.to_string()).join(", ")
                )
            }
            Tool::IreeCompile => String::new(),
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A tool that was found and works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundTool {
    /// The tool.
    pub tool: Tool,
    /// The tool's file; for libLLVM possibly a bare name that the loader resolves.
    pub path: PathBuf,
    /// The version that the tool states.
    pub version: String,
}

/// A tool that is missing or unusable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{tool} ({purpose}): {reason}; install it with `{install}`{or_else} or set {variable}",
        purpose = .tool.purpose(), install = .tool.install(), or_else = .tool.other_versions(), variable = .tool.variable())]
pub struct MissingTool {
    /// The tool.
    pub tool: Tool,
    /// The reason that the first candidate was refused, or "not found".
    pub reason: String,
}

/// A part of IREE's runtime that is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MissingRuntime {
    /// The programs of the package iree-base-runtime.
    #[error(
        "iree-benchmark-module (runs whole models): not found; install it beside iree-compile with \
         `pip install iree-base-runtime=={IREE_VERSION}`, or set WAVETUNE_IREE_RUNTIME to its folder"
    )]
    Programs,
    /// The library of the emulated device.
    #[error(
        "libwavetune_hip.so (the emulated device of whole models): not found beside this program; \
         `cargo build --release -p hip-library` builds it, and WAVETUNE_EMULATED_HIP names it elsewhere"
    )]
    Library,
}

/// Finds the folder of IREE's runtime programs and the library of the emulated device.
///
/// # Errors
///
/// [`MissingRuntime`]: the first that is missing.
pub fn find_runtime(compiler: &Path) -> Result<(PathBuf, PathBuf), MissingRuntime> {
    let programs = search::iree_runtime(compiler).into_iter();
    let mut programs = programs.filter(|folder| folder.join("iree-benchmark-module").is_file());
    let programs = programs.next().ok_or(MissingRuntime::Programs)?;
    let mut libraries = search::hip_library().into_iter().filter(|it| it.is_file());
    let library = libraries.next().ok_or(MissingRuntime::Library)?;
    Ok((programs, library))
}

/// Finds rocprofv3, AMD's tracer: in `PATH`, in `ROCM_PATH`, or in /opt/rocm.
pub fn find_rocprof() -> Option<PathBuf> {
    let mut candidates = search::rocprof().into_iter();
    candidates.find(|path| path.is_file())
}

/// Finds `tool` and asks it for its version.
///
/// # Errors
///
/// [`MissingTool`] with the reason of the first candidate that was refused.
pub fn find(tool: Tool) -> Result<FoundTool, MissingTool> {
    match tool {
        Tool::LibLlvm => {
            let llvm = load_llvm()?;
            Ok(FoundTool {
                tool,
                path: llvm.path().to_owned(),
                version: llvm.version().to_string(),
            })
        }
        Tool::Lld => find_lld(&LLVM_VERSIONS),
        Tool::IreeCompile => first(tool, search::iree_compile(), |path| {
            stated_version(path, tool.states())
        }),
    }
}

/// Finds and loads libLLVM.
///
/// # Errors
///
/// [`MissingTool`]: there is no libLLVM, it is older than [`OLDEST`], or it lacks the AMDGPU
/// target.
pub fn load_llvm() -> Result<Llvm, MissingTool> {
    let mut refusal = None;
    for path in search::libllvm() {
        match Llvm::load(&path) {
            Ok(llvm) => return Ok(llvm),
            // Candidates are in order of preference, so the first refusal is the one that the
            // user can act on.
            Err(error) => refusal = refusal.or(Some(error.to_string())),
        }
    }
    Err(missing(Tool::LibLlvm, refusal))
}

/// Finds the linker of LLVM `major`, or else the newest one.
///
/// # Errors
///
/// [`MissingTool`]: there is no linker.
pub fn find_lld_for(major: u32) -> Result<FoundTool, MissingTool> {
    let mut versions = vec![major];
    versions.extend(LLVM_VERSIONS.iter().filter(|&&version| version != major));
    find_lld(&versions)
}

/// Starts a found tool once more, in a sandbox.
///
/// # Errors
///
/// [`MissingTool`]: the tool does not work there.
pub fn try_in_sandbox(tool: Tool, path: &Path, sandbox: &Sandbox) -> Result<(), MissingTool> {
    let stated = version_of(path, tool.states(), Some(sandbox));
    let refuse = |reason| MissingTool {
        tool,
        reason: format!("in the sandbox {reason}"),
    };
    stated.map(drop).map_err(refuse)
}

fn find_lld(versions: &[u32]) -> Result<FoundTool, MissingTool> {
    first(Tool::Lld, search::lld(versions), |path| {
        let version = stated_version(path, Tool::Lld.states())?;
        let major: Option<u32> = version.split('.').next().and_then(|n| n.parse().ok());
        match major {
            Some(n) if n >= OLDEST => Ok(version),
            _ => Err(format!(
                "{} is LLD {version}; {OLDEST} or newer is needed",
                path.display()
            )),
        }
    })
}

/// Returns the first candidate that `version` accepts.
fn first(
    tool: Tool,
    candidates: Vec<PathBuf>,
    version: impl Fn(&Path) -> Result<String, String>,
) -> Result<FoundTool, MissingTool> {
    let mut refusal = None;
    for path in candidates {
        match version(&path) {
            Ok(version) => {
                return Ok(FoundTool {
                    tool,
                    path,
                    version,
                });
            }
            Err(reason) => refusal = refusal.or(Some(reason)),
        }
    }
    Err(missing(tool, refusal))
}

fn missing(tool: Tool, refusal: Option<String>) -> MissingTool {
    let reason = refusal.unwrap_or_else(|| "not found".to_owned());
    MissingTool { tool, reason }
}

/// Returns the word after `before` in the output of `program --version`.
fn stated_version(program: &Path, before: &str) -> Result<String, String> {
    version_of(program, before, None)
}

fn version_of(program: &Path, before: &str, sandbox: Option<&Sandbox>) -> Result<String, String> {
    let shown = program.display();
    let mut command = child_process::command(sandbox, program, &[program], None);
    let ended = child_process::run(command.arg("--version"), ANSWER_LIMIT)
        .map_err(|error| format!("{shown} does not start: {error}"))?;
    let stated = ended.output.split_once(before);
    let version = stated.and_then(|(_, rest)| rest.split_whitespace().next());
    match version {
        Some(version) if ended.end == ChildEnd::Success => Ok(version.to_owned()),
        _ if ended.end == ChildEnd::TimedOut => Err(format!(
            "{shown} --version did not end within {} s",
            ANSWER_LIMIT.as_secs()
        )),
        _ => Err(format!("{shown} --version does not say \"{before}…\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_program_is_refused_with_its_path() {
        let refuse = |path: &Path| stated_version(path, "LLD ");
        let error = first(
            Tool::Lld,
            vec!["/bin/true".into(), "/nowhere/lld".into()],
            refuse,
        );
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains("/bin/true --version does not say"),
            "{error}"
        );
        let install = "`sudo apt-get install lld-22` (or 21, 20, 19; see https://apt.llvm.org) or set WAVETUNE_LLD";
        assert!(error.contains(install), "{error}");
    }

    #[test]
    fn no_candidate_is_not_found() {
        let error = first(Tool::IreeCompile, Vec::new(), |_| Ok(String::new())).unwrap_err();
        assert_eq!(error.reason, "not found");
        let install = "pip install iree-base-compiler==3.13.0";
        assert!(error.to_string().contains(install), "{error}");
    }

    #[test]
    fn a_library_that_is_not_llvm_is_an_error() {
        let error = Llvm::load(Path::new("libc.so.6")).unwrap_err().to_string();
        assert!(error.contains("LLVMGetVersion"), "{error}");
        let error = Llvm::load(Path::new("/nowhere/libLLVM.so")).unwrap_err();
        assert!(error.to_string().contains("/nowhere/libLLVM.so"), "{error}");
    }
}
