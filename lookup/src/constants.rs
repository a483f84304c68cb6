//! What a table says as constants of Rust, for programs that know their problems when they are built.
//!
//! A build script names a table and problems; a module of constants comes of each:
//!
//! ```no_run
//! use lookup::constants;
//! use lookup::tabled::Asked;
//!
//! let logits = Asked { problem: "argmax:4x[32000]xf32", ..Asked::default() };
//! constants::write("gfx942.wtab", "kernels.rs", &[("logits", logits)])?;
//! # Ok::<(), constants::ConstantsError>(())
//! ```

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

use configgen::Configuration;
use configgen::scalars::{ScalarName, Value, scalars};
use lookup_table::{Table, TableError};
use serde::Deserialize;

use crate::answer::{LookupAnswer, PrintedAnswer};
use crate::table_file::{AskError, TableQuestion, ask};

/// Why there are no constants. Prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum ConstantsError {
    /// The table is refused.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A question has no answer.
    #[error("{0}: {1}")]
    Ask(String, AskError),
    /// The ladder has no configuration.
    #[error("{0}: {1}")]
    Nothing(String, String),
    /// No module can be called so.
    #[error("{0:?} is no name of a module: lower-case letters, digits and _, and no digit first")]
    Name(String),
    /// A path that cannot be told to cargo.
    #[error("the path {0:?} is no UTF-8, or has the end of a line in it")]
    Path(PathBuf),
    /// The file cannot be written.
    #[error("{0}: {1}")]
    Write(PathBuf, io::Error),
}

/// Writes the modules of [`modules`] to a file of `OUT_DIR`, and tells cargo to do it again when the table has changed. Call it from a
/// build script; the program has them by `include!(concat!(env!("OUT_DIR"), "/kernels.rs"))`.
///
/// # Errors
///
/// Why there are none. A build script fails by it.
pub fn write(
    table: impl AsRef<Path>,
    file: &str,
    wanted: &[(&str, TableQuestion<'_>)],
) -> Result<(), ConstantsError> {
    let table = table.as_ref();
    // First, so that a table that is made after this failed is seen.
    let line = told(table).ok_or_else(|| ConstantsError::Path(table.to_owned()))?;
    println!("{line}");
    let text = modules(&Table::open(table)?, wanted)?;
    let folder = std::env::var_os("OUT_DIR").unwrap_or_default();
    let file = Path::new(&folder).join(file);
    std::fs::write(&file, text).map_err(|error| ConstantsError::Write(file, error))
}

/// What cargo is told of a table.
fn told(table: &Path) -> Option<String> {
    let table = table.to_str().filter(|path| !path.contains(['\n', '\r']))?;
    Some(format!("cargo::rerun-if-changed={table}"))
}

/// A module for each question, by its name, with the answer of the ladder: `PROBLEM`, `TARGET`, `RUNG`, `GENERATOR`, `CONFIGURATION` as
/// JSON, `STATUS` and `TIME_US` of an exact answer, `TUNED_PROBLEM`, `TUNED_STATUS` and `TUNED_TIME_US` of what another one is from, and a
/// constant for each attribute of the configuration, such as `SUBGROUP_SIZE: u64`.
///
/// # Errors
///
/// A name that is none of a module's, a question that means nothing, or that nothing answers it.
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

/// Words of Rust 2024 that name nothing.
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

/// What was tuned, as an answer tells it: the problem itself where it is exact.
#[derive(Deserialize)]
struct TunedFields {
    problem: String,
    status: String,
    time_us: f64,
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
    let tuned = tuned.and_then(|line| serde_json::from_str(line.as_str()).ok());
    let (exact, tuned): (Option<TunedFields>, Option<TunedFields>) = match answer {
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
    module.known("STATUS", "&str", exact.as_ref().map(|it| &it.status));
    module.known("TIME_US", "f64", exact.as_ref().map(|it| it.time_us));
    module.known(
        "TUNED_PROBLEM",
        "&str",
        tuned.as_ref().map(|it| &it.problem),
    );
    module.known("TUNED_STATUS", "&str", tuned.as_ref().map(|it| &it.status));
    module.known("TUNED_TIME_US", "f64", tuned.as_ref().map(|it| it.time_us));
    for (attribute, values) in attributes(configuration) {
        module.attribute(attribute, &values);
    }
    Ok(module.0 + "}\n")
}

/// The scalars of a configuration by their attributes: one value, or one for each dimension.
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

/// A module that is being written.
struct RustModule(String);

impl RustModule {
    fn new(name: &str) -> RustModule {
        // A program may need some of them alone.
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
            // Only numbers are there for each dimension.
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
