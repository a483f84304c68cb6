//! The rights of a book's pages in a browser: mdBook's own scripts run, and no others.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use axum::http::HeaderValue;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

/// A file that is no page runs nothing.
pub(super) const OF_FILES: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
);

/// Returns the policy of a page: its files come from the service, and its own scripts run.
///
/// mdBook puts short scripts into each page, and their hashes let these run (CSP level 3, 2.3.1).
/// Text that became markup by mistake still runs nothing.
pub(super) fn of_page(html: &str) -> HeaderValue {
    let mut scripts = "script-src 'self'".to_owned();
    for hash in hashes(html) {
        write!(scripts, " 'sha256-{hash}'").expect("writing to a string succeeds");
    }
    // mdBook styles its theme menu in the page; without scripts the page frames its contents.
    let policy = format!(
        "default-src 'self'; {scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    );
    HeaderValue::try_from(policy).expect("hashes are text")
}

/// Lists the hashes of the scripts that stand in a page.
fn hashes(html: &str) -> BTreeSet<String> {
    let mut hashes = BTreeSet::new();
    let mut rest = html;
    while let Some(at) = rest.find("<script") {
        rest = &rest[at..];
        let Some((tag, behind)) = rest.split_once('>') else {
            break;
        };
        // HTML knows no nesting here: a script ends at the first end tag.
        let end = behind.find("</script>").unwrap_or(behind.len());
        if !tag.contains(" src=") {
            let digest = Sha256::digest(&behind.as_bytes()[..end]);
            hashes.insert(BASE64_STANDARD.encode(digest));
        }
        rest = &behind[end..];
    }
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        let found: Vec<String> = hashes(html).into_iter().collect();
        assert_eq!(found, expected, "{html}");
    }

    #[test]
    fn scripts_of_a_page_are_hashed() {
        // printf "alert('Hello, world.');" | openssl dgst -sha256 -binary | base64
        let hello = "qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=";
        check("<p>", &[]);
        check("<script>alert('Hello, world.');</script>", &[hello]);
        check(
            "<script type=\"a\">alert('Hello, world.');</script><script>alert('Hello, world.');</script>",
            &[hello],
        );
        check("<script src=\"a.js\"></script>", &[]);
        check("<script", &[]);
        let policy = of_page("<script>alert('Hello, world.');</script>");
        let policy = policy.to_str().unwrap();
        assert!(
            policy.contains(&format!("script-src 'self' 'sha256-{hello}';")),
            "{policy}"
        );
        // The keyword stands for styles alone.
        assert_eq!(policy.matches("unsafe").count(), 1, "{policy}");
    }
}
