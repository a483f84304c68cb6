//! The documents of the repository and their links: to each other, to headings, and to files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result};

use super::markdown;
use crate::git;
use crate::workspace;

/// The list of the book's pages.
pub(super) const SUMMARY: &str = "docs/SUMMARY.md";

/// Pages that the program writes when the book is built.
pub(super) const GENERATED: [&str; 2] =
    ["docs/reference-cli.md", "docs/reference-configuration.md"];

/// The documents, and the names of all committed files.
#[derive(Default)]
pub(super) struct Documents {
    /// Path and text of each document.
    pub(super) texts: BTreeMap<String, String>,
    files: BTreeSet<String>,
}

/// The target of a document's link.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// Another site, or an address of the service.
    Elsewhere,
    /// A file of the repository and an anchor in it, which may be empty.
    File(String, String),
    /// A folder of the repository.
    Folder,
    /// Nothing: the path names no file and no folder.
    Missing,
}

impl Documents {
    /// Reads the committed documents.
    ///
    /// # Errors
    /// If git does not list them, or if a file cannot be read.
    pub(super) fn read() -> Result<Self> {
        let root = workspace::root();
        let listed = git::output(root, &["ls-files"])?;
        let mut documents = Self::default();
        // The index may still list a deleted file.
        for file in listed.lines().filter(|it| root.join(it).is_file()) {
            documents.files.insert(file.to_owned());
            if file.ends_with(".md") {
                let text = fs::read_to_string(root.join(file));
                let text = text.with_context(|| format!("cannot read {file}"))?;
                documents.texts.insert(file.to_owned(), text);
            }
        }
        Ok(documents)
    }

    /// Returns the target of a document's link.
    pub(super) fn target(&self, document: &str, link: &str) -> LinkTarget {
        // A test of `server` checks the addresses of the service.
        if link.contains("://") || link.starts_with("mailto:") || link.starts_with('/') {
            return LinkTarget::Elsewhere;
        }
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let path = match path {
            "" => document.to_owned(),
            path => resolved(document, path),
        };
        if self.files.contains(&path) || GENERATED.contains(&path.as_str()) {
            return LinkTarget::File(path, anchor.to_owned());
        }
        let folder = format!("{path}/");
        match self.files.iter().any(|it| it.starts_with(&folder)) {
            true => LinkTarget::Folder,
            false => LinkTarget::Missing,
        }
    }

    /// Describes each broken link.
    pub(super) fn broken(&self) -> Vec<String> {
        let texts = self.texts.iter();
        let anchors: BTreeMap<&str, Vec<String>> = texts
            .map(|(path, text)| (path.as_str(), markdown::anchors(text)))
            .collect();
        // Files other than documents have anchors that only a browser knows.
        let has_anchor = |path: &str, anchor: &str| {
            let of_path = anchors.get(path);
            anchor.is_empty() || of_path.is_none_or(|it| it.iter().any(|it| it == anchor))
        };
        let mut broken = Vec::new();
        for (document, text) in &self.texts {
            for link in markdown::links(text) {
                let written = &text[link.target.clone()];
                let fault = match self.target(document, written) {
                    LinkTarget::Missing => "no such file",
                    LinkTarget::File(path, anchor) if !has_anchor(&path, &anchor) => {
                        "no such heading"
                    }
                    _ => continue,
                };
                broken.push(format!("{document}:{}: {written}: {fault}", link.line));
            }
        }
        broken
    }

    /// Lists the pages of the book in their order.
    pub(super) fn pages(&self) -> Vec<String> {
        let text = self.texts.get(SUMMARY).map_or("", String::as_str);
        let links = markdown::links(text);
        let targets = links.iter().map(|it| &text[it.target.clone()]);
        targets.map(|it| resolved(SUMMARY, it)).collect()
    }
}

/// Resolves a document's relative path to a path from the root.
fn resolved(document: &str, path: &str) -> String {
    let folder = document.rsplit_once('/').map_or("", |it| it.0);
    let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                // A path that leaves the repository names no file of it.
                if parts.pop().is_none() {
                    return String::new();
                }
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planted(text: &str) -> Documents {
        let documents = [("docs/a.md", text), ("README.md", "# One\n")];
        let texts = documents.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let files = ["docs/a.md", "README.md", "shipping/b.yaml"].map(str::to_owned);
        Documents {
            texts: texts.into(),
            files: files.into(),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(planted(text).broken(), expected, "{text}");
    }

    #[test]
    fn broken_links_are_noticed() {
        check("[a](../README.md#one) [b](#c)\n# C", &[]);
        check(
            "[a](../shipping) [b](../shipping/b.yaml#L1) [c](https://d.e/f)",
            &[],
        );
        check("[a](/api/v1/docs) [b](reference-cli.md#tune)", &[]);
        check("\n[a](b.md)", &["docs/a.md:2: b.md: no such file"]);
        check("[a](#b)", &["docs/a.md:1: #b: no such heading"]);
        check(
            "[a](../README.md#two) [b](../../README.md)",
            &[
                "docs/a.md:1: ../README.md#two: no such heading",
                "docs/a.md:1: ../../README.md: no such file",
            ],
        );
    }

    #[test]
    fn links_of_the_documents_lead_somewhere() {
        let documents = Documents::read().unwrap();
        assert!(documents.texts.len() > 15, "{:?}", documents.texts.keys());
        let broken = documents.broken();
        assert!(broken.is_empty(), "\n{}", broken.join("\n"));
    }

    #[test]
    fn each_document_is_one_page_of_the_book() {
        let documents = Documents::read().unwrap();
        let mut pages = documents.pages();
        let is_ours = |it: &&String| it.starts_with("docs/") && *it != SUMMARY;
        let mut expected: Vec<String> = documents.texts.keys().filter(is_ours).cloned().collect();
        expected.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned));
        expected.extend(GENERATED.map(str::to_owned));
        expected.sort();
        pages.sort();
        assert_eq!(pages, expected);
    }
}
