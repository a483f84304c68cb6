//! Reports: a page with its answers in one file, which a browser shows without a service.
//!
//! The modules are the same. A file has no addresses to load them from, so each is in the file's
//! import map under a name. An import by path becomes an import by that name.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::report_answers::{ApiProvider, ReportAnswers};
use crate::{file, files};

/// The policy of a report: it runs the scripts in it, loads nothing and sends no request.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data: blob:; \
                      base-uri 'none'; form-action 'none'";

/// Prefix of the names of modules.
const PREFIX: &str = "wavetune/";

/// Returns the report of a study; none if no study has this number.
pub async fn study<S: ApiProvider>(service: &S, study: i64) -> Result<Option<String>, S::Error> {
    let mut gathered = ReportAnswers::new(service);
    let place = gathered.study(study).await?;
    Ok(place.map(|place| report(&place.title, &place.address, &gathered.answers)))
}

/// Returns the report of a problem with those of its studies; none if there are none. The answer
/// for `target` is shown first.
pub async fn problem<S: ApiProvider>(
    service: &S,
    problem: &str,
    target: Option<&str>,
) -> Result<Option<String>, S::Error> {
    let mut gathered = ReportAnswers::new(service);
    let place = gathered.problem(problem, target).await?;
    Ok(place.map(|place| report(&place.title, &place.address, &gathered.answers)))
}

/// Returns a report: the page at `place`, such as `#/study/7`, and `answers`, the JSON by the
/// address of its request.
fn report(title: &str, place: &str, answers: &BTreeMap<String, String>) -> String {
    let mut style = String::new();
    let mut modules = String::new();
    for path in files() {
        let text = || {
            let file = file(&path).expect("a file that is listed is there");
            String::from_utf8_lossy(&file.bytes).into_owned()
        };
        // HTML and text files stay out: the report is a page itself.
        if path.ends_with(".css") {
            style.push_str(&with_pictures(&text()));
        } else if path.ends_with(".js") {
            let comma = if modules.is_empty() { "" } else { "," };
            let module = data("text/javascript", &with_names(&path, &text()));
            write!(modules, "{comma}\n\"{PREFIX}{path}\":\"{module}\"")
                .expect("writing to a string succeeds");
        }
    }
    let answers = answers
        .iter()
        .map(|(address, answer)| format!("{}:{answer}", serde_json::Value::from(address.as_str())));
    let answers = format!("{{{}}}", answers.collect::<Vec<_>>().join(",\n"));
    // JSON in a script element is plain text, except `<`, which may end the element or begin a
    // comment in it.
    let answers = answers.replace('<', "\\u003c");
    let (title, place) = (escape(title), escape(place));
    format!(
        "<!doctype html>\n<html lang=\"en\" data-place=\"{place}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{style}</style>\n\
         <script id=\"answers\" type=\"application/json\">{answers}</script>\n\
         <script type=\"importmap\">{{\"imports\":{{{modules}\n}}}}</script>\n\
         <script type=\"module\">import \"{PREFIX}main.js\";</script>\n</head>\n<body>\n\
         <noscript>This report needs a script, which is in it.</noscript>\n</body>\n</html>\n"
    )
}

/// Replaces the paths of imports by names. An import is a path in double quotes that begins with
/// a dot.
fn with_names(path: &str, text: &str) -> String {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    // A scan suffices: only an import is a string that begins with `./` or `../` and ends with
    // `.js`.
    while let Some(at) = rest.find("\".") {
        let (before, from) = rest.split_at(at + 1);
        named.push_str(before);
        let end = from.find(['"', '\n']).unwrap_or(from.len());
        let (import, after) = from.split_at(end);
        let is_module = import.ends_with(".js") && after.starts_with('"');
        match is_module && (import.starts_with("./") || import.starts_with("../")) {
            true => write!(named, "{PREFIX}{}", resolved(folder, import))
                .expect("writing to a string succeeds"),
            false => named.push_str(import),
        }
        rest = after;
    }
    named.push_str(rest);
    named
}

/// Resolves an import of a module in `folder` to a path.
fn resolved(folder: &str, import: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in import.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Embeds its pictures into a style sheet.
fn with_pictures(style: &str) -> String {
    let mut whole = style.to_owned();
    for path in files().iter().filter(|path| path.ends_with(".svg")) {
        let picture = file(path).expect("a file that is listed is there");
        let text = String::from_utf8_lossy(&picture.bytes);
        whole = whole.replace(&format!("/web/{path}"), &data("image/svg+xml", &text));
    }
    whole
}

/// Returns a `data:` URL with this content (RFC 2397).
fn data(kind: &str, text: &str) -> String {
    // Base64 needs no escapes in HTML, JSON or CSS.
    format!("data:{kind};base64,{}", BASE64_STANDARD.encode(text))
}

/// Escapes text for HTML elements and quoted attributes.
fn escape(text: &str) -> String {
    // The ampersand goes first, or it would escape the other replacements again.
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &str) {
        assert_eq!(with_names(path, text), expected);
    }

    #[test]
    fn imports_are_by_name() {
        check(
            "main.js",
            "import { h } from \"./dom.js\";",
            "import { h } from \"wavetune/dom.js\";",
        );
        check(
            "pages/study.js",
            "import { h } from \"../dom.js\"; import(\"./a/b.js\")",
            "import { h } from \"wavetune/dom.js\"; import(\"wavetune/pages/a/b.js\")",
        );
        let others = "const a = \"./no\", b = \"...\", c = \".js\", d = \"./open";
        check("main.js", others, others);
        check("main.js", "\"./two\n.js\"", "\"./two\n.js\"");
    }

    #[test]
    fn each_import_of_each_module_is_in_the_map() {
        let paths = files();
        for path in paths.iter().filter(|path| path.ends_with(".js")) {
            let text = file(path).unwrap().bytes;
            let named = with_names(path, &String::from_utf8_lossy(&text));
            for rest in named.split("\"wavetune/").skip(1) {
                let imported = rest.split('"').next().unwrap();
                assert!(
                    paths.iter().any(|path| path == imported),
                    "{path}: {imported}"
                );
            }
            assert!(!named.contains("from \"."), "{path}");
            assert!(!named.contains("from '"), "{path}");
        }
    }

    #[test]
    fn a_report_has_all_that_it_shows_and_no_text_of_an_answer_is_markup() {
        let address = "/api/v1/records?problem=\"</script>";
        let answer = r#"{"problem":"</script><script>alert(1)</script><!--"}"#;
        let answers = BTreeMap::from([(address.to_owned(), answer.to_owned())]);
        let report = report("<b>\"7\"", "#/study/7?a=\"", &answers);
        assert!(!report.contains("alert(1)</script>"), "{report}");
        assert!(!report.contains("<!--"));
        assert!(report.contains("<title>&lt;b>&quot;7&quot;</title>"));
        assert!(report.contains("data-place=\"#/study/7?a=&quot;\""));
        assert!(!report.contains("/web/"), "it loads nothing");
        assert!(!report.contains("http://") && !report.contains("https://"));
        let kept = report.split("type=\"application/json\">").nth(1).unwrap();
        let kept = kept.split("</script>").next().unwrap();
        let kept: serde_json::Value = serde_json::from_str(kept).unwrap();
        let expected: serde_json::Value = serde_json::from_str(answer).unwrap();
        assert_eq!(kept[address], expected);
    }
}
