//! The files of the dashboard, which a browser loads.
//!
//! They are plain JavaScript modules in `web/app/`, the same for every user, and ask the API for
//! all data. `rust-embed` puts them into the program. A debug build reads them from disk for each
//! request, so that an edit needs no build. Each file of `web/tests/` is a test in a browser,
//! against a service with real studies. `docs/dashboard.md` has the pages and their rules.
//!
//! A *report* is a page in one file, with the answers that it needs. `report_answers.rs` lists
//! these answers.
//!
//! This crate knows no server: it returns bytes and their types.

#[cfg(debug_assertions)]
mod live_reload;
pub mod report;
mod report_answers;

use std::borrow::Cow;

use rust_embed::RustEmbed;

pub use report_answers::ApiProvider;

#[derive(RustEmbed)]
#[folder = "app/"]
struct App;

/// A file of the dashboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DashboardFile {
    /// Its content.
    pub bytes: Cow<'static, [u8]>,
    /// Its media type.
    pub kind: &'static str,
    /// A BLAKE3 hash of its content: 32 hexadecimal digits.
    pub digest: String,
}

/// Media types by the end of the file name.
const KINDS: [(&str, &str); 5] = [
    (".html", "text/html; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".svg", "image/svg+xml"),
    (".txt", "text/plain; charset=utf-8"),
];

impl DashboardFile {
    /// Creates a file. Returns none if the end of its name has no media type.
    fn new(path: &str, bytes: Cow<'static, [u8]>) -> Option<DashboardFile> {
        let (_, kind) = KINDS.iter().find(|(end, _)| path.ends_with(end))?;
        // 128 bits suffice to tell the versions of a file apart.
        let digest = blake3::hash(&bytes).to_hex()[..32].to_owned();
        Some(DashboardFile {
            bytes,
            kind,
            digest,
        })
    }
}

/// Returns the page, which loads the other files. That of a debug build reloads itself after a
/// change of a file.
pub fn page() -> DashboardFile {
    let page = file("index.html").expect("the folder has a page");
    #[cfg(debug_assertions)]
    let page = live_reload::page(&page);
    page
}

/// Returns the file at this path below `web/app/`, with `/` between folders.
pub fn file(path: &str) -> Option<DashboardFile> {
    #[cfg(debug_assertions)]
    if let Some(file) = live_reload::file(path) {
        return Some(file);
    }
    DashboardFile::new(path, App::get(path)?.data)
}

/// Returns the paths of all files for browsers, in order. Files for the type checker are left
/// out.
pub fn files() -> Vec<Cow<'static, str>> {
    let is_asked = |path: &Cow<'_, str>| KINDS.iter().any(|(end, _)| path.ends_with(end));
    let mut paths: Vec<_> = App::iter().filter(is_asked).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_type_and_a_digest_of_its_own() {
        let paths = files();
        assert!(paths.contains(&Cow::Borrowed("main.js")), "{paths:?}");
        let digests = paths.iter().map(|path| {
            let file = file(path).unwrap_or_else(|| panic!("{path}: of what type?"));
            assert!(!file.bytes.is_empty(), "{path}");
            assert_eq!(file.digest.len(), 32, "{path}");
            file.digest
        });
        let digests: std::collections::BTreeSet<String> = digests.collect();
        assert_eq!(digests.len(), paths.len());
    }

    #[test]
    fn no_path_leaves_the_folder() {
        for path in [
            "",
            "/",
            ".",
            "..",
            "../Cargo.toml",
            "../src/lib.rs",
            "vendor/../../src/lib.rs",
            "/etc/hosts.txt",
            "none.js",
            "main.js/",
            "main.js\0",
        ] {
            assert_eq!(file(path), None, "{path:?}");
        }
    }

    #[test]
    fn the_page_is_a_file_and_loads_others_that_are_there() {
        let page = page();
        let text = String::from_utf8(page.bytes.into_owned()).unwrap();
        let mut loaded = 0;
        for attribute in ["src=\"", "href=\""] {
            for rest in text.split(attribute).skip(1) {
                let address = rest.split('"').next().unwrap();
                if address.starts_with("/api/") {
                    continue;
                }
                let path = address.strip_prefix("/web/");
                let path = path.unwrap_or_else(|| panic!("{address}: of another site?"));
                assert!(file(path).is_some(), "{address}");
                loaded += 1;
            }
        }
        assert!(loaded >= 2, "{text}");
    }
}
