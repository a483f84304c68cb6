//! `cargo xtask book`: the documents as a book, by mdBook.
//!
//! - [`documents`] reads the documents and checks their links, as a test does.
//! - [`source`] copies the pages into the folder that mdBook reads.
//! - The program adds the pages of its own options.
//! - [`links`] checks the links of the pages that mdBook writes.
//!
//! Nothing but this task installs mdBook.

mod documents;
mod links;
mod markdown;
mod source;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::files;
use crate::program_build;
use crate::setup::mdbook;
use crate::step;
use crate::workspace;
use documents::Documents;
use links::BuiltBook;

/// Returns the folder of the built book.
///
/// # Errors
/// If the target directory is not known.
pub(crate) fn folder() -> Result<PathBuf> {
    Ok(workspace::target_dir()?.join("book"))
}

/// Builds the book, checks its links, and shows it in a browser if `is_shown` is true.
///
/// # Errors
/// If a tool is missing, or if a link is broken.
pub(crate) fn run(is_shown: bool) -> Result<()> {
    let documents = Documents::read()?;
    // First, because the build takes minutes: the pages of mdBook contain the same links.
    refuse(&documents.broken())?;
    let mdbook = mdbook::install()?;
    let program = program_build::build("wavetune")?;
    let source = workspace::target_dir()?.join("book-source");
    source::write(&documents, &source.join("src"))?;
    step::run(
        Command::new(program)
            .arg("reference")
            .arg(source.join("src")),
    )?;
    for file in ["book.toml", "book.css"] {
        fs::copy(workspace::root().join("docs").join(file), source.join(file))?;
    }
    let book = folder()?;
    // mdBook removes nothing, so a deleted page would remain.
    files::remove(&book)?;
    step::run(
        Command::new(mdbook)
            .arg("build")
            .arg("--dest-dir")
            .args([&book, &source]),
    )?;
    let pages = BuiltBook::read(&book)?;
    refuse(&pages.broken())?;
    let (count, links, bytes) = pages.counts();
    let megabytes = bytes as f64 / 1e6;
    let index = book.join("index.html");
    println!(
        "\n{count} pages, {links} links, {megabytes:.1} MB: {}",
        index.display()
    );
    match is_shown {
        true => show(&index),
        false => Ok(()),
    }
}

fn refuse(broken: &[String]) -> Result<()> {
    match broken {
        [] => Ok(()),
        broken => Err(step::StepFailure(format!("broken links:\n{}", broken.join("\n"))).into()),
    }
}

fn show(page: &Path) -> Result<()> {
    step::run(Command::new("xdg-open").arg(page))
}
