//! The files of a release below their prefix, such as `/usr`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::program::{Binaries, platform};
use crate::setup::release::ReleaseTools;
use crate::share;
use crate::step;
use crate::workspace;

/// Files of the repository, and the folders that they are installed into.
const COPIED: [(&str, &str); 9] = [
    ("LICENSE", "share/doc/wavetune"),
    ("CHANGELOG.md", "share/doc/wavetune"),
    (
        "shipping/systemd/wavetune-server.service",
        "lib/systemd/system",
    ),
    (
        "shipping/systemd/wavetune-agent@.service",
        "lib/systemd/system",
    ),
    (
        "shipping/systemd/wavetune-server.service.d/team.conf",
        "share/doc/wavetune/wavetune-server.service.d",
    ),
    (
        "shipping/systemd/wavetune-server.service.d/fleet.conf",
        "share/doc/wavetune/wavetune-server.service.d",
    ),
    (
        "shipping/systemd/wavetune-agent@.service.d/sandbox.conf",
        "share/doc/wavetune/wavetune-agent@.service.d",
    ),
    ("shipping/prometheus/alerts.yaml", "share/doc/wavetune"),
    ("shipping/grafana/wavetune.json", "share/doc/wavetune"),
];

/// Lays the files out in a folder, which is made anew.
pub(super) fn lay_out(tools: &ReleaseTools, built: &Binaries, prefix: &Path) -> Result<()> {
    crate::files::make_anew(prefix)?;
    let program = prefix.join("bin/wavetune");
    fs::create_dir_all(prefix.join("bin"))?;
    fs::copy(&built.program, &program)?;
    share::write(&program, &prefix.join("share"))?;
    let root = workspace::root();
    for (file, folder) in COPIED {
        let file = root.join(file);
        let folder = prefix.join(folder);
        fs::create_dir_all(&folder)?;
        let name = file.file_name().context("a file has a name")?;
        fs::copy(&file, folder.join(name)).with_context(|| file.display().to_string())?;
    }
    let users = prefix.join("lib/sysusers.d");
    fs::create_dir_all(&users)?;
    fs::copy(
        root.join("shipping/systemd/wavetune.sysusers"),
        users.join("wavetune.conf"),
    )?;
    let licences = prefix.join("share/doc/wavetune/THIRD-PARTY.txt");
    let mut collect = workspace::builder(tools.program("python"));
    collect.arg("xtask/src/release/licences.py").arg(&licences);
    step::run(collect.args([&platform(), "wavetune", "lookup-c"]))?;
    let text = fs::read_to_string(&licences)?;
    match LINKED.iter().find(|name| !text.contains(**name)) {
        None => Ok(()),
        Some(name) => bail!("{} does not name {name}", licences.display()),
    }
}

/// Some of what is linked in, of each kind: Rust, C, assembly, and Rust's own library.
const LINKED: [&str; 4] = [
    "serde_json",
    "libsqlite3-sys",
    "ring",
    "Rust standard library",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_release_is_there() {
        for (file, _) in COPIED {
            assert!(workspace::root().join(file).is_file(), "{file}");
        }
    }
}
