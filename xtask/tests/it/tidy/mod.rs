//! Rules for every committed file, and for the dependencies of crates and modules.

mod circles;
mod combiners;
mod crates;
mod documents;
mod executables;
mod features;
mod floors;
mod imports;
mod json;
mod language;
mod map;
mod other_prose;
mod paths;
mod rules;
mod sample;
mod schema;
mod search;
mod source;
mod web;
mod without;

use std::path::Path;
use std::process::Command;

/// Most lines of a file: a longer one holds more than one idea, unless it is in [`LONG`].
const MAX_LINES: usize = 500;
/// Files that may be longer, each with the reason why it is one idea.
const LONG: &[(&str, &str)] = &[];
/// Most bytes of a file: a larger one belongs into a release, or a test generates it.
const MAX_BYTES: u64 = 1 << 18;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns the paths of all committed files that still exist.
fn committed() -> Vec<String> {
    let output = Command::new("git")
        .current_dir(root())
        // git refuses another user's clone unless it is listed as safe.
        .args(["-c", "safe.directory=*", "ls-files", "-z"])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let files: Vec<String> = text.split_terminator('\0').map(str::to_string).collect();
    assert!(
        files.iter().any(|file| file == "xtask/Cargo.toml"),
        "not this repository: {files:?}"
    );
    files
        .into_iter()
        .filter(|file| root().join(file).is_file())
        .collect()
}

/// Returns the path and the text of the committed files with this ending. Passes over files that
/// are not UTF-8.
fn texts(ends: &str) -> Vec<(String, String)> {
    let files = committed().into_iter().filter(|file| file.ends_with(ends));
    files
        .filter_map(|file| {
            Some((
                file.clone(),
                std::fs::read_to_string(root().join(file)).ok()?,
            ))
        })
        .collect()
}

#[track_caller]
fn none(findings: Vec<String>) {
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}

#[test]
fn files_hold_one_idea() {
    let long = |(file, text): (String, String)| {
        let lines = text.lines().count();
        let allowed = LONG.iter().any(|(name, _)| *name == file);
        (lines > MAX_LINES && !allowed).then(|| format!("{file}: {lines} lines"))
    };
    none(texts(".rs").into_iter().filter_map(long).collect());
}

#[test]
fn the_list_of_long_files_is_current() {
    for (file, _) in LONG {
        let text = std::fs::read_to_string(root().join(file));
        let lines = text
            .unwrap_or_else(|error| panic!("{file}: {error}"))
            .lines()
            .count();
        assert!(
            lines > MAX_LINES,
            "{file} has {lines} lines and need not be listed"
        );
    }
}

#[test]
fn committed_files_are_small() {
    let large = |file: String| {
        let bytes = std::fs::metadata(root().join(&file)).unwrap().len();
        (bytes > MAX_BYTES).then(|| format!("{file}: {bytes} bytes"))
    };
    none(committed().into_iter().filter_map(large).collect());
}

/// Words that no source file may have, in two halves so that this file does not have them.
const FORBIDDEN: &[(&str, &str, &str)] = &[
    ("mod ut", "ils", "a module is named after what it holds"),
    ("mod hel", "pers", "a module is named after what it holds"),
    ("to", "do!(", "what is not built is not there"),
    ("unimple", "mented!(", "what is not built is not there"),
];

#[test]
fn sources_have_no_forbidden_words() {
    let mut findings = Vec::new();
    for (file, text) in texts(".rs") {
        for (first, second, reason) in FORBIDDEN {
            let word = format!("{first}{second}");
            if let Some(line) = text.lines().position(|line| line.contains(&word)) {
                findings.push(format!("{file}:{}: {word}: {reason}", line + 1));
            }
        }
    }
    none(findings);
}

/// Places in which the emulator may read an instruction's name: to write text, and to read LLVM's
/// text.
const MAY_READ_NAMES: &[&str] = &[
    "/text/",
    "/text.rs",
    "/effects/scope.rs",
    "/families/flags.rs",
];

/// Returns the first place of a source that depends on a mnemonic.
fn read_name(text: &str) -> Option<&'static str> {
    const FORMS: [&str; 6] = [
        ".name.starts_with(",
        ".name.ends_with(",
        ".name.contains(",
        "line.name ==",
        "line.name !=",
        "match line.name",
    ];
    FORMS.into_iter().find(|form| text.contains(form))
}

/// Checks that a property of an instruction is a flag or an operation's, in a table.
#[test]
fn no_mnemonic_decides_what_an_instruction_does() {
    let sources = texts(".rs").into_iter().filter(|(file, _)| {
        let is_free = MAY_READ_NAMES.iter().any(|place| file.contains(place));
        file.starts_with("gpu/emulator/src/") && !is_free
    });
    let found = sources.filter_map(|(file, text)| {
        // Operations may find each other; other code must ask for their properties.
        let is_used = !file.contains("/operation/");
        let same = (is_used && text.contains("ptr::eq(")).then_some("ptr::eq(");
        let form = read_name(&text).or(same);
        form.map(|form| format!("{file}: {form}"))
    });
    none(found.collect());
    assert!(read_name("if line.name.starts_with(\"v_dot\") {").is_some());
    assert!(read_name("format!(\"{}\", line.name)").is_none());
}

/// Folders that only one machine has.
const HOMES: &[&str] = &["root", "home", "Users", "work"];

/// Returns the first mention of a path below one of [`HOMES`]; `a/home/b` and `/home` alone are
/// none.
fn home_path(line: &str) -> Option<&'static str> {
    let mentions = |home: &&&str| {
        let folder = format!("/{home}/");
        line.match_indices(&folder).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || "._-}*>)]".contains(c))
        })
    };
    HOMES.iter().find(mentions).copied()
}

#[test]
fn no_file_names_a_folder_of_one_machine() {
    let mut findings = Vec::new();
    for (file, text) in texts("") {
        for (number, line) in text.lines().enumerate() {
            if let Some(home) = home_path(line)
                && file != "xtask/tests/it/tidy/mod.rs"
            {
                findings.push(format!("{file}:{}: a path below /{home}", number + 1));
            }
        }
    }
    none(findings);
}

#[test]
fn home_paths_are_recognised() {
    #[track_caller]
    fn check(line: &str, expected: Option<&str>) {
        assert_eq!(home_path(line), expected);
    }
    check("open(\"/home/ann/x\")", Some("home"));
    check("/work/a", Some("work"));
    check("in /root/.cargo", Some("root"));
    check("cd framework/work/x", None);
    check("$HOME/.cargo", None);
    check("${HOME:-/root}/.cargo", None);
}

#[test]
fn the_lock_file_names_only_crates_io() {
    let text = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let sources: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("source = "))
        .collect();
    assert!(!sources.is_empty());
    let crates_io = "\"registry+https://github.com/rust-lang/crates.io-index\"";
    none(
        sources
            .into_iter()
            .filter(|source| *source != crates_io)
            .map(String::from)
            .collect(),
    );
}

/// Checks that crates use each entry: an unused one claims a need that does not exist.
#[test]
fn every_dependency_of_the_workspace_is_inherited() {
    let root = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, table) = root.split_once("[workspace.dependencies]").unwrap();
    let table = table.split("\n[").next().unwrap_or_default();
    let names = table.lines().filter_map(|line| line.split_once(" = "));
    let manifests: Vec<String> = texts("/Cargo.toml").into_iter().map(|it| it.1).collect();
    let takes = |name: &str| {
        let mut lines = manifests.iter().flat_map(|manifest| manifest.lines());
        lines.any(|line| line.split(['.', ' ']).next() == Some(name))
    };
    let unused = names.filter(|(name, _)| !takes(name));
    none(unused.map(|(name, _)| name.to_owned()).collect());
}

/// Checks that xtask shows and installs the tools of `codegen::tools`, which it may not depend
/// on.
#[test]
fn the_versions_of_the_tools_agree_with_codegen() {
    let constants = |file: &str| -> Vec<String> {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        let lines = text.lines().filter_map(|line| line.split_once("const "));
        let constants = lines.map(|(_, constant)| constant.to_string());
        constants
            .filter(|it| it.starts_with("LLVM_VERSIONS") || it.starts_with("IREE_VERSION"))
            .collect()
    };
    let ours = constants("xtask/src/tools/mod.rs");
    assert_eq!(ours.len(), 2);
    assert_eq!(ours, constants("codegen/src/tools/mod.rs"));
}

/// Checks the crates of `WAVETUNE_LOG`, which refuses the names of crates without log events.
#[test]
fn crates_that_log_can_be_asked_to() {
    let log = std::fs::read_to_string(root().join("cli/src/log/mod.rs")).unwrap();
    let tells = |(file, manifest): &(String, String)| {
        !file.starts_with("testing/") && manifest.contains("\ntracing.workspace = true")
    };
    let tellers = texts("/Cargo.toml").into_iter().filter(tells);
    let folder = |file: &str| {
        file.trim_end_matches("/Cargo.toml")
            .rsplit('/')
            .next()
            .map(str::to_owned)
    };
    let names = tellers.map(|(file, _)| format!("{:?}", folder(&file).unwrap_or_default()));
    let names: Vec<String> = names.filter(|name| name != "\"cli\"").collect();
    assert!(names.len() > 1, "{names:?}");
    none(
        names
            .into_iter()
            .filter(|name| !log.contains(name.as_str()))
            .collect(),
    );
}

#[test]
fn tasks_that_are_named_exist() {
    let help = std::fs::read_to_string(root().join("xtask/src/help.rs")).unwrap();
    let first_word = |line: &str| {
        let line = line.strip_prefix("  ").unwrap_or_default();
        let word = line.split(' ').next().unwrap_or_default();
        word.to_string()
    };
    let tasks: Vec<String> = help.lines().map(first_word).collect();
    let mut named = 0;
    let mut findings = Vec::new();
    for (file, text) in texts("") {
        for (at, command) in text.match_indices("cargo xtask ") {
            let rest = &text[at + command.len()..];
            let end = rest.find(|c: char| !c.is_ascii_lowercase());
            let task = &rest[..end.unwrap_or(rest.len())];
            named += 1;
            if !task.is_empty() && !tasks.iter().any(|known| known == task) {
                findings.push(format!("{file}: cargo xtask {task}"));
            }
        }
    }
    assert!(named > 20, "only {named} are named");
    none(findings);
}
