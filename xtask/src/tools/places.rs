//! Where tools are looked for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::LLVM_VERSIONS;
use crate::step;

/// What the user said in a variable: `None` if nothing, `Some(None)` if a file that does not exist.
/// A wrong answer is not replaced by a search: wavetune would not do so either.
pub(super) fn from_environment(variable: &str) -> Option<Option<PathBuf>> {
    let path = std::env::var_os(variable).filter(|value: &OsString| !value.is_empty())?;
    Some(Some(PathBuf::from(path)).filter(|path| path.is_file()))
}

/// The first file of this name in the folders of `PATH`.
pub(super) fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// libLLVM: the loadable library alone is enough, nothing of the development package is needed.
pub(super) fn libllvm() -> Option<PathBuf> {
    if let Some(path) = from_environment("WAVETUNE_LIBLLVM") {
        return path;
    }
    let multiarch = PathBuf::from(format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH));
    let of_version = |version: &u32| {
        let folders = [
            PathBuf::from(format!("/usr/lib/llvm-{version}/lib")),
            multiarch.clone(),
        ];
        let names = [
            format!("libLLVM-{version}.so"),
            format!("libLLVM.so.{version}.1"),
        ];
        folders
            .iter()
            .flat_map(|folder| names.iter().map(|name| folder.join(name)))
            .find(exists)
    };
    let rocm = || Some(PathBuf::from("/opt/rocm/llvm/lib/libLLVM.so")).filter(exists);
    LLVM_VERSIONS.iter().find_map(of_version).or_else(rocm)
}

/// The version in the name of the file that the path leads to: `libLLVM.so.22.1` is 22.1.
pub(super) fn libllvm_version(path: &Path) -> Option<String> {
    let file = path.canonicalize().ok()?;
    let name = file.file_name()?.to_str()?.to_string();
    let digits: &str = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let version = digits.trim_end_matches(|c: char| !c.is_ascii_digit());
    (!version.is_empty()).then(|| version.to_string())
}

/// LLVM's linker.
pub(super) fn lld() -> Option<PathBuf> {
    from_environment("WAVETUNE_LLD").unwrap_or_else(|| llvm_program("ld.lld"))
}

/// A program of LLVM, of the newest version that is there.
pub(super) fn llvm_program(name: &str) -> Option<PathBuf> {
    let of_version = |version: &u32| {
        let file = PathBuf::from(format!("/usr/lib/llvm-{version}/bin/{name}"));
        Some(file)
            .filter(exists)
            .or_else(|| in_path(&format!("{name}-{version}")))
    };
    let rocm = || Some(PathBuf::from(format!("/opt/rocm/llvm/bin/{name}"))).filter(exists);
    let unversioned = || in_path(name).filter(|file| is_new_enough(file));
    LLVM_VERSIONS
        .iter()
        .find_map(of_version)
        .or_else(rocm)
        .or_else(unversioned)
}

fn is_new_enough(program: &Path) -> bool {
    let oldest = LLVM_VERSIONS.into_iter().min();
    let text = step::output(Command::new(program).arg("--version")).unwrap_or_default();
    let major =
        super::version_in(&text).and_then(|version| version.split('.').next()?.parse().ok());
    major >= oldest
}

/// The folder of a venv's packages, whatever its Python is.
pub(super) fn site_packages(venv: &Path) -> Option<PathBuf> {
    let mut pythons = venv.join("lib").read_dir().ok()?.flatten();
    pythons.find_map(|python| {
        let packages = python.path().join("site-packages");
        packages.is_dir().then_some(packages)
    })
}

#[expect(
    clippy::ptr_arg,
    reason = "the signature that Option::filter and Iterator::find ask for"
)]
fn exists(file: &PathBuf) -> bool {
    file.is_file()
}
