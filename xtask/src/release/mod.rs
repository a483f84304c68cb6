//! `cargo xtask release`: makes a tarball, a Debian package and a wheel for users.
//!
//! All three contain the same program ([`program`]), for glibc 2.28 or newer ([`glibc`]). They
//! also contain its manual pages, its completions and the licences of its dependencies
//! ([`files`]). [`check`] installs each in a system without Rust and uses it.

mod check;
mod debian;
mod files;
mod glibc;
mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::git;
use crate::setup::release::ReleaseTools;
use crate::step;
use crate::workspace;
use program::Binaries;

/// Makes the three in `dist` in the target directory, with their checksums, and prints their
/// sizes.
pub(crate) fn run() -> Result<()> {
    make().map(drop)
}

/// Makes them, and has each installed and used in a system without Rust.
pub(crate) fn run_and_check() -> Result<()> {
    check::all(&make()?)
}

/// The files of a release.
struct Dist {
    folder: PathBuf,
    tarball: String,
    package: String,
    wheel: String,
}

fn make() -> Result<Dist> {
    let tools = ReleaseTools::install()?;
    let built = program::build(&tools)?;
    let target = workspace::target_dir()?;
    let version = version()?;
    let prefix = target.join("release-files");
    files::lay_out(&tools, &built, &prefix)?;
    let folder = target.join("dist");
    crate::files::make_anew(&folder)?;
    let date = date();
    let dist = Dist {
        tarball: tarball(&prefix, &folder, &version, &date)?,
        package: debian::package(&prefix, &target, &folder, &version, &date)?,
        wheel: wheel(&tools, &built, &prefix, &folder, &date)?,
        folder,
    };
    let names = [&dist.tarball, &dist.package, &dist.wheel];
    let mut sums = Command::new("sha256sum");
    // In the folder, so that the names in the file have no path.
    let sums = step::output(sums.current_dir(&dist.folder).args(names));
    fs::write(
        dist.folder.join("SHA256SUMS"),
        sums.context("sha256sum failed")?,
    )?;
    println!("\n{}:", dist.folder.display());
    for file in names
        .map(|name| dist.folder.join(name))
        .iter()
        .chain([&built.program])
    {
        let bytes = file.metadata()?.len();
        println!("{:>8.1} MB  {}", bytes as f64 / 1e6, file.display());
    }
    Ok(dist)
}

/// Returns the version of the root Cargo.toml.
fn version() -> Result<String> {
    let text = fs::read_to_string(workspace::root().join("Cargo.toml"))?;
    let mut lines = text.lines();
    let version = lines.find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    Ok(version.context("Cargo.toml has no version")?.to_owned())
}

/// Returns the date of files in archives: that of the commit, or the earliest one that a ZIP file
/// can hold.
fn date() -> String {
    let seconds = git::output(workspace::root(), &["log", "-1", "--format=%ct"]);
    seconds.unwrap_or_else(|_| "315532800".to_owned())
}

/// Packs the files below one folder, with the same order and owners on every machine.
fn tarball(prefix: &Path, folder: &Path, version: &str, date: &str) -> Result<String> {
    let name = format!("wavetune-{version}-{}-linux", std::env::consts::ARCH);
    let file = format!("{name}.tar.gz");
    let mut tar = Command::new("tar");
    tar.current_dir(prefix);
    // Order, owner, time and mode are those of every machine, not of this one.
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--mtime=@{date}"));
    // gzip -n: without a name and a time in the header.
    tar.args(["--mode=u+rw,go-w,a+rX", "--use-compress-program=gzip -9n"]);
    tar.arg(format!("--transform=s,^[.],{name},"));
    step::run(
        tar.arg("--create")
            .arg("--file")
            .arg(folder.join(&file))
            .arg("."),
    )?;
    Ok(file)
}

/// Packs the program and the Python module.
fn wheel(
    tools: &ReleaseTools,
    built: &Binaries,
    prefix: &Path,
    folder: &Path,
    date: &str,
) -> Result<String> {
    let mut wheel = workspace::builder("sh");
    tools.tell(&mut wheel)?;
    wheel.env("SOURCE_DATE_EPOCH", date);
    let platform = glibc::OLDEST.replace('.', "_");
    let platform = format!("manylinux_{platform}_{}", std::env::consts::ARCH);
    wheel.env("WAVETUNE_PLATFORM", &platform);
    wheel.arg("lookup/python/wheel.sh");
    wheel.args([&built.program, &built.library]);
    wheel.arg(prefix.join("share/doc/wavetune")).arg(folder);
    step::run(&mut wheel)?;
    let entries = fs::read_dir(folder)?.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let wheel = names.into_iter().find(|name| name.ends_with(".whl"));
    wheel.context("hatchling made no wheel")
}
