//! Builds the released binaries: the program, the table library that the Python module calls, and
//! the library of the emulated device.
//!
//! The bytes depend neither on the build folder nor on the home of the dependencies: compilers
//! write remapped paths, the same on every machine. Two builds of one commit with one compiler
//! give one file, which reveals nothing about their machines. Zig's linker and its headers of an
//! old glibc make the binaries run on that glibc or a newer one.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::glibc;
use crate::setup::release::ReleaseTools;
use crate::step;
use crate::workspace;

/// The profile of the root Cargo.toml.
const PROFILE: &str = "shipped";

/// Separator of rustc's arguments in `CARGO_ENCODED_RUSTFLAGS`.
const SEPARATOR: &str = "\u{1f}";

/// The built files.
pub(super) struct Binaries {
    pub(super) program: PathBuf,
    /// The library of tables.
    pub(super) library: PathBuf,
    /// The library of the emulated device, by which the program profiles models.
    pub(super) hip_library: PathBuf,
}

/// Returns rustc's name of the platform.
pub(super) fn platform() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// Builds all files. Checks them for folder names of this machine and for symbols of a newer
/// glibc.
pub(super) fn build(tools: &ReleaseTools) -> Result<Binaries> {
    let (root, target) = (workspace::root(), workspace::target_dir()?);
    let renamed = PathRemapping::of(root, &target)?;
    let platform = platform();
    let mut build = workspace::builder(tools.program("cargo-zigbuild"));
    renamed.apply(&mut build);
    tools.tell(&mut build)?;
    build.args(["zigbuild", "--locked", "--profile", PROFILE]);
    build.args(["--target", &format!("{platform}.{}", glibc::OLDEST)]);
    let packages = ["wavetune", "lookup-c", "hip-library"];
    step::run(build.args(packages.iter().flat_map(|it| ["--package", *it])))?;
    let folder = target.join(platform).join(PROFILE);
    let built = Binaries {
        program: folder.join("wavetune"),
        library: folder.join("libwavetune_lookup.so"),
        hip_library: folder.join("libwavetune_hip.so"),
    };
    for file in [&built.program, &built.library, &built.hip_library] {
        let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let told = renamed.leaked_folders(&bytes);
        if !told.is_empty() {
            let told = told.join(", ");
            bail!("{} tells where it was built: {told}", file.display());
        }
        glibc::check(file)?;
    }
    Ok(built)
}

/// Path remapping: folders of this machine, and their names in the binaries.
struct PathRemapping(Vec<(PathBuf, String)>);

impl PathRemapping {
    /// Returns the names of four folders: sources, build output, cargo's downloads, and the
    /// standard library's sources. The last gets the name that it has in builds without its
    /// sources.
    ///
    /// An inner folder comes behind its outer one, because compilers use the last match.
    fn of(root: &Path, target: &Path) -> Result<PathRemapping> {
        let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let usual = || std::env::home_dir().map(|home| home.join(".cargo"));
        let cargo = named.or_else(usual).context("no home directory")?;
        let sysroot = rustc(&["--print", "sysroot"])?;
        let library = Path::new(sysroot.trim()).join("lib/rustlib/src/rust");
        let version = rustc(&["--version", "--verbose"])?;
        let mut lines = version.lines();
        let commit = lines.find_map(|line| line.strip_prefix("commit-hash: "));
        let commit = commit.context("rustc does not print its commit")?;
        let mut renamed = vec![
            (cargo, "/cargo".to_owned()),
            (library, format!("/rustc/{commit}")),
            (root.to_path_buf(), "/wavetune".to_owned()),
            (target.to_path_buf(), "/target".to_owned()),
        ];
        // By depth, since the last matching prefix applies.
        renamed.sort_by_key(|(folder, _)| folder.components().count());
        Ok(PathRemapping(renamed))
    }

    /// Applies the remapping to a cargo build, and overrides compiler flags of the environment.
    fn apply(&self, cargo: &mut Command) {
        let of = |option: &str| -> Vec<OsString> {
            let renamed = self.0.iter().map(|(folder, name)| {
                let mut argument = OsString::from(option);
                argument.push(folder);
                argument.push("=");
                argument.push(name);
                argument
            });
            renamed.collect()
        };
        let joined = |arguments: Vec<OsString>, separator: &str| arguments.join(separator.as_ref());
        let rust = joined(of("--remap-path-prefix="), SEPARATOR);
        let c = joined(of("-ffile-prefix-map="), " ");
        cargo.env("CARGO_ENCODED_RUSTFLAGS", rust);
        cargo.env_remove("RUSTFLAGS");
        // SQLite and ring compile C.
        cargo.env("CFLAGS", c);
        // The output of an incremental build depends on earlier builds.
        cargo.env("CARGO_INCREMENTAL", "0");
    }

    /// Returns the folders with their names in the binary.
    fn leaked_folders(&self, built: &[u8]) -> Vec<String> {
        let is_in = |name: &[u8]| built.windows(name.len()).any(|window| window == name);
        let folders = self.0.iter().map(|(folder, _)| folder);
        let told = folders.filter(|folder| is_in(folder.as_os_str().as_encoded_bytes()));
        told.map(|folder| folder.display().to_string()).collect()
    }
}

/// Returns the output of rustc.
fn rustc(arguments: &[&str]) -> Result<String> {
    let said = step::output(
        Command::new("rustc")
            .current_dir(workspace::root())
            .args(arguments),
    );
    said.context("rustc does not answer")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with all paths that compilers know: of its sources, of a build script's output, and
    /// of a panic.
    const SOURCE: &str = "\
mod made {
    include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));
}
mod named {
    include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/src/named.rs\"));
}
fn main() {
    println!(\"{} {} {}\", file!(), made::place(), named::place());
    let none: Option<u8> = std::env::args().nth(9).map(|_| 1);
    none.expect(\"a place is told\");
}
";
    const SCRIPT: &str = "\
fn main() {
    let folder = std::env::var(\"OUT_DIR\").unwrap();
    std::fs::write(folder + \"/made.rs\", \"pub fn place() -> &'static str { file!() }\").unwrap();
}
";

    /// Builds the program in a new folder of this name, with remapped paths or without.
    fn build(parent: &Path, name: &str, is_renamed: bool) -> (Vec<u8>, PathRemapping) {
        let root = parent.join(name);
        // The output of a build may be outside the folder of the sources.
        let target = parent.join(format!("{name}-built"));
        fs::create_dir_all(root.join("src")).unwrap();
        let manifest = "[package]\nname = \"small\"\nedition = \"2024\"\n[workspace]\n";
        for (file, text) in [
            ("Cargo.toml", manifest),
            ("build.rs", SCRIPT),
            ("src/main.rs", SOURCE),
            ("src/named.rs", "pub fn place() -> &'static str { file!() }"),
        ] {
            fs::write(root.join(file), text).unwrap();
        }
        let renamed = PathRemapping::of(&root, &target).unwrap();
        let mut cargo = Command::new("cargo");
        cargo
            .current_dir(&root)
            .args(["build", "--release", "--offline", "--quiet"]);
        cargo.env("CARGO_TARGET_DIR", &target);
        match is_renamed {
            true => renamed.apply(&mut cargo),
            false => drop(cargo.env_remove("CARGO_ENCODED_RUSTFLAGS")),
        }
        assert!(cargo.status().unwrap().success());
        (fs::read(target.join("release/small")).unwrap(), renamed)
    }

    #[test]
    fn a_program_does_not_tell_where_it_was_built() {
        let folder = std::env::temp_dir().join(format!("wavetune-release-{}", std::process::id()));
        let (one, of_one) = build(&folder, "here", true);
        let (other, of_other) = build(&folder, "in-another-folder", true);
        let (plain, of_plain) = build(&folder, "plain", false);
        fs::remove_dir_all(&folder).unwrap();
        assert!(one == other, "the bytes differ");
        assert_eq!(of_one.leaked_folders(&one), [""; 0]);
        assert_eq!(of_other.leaked_folders(&other), [""; 0]);
        // The program has such names, unless something is done about them.
        assert!(!of_plain.leaked_folders(&plain).is_empty());
    }
}
