//! The page of all addresses in the book, from the description of the API.

use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect_file;
use serde_json::Value;

use crate::http::openapi::{document, operations};

const HEAD: &str = "\
# HTTP

`UPDATE_EXPECT=1 cargo nextest run -p server reference` writes this page from `server/openapi.json`. A service
describes itself at `/api/v1/openapi.json`, and [`/api/v1/docs`](/api/v1/docs) sends requests from a page.

Every error is a problem of RFC 9457. Its `type` is the address of a page that explains it, `detail` names the remedy,
and `parameter` and `position` name the place. A service on loopback needs no token; any other needs a token with the
scope of the row.

| request | answer | scope | parameters |
|---|---|---|---|
";

/// Returns text as a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}

/// Returns the row of an operation.
fn row(path: &str, method: &str, operation: &Value) -> String {
    let said = operation["summary"]
        .as_str()
        .or(operation["description"].as_str());
    let scope = operation["security"][0]["token"][0].as_str();
    let scope = scope.map_or(String::new(), |it| format!("`{it}`"));
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let asked = parameters.filter(|it| it["in"] == "query");
    let names = asked.map(|it| format!("`{}`", it["name"].as_str().unwrap()));
    let names = names.collect::<Vec<_>>().join(", ");
    let method = method.to_uppercase();
    format!(
        "| `{method} {path}` | {} | {scope} | {names} |\n",
        cell(said.unwrap_or_default())
    )
}

#[test]
fn the_reference_has_each_operation() {
    let document = document();
    let mut page = HEAD.to_owned();
    for (path, method, operation) in operations(&document) {
        write!(page, "{}", row(path, method, operation)).unwrap();
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference-http.md");
    expect_file![file].assert_eq(&page);
}
