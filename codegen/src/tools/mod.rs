//! The tools that are found at run time: libLLVM, ld.lld and iree-compile.
//!
//! [`find`] says of each [`Tool`] where it is and which version, or why it is not there and the command that installs
//! it. The search of each is written down in [`search`]; an environment variable always decides alone, so that a wrong
//! value is reported and not papered over. This module starts no compilation.

mod search;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::Sandbox;

use crate::child_process::{self, ChildEnd};
use crate::llvm::{Llvm, OLDEST};

/// The major versions of LLVM that are looked for, the preferred one first.
pub const LLVM_VERSIONS: [u32; 4] = [22, 21, 20, 19];

/// The release of iree-base-compiler that the `iree` generator is made for.
pub const IREE_VERSION: &str = "3.13.0";

/// The time that a tool has to say its version.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

/// A tool.
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

    /// The name by which users know it.
    pub fn name(self) -> &'static str {
        match self {
            Tool::LibLlvm => "libLLVM",
            Tool::Lld => "ld.lld",
            Tool::IreeCompile => "iree-compile",
        }
    }

    /// What it is for.
    pub fn purpose(self) -> &'static str {
        match self {
            Tool::LibLlvm => "compiles the kernels of the native generator",
            Tool::Lld => "links the kernels of the native generator",
            Tool::IreeCompile => "compiles the kernels of the iree generator",
        }
    }

    /// The environment variable that names its file.
    pub fn variable(self) -> &'static str {
        match self {
            Tool::LibLlvm => "WAVETUNE_LIBLLVM",
            Tool::Lld => "WAVETUNE_LLD",
            Tool::IreeCompile => "WAVETUNE_IREE_COMPILE",
        }
    }

    /// What stands before its version, where it is a program.
    fn states(self) -> &'static str {
        match self {
            Tool::LibLlvm => "",
            Tool::Lld => "LLD ",
            Tool::IreeCompile => "IREE compiler version ",
        }
    }

    /// The command that installs it: on Debian and Ubuntu, where the distribution has this version of LLVM.
    pub fn install(self) -> String {
        let [newest, ..] = LLVM_VERSIONS;
        match self {
            Tool::LibLlvm => format!("sudo apt-get install libllvm{newest}"),
            Tool::Lld => format!("sudo apt-get install lld-{newest}"),
            // Where it is found as long as the venv is active. Distributions let nobody install beside their own Python.
            Tool::IreeCompile => format!(
                "python3 -m venv iree-venv && . iree-venv/bin/activate && pip install iree-base-compiler=={IREE_VERSION}"
            ),
        }
    }

    /// What is said behind that command: which other versions do.
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

/// A tool that works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundTool {
    /// Which one.
    pub tool: Tool,
    /// Its file; for libLLVM possibly a bare name that the loader resolves.
    pub path: PathBuf,
    /// The version that it states.
    pub version: String,
}

/// A tool that is not there, or not usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{tool} ({purpose}): {reason}; install it with `{install}`{or_else} or set {variable}",
        purpose = .tool.purpose(), install = .tool.install(), or_else = .tool.other_versions(), variable = .tool.variable())]
pub struct MissingTool {
    /// Which one.
    pub tool: Tool,
    /// Why the candidates were refused, or that there are none.
    pub reason: String,
}

/// Looks for `tool` and asks it for its version.
///
/// # Errors
///
/// [`Missing`] with the reason of the most promising candidate.
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
/// [`Missing`]: there is none, it is older than [`OLDEST`], or it lacks the AMDGPU target.
pub fn load_llvm() -> Result<Llvm, MissingTool> {
    let mut refusal = None;
    for path in search::libllvm() {
        match Llvm::load(&path) {
            Ok(llvm) => return Ok(llvm),
            Err(error) => refusal = refusal.or(Some(error.to_string())),
        }
    }
    Err(missing(Tool::LibLlvm, refusal))
}

/// Finds the linker of LLVM `major`, else the newest one.
///
/// # Errors
///
/// [`Missing`]: there is none.
pub fn find_lld_for(major: u32) -> Result<FoundTool, MissingTool> {
    let mut versions = vec![major];
    versions.extend(LLVM_VERSIONS.iter().filter(|&&version| version != major));
    find_lld(&versions)
}

/// Starts a tool that was found once more, in a sandbox.
///
/// # Errors
///
/// [`Missing`]: it does not work there.
pub(crate) fn try_in_sandbox(
    tool: Tool,
    path: &Path,
    sandbox: &Sandbox,
) -> Result<(), MissingTool> {
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

/// The first candidate that `version` accepts.
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

/// The word after `before` in what `program --version` prints.
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
