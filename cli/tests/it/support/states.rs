//! The commands that open a database, and their answers to one that they cannot use as it is.

use std::process::{Command, Output};

/// A database that differs from one that this wavetune has just used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum State {
    Missing,
    Empty,
    Older,
    Newer,
    Foreign,
}

/// The kind of a command's access to its database.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Access {
    /// As it is.
    Reads,
    /// As it is, and only a file.
    ReadsFile,
    /// After it has created missing parts.
    Makes,
}

use Access::{Makes, Reads, ReadsFile};

const PROBLEM: &str = "argmax:[64]xf32";

const COMMANDS: [(&str, Access); 26] = [
    ("lookup argmax:[64]xf32 --target gfx942", Reads),
    ("export iree-spec --target gfx942", Reads),
    ("export table --target gfx942 --output out.wtab", Reads),
    ("export kernels --target gfx942 --out out", Reads),
    ("export iree-kernels --target gfx942 --out out", Reads),
    ("studies", Reads),
    ("studies list", Reads),
    ("studies show 1", Reads),
    ("studies delete 1 --yes", Reads),
    ("studies requeue 1", Reads),
    ("trials 1", Reads),
    ("regressions", Reads),
    ("report 1 --output out.html", Reads),
    ("wishes", Reads),
    ("wishes list", Reads),
    ("wishes dismiss argmax:[64]xf32 --target gfx942", Reads),
    ("token list", Reads),
    ("token revoke 1", Reads),
    ("db prune --dry-run", Reads),
    ("db info", ReadsFile),
    ("db check", ReadsFile),
    ("token create ann --scope read", Makes),
    ("db merge other.db", Makes),
    (
        "tune argmax:[64]xf32 --device emulated:mi300x --budget 1",
        Makes,
    ),
    ("serve --no-agent --listen 127.0.0.1:0", Makes),
    ("tune --wishes --device emulated:mi300x", Makes),
];

/// Commands with `--db` that are not in the table: they need a model, iree-compile or a table file,
/// or are about another file. The tests of each have their cases.
const ELSEWHERE: [&str; 6] = [
    "problems",
    "iree-compile",
    "table lookup",
    "db backup",
    "db restore",
    "db migrate",
];

/// Returns the advice for a reader of such a database; empty if it can be used.
fn advice(state: State, is_server: bool) -> &'static str {
    match (state, is_server) {
        (State::Missing, false) => "does not exist; `wavetune tune PROBLEM` creates it",
        (State::Missing, true) => "does not exist on its server; create it with `createdb",
        (State::Empty, _) => {
            "is empty; `wavetune tune PROBLEM` or `wavetune serve` with this --db makes its tables"
        }
        (State::Older, _) => "back it up, then run `wavetune db migrate` with this --db",
        (State::Newer, _) => "use a newer wavetune",
        (State::Foreign, _) => "belongs to another program; use another --db",
    }
}

/// Checks each command on a database that `prepare` puts into this state.
pub(crate) fn check_commands(
    state: State,
    is_server: bool,
    wavetune: &dyn Fn(&str) -> Command,
    prepare: &dyn Fn(),
) {
    if state == State::Missing {
        check_table(wavetune);
    }
    prepare();
    for (line, access) in COMMANDS {
        // A reader changes nothing.
        if access == Makes {
            prepare();
        }
        let is_made = access == Makes
            && match state {
                State::Missing => !is_server,
                State::Empty | State::Older => true,
                State::Newer | State::Foreign => false,
            };
        // A service that has all it needs does not end.
        if is_made && line.starts_with("serve") {
            continue;
        }
        let output = wavetune(line).output().unwrap();
        let said = said(&output);
        let place = format!("{line} on {state:?}, server: {is_server}: {said}");
        if is_made {
            assert!(matches!(output.status.code(), Some(0 | 1)), "{place}");
            let studies = wavetune("studies").output().unwrap();
            assert!(matches!(studies.status.code(), Some(0 | 1)), "{place}");
            continue;
        }
        assert_eq!(output.status.code(), Some(2), "{place}");
        let expected = match is_server && access == ReadsFile {
            true => "the database is PostgreSQL; use its tool ",
            false => advice(state, is_server),
        };
        assert!(said.contains(expected), "{expected}: {place}");
    }
    check_migrate(state, is_server, wavetune, prepare);
    // Kernels of named problems need no database, and an empty one counts as none.
    if state == State::Empty {
        prepare();
        let line = format!("export kernels {PROBLEM} --target gfx942 --out named");
        let output = wavetune(&line).output().unwrap();
        assert!(output.status.success(), "{line}: {}", said(&output));
    }
}

/// Checks `db migrate`, and that its advice leads to a database of this schema.
fn check_migrate(
    state: State,
    is_server: bool,
    wavetune: &dyn Fn(&str) -> Command,
    prepare: &dyn Fn(),
) {
    let check = |line: &str, exit: i32, part: &str| {
        let output = wavetune(line).output().unwrap();
        let said = said(&output);
        let place = format!("{line} on {state:?}, server: {is_server}: {said}");
        assert_eq!(output.status.code(), Some(exit), "{place}");
        assert!(said.contains(part), "{part}: {place}");
    };
    prepare();
    match state {
        State::Missing | State::Newer | State::Foreign => {
            return check("db migrate", 2, advice(state, is_server));
        }
        // An empty database needs no backup.
        State::Empty => check("db migrate", 0, " was empty and now has schema "),
        State::Older if is_server => {
            let advice = "make a backup with pg_dump -Fc, then repeat the command with --no-backup";
            check("db migrate", 2, advice);
            check("studies", 2, "`wavetune db migrate`");
            check("db migrate --no-backup", 0, " is migrated from schema ");
        }
        State::Older => check("db migrate", 0, "; the backup is "),
    }
    check("db migrate", 0, " already");
    check("studies", 1, "there is no such study");
}

/// Checks that the table has every command with `--db`, as the help lists them.
fn check_table(wavetune: &dyn Fn(&str) -> Command) {
    let mut commands = vec![String::new()];
    let mut with_database = 0;
    while let Some(command) = commands.pop() {
        let output = wavetune(&format!("{command} --help")).output().unwrap();
        let help = said(&output);
        if help.contains("      --db <") {
            with_database += 1;
            let line = command.trim();
            let is_known = COMMANDS.iter().any(|(known, _)| {
                known
                    .strip_prefix(line)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            });
            assert!(is_known || ELSEWHERE.contains(&line), "{line}");
        }
        // The program's own help has groups of commands, from the first one to its options.
        let (heading, end) = match command.is_empty() {
            true => ("\nTune:\n", "\nOptions:"),
            false => ("\nCommands:\n", "\n\n"),
        };
        let listed = help.split_once(heading).map_or("", |(_, rest)| rest);
        let listed = listed.split(end).next().unwrap_or_default();
        let names = listed.lines().filter_map(|line| {
            let name = line.strip_prefix("  ")?.split(' ').next()?;
            (!name.is_empty() && name != "help").then(|| format!("{command} {name}"))
        });
        commands.extend(names);
    }
    assert!(with_database > 25, "{with_database}");
}

fn said(output: &Output) -> String {
    let all = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&all).into_owned()
}
