//! A command of this program as something starts it: its words, its variables, and the folders that it finds.

use std::fs;

use clap::{Command, CommandFactory, Parser};

use super::root;
use crate::Cli;

/// Where a service listens unless it is told otherwise, and where all of this looks for one.
pub(super) const PORT: u16 = 8942;

/// Variables that PostgreSQL's own programs know, and that our driver reads.
const POSTGRES: [&str; 2] = ["PGPASSWORD", "PGPASSFILE"];

/// Variables of the system's.
const SYSTEM: [&str; 2] = ["XDG_CACHE_HOME", "XDG_RUNTIME_DIR"];

/// A command as something starts it.
#[derive(Debug)]
pub(super) struct Workload {
    /// Where it stands.
    pub(super) place: String,
    /// Behind the program's name.
    pub(super) arguments: Vec<String>,
    pub(super) variables: Vec<String>,
    /// Folders and files that are there for it.
    pub(super) files: Vec<String>,
}

impl Workload {
    /// Its words are a command of this program's, its variables are read by somebody, and the files that it names are there.
    #[track_caller]
    pub(super) fn check(&self) {
        let words = std::iter::once("wavetune".to_owned()).chain(self.arguments.clone());
        let words = words.chain(self.said_by_variables());
        if let Err(error) = Cli::try_parse_from(words) {
            panic!("{}: {error}", self.place);
        }
        for variable in &self.variables {
            let is_known = known(variable);
            assert!(is_known, "{}: nobody reads {variable}", self.place);
        }
        for file in self.named() {
            let is_there = |folder: &String| {
                let rest = file.strip_prefix(folder.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let is_there = self.files.iter().any(is_there);
            assert!(
                is_there,
                "{}: {file} is not in {:?}",
                self.place, self.files
            );
        }
    }

    /// What its variables say, as options of its command.
    fn said_by_variables(&self) -> Vec<String> {
        let program = Cli::command();
        let command = self
            .arguments
            .first()
            .and_then(|name| program.find_subcommand(name));
        let options = command.into_iter().flat_map(Command::get_arguments);
        let said = options.filter_map(|option| {
            let variable = option.get_env()?.to_str()?;
            let long = format!("--{}", option.get_long()?);
            let is_said =
                self.variables.iter().any(|it| it == variable) && self.value(&long).is_none();
            is_said.then(|| format!("{long}=said"))
        });
        said.collect()
    }

    /// The files that its arguments name.
    fn named(&self) -> impl Iterator<Item = &str> {
        let values = self
            .arguments
            .iter()
            .map(|argument| match argument.split_once('=') {
                Some((option, value)) if option.starts_with("--") => value,
                _ => argument.as_str(),
            });
        values.filter(|value| value.starts_with('/'))
    }

    /// The value of an option.
    pub(super) fn value(&self, option: &str) -> Option<&str> {
        let mut arguments = self.arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.strip_prefix(option) {
                Some("") => return arguments.next().map(String::as_str),
                Some(rest) if rest.starts_with('=') => return Some(&rest[1..]),
                _ => {}
            }
        }
        None
    }

    /// A service listens where all others look for it, and tells others than its own machine nothing by its open door.
    #[track_caller]
    pub(super) fn check_listens(&self) {
        let listens = self
            .value("--listen")
            .unwrap_or_else(|| panic!("{}", self.place));
        let port = listens.rsplit(':').next().unwrap_or_default();
        assert_eq!(port, PORT.to_string(), "{}", self.place);
    }

    /// An agent asks for work where a service listens, by a name that the service answers to.
    #[track_caller]
    pub(super) fn check_asks(&self, names: &[&str]) {
        let server = self
            .value("--server")
            .unwrap_or_else(|| panic!("{}", self.place));
        let address = server.rsplit('/').next().unwrap_or_default();
        let known = names.iter().map(|name| format!("{name}:{PORT}"));
        let is_known = known.into_iter().any(|known| known == address);
        assert!(is_known, "{}: {server} is none of {names:?}", self.place);
    }

    /// The names that a service answers to.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for (at, argument) in self.arguments.iter().enumerate() {
            match argument.strip_prefix("--allowed-host") {
                Some("") => names.extend(self.arguments.get(at + 1).map(String::as_str)),
                Some(rest) => names.extend(rest.strip_prefix('=')),
                None => {}
            }
        }
        names
    }
}

/// Whether somebody reads a variable: an option of ours or our own sources, PostgreSQL's driver, or the system.
fn known(variable: &str) -> bool {
    let ours = variables(&Cli::command());
    POSTGRES.contains(&variable)
        || SYSTEM.contains(&variable)
        || ours.iter().any(|it| it == variable)
        || variable.starts_with("WAVETUNE_") && read_by_sources(variable)
}

/// The variables of a command's options, and of those below it.
fn variables(command: &Command) -> Vec<String> {
    let own = command
        .get_arguments()
        .filter_map(|argument| argument.get_env());
    let mut all: Vec<String> = own.map(|it| it.to_string_lossy().into_owned()).collect();
    all.extend(command.get_subcommands().flat_map(variables));
    all
}

/// Returns true if the table of variables in the guide to installation names it.
fn read_by_sources(variable: &str) -> bool {
    let named = format!("`{variable}`");
    let guide = fs::read_to_string(root().join("docs/guide-install.md")).unwrap();
    guide.contains(&named)
}

/// An address is there, and tells everybody.
#[track_caller]
pub(super) fn check_open(path: &str) {
    // All JSON is YAML.
    let description = super::documents("server/openapi.json");
    let needs = &description[0]["paths"][path]["get"]["security"];
    assert_eq!(needs.as_vec().map(Vec::len), Some(0), "{path}");
}

#[test]
fn what_is_wrong_is_found() {
    let workload = |arguments: &str, variables: &[&str]| Workload {
        place: "here".to_owned(),
        arguments: arguments.split(' ').map(str::to_owned).collect(),
        variables: variables.iter().map(|&it| it.to_owned()).collect(),
        files: vec!["/etc/wavetune".to_owned()],
    };
    #[track_caller]
    fn fails(workload: &Workload, part: &str) {
        let failed = std::panic::catch_unwind(|| workload.check()).unwrap_err();
        let said = failed.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(said.contains(part), "{said}");
    }
    workload(
        "agent --token-file=/etc/wavetune/token",
        &["WAVETUNE_TOKEN"],
    )
    .check();
    fails(&workload("agent --tokenfile x", &[]), "--tokenfile");
    fails(
        &workload("agent", &["WAVETUNE_TOKENS"]),
        "nobody reads WAVETUNE_TOKENS",
    );
    fails(&workload("agent --ca /etc/wavetuner/ca", &[]), "is not in");
    fails(&workload("agent --ca=/ca.pem", &[]), "is not in");
    let serve = workload(
        "serve --allowed-host a --allowed-host=b --listen 0.0.0.0:8942",
        &[],
    );
    assert_eq!(serve.names(), ["a", "b"]);
    serve.check_listens();
}
