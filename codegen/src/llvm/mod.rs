//! LLVM in this process: turns IR text into an object or assembly text, through the C API of a
//! libLLVM found at run time. [`LlvmProcess`] runs it in another process instead.
//!
//! An [`Llvm`] is a loaded library. Each compilation has a context of its own, so threads compile
//! in parallel. LLVM's diagnostics become the text of an [`LlvmError`]. Only an error that LLVM
//! calls fatal ends the process, with a message. This module knows no reductions;
//! [`crate::tools`] finds the library.

mod compile;
mod ffi;
mod heap;
mod llvm_process;

use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use libloading::Library;

use crate::child_process::ChildEnd;
use compile::TargetMachine;
use ffi::Api;
pub(crate) use llvm_process::LlvmWorkers;
pub use llvm_process::{LlvmProcess, serve_parent};

/// The oldest version that we compile with.
pub const OLDEST: u32 = 19;

/// The options of the code generator: part of the cache key of each object. See
/// [`Llvm::compile`].
pub const OPTIONS: &str = "-O1 -enable-misched=false -disable-machine-cse -disable-peephole";

/// The options of [`OPTIONS`] that apply to the whole library. Our IR is in its final order and
/// computes nothing twice. Without these passes the code is as good and compiles faster:
///
/// - No scheduling before register allocation; it also took more registers. Scheduling after
///   allocation stays, because it fills wait states.
/// - No elimination of common subexpressions among machine instructions.
/// - No peephole optimisations. LLVM 22's produce `s_mov_b64` with 64-bit literals, but gfx906 to
///   gfx1030 read only 32 bits.
const LIBRARY_OPTIONS: [&CStr; 3] = [
    c"-enable-misched=false",
    c"-disable-machine-cse",
    c"-disable-peephole",
];

/// The version of a libLLVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// 22 in 22.1.8.
    pub major: u32,
    /// 1 in 22.1.8.
    pub minor: u32,
    /// 8 in 22.1.8.
    pub patch: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// The kind of output that LLVM produces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LlvmOutput {
    /// A relocatable ELF object.
    Object,
    /// Assembly text.
    Assembly,
}

/// A libLLVM with an AMDGPU back end.
pub struct Llvm {
    api: Api,
    path: PathBuf,
    version: Version,
    /// Target machines that no compilation is using.
    machines: Mutex<Vec<TargetMachine>>,
}

impl fmt::Debug for Llvm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LLVM {} at {}", self.version, self.path.display())
    }
}

/// A failure of libLLVM, or to load it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LlvmError {
    /// The loader refused the file, or the file is no libLLVM.
    #[error("{} cannot be loaded as libLLVM: {reason}", .path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// The loader's message.
        reason: String,
    },
    /// The library is older than [`OLDEST`].
    #[error("{} is LLVM {}; {OLDEST} or newer is needed", .path.display(),
            .version.map_or("15 or older".to_owned(), |version| version.to_string()))]
    TooOld {
        /// The file.
        path: PathBuf,
        /// The library's version; LLVM 15 and older do not state it.
        version: Option<Version>,
    },
    /// The library was built without the AMDGPU target, or lacks a function that we need.
    #[error("{} (LLVM {version}) was built without the AMDGPU target: {reason}", .path.display())]
    NoTarget {
        /// The file.
        path: PathBuf,
        /// The library's version.
        version: Version,
        /// The missing symbol or target.
        reason: String,
    },
    /// LLVM rejected the IR or failed to compile it.
    #[error("LLVM: {0}")]
    Compile(String),
    /// LLVM crashed in its process, or took too long.
    #[error("LLVM {end}{}{messages}", if .messages.is_empty() { "" } else { ": " })]
    Ended {
        /// The way in which the process ended.
        end: ChildEnd,
        /// Its messages.
        messages: String,
    },
    /// LLVM's own process failed, or the files that it shares with this one.
    #[error("LLVM's process: {0}")]
    Process(String),
}

impl Llvm {
    /// Loads the library at `path`. The loader searches for a bare file name.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Load`], [`LlvmError::TooOld`] or [`LlvmError::NoTarget`].
    pub fn load(path: &Path) -> Result<Llvm, LlvmError> {
        let refuse = |error: libloading::Error| LlvmError::Load {
            path: path.to_owned(),
            reason: reason(&error),
        };
        // SAFETY: the initialisers of a libLLVM have no preconditions. The user claims that the
        // file is one; the lookup of LLVMGetVersion checks that before any call.
        let library = unsafe { Library::new(path) }.map_err(refuse)?;
        let version = version(&library).map_err(refuse)?;
        let Some(version) = version.filter(|version| version.major >= OLDEST) else {
            return Err(LlvmError::TooOld {
                path: path.to_owned(),
                version,
            });
        };
        // SAFETY: the library names itself an LLVM of a version with these signatures.
        let api = unsafe { Api::load(library) }.map_err(|error| LlvmError::NoTarget {
            path: path.to_owned(),
            version,
            reason: reason(&error),
        })?;
        initialise(&api);
        Ok(Llvm {
            api,
            path: path.to_owned(),
            version,
            machines: Mutex::default(),
        })
    }

    /// Returns the library's version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns the file that was loaded.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Prepares a library for compilations, once for any number of loads.
fn initialise(api: &Api) {
    // The prepared libraries, each by the address of one of its functions. LLVM's registries are
    // not thread-safe, and LLVM ends the process if an option is given twice.
    static PREPARED: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let mut prepared = PREPARED.lock().unwrap_or_else(PoisonError::into_inner);
    let library = api.LLVMContextCreate as usize;
    if prepared.contains(&library) {
        return;
    }
    if prepared.is_empty() {
        heap::keep_memory();
    }
    let mut arguments = vec![c"wavetune".as_ptr()];
    arguments.extend(LIBRARY_OPTIONS.map(CStr::as_ptr));
    // SAFETY: no preconditions but valid strings and being called once; the handler lives for ever.
    unsafe {
        (api.LLVMInitializeAMDGPUTargetInfo)();
        (api.LLVMInitializeAMDGPUTarget)();
        (api.LLVMInitializeAMDGPUTargetMC)();
        (api.LLVMInitializeAMDGPUAsmPrinter)();
        // The parser is for inline assembly.
        (api.LLVMInitializeAMDGPUAsmParser)();
        (api.LLVMInstallFatalErrorHandler)(end_process);
        (api.LLVMParseCommandLineOptions)(
            arguments.len() as c_int,
            arguments.as_ptr(),
            c"".as_ptr(),
        );
    }
    prepared.push(library);
}

/// Returns the loader's message, which is the source of libloading's error.
fn reason(error: &libloading::Error) -> String {
    match error.source() {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

/// Returns the version of a libLLVM, or `None` if the library does not state it.
///
/// # Errors
///
/// The library is no libLLVM.
fn version(library: &Library) -> Result<Option<Version>, libloading::Error> {
    // SAFETY: the signature is that of llvm-c/Core.h.
    let get = unsafe { library.get::<ffi::GetVersion>(b"LLVMGetVersion\0") };
    let get = match get {
        Ok(get) => get,
        Err(error) => {
            // SAFETY: it is not called; every libLLVM has it.
            let is_llvm = unsafe { library.get::<ffi::GetVersion>(b"LLVMContextCreate\0") }.is_ok();
            return if is_llvm { Ok(None) } else { Err(error) };
        }
    };
    let (mut major, mut minor, mut patch): (c_uint, c_uint, c_uint) = (0, 0, 0);
    // SAFETY: three valid pointers.
    unsafe { get(&mut major, &mut minor, &mut patch) };
    Ok(Some(Version {
        major,
        minor,
        patch,
    }))
}

/// Ends the process with a message after a fatal error. LLVM calls this and would end the process
/// in any case, with a less readable message.
extern "C" fn end_process(reason: *const c_char) {
    // SAFETY: LLVM passes a C string.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    eprintln!("error: fatal error inside LLVM, the process ends: {reason}");
    std::process::exit(2);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_names_every_option_of_the_library() {
        for option in LIBRARY_OPTIONS {
            assert!(OPTIONS.contains(option.to_str().unwrap()), "{option:?}");
        }
    }
}
