//! A page that loads itself again when somebody edits a file, in debug builds: it asks whether the folder has changed.

use std::borrow::Cow;

use crate::{App, DashboardFile};

/// Asks for the state of the folder each half second. Where a program drives the browser nobody edits, and it is quiet.
const SCRIPT: &str = "// @ts-check
const state = async () => (await fetch('/web/reload.txt', { cache: 'no-store' })).text();
if (!navigator.webdriver) {
  const loaded = await state();
  setInterval(async () => {
    const now = await state().catch(() => loaded);
    if (now !== loaded) location.reload();
  }, 500);
}
";

const TAG: &str = "<script type=\"module\" src=\"/web/reload.js\"></script>\n</head>";

/// The page with that script.
pub(crate) fn page(page: &DashboardFile) -> DashboardFile {
    let text = String::from_utf8_lossy(&page.bytes).replacen("</head>", TAG, 1);
    made("index.html", text).expect("a page has a type")
}

/// The script, and the state of the folder: the hashes of all files.
pub(crate) fn file(path: &str) -> Option<DashboardFile> {
    match path {
        "reload.js" => made(path, SCRIPT.to_owned()),
        "reload.txt" => {
            let paths = crate::files().into_iter();
            let files = paths.filter_map(|path| DashboardFile::new(&path, App::get(&path)?.data));
            made(path, files.map(|file| file.digest).collect())
        }
        _ => None,
    }
}

fn made(path: &str, text: String) -> Option<DashboardFile> {
    DashboardFile::new(path, Cow::Owned(text.into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(file: DashboardFile) -> String {
        String::from_utf8(file.bytes.into_owned()).unwrap()
    }

    #[test]
    fn the_page_asks_for_what_changes_with_any_file() {
        let page = text(crate::page());
        assert!(page.contains("src=\"/web/reload.js\""), "{page}");
        let script = text(crate::file("reload.js").unwrap());
        assert!(script.contains("'/web/reload.txt'"), "{script}");
        let state = text(crate::file("reload.txt").unwrap());
        for path in crate::files() {
            let digest = crate::file(&path).unwrap().digest;
            assert!(state.contains(&digest), "{path}");
        }
        // What is embedded is the page as it was written.
        assert!(!text(crate::file("index.html").unwrap()).contains("reload"));
    }
}
