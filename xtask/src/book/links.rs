//! The links of a built book: each leads to a file of the book, and to an element in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The links and the anchors of a page.
struct BuiltPage {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

/// The pages of a book, and the names of all its files.
pub(super) struct BuiltBook {
    pages: BTreeMap<String, BuiltPage>,
    files: BTreeSet<String>,
    bytes: u64,
}

impl BuiltBook {
    /// Reads all files of a folder.
    ///
    /// # Errors
    /// If one cannot be read.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let mut read = Self {
            pages: BTreeMap::new(),
            files: BTreeSet::new(),
            bytes: 0,
        };
        let mut folders = vec![folder.to_owned()];
        while let Some(inside) = folders.pop() {
            let entries = fs::read_dir(&inside);
            for entry in entries.with_context(|| format!("cannot read {}", inside.display()))? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(folder)?.to_str();
                let name = name.with_context(|| format!("{} is no text", path.display()))?;
                read.bytes += path.metadata()?.len();
                if name.ends_with(".html") {
                    let page = BuiltPage::parse(&fs::read_to_string(&path)?);
                    read.pages.insert(name.to_owned(), page);
                }
                read.files.insert(name.to_owned());
            }
        }
        Ok(read)
    }

    /// Describes each broken link.
    pub(super) fn broken(&self) -> Vec<String> {
        let of_page = |(name, page): (&String, &BuiltPage)| -> Vec<String> {
            let broken = page.links.iter().filter(|it| !self.leads(name, it));
            broken.map(|it| format!("{name}: {it}")).collect()
        };
        self.pages.iter().flat_map(of_page).collect()
    }

    /// Returns true for a link of a page that leads to something, or out of the book.
    fn leads(&self, page: &str, link: &str) -> bool {
        let is_elsewhere = ["https://", "http://", "mailto:", "data:", "/"];
        if is_elsewhere.iter().any(|it| link.starts_with(it)) {
            return true;
        }
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let folder = page.rsplit_once('/').map_or("", |it| it.0);
        let file = match path {
            "" => page.to_owned(),
            "./" => "index.html".to_owned(),
            path => {
                let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
                for part in path.split('/').filter(|it| *it != ".") {
                    match part {
                        ".." => drop(parts.pop()),
                        name => parts.push(name),
                    }
                }
                parts.join("/")
            }
        };
        let anchors = self.pages.get(&file).map(|it| &it.anchors);
        self.files.contains(&file)
            && (anchor.is_empty() || anchors.is_some_and(|it| it.contains(anchor)))
    }

    /// Counts the pages, the links and the bytes of all files.
    pub(super) fn counts(&self) -> (usize, usize, u64) {
        let links = self.pages.values().map(|it| it.links.len()).sum();
        (self.pages.len(), links, self.bytes)
    }
}

impl BuiltPage {
    fn parse(html: &str) -> Self {
        // mdBook writes all attributes in double quotes, so no HTML parser is needed.
        let mut links = values(html, " href=\"");
        links.extend(values(html, " src=\""));
        Self {
            links,
            anchors: values(html, " id=\"").into_iter().collect(),
        }
    }
}

/// Lists the values of an attribute.
fn values(html: &str, begin: &str) -> Vec<String> {
    let values = html.split(begin).skip(1);
    let values = values.filter_map(|rest| rest.split('"').next());
    // HTML escapes an ampersand in an attribute.
    values.map(|it| it.replace("&amp;", "&")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        let names = ["a.html", "css/b.css", "index.html"];
        let page = |text: &str| BuiltPage::parse(text);
        let pages = [
            ("a.html", page("<h1 id=\"c\">")),
            ("index.html", page(html)),
        ];
        let pages = BuiltBook {
            pages: pages.map(|(name, page)| (name.to_owned(), page)).into(),
            files: names.map(str::to_owned).into(),
            bytes: 0,
        };
        assert_eq!(pages.broken(), expected, "{html}");
    }

    #[test]
    fn broken_links_are_noticed() {
        check(
            "<a href=\"a.html#c\"><link href=\"css/b.css\"><a href=\"./\">",
            &[],
        );
        check("<a href=\"https://d.e/f\"><a id=\"g\" href=\"#g\">", &[]);
        check("<a href=\"h.html\">", &["index.html: h.html"]);
        check("<a href=\"a.html#d\">", &["index.html: a.html#d"]);
        check("<img alt=\"\" src=\"../i.png\">", &["index.html: ../i.png"]);
    }
}
