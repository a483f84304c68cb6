//! The types of the dashboard's modules, which TypeScript's checker reads from their comments.
//! Types of the service's answers are generated from its API description. Needs node and the
//! packages of `cargo xtask setup`.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use testing::{Failed, Trial};

const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../web");

/// Returns the tests. Without their tools they are ignored, with the reason as their kind; in CI
/// they fail.
pub(crate) fn trials() -> Vec<Trial> {
    let tests = [
        Trial::test("types_of_the_dashboard_agree", agree),
        Trial::test("a_planted_type_is_noticed", planted),
    ];
    let missing = missing();
    let test = |test: Trial| match missing {
        None => test,
        Some(missing) => test
            .with_kind(missing)
            .with_ignored_flag(env::var_os("CI").is_none()),
    };
    tests.map(test).into_iter().collect()
}

fn missing() -> Option<&'static str> {
    let node = Command::new("node")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    let is_there = node.is_ok_and(|status| status.success());
    let is_installed = checker().is_file();
    match (is_there, is_installed) {
        (false, _) => Some("node is not installed"),
        (_, false) => Some("typescript is not installed: cargo xtask setup"),
        _ => None,
    }
}

fn checker() -> std::path::PathBuf {
    Path::new(WEB).join("node_modules/typescript/bin/tsc")
}

/// Generates the types of the service's answers, which every project includes. Needs only node.
fn generate() -> Result<(), Failed> {
    let output = Command::new("node")
        .arg(Path::new(WEB).join("types/generate.js"))
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "\n{said}");
    Ok(())
}

/// Returns the checker's findings for a project's modules; empty if there are none.
fn check(project: &Path) -> Result<String, Failed> {
    let output = Command::new("node")
        .arg(checker())
        .arg("--project")
        .arg(project)
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = said + &String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(String::new()),
        false => Ok(said),
    }
}

fn agree() -> Result<(), Failed> {
    generate()?;
    for project in ["jsconfig.json", "tests/jsconfig.json"] {
        let said = check(&Path::new(WEB).join(project))?;
        assert!(said.is_empty(), "\n{said}");
    }
    Ok(())
}

/// Checks that the same options find planted errors, even in a module without a check mark.
fn planted() -> Result<(), Failed> {
    generate()?;
    let folder = tempfile::tempdir()?;
    let options = Path::new(WEB).join("jsconfig.json");
    let types = Path::new(WEB).join("types/api.d.ts");
    let project = folder.path().join("jsconfig.json");
    let config =
        format!("{{\"extends\": {options:?}, \"files\": [{types:?}], \"include\": [\"*.js\"]}}");
    std::fs::write(&project, config)?;
    #[track_caller]
    fn planted(folder: &Path, text: &str, expected: &str) {
        std::fs::write(folder.join("planted.js"), text).unwrap();
        let said = check(&folder.join("jsconfig.json")).unwrap();
        match expected {
            "" => assert_eq!(said, "", "{text}"),
            _ => assert!(said.contains(expected), "{text}: {said:?}"),
        }
    }
    let folder = folder.path();
    planted(folder, "export const a = 1 + 1;\n", "");
    planted(
        folder,
        "/** @type {number} */ export const a = \"1\";\n",
        "TS2322",
    );
    planted(
        folder,
        "document.querySelector(\"main\").textContent = \"\";\n",
        "TS2531",
    );
    planted(folder, "export function f(a) { return a; }\n", "TS7006");
    planted(folder, "import \"./none.js\";\n", "none.js");
    planted(folder, "const a = 1;\nexport {};\n", "TS6133");
    planted(folder, "process.exit();\nexport {};\n", "process");
    // An answer has the type of its address, and so has a request.
    let asks = |call: &str| {
        let names = "import { withQuery, get, post } from \"/web/api.js\";";
        format!("{names}\nexport const a = {call};\nexport const b = [withQuery, get, post];\n")
    };
    for (call, expected) in [
        ("(await get(\"/api/v1/status\")).version", ""),
        ("(await get(\"/api/v1/status\")).colour", "TS2339"),
        ("(await get(\"/api/v1/status\")).verison", "TS2551"),
        ("(await get(\"/api/v1/records/1\")).study.speedup", ""),
        (
            "(await get(\"/api/v1/records/1\")).study.speedup + 1",
            "TS2531",
        ),
        ("await get(\"/api/v1/stati\")", "TS2345"),
        ("await get(`/api/v1/records/${\"1\".at(0)}`)", "TS2345"),
        (
            "await get(withQuery(\"/api/v1/records\", { limit: 1 }))",
            "",
        ),
        (
            "await get(withQuery(\"/api/v1/records\", { limits: 1 }))",
            "TS2561",
        ),
        ("await post(\"/api/v1/explanations\", {})", "TS2739"),
    ] {
        planted(folder, &asks(call), expected);
    }
    Ok(())
}
