//! The HIP library: its location and the calls of its functions.
//!
//! The search order is:
//!
//! 1. the file named by `--hip-library` or `WAVETUNE_HIP_LIBRARY`, and then no other
//! 2. `lib` of `ROCM_PATH`
//! 3. `/opt/rocm/lib` and `/opt/rocm-*/lib`, the newest first
//! 4. the search path of the system's loader
//!
//! Our own library for machines without a GPU has another file name, so only an explicit name
//! selects it.

use std::env;
use std::ffi::{CStr, c_int};
use std::path::{Path, PathBuf};

use super::api::{Api, Code, MissingHipFunction, SUCCESS};
use super::error::HipError;

/// The names of AMD's library, the newest ABI first. Without ROCm's developer packages there is
/// no plain name.
const NAMES: [&str; 4] = [
    "libamdhip64.so",
    "libamdhip64.so.7",
    "libamdhip64.so.6",
    "libamdhip64.so.5",
];

/// The folder of ROCm installations.
const ROCM: &str = "/opt";

/// A loaded library.
pub(super) struct Hip {
    pub(super) api: Api,
    pub(super) path: PathBuf,
}

/// The reason why no library is loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum LoadError {
    /// The search found no library.
    #[error(
        "no HIP library found: libamdhip64.so is not below ROCM_PATH or /opt/rocm, and the system's loader does not \
         find it; name it with --hip-library or WAVETUNE_HIP_LIBRARY"
    )]
    NotFound,
    /// The library exists, but does not load.
    #[error("{path} cannot be loaded: {reason}")]
    Unloadable {
        /// The file.
        path: String,
        /// The loader's message.
        reason: String,
    },
    /// The file is no HIP library.
    #[error(transparent)]
    Missing(#[from] MissingHipFunction),
}

impl Hip {
    /// Loads the named library, or searches for one.
    pub(super) fn load(named: Option<&Path>) -> Result<Hip, LoadError> {
        if let Some(path) = named {
            return Hip::open(path);
        }
        let mut refusal = LoadError::NotFound;
        for path in candidates() {
            match Hip::open(&path) {
                Ok(hip) => return Ok(hip),
                // An unknown bare name is no error: the loader was only asked if it knows the
                // name.
                Err(error) if path.is_file() && refusal == LoadError::NotFound => refusal = error,
                Err(_) => {}
            }
        }
        Err(refusal)
    }

    fn open(path: &Path) -> Result<Hip, LoadError> {
        // SAFETY: loading a library runs its initialisers, which a HIP library allows at any
        // time.
        let library = unsafe { libloading::Library::new(path) };
        let library = library.map_err(|error| LoadError::Unloadable {
            path: path.display().to_string(),
            reason: reason(&error),
        })?;
        let api = Api::load(&library, path)?;
        // The runtime has its own threads, which would return into unloaded code.
        std::mem::forget(library);
        Ok(Hip {
            api,
            path: path.to_owned(),
        })
    }

    /// Returns the error of a call with this code, unless it succeeded.
    pub(super) fn check(&self, call: &'static str, code: Code) -> Result<(), HipError> {
        if code == SUCCESS {
            return Ok(());
        }
        // SAFETY: both functions take any number and return a text that stays, or null.
        let text = unsafe {
            [
                (self.api.hipGetErrorName)(code),
                (self.api.hipGetErrorString)(code),
            ]
            .map(|text| {
                let text = (!text.is_null()).then(|| CStr::from_ptr(text));
                text.map_or_else(String::new, |text| text.to_string_lossy().into_owned())
            })
        };
        let [name, meaning] = text;
        Err(HipError {
            call,
            code,
            name,
            meaning,
        })
    }

    /// Calls a function that writes a number, such as a count, and returns that number.
    pub(super) fn number(
        &self,
        call: &'static str,
        function: unsafe extern "C" fn(*mut c_int) -> Code,
    ) -> Result<c_int, HipError> {
        let mut number = 0;
        // SAFETY: the function writes one number there.
        self.check(call, unsafe { function(&mut number) })?;
        Ok(number)
    }
}

/// Returns the loader's message, without the chain of sources.
fn reason(error: &libloading::Error) -> String {
    match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        error => error.to_string(),
    }
}

fn candidates() -> Vec<PathBuf> {
    let named = env::var_os("ROCM_PATH").map(PathBuf::from);
    let folders = named.into_iter().chain(installed(Path::new(ROCM)));
    let files = folders.flat_map(|root| NAMES.map(|name| root.join("lib").join(name)));
    let files = files.filter(|path| path.is_file());
    files.chain(NAMES.map(PathBuf::from)).collect()
}

/// Returns ROCm's folders: `rocm`, a link to the current one, then those with a version, the
/// newest first.
fn installed(opt: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(opt).into_iter().flatten().flatten();
    let mut versions: Vec<(Vec<u32>, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let version = name.strip_prefix("rocm-")?;
            let numbers = version.split(['.', '-']).map_while(|n| n.parse().ok());
            Some((numbers.collect(), entry.path()))
        })
        .collect();
    versions.sort_by(|a, b| b.cmp(a));
    let versions = versions.into_iter().map(|(_, path)| path);
    std::iter::once(opt.join("rocm")).chain(versions).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_rocm_comes_first() {
        let opt = tempfile::tempdir().unwrap();
        for name in ["rocm-5.7.1", "rocm-6.10.0", "rocm-6.9.2", "other"] {
            std::fs::create_dir(opt.path().join(name)).unwrap();
        }
        let found = installed(opt.path());
        let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap()).collect();
        assert_eq!(names, ["rocm", "rocm-6.10.0", "rocm-6.9.2", "rocm-5.7.1"]);
    }

    #[track_caller]
    fn check_error(path: &str, parts: &[&str]) {
        let error = Hip::load(Some(Path::new(path))).err().unwrap().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }

    #[test]
    fn other_libraries_are_refused_by_name() {
        check_error("libc.so.6", &["libc.so.6", "it has no hipInit"]);
        check_error(
            "/nowhere/libamdhip64.so",
            &["/nowhere/libamdhip64.so", "cannot be loaded"],
        );
    }
}
