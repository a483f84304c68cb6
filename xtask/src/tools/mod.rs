//! The tools that wavetune and its tests call, as a table: purpose, search path and origin of
//! each.
//!
//! The search follows `codegen::tools`, so that `doctor` shows the tool that wavetune uses. The
//! order is an environment variable, the distribution's folders from the newest LLVM to the
//! oldest supported one, ROCm's, and `PATH`.

mod tool_paths;

use std::path::{Path, PathBuf};

use crate::step;
use crate::workspace;

/// The supported LLVM versions, in order of preference.
pub(crate) const LLVM_VERSIONS: [u32; 4] = [22, 21, 20, 19];
/// The IREE release that the `iree` generator and its tests are made for.
pub(crate) const IREE_VERSION: &str = "3.13.0";
/// The nextest that `setup` installs if there is none; building it needs Rust 1.91.
pub(crate) const NEXTEST_VERSION: &str = "0.9.143";

/// The name in the table of the server for checking queries.
pub(crate) const POSTGRES: &str = "postgres";

/// The origin of a tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// The user provides it: the README asks for it.
    Given,
    /// A package of Debian's and Ubuntu's LLVM, with `*` for the version, such as `lld-*`.
    LlvmPackage(&'static str),
    /// Any other package of Debian's and Ubuntu's.
    Package(&'static str),
    /// `iree-base-compiler` and `iree-base-runtime` in a Python venv in the target directory.
    Venv,
    /// A package of web/package-lock.json, in `web/node_modules`.
    Npm,
    /// A wheel from PyPI, or `cargo install`, into the target directory.
    WheelOrBuild,
}

/// The functions that need a tool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Need {
    /// wavetune itself.
    Product,
    /// Some of the tests.
    Tests,
    /// Some of the long tests.
    LongTests,
}

/// A row of the table.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) purpose: &'static str,
    pub(crate) need: Need,
    pub(crate) origin: Origin,
    /// Finds the tool. Starts a process only if a file's name does not tell its version.
    find: fn() -> Option<PathBuf>,
    /// Returns its version.
    version: fn(&Path) -> Option<String>,
}

impl Tool {
    /// Returns the path of the tool, or `None` if it is missing or too old.
    pub(crate) fn find(&self) -> Option<PathBuf> {
        (self.find)()
    }

    /// Returns the version of the tool at `path`, or `?` if it does not tell.
    pub(crate) fn version(&self, path: &Path) -> String {
        (self.version)(path).unwrap_or_else(|| "?".to_string())
    }
}

/// Every tool.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "cargo",
        purpose: "builds everything",
        need: Need::Product,
        origin: Origin::Given,
        find: || tool_paths::in_path("cargo"),
        version: says_version,
    },
    Tool {
        name: "git",
        purpose: "clones; the tidy test lists the committed files",
        need: Need::Tests,
        origin: Origin::Given,
        find: || tool_paths::in_path("git"),
        version: says_version,
    },
    Tool {
        name: "cc",
        purpose: "builds SQLite and links the programs",
        need: Need::Product,
        origin: Origin::Given,
        find: || tool_paths::in_path("cc"),
        version: says_version,
    },
    Tool {
        name: "libLLVM",
        purpose: "compiles the kernels of the native generator",
        need: Need::Product,
        origin: Origin::LlvmPackage("libllvm*"),
        find: tool_paths::libllvm,
        version: tool_paths::libllvm_version,
    },
    Tool {
        name: "ld.lld",
        purpose: "links the kernels",
        need: Need::Product,
        origin: Origin::LlvmPackage("lld-*"),
        find: tool_paths::lld,
        version: says_version,
    },
    Tool {
        name: "iree-compile",
        purpose: "compiles the kernels of the iree generator, takes our spec",
        need: Need::Product,
        origin: Origin::Venv,
        find: iree_compile,
        version: says_version,
    },
    Tool {
        name: "iree-run-module",
        purpose: "runs IREE's programs on libwavetune_hip.so",
        need: Need::Tests,
        origin: Origin::Venv,
        find: iree_run_module,
        version: tool_paths::iree_runtime_version,
    },
    Tool {
        name: "llvm-mc",
        purpose: "version 22: the reference of the emulator's decoder",
        need: Need::Tests,
        origin: Origin::LlvmPackage("llvm-*"),
        find: || tool_paths::llvm_program("llvm-mc"),
        version: says_version,
    },
    Tool {
        name: "clang",
        purpose: "22: compiles the kernels that the emulator is tested with",
        need: Need::Tests,
        origin: Origin::LlvmPackage("clang-*"),
        find: || tool_paths::llvm_program("clang"),
        version: says_version,
    },
    Tool {
        name: "libclang_rt",
        purpose: "the sanitizers of clang, which watch the C reader of tables",
        need: Need::Tests,
        origin: Origin::LlvmPackage("libclang-rt-*-dev"),
        find: tool_paths::clang_sanitizers,
        version: tool_paths::folder_version,
    },
    Tool {
        name: "g++",
        purpose: "compiles the C reader of tables as C++",
        need: Need::Tests,
        origin: Origin::Package("g++"),
        find: || tool_paths::in_path("g++"),
        version: says_version,
    },
    Tool {
        name: "xxhash.h",
        purpose: "0.8 or newer: the C reader of tables includes it",
        need: Need::Tests,
        origin: Origin::Package("libxxhash-dev"),
        find: || tool_paths::header("xxhash.h"),
        version: tool_paths::xxhash_version,
    },
    Tool {
        name: "cmake",
        purpose: "finds the library for tables, in a test",
        need: Need::Tests,
        origin: Origin::Package("cmake"),
        find: || tool_paths::in_path("cmake"),
        version: says_version,
    },
    Tool {
        name: "pkg-config",
        purpose: "finds the library for tables, in a test",
        need: Need::Tests,
        origin: Origin::Package("pkg-config"),
        find: || tool_paths::in_path("pkg-config"),
        version: says_version,
    },
    Tool {
        name: "python3",
        purpose: "3.9 or newer: reads tables, in a test",
        need: Need::Tests,
        origin: Origin::Package("python3"),
        find: || tool_paths::in_path("python3"),
        version: says_version,
    },
    Tool {
        name: "clang-offload-bundler",
        purpose: "22: clang calls it for host programs with several targets",
        need: Need::Tests,
        origin: Origin::LlvmPackage("clang-tools-*"),
        find: || tool_paths::llvm_program("clang-offload-bundler"),
        version: says_version,
    },
    Tool {
        name: POSTGRES,
        purpose: "14 or newer: checks the store's queries, and tests it",
        need: Need::Tests,
        origin: Origin::Package("postgresql"),
        find: tool_paths::postgres,
        version: says_version,
    },
    Tool {
        name: "nats-server",
        purpose: "carries the work of a fleet in the tests of dispatch",
        need: Need::Tests,
        origin: Origin::Package("nats-server"),
        find: nats_server,
        version: says_version,
    },
    Tool {
        name: "curl",
        purpose: "sends the README's requests to a service, in a test",
        need: Need::Tests,
        origin: Origin::Package("curl"),
        find: || tool_paths::in_path("curl"),
        version: says_version,
    },
    Tool {
        name: "bwrap",
        purpose: "0.8 or newer: the sandbox of --sandbox, and its tests",
        need: Need::Tests,
        origin: Origin::Package("bubblewrap"),
        find: || tool_paths::in_path("bwrap"),
        version: says_version,
    },
    Tool {
        name: "systemd-analyze",
        purpose: "reads the units that ship the service, in a test",
        need: Need::Tests,
        origin: Origin::Package("systemd"),
        find: || tool_paths::in_path("systemd-analyze"),
        version: systemd_version,
    },
    Tool {
        name: "chromium",
        purpose: "the browser that the tests of the dashboard drive",
        need: Need::Tests,
        origin: Origin::Package("chromium-headless-shell"),
        find: chromium,
        version: says_version,
    },
    Tool {
        name: "node",
        purpose: "18 or newer: runs the tests of the dashboard",
        need: Need::Tests,
        origin: Origin::Package("nodejs"),
        find: || tool_paths::in_path("node"),
        version: says_version,
    },
    Tool {
        name: "npm",
        purpose: "brings the packages of web/package.json",
        need: Need::Tests,
        origin: Origin::Package("npm"),
        find: || tool_paths::in_path("npm"),
        version: says_version,
    },
    Tool {
        name: "playwright-core",
        purpose: "drives the browser",
        need: Need::Tests,
        origin: Origin::Npm,
        find: || tool_paths::npm_package("playwright-core"),
        version: tool_paths::npm_version,
    },
    Tool {
        name: "axe-core",
        purpose: "looks whether everybody can use the dashboard",
        need: Need::Tests,
        origin: Origin::Npm,
        find: || tool_paths::npm_package("axe-core"),
        version: tool_paths::npm_version,
    },
    Tool {
        name: "typescript",
        purpose: "checks the types of the dashboard",
        need: Need::Tests,
        origin: Origin::Npm,
        find: || tool_paths::npm_package("typescript"),
        version: tool_paths::npm_version,
    },
    Tool {
        name: "@types/node",
        purpose: "types of node, for the tests of the dashboard",
        need: Need::Tests,
        origin: Origin::Npm,
        find: || tool_paths::npm_package("@types/node"),
        version: tool_paths::npm_version,
    },
    Tool {
        name: "wrk",
        purpose: "asks a service as much as it answers, in a measurement",
        need: Need::LongTests,
        origin: Origin::Package("wrk"),
        find: || tool_paths::in_path("wrk"),
        version: says_version,
    },
    Tool {
        name: "mmdebstrap",
        purpose: "makes a system without Rust, in which a release is tried",
        need: Need::LongTests,
        origin: Origin::Package("mmdebstrap"),
        find: || tool_paths::in_path("mmdebstrap"),
        version: says_version,
    },
    Tool {
        name: "libfaketime",
        purpose: "sets the clock of a fleet's machines, in a long test",
        need: Need::LongTests,
        origin: Origin::Package("libfaketime"),
        find: tool_paths::libfaketime,
        version: |_| None,
    },
    Tool {
        name: "cargo-nextest",
        purpose: "runs the tests",
        need: Need::Tests,
        origin: Origin::WheelOrBuild,
        find: nextest,
        version: says_version,
    },
];

/// Returns iree-compile: the variable's, or the supported release from a venv. The venvs are
/// `iree-venv` in the target directory or above, the active one, and that in `PATH`.
pub(crate) fn iree_compile() -> Option<PathBuf> {
    if let Some(path) = tool_paths::from_environment("WAVETUNE_IREE_COMPILE") {
        return path;
    }
    let ours = our_venvs();
    let active = std::env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    // A venv's `bin/iree-compile` is a Python wrapper; the native program is in its packages.
    let wrapper = tool_paths::in_path("iree-compile");
    let in_path = wrapper
        .iter()
        .flat_map(|wrapper| wrapper.ancestors().nth(2))
        .map(PathBuf::from);
    ours.into_iter()
        .chain(active)
        .chain(in_path)
        .find_map(|venv| tool_paths::iree_in_venv(&venv, IREE_VERSION))
}

/// Returns iree-run-module, from the packages of iree-compile or from one of our venvs.
pub(crate) fn iree_run_module() -> Option<PathBuf> {
    let compiler = iree_compile();
    let beside = compiler.and_then(|program| {
        // The program is `iree/compiler/_mlir_libs/iree-compile` below the packages.
        let packages = program.ancestors().nth(4)?;
        tool_paths::iree_runtime_in(packages, IREE_VERSION)
    });
    let ours = || {
        let mut venvs = our_venvs().into_iter();
        venvs.find_map(|venv| tool_paths::iree_runtime_in_venv(&venv, IREE_VERSION))
    };
    beside.or_else(ours)
}

/// Returns the possible venvs of `setup`: in the target directory, or in a folder above it.
fn our_venvs() -> Vec<PathBuf> {
    let target = workspace::target_dir();
    let folders = target.iter().flat_map(|target| target.ancestors());
    folders.map(|folder| folder.join("iree-venv")).collect()
}

/// Returns nats-server from `PATH`, or from Debian's folder, which may not be in `PATH`.
fn nats_server() -> Option<PathBuf> {
    let packaged = || Some(PathBuf::from("/usr/sbin/nats-server")).filter(|file| file.is_file());
    tool_paths::in_path("nats-server").or_else(packaged)
}

/// Returns the variable's chromium, or that of `PATH`. The program without windows starts in half
/// the processor time.
fn chromium() -> Option<PathBuf> {
    tool_paths::from_environment("CHROMIUM").unwrap_or_else(|| {
        let mut names = ["chromium-headless-shell", "chromium"].into_iter();
        names.find_map(tool_paths::in_path)
    })
}

/// Returns cargo-nextest from `PATH`, or the one that `setup` installed.
pub(crate) fn nextest() -> Option<PathBuf> {
    tool_paths::in_path("cargo-nextest").or_else(|| {
        let built = workspace::installed_tools().ok()?.join("bin/cargo-nextest");
        built.is_file().then_some(built)
    })
}

/// Returns the first version in the output of `--version`.
fn says_version(path: &Path) -> Option<String> {
    let text = step::output(std::process::Command::new(path).arg("--version"))?;
    version_in(&text).map(str::to_string)
}

/// Returns the number behind the name in the output of systemd's programs.
fn systemd_version(path: &Path) -> Option<String> {
    let text = step::output(std::process::Command::new(path).arg("--version"))?;
    text.split_whitespace().nth(1).map(str::to_string)
}

/// Returns the first word with a leading digit and a dot. Ignores a leading `v` and the
/// distribution's suffix.
fn version_in(text: &str) -> Option<&str> {
    let is_version =
        |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    let words = text.split_whitespace();
    // nats-server prints a version with a leading v.
    let mut words = words.map(|word| word.strip_prefix('v').unwrap_or(word));
    let word = words.find(is_version)?;
    word.split(|c: char| !c.is_ascii_alphanumeric() && c != '.')
        .next()
}

#[cfg(test)]
mod tests {
    use super::version_in;

    #[track_caller]
    fn check(text: &str, version: Option<&str>) {
        assert_eq!(version_in(text), version);
    }

    #[test]
    fn the_version_is_found_in_what_a_tool_says() {
        check("git version 2.39.5", Some("2.39.5"));
        check(
            "Debian LLD 22.1.8 (compatible with GNU linkers)",
            Some("22.1.8"),
        );
        check(
            "IREE (https://iree.dev):\n  IREE compiler version 3.13.0rc20261016 @ 89ece87b\n  LLVM version 24.0.0git",
            Some("3.13.0rc20261016"),
        );
        check(
            "cc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022",
            Some("12.2.0"),
        );
        check("nats-server: v2.9.10", Some("2.9.10"));
        check("no version", None);
    }
}
