//! Content negotiation: the form of an answer that a request accepts.

use axum::http::{HeaderMap, header};

/// Returns true if a request accepts this media type by name. A request that accepts anything
/// gets JSON.
pub(crate) fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let mut kinds = accepted
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','))
        // Parameters such as `q` do not matter: a form is named, or it is not.
        .filter_map(|one| one.split(';').next());
    kinds.any(|one| one.trim() == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(accept: &[&str], expected: bool) {
        let headers = accept
            .iter()
            .map(|list| (header::ACCEPT, list.parse().unwrap()));
        let headers: HeaderMap = headers.collect();
        assert_eq!(accepts(&headers, "text/plain"), expected, "{accept:?}");
    }

    #[test]
    fn a_form_has_to_be_named() {
        check(&[], false);
        check(&["*/*"], false);
        check(&["text/*"], false);
        check(&["application/json"], false);
        check(&["text/plain"], true);
        check(&["text/html, text/plain;q=0.5"], true);
        check(&["text/html", "text/plain"], true);
        check(&["text/plainer"], false);
    }
}
