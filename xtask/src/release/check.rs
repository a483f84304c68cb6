//! Installs each file of a release in a system without Rust, and uses it there.
//!
//! The system is a small Debian of this machine's release, with LLVM and Python's venv. It is in
//! the target directory, made by mmdebstrap. The commands run in a copy, in bubblewrap without
//! network, so that the next check starts from the same system.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Dist, version};
use crate::step;
use crate::workspace;

/// Packages of the system beyond the smallest Debian.
const PACKAGES: &str = "libllvm*,lld-*,python3-venv";

/// The places of the release files and of the test script in the system.
const DIST: &str = "/tmp/dist";
const USE: &str = "/tmp/use.sh";

/// Checks the tarball, the package and the wheel.
pub(super) fn all(dist: &Dist) -> Result<()> {
    let system = CleanSystem::make(dist)?;
    println!("\n== {}", dist.tarball);
    system.run(&format!(
        "tar --extract --no-same-owner --strip-components=1 --directory=/usr/local --file={DIST}/{}",
        dist.tarball
    ), "/usr/local/bin/wavetune")?;
    println!("\n== {}", dist.package);
    system.run(
        &format!(
            "dpkg --install {DIST}/{} && test -f /usr/share/man/man1/wavetune.1.gz",
            dist.package
        ),
        "/usr/bin/wavetune",
    )?;
    println!("\n== {}", dist.wheel);
    system.run(
        &format!(
            "python3 -m venv /tmp/venv && export PYTHON=/tmp/venv/bin/python && \
             $PYTHON -m pip install --quiet --no-index {DIST}/{}",
            dist.wheel
        ),
        "/tmp/venv/bin/wavetune",
    )?;
    crate::files::remove(&system.copy_folder())
}

/// A Debian without Rust.
struct CleanSystem {
    root: PathBuf,
    dist: PathBuf,
}

impl CleanSystem {
    fn make(dist: &Dist) -> Result<CleanSystem> {
        let root = workspace::target_dir()?.join("empty-root");
        let system = CleanSystem {
            root,
            dist: dist.folder.clone(),
        };
        if !system.root.join("usr/bin/dpkg").is_file() {
            system.bootstrap()?;
        }
        Ok(system)
    }

    /// Downloads and unpacks the packages.
    fn bootstrap(&self) -> Result<()> {
        let release = fs::read_to_string("/etc/os-release")?;
        let mut lines = release.lines();
        let suite = lines.find_map(|line| line.strip_prefix("VERSION_CODENAME="));
        let suite = suite.context("/etc/os-release names no release of Debian or Ubuntu")?;
        let llvm = crate::setup::newest_llvm().context("apt has no LLVM")?;
        let packages = PACKAGES.replace('*', &llvm.to_string());
        crate::files::remove(&self.root)?;
        let mut bootstrap = Command::new("mmdebstrap");
        bootstrap.args(["--variant=minbase", "--quiet"]);
        bootstrap.arg(format!("--include={packages}")).arg(suite);
        bootstrap.arg(&self.root);
        step::run(bootstrap.args(sources()?))
    }

    /// Installs and uses a program in a copy of the system.
    fn run(&self, install: &str, program: &str) -> Result<()> {
        let version = version()?;
        let script = format!("set -e; {install}; exec sh {USE} {program} {version}");
        let mut command = Command::new("bwrap");
        // A clear environment: the developer's PATH must not lead to tools.
        command.args(["--unshare-all", "--die-with-parent", "--clearenv"]);
        command.args(["--setenv", "PATH", "/usr/sbin:/usr/bin:/sbin:/bin"]);
        command.args(["--uid", "0", "--gid", "0", "--bind"]);
        command.arg(self.copy()?).arg("/");
        command.args(["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]);
        command.arg("--ro-bind").arg(&self.dist).arg(DIST);
        let uses = workspace::root().join("xtask/src/release/use.sh");
        command.arg("--ro-bind").arg(uses).arg(USE);
        step::run(command.args(["sh", "-c", &script]))
    }

    fn copy_folder(&self) -> PathBuf {
        self.root.with_extension("copy")
    }

    /// Copies the system afresh and returns the copy's path.
    fn copy(&self) -> Result<PathBuf> {
        let copy = self.copy_folder();
        crate::files::remove(&copy)?;
        let mut cp = Command::new("cp");
        step::run(
            cp.args(["--archive", "--reflink=auto"])
                .arg(&self.root)
                .arg(&copy),
        )?;
        Ok(copy)
    }
}

/// Returns the sources of this machine's apt.
fn sources() -> Result<Vec<PathBuf>> {
    let folder = Path::new("/etc/apt");
    let mut files = vec![folder.join("sources.list")];
    for entry in fs::read_dir(folder.join("sources.list.d"))? {
        files.push(entry?.path());
    }
    files.retain(|file| file.is_file());
    match files.is_empty() {
        true => bail!("apt has no sources here"),
        false => Ok(files),
    }
}
