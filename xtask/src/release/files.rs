//! The files of a release below their prefix, such as `/usr`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::program::{Binaries, platform};
use crate::book;
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

/// Creates the folder afresh, and copies the files of a release into it.
pub(super) fn lay_out(tools: &ReleaseTools, built: &Binaries, prefix: &Path) -> Result<()> {
    crate::files::make_anew(prefix)?;
    let program = prefix.join("bin/wavetune");
    fs::create_dir_all(prefix.join("bin"))?;
    fs::copy(&built.program, &program)?;
    let libraries = prefix.join("lib/wavetune");
    fs::create_dir_all(&libraries)?;
    fs::copy(&built.hip_library, libraries.join("libwavetune_hip.so"))?;
    share::write(&program, &prefix.join("share"))?;
    let root = workspace::root();
    for (file, folder) in COPIED {
        let file = root.join(file);
        let folder = prefix.join(folder);
        fs::create_dir_all(&folder)?;
        let name = file.file_name().context("a file has a name")?;
        fs::copy(&file, folder.join(name)).with_context(|| file.display().to_string())?;
    }
    copy_book(&book::folder()?, &prefix.join(BOOK))?;
    let users = prefix.join("lib/sysusers.d");
    fs::create_dir_all(&users)?;
    fs::copy(
        root.join("shipping/systemd/wavetune.sysusers"),
        users.join("wavetune.conf"),
    )?;
    let licences = prefix.join("share/doc/wavetune/THIRD-PARTY.txt");
    let mut collect = workspace::builder(tools.program("python"));
    collect.arg("xtask/src/release/licences.py").arg(&licences);
    step::run(collect.args([&platform(), "wavetune", "lookup-c", "hip-library"]))?;
    let text = fs::read_to_string(&licences)?;
    // A change of cargo's output could leave out a kind of dependency unnoticed.
    match LINKED.iter().find(|name| !text.contains(**name)) {
        None => Ok(()),
        Some(name) => bail!("{} does not name {name}", licences.display()),
    }
}

/// The folder in which an installed service looks for the book.
const BOOK: &str = "share/doc/wavetune/book";

/// Copies the book, if `cargo xtask book` has built it.
fn copy_book(book: &Path, to: &Path) -> Result<()> {
    if !book.join("index.html").is_file() {
        println!("without the book: `cargo xtask book` builds it");
        return Ok(());
    }
    // Into an existing folder, `cp` would copy the book as a subfolder.
    crate::files::remove(to)?;
    step::run(Command::new("cp").arg("-r").arg(book).arg(to))
}

/// A linked dependency of each kind: Rust, C, assembly, and Rust's own library.
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
    fn a_release_has_the_book_that_was_built() {
        let folder = std::env::temp_dir().join(format!("xtask-book-{}", std::process::id()));
        let (book, to) = (folder.join("book"), folder.join("doc/book"));
        fs::create_dir_all(book.join("css")).unwrap();
        fs::create_dir_all(folder.join("doc")).unwrap();
        fs::write(book.join("css/a.css"), "a").unwrap();
        copy_book(&book, &to).unwrap();
        assert!(!to.exists());
        fs::write(book.join("index.html"), "b").unwrap();
        for _ in ["copied", "copied again"] {
            copy_book(&book, &to).unwrap();
            assert_eq!(fs::read_to_string(to.join("css/a.css")).unwrap(), "a");
            assert!(!to.join("book").exists());
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn every_file_of_a_release_is_there() {
        for (file, _) in COPIED {
            assert!(workspace::root().join(file).is_file(), "{file}");
        }
    }
}
