//! The search order of each tool, the preferred candidate first.
//!
//! If the tool's environment variable is set, it is the only candidate. Otherwise:
//!
//! - libLLVM and ld.lld: the folders of Debian's and Ubuntu's packages in the order of the given
//!   versions, then ROCm's, then the loader's path and `PATH`.
//! - iree-compile: the venv that `cargo xtask setup` makes beside the build (`iree-venv` in a
//!   folder above this program), the active venv, `PATH`.

use std::env::{self, consts::ARCH};
use std::path::{Path, PathBuf};

use super::{LLVM_VERSIONS, Tool};

/// The folders of ROCm's copies of LLVM.
const ROCM: [&str; 2] = ["/opt/rocm/llvm", "/opt/rocm/lib/llvm"];

/// Returns the candidates for libLLVM. A bare file name stands for the loader's own search.
pub(super) fn libllvm() -> Vec<PathBuf> {
    if let Some(path) = from_variable(Tool::LibLlvm) {
        return vec![path];
    }
    let names = |version: u32| {
        [
            format!("libLLVM.so.{version}.1"),
            format!("libLLVM-{version}.so"),
        ]
    };
    let folders = |version: u32| {
        [
            format!("/usr/lib/llvm-{version}/lib"),
            format!("/usr/lib/{ARCH}-linux-gnu"),
        ]
    };
    let packages = LLVM_VERSIONS.iter().flat_map(|&version| {
        folders(version)
            .into_iter()
            .flat_map(move |folder| names(version).map(|name| Path::new(&folder).join(name)))
    });
    let rocm = ROCM
        .iter()
        .map(|root| Path::new(root).join("lib/libLLVM.so"));
    let mut candidates: Vec<PathBuf> = packages.chain(rocm).filter(|p| p.is_file()).collect();
    // Bare names last: the loader's path may have an old LLVM, and `is_file` cannot test them.
    candidates.extend(
        LLVM_VERSIONS
            .iter()
            .flat_map(|&v| names(v))
            .map(PathBuf::from),
    );
    candidates
}

/// Returns the candidates for ld.lld of the given major versions.
pub(super) fn lld(versions: &[u32]) -> Vec<PathBuf> {
    if let Some(path) = from_variable(Tool::Lld) {
        return vec![path];
    }
    let packages = versions
        .iter()
        .map(|version| PathBuf::from(format!("/usr/lib/llvm-{version}/bin/ld.lld")));
    let rocm = ROCM.iter().map(|root| Path::new(root).join("bin/ld.lld"));
    let named = versions.iter().map(|version| format!("ld.lld-{version}"));
    let in_path = named
        .chain(["ld.lld".to_owned()])
        .flat_map(|name| in_path(&name));
    packages
        .chain(rocm)
        .chain(in_path)
        .filter(|path| path.is_file())
        .collect()
}

/// Returns the candidates for rocprofv3.
pub(super) fn rocprof() -> Vec<PathBuf> {
    const NAME: &str = "rocprofv3";
    let rocm = variable("ROCM_PATH").unwrap_or_else(|| PathBuf::from("/opt/rocm"));
    let of_rocm = rocm.join("bin").join(NAME);
    in_path(NAME).into_iter().chain([of_rocm]).collect()
}

/// Returns the candidates for iree-compile. For a Python wheel it returns the native program
/// instead of the wrapper. The wrapper starts slower and leaves the compiler running when it is
/// killed.
pub(super) fn iree_compile() -> Vec<PathBuf> {
    if let Some(path) = from_variable(Tool::IreeCompile) {
        return vec![path];
    }
    let program = env::current_exe().unwrap_or_default();
    let ours = program
        .ancestors()
        .skip(1)
        .map(|folder| folder.join("iree-venv"));
    let active = env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let venvs = ours.chain(active).filter_map(|venv| native_in_venv(&venv));
    let in_path = in_path("iree-compile").into_iter().map(|found| {
        // `PATH` may have the wheel's Python wrapper; its venv has the native program.
        let venv = found.parent().and_then(Path::parent);
        venv.and_then(native_in_venv).unwrap_or(found)
    });
    venvs.chain(in_path).collect()
}

/// Returns the native compiler of the wheel in `venv`, for any Python version.
fn native_in_venv(venv: &Path) -> Option<PathBuf> {
    let pythons = venv.join("lib").read_dir().ok()?.flatten();
    pythons
        .map(|python| {
            python
                .path()
                .join("site-packages/iree/compiler/_mlir_libs/iree-compile")
        })
        .find(|path| path.is_file())
}

/// Returns the candidates for the folder of IREE's runtime programs: that of the compiler's wheels,
/// those of the venvs, and those of `PATH`.
pub(super) fn iree_runtime(compiler: &Path) -> Vec<PathBuf> {
    if let Some(folder) = variable("WAVETUNE_IREE_RUNTIME") {
        return vec![folder];
    }
    // A wheel has the compiler in site-packages/iree/compiler/_mlir_libs.
    let beside = compiler.ancestors().nth(4).map(Path::to_owned);
    let program = env::current_exe().unwrap_or_default();
    let ours = program.ancestors().map(|folder| folder.join("iree-venv"));
    let venvs = ours.chain(env::var_os("VIRTUAL_ENV").map(PathBuf::from));
    let packages = venvs.flat_map(|venv| {
        let pythons = venv.join("lib").read_dir().into_iter().flatten().flatten();
        let packages = pythons.map(|python| python.path().join("site-packages"));
        packages.collect::<Vec<_>>()
    });
    let native = beside.into_iter().chain(packages);
    let native = native.map(|packages| packages.join("iree/_runtime_libs"));
    let in_path = in_path("iree-benchmark-module");
    let in_path = in_path.iter().filter_map(|program| program.parent());
    native.chain(in_path.map(Path::to_owned)).collect()
}

/// Returns the candidates for the library of the emulated device: beside this program, and in a
/// package's folder of libraries.
pub(super) fn hip_library() -> Vec<PathBuf> {
    const NAME: &str = "libwavetune_hip.so";
    if let Some(path) = variable("WAVETUNE_EMULATED_HIP") {
        return vec![path];
    }
    let program = env::current_exe().unwrap_or_default();
    let folders = program.ancestors().skip(1).take(2);
    // `../lib/wavetune` is that of a package; tests are in a folder below the build's own.
    folders
        .flat_map(|folder| [folder.join(NAME), folder.join("lib/wavetune").join(NAME)])
        .collect()
}

fn from_variable(tool: Tool) -> Option<PathBuf> {
    variable(tool.variable())
}

fn variable(name: &str) -> Option<PathBuf> {
    let value = env::var_os(name)?;
    (!value.is_empty()).then(|| PathBuf::from(value))
}

fn in_path(name: &str) -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let files = env::split_paths(&path).map(|folder| folder.join(name));
    files.filter(|file| file.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_wheel_of_any_python_is_found() {
        let venv = tempfile::tempdir().unwrap();
        assert_eq!(native_in_venv(venv.path()), None);
        let native = venv
            .path()
            .join("lib/python3.99/site-packages/iree/compiler/_mlir_libs/iree-compile");
        fs::create_dir_all(native.parent().unwrap()).unwrap();
        fs::write(&native, "").unwrap();
        assert_eq!(native_in_venv(venv.path()), Some(native));
    }
}
