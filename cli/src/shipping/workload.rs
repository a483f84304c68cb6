//! A workload: a command of this program in a shipped file, with its arguments, variables and
//! files.

use std::fs;

use clap::{Command, CommandFactory, Parser};

use super::root;
use crate::Cli;

/// The default port of a service, which all shipped files use.
pub(super) const PORT: u16 = 8942;

/// Variables of PostgreSQL's own programs, which our driver reads.
const POSTGRES: [&str; 2] = ["PGPASSWORD", "PGPASSFILE"];

/// Variables of the system.
const SYSTEM: [&str; 2] = ["XDG_CACHE_HOME", "XDG_RUNTIME_DIR"];

/// A command in a shipped file.
#[derive(Debug)]
pub(super) struct Workload {
    /// The file of the command.
    pub(super) place: String,
    /// The words behind the program's name.
    pub(super) arguments: Vec<String>,
    pub(super) variables: Vec<String>,
    /// Folders and files that exist at run time.
    pub(super) files: Vec<String>,
}

impl Workload {
    /// Checks that clap parses the arguments, that each variable has a reader, and that the named
    /// files exist.
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

    /// Returns the variables as options of the command.
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
            // Any value will do: clap only checks that a required option is given.
            is_said.then(|| format!("{long}=said"))
        });
        said.collect()
    }

    /// Returns the files that the arguments name.
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

    /// Returns the value of an option.
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

    /// Checks that the service listens on the default port.
    #[track_caller]
    pub(super) fn check_listens(&self) {
        let listens = self
            .value("--listen")
            .unwrap_or_else(|| panic!("{}", self.place));
        let port = listens.rsplit(':').next().unwrap_or_default();
        assert_eq!(port, PORT.to_string(), "{}", self.place);
    }

    /// Checks that an agent connects to a listening service, by one of its host names.
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

    /// Returns the host names of a service.
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

/// Returns whether a variable has a reader: an option, PostgreSQL's driver, the system, or our
/// sources by the guide's table.
fn known(variable: &str) -> bool {
    let ours = variables(&Cli::command());
    POSTGRES.contains(&variable)
        || SYSTEM.contains(&variable)
        || ours.iter().any(|it| it == variable)
        || variable.starts_with("WAVETUNE_") && read_by_sources(variable)
}

/// Returns the variables of a command's options and of its subcommands' options.
fn variables(command: &Command) -> Vec<String> {
    let own = command
        .get_arguments()
        .filter_map(|argument| argument.get_env());
    let mut all: Vec<String> = own.map(|it| it.to_string_lossy().into_owned()).collect();
    all.extend(command.get_subcommands().flat_map(variables));
    all
}

/// Returns whether the installation guide's table of variables names it.
fn read_by_sources(variable: &str) -> bool {
    let named = format!("`{variable}`");
    let guide = fs::read_to_string(root().join("docs/guide-install.md")).unwrap();
    guide.contains(&named)
}

/// Checks that an address exists, and needs no token.
#[track_caller]
pub(super) fn check_open(path: &str) {
    // All JSON is YAML.
    let description = super::documents("server/openapi.json");
    let needs = &description[0]["paths"][path]["get"]["security"];
    assert_eq!(needs.as_vec().map(Vec::len), Some(0), "{path}");
}

#[test]
fn invalid_workloads_are_found() {
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
