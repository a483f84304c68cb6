//! Rust constants from a table, for programs that know their problems at build time.
//!
//! A build script names a table and problems, and gets a module of constants for each:
//!
//! ```no_run
//! use lookup::constants;
//! use lookup::table_file::TableQuestion;
//!
//! let logits = TableQuestion { problem: "argmax:4x[32000]xf32", ..TableQuestion::default() };
//! constants::write("gfx942.wtab", "kernels.rs", &[("logits", logits)])?;
//! # Ok::<(), constants::ConstantsError>(())
//! ```

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

use configgen::Configuration;
use configgen::scalars::{ScalarName, Value, scalars};
use lookup_table::{Table, TableError};

use crate::answer::{LookupAnswer, PrintedAnswer};
use crate::table_file::{AskError, TableQuestion, ask};

/// An error of writing constants. Prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum ConstantsError {
    /// The table is invalid.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A question is invalid.
    #[error("{0}: {1}")]
    Ask(String, AskError),
    /// The ladder has no configuration.
    #[error("{0}: {1}")]
    Nothing(String, String),
    /// The name is no name of a module.
    #[error(
        "{0:?} is not a module name: use lower-case letters, digits and _; the first character may not be a digit"
    )]
    Name(String),
    /// Cargo cannot take the path.
    #[error("the path {0:?} is not UTF-8, or contains a line break")]
    Path(PathBuf),
    /// The file cannot be written.
    #[error("{0}: {1}")]
    Write(PathBuf, io::Error),
}

/// Writes the modules of [`modules`] to a file of `OUT_DIR`, and makes cargo run the build script
/// again after a change of the table.
///
/// Call it from a build script. The program includes the file by
/// `include!(concat!(env!("OUT_DIR"), "/kernels.rs"))`.
///
/// # Errors
///
/// [`ConstantsError`], which should end the build script.
pub fn write(
    table: impl AsRef<Path>,
    file: &str,
    wanted: &[(&str, TableQuestion<'_>)],
) -> Result<(), ConstantsError> {
    let table = table.as_ref();
    // First, so that cargo also notices a table that is created after this call failed.
    let line = told(table).ok_or_else(|| ConstantsError::Path(table.to_owned()))?;
    println!("{line}");
    let text = modules(&Table::open(table)?, wanted)?;
    let folder = std::env::var_os("OUT_DIR").unwrap_or_default();
    let file = Path::new(&folder).join(file);
    std::fs::write(&file, text).map_err(|error| ConstantsError::Write(file, error))
}

/// Returns the line that makes cargo watch a table.
fn told(table: &Path) -> Option<String> {
    let table = table.to_str().filter(|path| !path.contains(['\n', '\r']))?;
    Some(format!("cargo::rerun-if-changed={table}"))
}

/// Returns a module for each question, by its name, with the answer of the ladder:
///
/// - `PROBLEM`, `TARGET`, `RUNG`, `GENERATOR`, and `CONFIGURATION` as JSON;
/// - `STATUS` and `TIME_US` of an exact answer;
/// - `TUNED_PROBLEM`, `TUNED_STATUS` and `TUNED_TIME_US` of the source of another answer;
/// - a constant for each attribute of the configuration, such as `SUBGROUP_SIZE: u64`.
///
/// # Errors
///
/// An invalid name of a module, an invalid question, or a question without an answer.
pub fn modules(
    table: &Table,
    wanted: &[(&str, TableQuestion<'_>)],
) -> Result<String, ConstantsError> {
    let mut text = String::new();
    for (name, asked) in wanted {
        if !is_name(name) {
            return Err(ConstantsError::Name((*name).to_owned()));
        }
        let answer = ask(table, asked);
        let answer = answer.map_err(|error| ConstantsError::Ask((*name).to_owned(), error))?;
        text.push_str(&module(name, &answer)?);
    }
    Ok(text)
}

/// The keywords of Rust 2024, which cannot name a module.
const KEYWORDS: [&str; 50] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while",
];

fn is_name(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    name != "_"
        && !KEYWORDS.contains(&name)
        && name.starts_with(is_letter)
        && name.chars().all(|it| is_letter(it) || it.is_ascii_digit())
}

fn module(name: &str, answer: &LookupAnswer) -> Result<String, ConstantsError> {
    let line = PrintedAnswer::of(answer);
    let (problem, target, configuration, generator, tuned) = match answer {
        LookupAnswer::Exact(it) => (
            &it.problem,
            it.target,
            &it.configuration,
            it.generator,
            Some(&line),
        ),
        LookupAnswer::Sibling(it) | LookupAnswer::Neighbour(it) | LookupAnswer::Default(it) => (
            &it.problem,
            it.target,
            &it.configuration,
            it.generator,
            it.tuned.as_ref(),
        ),
        LookupAnswer::None(miss) => {
            return Err(ConstantsError::Nothing(
                name.to_owned(),
                miss.reason.clone(),
            ));
        }
    };
    // An answer below `exact` has its source only as a printed line.
    let tuned = tuned.and_then(PrintedAnswer::read);
    let tuned = tuned.as_ref().and_then(LookupAnswer::found);
    let (exact, tuned) = match answer {
        LookupAnswer::Exact(_) => (tuned, None),
        _ => (None, tuned),
    };
    let rung = answer.rung().map_or("none", |rung| rung.name());
    let mut module = RustModule::new(name);
    module.text("PROBLEM", &problem.to_string());
    module.text("TARGET", target.name);
    module.text("RUNG", rung);
    module.text("GENERATOR", generator.name());
    module.text("CONFIGURATION", line.configuration().unwrap_or_default());
    module.known("STATUS", "&str", exact.map(|it| it.status.name()));
    module.known("TIME_US", "f64", exact.map(|it| it.time_us));
    module.known(
        "TUNED_PROBLEM",
        "&str",
        tuned.map(|it| it.problem.to_string()),
    );
    module.known("TUNED_STATUS", "&str", tuned.map(|it| it.status.name()));
    module.known("TUNED_TIME_US", "f64", tuned.map(|it| it.time_us));
    for (attribute, values) in attributes(configuration) {
        module.attribute(attribute, &values);
    }
    Ok(module.0 + "}\n")
}

/// Returns the scalars of a configuration by attribute: one value, or one for each dimension.
fn attributes(configuration: &Configuration) -> Vec<(&'static str, Vec<(ScalarName, Value)>)> {
    let mut all: Vec<(&'static str, Vec<(ScalarName, Value)>)> = Vec::new();
    for (name, value) in scalars(configuration) {
        match all.last_mut() {
            Some((attribute, values)) if *attribute == name.attribute => {
                values.push((name, value));
            }
            _ => all.push((name.attribute, vec![(name, value)])),
        }
    }
    all
}

/// A module under construction.
struct RustModule(String);

impl RustModule {
    fn new(name: &str) -> RustModule {
        // A program may use only some of the constants.
        RustModule(format!("#[allow(dead_code)]\npub mod {name} {{\n"))
    }

    fn constant(&mut self, name: &str, kind: &str, value: &str) {
        let line = format!("    pub const {name}: {kind} = {value};\n");
        self.0.push_str(&line);
    }

    fn known(&mut self, name: &str, kind: &str, value: Option<impl Debug>) {
        self.constant(name, &format!("Option<{kind}>"), &format!("{value:?}"));
    }

    fn text(&mut self, name: &str, text: &str) {
        self.constant(name, "&str", &format!("{text:?}"));
    }

    fn attribute(&mut self, attribute: &str, values: &[(ScalarName, Value)]) {
        let name = attribute.to_uppercase();
        match values {
            [
                (
                    ScalarName {
                        dimension: None, ..
                    },
                    Value::Number(number),
                ),
            ] => {
                self.constant(&name, "u64", &number.to_string());
            }
            [(_, Value::Switch(is_on))] => self.constant(&name, "bool", &is_on.to_string()),
            [(_, Value::Word(word))] => self.text(&name, word),
            [(_, Value::Order(order))] => {
                let kind = format!("[u8; {}]", order.len());
                self.constant(&name, &kind, &format!("{order:?}"));
            }
            // Only numbers have a value for each dimension.
            all => {
                let numbers = all.iter().filter_map(|(_, value)| match value {
                    Value::Number(number) => Some(*number),
                    _ => None,
                });
                let numbers: Vec<u64> = numbers.collect();
                let kind = format!("[u64; {}]", numbers.len());
                self.constant(&name, &kind, &format!("{numbers:?}"));
            }
        }
    }
}
