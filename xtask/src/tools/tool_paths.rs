//! The search of tools.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::LLVM_VERSIONS;
use crate::step;
use crate::workspace;

/// ROCm's copies of LLVM.
const ROCM: [&str; 2] = ["/opt/rocm/llvm", "/opt/rocm/lib/llvm"];

/// Returns the file that a variable names: `None` if unset, `Some(None)` if the file does not
/// exist. A wrong variable does not start a search, as in wavetune.
pub(super) fn from_environment(variable: &str) -> Option<Option<PathBuf>> {
    let path = std::env::var_os(variable).filter(|value: &OsString| !value.is_empty())?;
    Some(Some(PathBuf::from(path)).filter(|path| path.is_file()))
}

/// Returns the first file of this name in the folders of `PATH`.
pub(super) fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// Returns the folder of an npm package that `setup` has installed, if it is the version that
/// `web/package.json` names.
pub(super) fn npm_package(name: &str) -> Option<PathBuf> {
    let web = workspace::web();
    let wanted = std::fs::read_to_string(web.join("package.json")).ok()?;
    let folder = web.join("node_modules").join(name);
    (npm_version(&folder)? == field(&wanted, name)?).then_some(folder)
}

/// Returns the version of the npm package in this folder.
pub(super) fn npm_version(folder: &Path) -> Option<String> {
    let text = std::fs::read_to_string(folder.join("package.json")).ok()?;
    field(&text, "version").map(str::to_owned)
}

/// Returns the first text with this name in a JSON file with a line for each field.
fn field<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = json.lines().filter_map(|line| line.split_once(": "));
    let (_, value) = lines.find(|(key, _)| key.trim().trim_matches('"') == name)?;
    Some(value.trim_end_matches(',').trim_matches('"'))
}

/// Returns libLLVM. The loadable library is enough; the development package is not needed.
pub(super) fn libllvm() -> Option<PathBuf> {
    if let Some(path) = from_environment("WAVETUNE_LIBLLVM") {
        return path;
    }
    let multiarch = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let of_version = |version: u32| {
        let folders = [format!("/usr/lib/llvm-{version}/lib"), multiarch.clone()];
        let names = [
            format!("libLLVM.so.{version}.1"),
            format!("libLLVM-{version}.so"),
        ];
        folders
            .into_iter()
            .flat_map(move |folder| names.clone().map(|name| Path::new(&folder).join(name)))
    };
    let packages = LLVM_VERSIONS.into_iter().flat_map(of_version);
    packages
        .chain(ROCM.map(|root| Path::new(root).join("lib/libLLVM.so")))
        .find(|it| it.is_file())
}

/// Returns the version in the file name that the path leads to: `libLLVM.so.22.1` is 22.1.
pub(super) fn libllvm_version(path: &Path) -> Option<String> {
    // The path may be a link with a shorter name.
    let file = path.canonicalize().ok()?;
    let name = file.file_name()?.to_str()?.to_string();
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let version = digits.trim_end_matches(|c: char| !c.is_ascii_digit());
    (!version.is_empty()).then(|| version.to_string())
}

/// Returns LLVM's linker.
pub(super) fn lld() -> Option<PathBuf> {
    from_environment("WAVETUNE_LLD").unwrap_or_else(|| llvm_program("ld.lld"))
}

/// Returns a program of LLVM, of the newest installed version.
pub(super) fn llvm_program(name: &str) -> Option<PathBuf> {
    let packages = LLVM_VERSIONS.map(|version| format!("/usr/lib/llvm-{version}/bin/{name}"));
    let rocm = ROCM.map(|root| format!("{root}/bin/{name}"));
    let named = || {
        LLVM_VERSIONS
            .iter()
            .find_map(|version| in_path(&format!("{name}-{version}")))
    };
    // Last, because its version is only known from a started process.
    let unversioned = || in_path(name).filter(|file| is_new_enough(file));
    let mut folders = packages.into_iter().chain(rocm).map(PathBuf::from);
    folders
        .find(|file| file.is_file())
        .or_else(named)
        .or_else(unversioned)
}

/// Returns the folder with the address sanitizer of [`llvm_program`]'s clang. Debian has it in a
/// separate package.
pub(super) fn clang_sanitizers() -> Option<PathBuf> {
    let clang = llvm_program("clang")?.canonicalize().ok()?;
    let root = clang.parent()?.parent()?;
    let versions = root.join("lib/clang").read_dir().ok()?.flatten();
    let library = format!("lib/linux/libclang_rt.asan-{}.a", std::env::consts::ARCH);
    let mut folders = versions.map(|version| version.path());
    folders.find(|folder| folder.join(&library).is_file())
}

/// Returns the version that a folder has for its name.
pub(super) fn folder_version(folder: &Path) -> Option<String> {
    folder.file_name()?.to_str().map(str::to_owned)
}

/// Returns a C header from the compilers' default folders.
pub(super) fn header(name: &str) -> Option<PathBuf> {
    let folders = ["C_INCLUDE_PATH", "CPATH"].map(|it| std::env::var_os(it).unwrap_or_default());
    let named = folders.iter().flat_map(std::env::split_paths);
    let system = ["/usr/local/include", "/usr/include"].map(PathBuf::from);
    let mut files = named.chain(system).map(|folder| folder.join(name));
    files.find(|file| file.is_file())
}

/// Returns the version that xxhash.h defines in three parts.
pub(super) fn xxhash_version(header: &Path) -> Option<String> {
    let text = std::fs::read_to_string(header).ok()?;
    let part = |name: &str| {
        let mut lines = text
            .lines()
            .filter_map(|line| line.strip_prefix("#define "));
        let value = lines.find_map(|line| line.strip_prefix(name))?;
        value.split_whitespace().next().map(str::to_owned)
    };
    let parts = ["MAJOR", "MINOR", "RELEASE"].map(|it| part(&format!("XXH_VERSION_{it} ")));
    let parts: Option<Vec<String>> = parts.into_iter().collect();
    Some(parts?.join("."))
}

/// Returns the library that sets the clock of a process, from Debian's and Ubuntu's folder.
pub(super) fn libfaketime() -> Option<PathBuf> {
    let folder = format!("/usr/lib/{}-linux-gnu/faketime", std::env::consts::ARCH);
    let library = Path::new(&folder).join("libfaketime.so.1");
    library.is_file().then_some(library)
}

fn is_new_enough(program: &Path) -> bool {
    let oldest = LLVM_VERSIONS.into_iter().min();
    let text = step::output(Command::new(program).arg("--version")).unwrap_or_default();
    let major =
        super::version_in(&text).and_then(|version| version.split('.').next()?.parse().ok());
    // An unreadable version is `None`, which is less than each version.
    major >= oldest
}

/// Returns PostgreSQL's server from version 14 on, the newest in Debian's folder or that in
/// `PATH`. It must have initdb beside it.
pub(super) fn postgres() -> Option<PathBuf> {
    let versions = Path::new("/usr/lib/postgresql").read_dir().ok();
    let versions = versions.into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|entry| {
            let version: u32 = entry.file_name().to_str()?.parse().ok()?;
            let program = entry.path().join("bin/postgres");
            // A server without initdb cannot create its files.
            let is_whole = program.with_file_name("initdb").is_file();
            (version >= 14 && is_whole).then_some((version, program))
        })
        .max();
    let in_path = || in_path("postgres").filter(|it| it.with_file_name("initdb").is_file());
    newest.map(|(_, program)| program).or_else(in_path)
}

/// Returns the native iree-compile of the release `version` in a venv of any Python. The Python
/// wrapper in the venv's `bin` is slower, and killing it leaves the compiler running.
pub(super) fn iree_in_venv(venv: &Path, version: &str) -> Option<PathBuf> {
    in_packages(venv, |packages| {
        let installed = packages.join(format!("iree_base_compiler-{version}.dist-info/RECORD"));
        let program = packages.join("iree/compiler/_mlir_libs/iree-compile");
        (installed.is_file() && program.is_file()).then_some(program)
    })
}

/// Returns the native iree-run-module of the release `version` in a venv.
pub(super) fn iree_runtime_in_venv(venv: &Path, version: &str) -> Option<PathBuf> {
    in_packages(venv, |packages| iree_runtime_in(packages, version))
}

/// Returns the native iree-run-module of the release `version` in a folder of Python packages.
pub(super) fn iree_runtime_in(packages: &Path, version: &str) -> Option<PathBuf> {
    let installed = packages.join(format!("iree_base_runtime-{version}.dist-info/RECORD"));
    let program = packages.join("iree/_runtime_libs/iree-run-module");
    (installed.is_file() && program.is_file()).then_some(program)
}

/// Returns the release of an iree-run-module from its package, because the program does not tell.
pub(super) fn iree_runtime_version(program: &Path) -> Option<String> {
    // The program is `iree/_runtime_libs/iree-run-module` below the packages.
    let packages = program.ancestors().nth(3)?;
    packages.read_dir().ok()?.flatten().find_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let version = name.strip_prefix("iree_base_runtime-")?;
        Some(version.strip_suffix(".dist-info")?.to_string())
    })
}

/// Searches the package folders of a venv, for any Python version.
fn in_packages(venv: &Path, find: impl Fn(&Path) -> Option<PathBuf>) -> Option<PathBuf> {
    let mut pythons = venv.join("lib").read_dir().ok()?.flatten();
    pythons.find_map(|python| find(&python.path().join("site-packages")))
}

#[cfg(test)]
mod tests {
    use super::field;

    #[track_caller]
    fn check(name: &str, expected: Option<&str>) {
        let json = "{\n  \"name\": \"a-b\",\n  \"version\": \"1.2.3\",\n  \"other\": {\n    \"a-b\": \"4.5\"\n  }\n}\n";
        assert_eq!(field(json, name), expected);
    }

    #[test]
    fn texts_are_found_in_a_package() {
        check("version", Some("1.2.3"));
        check("a-b", Some("4.5"));
        check("b", None);
    }
}
