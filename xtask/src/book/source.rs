//! The folder that mdBook reads: copies of the documents, with links to files of the book only.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::documents::{Documents, GENERATED, LinkTarget, SUMMARY};
use super::markdown;
use crate::files;
use crate::workspace;

/// Writes the pages and the files that they link to.
///
/// # Errors
///
/// If a file cannot be read or written.
pub(super) fn write(documents: &Documents, folder: &Path) -> Result<()> {
    files::make_anew(folder)?;
    let pages = documents.pages();
    let mut linked = BTreeSet::new();
    let written = pages.iter().map(String::as_str).chain([SUMMARY]);
    for page in written.filter(|it| !GENERATED.contains(it)) {
        let text = documents.texts.get(page);
        let text = text.with_context(|| format!("{page} is not committed"))?;
        let text = relinked(documents, &pages, page, text, &mut linked);
        put(&folder.join(place(page)), text.as_bytes())?;
    }
    for file in linked {
        let bytes = fs::read(workspace::root().join(&file));
        let bytes = bytes.with_context(|| format!("cannot read {file}"))?;
        put(&folder.join(place(&file)), &bytes)?;
    }
    Ok(())
}

fn put(file: &Path, bytes: &[u8]) -> Result<()> {
    let folder = file.parent().context("a file lies in a folder")?;
    fs::create_dir_all(folder)?;
    fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
}

/// Returns a repository file's path in the book.
fn place(file: &str) -> String {
    match file {
        // mdBook turns a README into an index page, and its links would lead elsewhere.
        "README.md" => "introduction.md".to_owned(),
        file => match file.strip_prefix("docs/") {
            Some(inside) => inside.to_owned(),
            None if file.ends_with(".md") => file.to_lowercase(),
            None => format!("source/{file}"),
        },
    }
}

/// Rewrites the links of a page, and collects the files that it links to.
///
/// A link to a folder, or to a document that is no page, becomes plain text.
fn relinked(
    documents: &Documents,
    pages: &[String],
    page: &str,
    text: &str,
    linked: &mut BTreeSet<String>,
) -> String {
    let mut written = text.to_owned();
    // From last to first, so that earlier byte ranges stay valid.
    for link in markdown::links(text).into_iter().rev() {
        match documents.target(page, &text[link.target.clone()]) {
            LinkTarget::Elsewhere => {}
            LinkTarget::File(path, anchor) if pages.contains(&path) || !path.ends_with(".md") => {
                let anchor = match anchor.as_str() {
                    "" => String::new(),
                    anchor => format!("#{anchor}"),
                };
                written.replace_range(link.target, &format!("{}{anchor}", place(&path)));
                if !path.ends_with(".md") {
                    linked.insert(path);
                }
            }
            _ => written.replace_range(link.whole(text), &text[link.label.clone()]),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, text: &str, expected: &str, files: &[&str]) {
        let documents = Documents::read().unwrap();
        let mut linked = BTreeSet::new();
        let written = relinked(&documents, &documents.pages(), page, text, &mut linked);
        assert_eq!(written, expected);
        assert_eq!(linked.into_iter().collect::<Vec<_>>(), files);
    }

    #[test]
    fn links_lead_to_files_of_the_book() {
        check("docs/table.md", "[a](fleet.md)", "[a](fleet.md)", &[]);
        check(
            "docs/table.md",
            "[a](#b), [c](https://d.e)",
            "[a](table.md#b), [c](https://d.e)",
            &[],
        );
        check(
            "docs/table.md",
            "[a](../README.md#b) [c](../ARCHITECTURE.md)",
            "[a](introduction.md#b) [c](architecture.md)",
            &[],
        );
        check("README.md", "[a](docs/table.md#b)", "[a](table.md#b)", &[]);
        check(
            "README.md",
            "[a](LICENSE) in [`b`](docs) and [c](SECURITY.md)",
            "[a](source/LICENSE) in `b` and c",
            &["LICENSE"],
        );
        let picture = "docs/screenshots/overview.webp";
        check(
            "README.md",
            "![a](docs/screenshots/overview.webp)",
            "![a](screenshots/overview.webp)",
            &[picture],
        );
    }
}
