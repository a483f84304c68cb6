//! Live reload of debug builds: the page polls the state of the folder, and reloads itself after
//! an edit.

use std::borrow::Cow;

use crate::{App, DashboardFile};

/// Polls the state of the folder every 0.5 s. It does nothing in a browser that a program drives,
/// since nobody edits there.
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

/// Adds the script to the page.
pub(crate) fn page(page: &DashboardFile) -> DashboardFile {
    let text = String::from_utf8_lossy(&page.bytes).replacen("</head>", TAG, 1);
    made("index.html", text).expect("a page has a type")
}

/// Returns the script, or the state of the folder: the hashes of all files.
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
    fn the_page_asks_for_a_version_of_all_files() {
        let page = text(crate::page());
        assert!(page.contains("src=\"/web/reload.js\""), "{page}");
        let script = text(crate::file("reload.js").unwrap());
        assert!(script.contains("'/web/reload.txt'"), "{script}");
        let state = text(crate::file("reload.txt").unwrap());
        for path in crate::files() {
            let digest = crate::file(&path).unwrap().digest;
            assert!(state.contains(&digest), "{path}");
        }
        // The embedded page does not change.
        assert!(!text(crate::file("index.html").unwrap()).contains("reload"));
    }
}
