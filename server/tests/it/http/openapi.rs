//! The description of the API: equal as served, as committed, and as the service answers.

use std::collections::BTreeSet;
use std::path::Path;

use expect_test::expect_file;
use serde_json::Value;
use store::TokenScope;

use crate::http::book;
use crate::http::service::{DESCRIPTION, Service, check_schema};

/// Returns address, method and description of each operation.
pub(crate) fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    let mut all = Vec::new();
    for (path, item) in paths {
        for (method, operation) in item.as_object().unwrap() {
            all.push((path.as_str(), method.as_str(), operation));
        }
    }
    all
}

/// Returns the names of an operation's parameters in this place.
fn parameters<'a>(operation: &'a Value, place: &str) -> Vec<&'a str> {
    let all = operation["parameters"].as_array();
    let all = all.map_or(&[][..], Vec::as_slice).iter();
    all.filter(|it| it["in"] == place)
        .map(|it| it["name"].as_str().unwrap())
        .collect()
}

pub(crate) fn document() -> Value {
    serde_json::from_str(DESCRIPTION).unwrap()
}

#[test]
async fn the_served_description_is_the_committed_one() {
    let service = Service::start().await;
    let request =
        b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let answer = service.send(request, false).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains("etag: "), "{head}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    expect_file![file].assert_eq(body);
}

/// Every route is in the description, because no other way creates routes.
#[test]
fn no_route_is_made_beside_the_description() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // Unit tests serve routes of their own.
            if path.ends_with("tests.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for way in [".route(", ".route_service(", ".nest", ".merge("] {
                assert!(!text.contains(way), "{}: {way}", path.display());
            }
            files += 1;
        }
    }
    assert!(files > 10, "{files}");
}

/// A handler answers every operation, with the described parameters and no others.
#[test]
async fn operations_are_routes_with_these_parameters() {
    let service = Service::start_with_book(book::small(&["index.html", "main.js"])).await;
    let document = document();
    for (path, method, operation) in operations(&document) {
        let path = path
            .replace("{kind}", "not-found")
            .replace("{path}", "main.js");
        if method != "get" {
            let (head, body) = match method {
                "post" => service.post(&path, "application/json", "[").await,
                "delete" => service.delete(&path).await,
                _ => panic!("{method} {path}"),
            };
            assert!(head.starts_with("HTTP/1.1 400 "), "{path}: {head}\n{body}");
            continue;
        }
        let (head, body) = service.get(&path).await;
        let known = ["200", "400"]
            .iter()
            .any(|status| head[9..].starts_with(status));
        let known = known || (path == "/docs" && head.starts_with("HTTP/1.1 308 "));
        assert!(known, "{path}: {head}\n{body}");
        let described = parameters(operation, "query");
        if described.is_empty() {
            continue;
        }
        let (_, body) = service.get(&format!("{path}?none=1")).await;
        let problem: Value = serde_json::from_str(&body).unwrap();
        let said = problem["detail"].as_str().unwrap();
        let (_, taken) = said.split_once("; one of ").unwrap();
        assert_eq!(taken.split(", ").collect::<Vec<_>>(), described, "{path}");
    }
}

/// Write operations refuse pages of other sites: these can make a browser send text, but no JSON
/// content type.
#[test]
async fn writes_need_a_header_that_other_sites_cannot_send() {
    let service = Service::start().await;
    let document = document();
    let mut writing = 0;
    for (path, method, _) in operations(&document) {
        if method == "get" {
            continue;
        }
        let foreign = "Origin: http://evil.example";
        let head = match method {
            // A browser sends it to another site only after a preflight request.
            "delete" => {
                let request = format!(
                    "DELETE {path} HTTP/1.1\r\nHost: localhost\r\n{foreign}\r\nConnection: close\r\n\r\n"
                );
                service.send(request.as_bytes(), false).await
            }
            _ => {
                let (head, _) = service.post(path, "text/plain", "{}").await;
                assert!(head.starts_with("HTTP/1.1 415 "), "{path}: {head}");
                let kind = format!("application/json\r\n{foreign}");
                service.post(path, &kind, "{}").await.0
            }
        };
        assert!(head.starts_with("HTTP/1.1 403 "), "{path}: {head}");
        writing += 1;
    }
    assert!(writing > 0);
}

/// A generated client knows the fields of every body: no schema of an object is empty.
#[test]
fn every_body_is_described_field_by_field() {
    let document = document();
    let mut bodies = 0;
    for (path, method, operation) in operations(&document) {
        if path == "/api/v1/openapi.json" {
            continue;
        }
        let answers = operation["responses"].as_object().unwrap().values();
        for body in answers.chain([&operation["requestBody"]]) {
            let Some(content) = body["content"].as_object() else {
                continue;
            };
            for (kind, content) in content {
                let mut open = Vec::new();
                objects(
                    &document,
                    &content["schema"],
                    &mut BTreeSet::new(),
                    &mut open,
                );
                assert!(open.is_empty(), "{method} {path} {kind}: {open:?}");
                bodies += 1;
            }
        }
        // OpenAPI 3.1 ignores a parameter of this name.
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        for parameter in parameters {
            let name = parameter["name"].as_str().unwrap().to_ascii_lowercase();
            let is_ignored = ["content-type", "accept", "authorization"].contains(&name.as_str());
            assert!(!is_ignored, "{method} {path}: {name}");
        }
        // A request without a body cannot have the JSON content type.
        if matches!(method, "post" | "put" | "patch") {
            let body = &operation["requestBody"];
            assert!(
                body["content"]["application/json"].is_object(),
                "{method} {path}"
            );
            assert_eq!(body["required"], true, "{method} {path}");
        }
    }
    assert!(bodies > 40, "{bodies}");
}

/// Collects the schemas of objects with arbitrary fields, in a schema and its references.
fn objects(document: &Value, schema: &Value, seen: &mut BTreeSet<String>, open: &mut Vec<Value>) {
    match schema {
        Value::Object(fields) => {
            if let Some(place) = fields.get("$ref").and_then(Value::as_str)
                && seen.insert(place.to_owned())
            {
                let meant = document.pointer(&place[1..]).unwrap();
                objects(document, meant, seen, open);
            }
            let is_object = fields.get("type").is_some_and(|kind| *kind == "object");
            let is_said = ["properties", "additionalProperties", "oneOf", "anyOf"];
            if is_object && !is_said.iter().any(|word| fields.contains_key(*word)) {
                open.push(schema.clone());
            }
            for field in fields.values() {
                objects(document, field, seen, open);
            }
        }
        Value::Array(elements) => {
            for element in elements {
                objects(document, element, seen, open);
            }
        }
        _ => {}
    }
}

/// A request without content has an empty object as its body, or none. The content type is JSON; a
/// request without a body may lack it, if it comes from no page of another site.
#[test]
async fn a_request_that_says_nothing_more_has_an_empty_body() {
    let service = Service::start().await;
    for action in ["pause", "resume", "cancel", "requeue"] {
        let path = format!("/api/v1/studies/99/{action}");
        for body in ["", "{}", " { } "] {
            let (head, told) = service.post(&path, "application/json", body).await;
            assert!(
                head.starts_with("HTTP/1.1 404 "),
                "{path} {body:?}: {head}\n{told}"
            );
        }
        let plain = "Host: localhost";
        let foreign = "Host: localhost\r\nOrigin: http://evil.example";
        for (headers, body, status) in [(plain, "", 404), (plain, "{}", 415), (foreign, "", 403)] {
            let (head, told) = service.ask("POST", &path, headers, body).await;
            assert!(
                head.starts_with(&format!("HTTP/1.1 {status} ")),
                "{path} {headers:?} {body:?}: {head}\n{told}"
            );
        }
        for (kind, body, status) in [
            ("application/json", "{\"study\": 1}", 422),
            ("application/json", "7", 422),
            ("application/json", "{", 400),
            ("text/plain", "{}", 415),
            ("text/plain", "", 415),
        ] {
            let (head, _) = service.post(&path, kind, body).await;
            assert!(
                head.starts_with(&format!("HTTP/1.1 {status} ")),
                "{path} {body:?}: {head}"
            );
        }
    }
}

/// Questions that are too long for an address.
const ASKING: [&str; 4] = [
    "/api/v1/configurations:batch",
    "/api/v1/explanations",
    "/api/v1/explanations:kernel",
    "/api/v1/problems:check",
];

/// Each operation has its required scope, and each scope is used.
#[test]
fn every_operation_names_its_permission() {
    let document = document();
    let scheme = &document["components"]["securitySchemes"]["token"];
    assert_eq!(
        (&scheme["type"], &scheme["scheme"]),
        (&"http".into(), &"bearer".into())
    );
    let mut scopes = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let needs = operation["security"].as_array();
        let needs = needs.unwrap_or_else(|| panic!("{method} {path} says nothing"));
        assert!(needs.len() <= 1, "{method} {path}");
        let is_refused = !operation["responses"]["401"].is_null();
        assert_eq!(is_refused, !needs.is_empty(), "{method} {path}");
        for need in needs {
            let roles = need["token"].as_array().unwrap();
            assert_eq!(roles.len(), 1, "{method} {path}");
            scopes.insert(roles[0].as_str().unwrap());
        }
        // A write needs more than the scope to read; a question in a body is no write.
        let reads = needs.is_empty() || needs[0]["token"][0] == "read";
        let asks = method == "get" || ASKING.contains(&path);
        assert_eq!(reads, asks, "{method} {path}");
    }
    let all = TokenScope::ALL.map(TokenScope::name).into_iter().collect();
    assert_eq!(scopes, all);
}

/// Returns the references in a value that lead nowhere in the document.
fn dangling(document: &Value, value: &Value) -> Vec<String> {
    let parts: Vec<&Value> = match value {
        Value::Array(parts) => parts.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    };
    let below = parts.into_iter().flat_map(|it| dangling(document, it));
    let own = value["$ref"].as_str().filter(|it| {
        let target = it.strip_prefix('#').and_then(|it| document.pointer(it));
        target.is_none()
    });
    below.chain(own.map(str::to_owned)).collect()
}

#[test]
fn every_answer_has_a_schema_that_is_there() {
    let document = document();
    assert_eq!(dangling(&document, &document), Vec::<String>::new());
    let mut ids = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let name = format!("{method} {path}");
        assert!(
            ids.insert(operation["operationId"].as_str().unwrap()),
            "{name}"
        );
        let said = operation["summary"]
            .as_str()
            .or(operation["description"].as_str());
        assert!(said.is_some(), "{name}");
        for parameter in operation["parameters"].as_array().unwrap_or(&Vec::new()) {
            assert!(parameter["description"].is_string(), "{name}: {parameter}");
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            let place = response["$ref"].as_str().map(|place| &place[1..]);
            let response = place.map_or(response, |place| document.pointer(place).unwrap());
            assert!(
                response["headers"]["X-Request-Id"].is_object(),
                "{name} {status}"
            );
            let contents = response["content"].as_object();
            let bodies = contents.map_or(0, |contents| contents.len());
            let is_empty = ["204", "304", "308"].contains(&status.as_str());
            assert_eq!(bodies == 0, is_empty, "{name} {status}");
            for content in contents.into_iter().flat_map(|contents| contents.values()) {
                assert!(content["schema"].is_object(), "{name} {status}");
            }
        }
    }
    references(&document, &mut |place| {
        let pointer = place.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{place}");
    });
}

/// Calls `visit` with all references.
fn references(value: &Value, visit: &mut impl FnMut(&str)) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(place)) = fields.get("$ref") {
                visit(place);
            }
            fields.values().for_each(|field| references(field, visit));
        }
        Value::Array(all) => all.iter().for_each(|one| references(one, visit)),
        _ => {}
    }
}

/// The page runs its own script, and nothing else.
#[test]
async fn the_page_to_try_it_takes_nothing_from_elsewhere() {
    let service = Service::start().await;
    let (head, page) = service.get("/api/v1/docs").await;
    assert!(
        head.contains("script-src 'self'; connect-src 'self'"),
        "{head}"
    );
    assert!(!head.contains("unsafe"), "{head}");
    for part in ["http://", "https://", "onclick", "<style", "<script>"] {
        assert!(!page.contains(part), "{part}: {page}");
    }
    let (head, script) = service.get("/api/v1/docs.js").await;
    assert!(head.contains("content-type: text/javascript"), "{head}");
    for part in ["innerHTML", "eval(", "http://", "https://"] {
        assert!(!script.contains(part), "{part}");
    }
}

/// Checks that the tests of streams hold each event against its schema.
#[test]
fn an_event_without_data_is_noticed() {
    let head = "HTTP/1.1 200 OK\r\nx-request-id: 1\r\ncontent-type: text/event-stream";
    let check = |body: &'static str| {
        let check = || check_schema("GET", "/api/v1/studies/1/events", head, body);
        std::panic::catch_unwind(check).is_ok()
    };
    assert!(check("event: study\ndata: {}\n\n: alive\n\n"));
    assert!(!check("event: study\ndata: {}\n\nevent: study\n\n"));
}
