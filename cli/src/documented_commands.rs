//! Checks that every documented command parses: in the documents, in the help and in the messages
//! of the crates.

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Command, CommandFactory, Parser};

use crate::Cli;

/// The crates with texts that a user reads.
const CRATES: [&str; 12] = [
    "cli",
    "answers/explanation",
    "kernel-export",
    "model-profile",
    "lookup",
    "server",
    "store",
    "store/sqlite",
    "tuner",
    "bench-harness",
    "codegen",
    "configgen",
];

/// Commands, each with its file.
pub(crate) type Commands = Vec<(String, String)>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the files with this extension in a folder and its subfolders, as (path, text).
fn texts(folder: &Path, ending: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(texts(&path, ending));
        } else if path.extension().is_some_and(|it| it == ending) {
            found.push((
                path.display().to_string(),
                fs::read_to_string(&path).unwrap(),
            ));
        }
    }
    found
}

/// Commands that run another one: as another user, or in a container.
const RUNNERS: [(&str, &str); 2] = [
    ("sudo -u wavetune wavetune ", "wavetune "),
    // In two pieces, because another test takes `--rm` for an option of wavetune.
    (
        concat!("docker compose run -", "-rm -T server "),
        "wavetune ",
    ),
];

/// Removes a runner such as sudo from the beginning of a line.
fn without_runner(line: &str) -> String {
    let run = |(runner, ours): &(&str, &str)| Some(format!("{ours}{}", line.strip_prefix(runner)?));
    RUNNERS
        .iter()
        .find_map(run)
        .unwrap_or_else(|| line.to_owned())
}

/// Returns the lines that are commands. A line continues after a backslash or in an open quote.
pub(crate) fn lines(place: &str, text: &str) -> Commands {
    let mut commands = Commands::new();
    let mut lines = text.lines();
    let mut in_shell = false;
    while let Some(line) = lines.next() {
        if let Some(fence) = line.trim_start().strip_prefix("```") {
            in_shell = matches!(fence, "sh" | "console");
            continue;
        }
        // A line without an indent or a fence is prose.
        let indented = line.strip_prefix("  ").map(str::trim_start);
        let Some(line) = indented.or(in_shell.then_some(line)) else {
            continue;
        };
        let line = without_runner(line.strip_prefix("$ ").unwrap_or(line));
        if !line.starts_with("wavetune ") {
            continue;
        }
        let mut command = line;
        while command.ends_with('\\') || words(&command).is_none() {
            command = match lines.next() {
                Some(more) => format!("{}\n{more}", command.trim_end_matches('\\')),
                None => panic!("{place}: {command}: no end"),
            };
        }
        commands.push((place.to_owned(), command));
    }
    commands
}

/// Returns the spans between `open` and `close` on one line that begin with `wavetune`.
fn spans(place: &str, text: &str, open: char, close: char) -> Commands {
    let start = format!("{open}wavetune ");
    let span = text.match_indices(&start).filter_map(|(start, _)| {
        let rest = &text[start + open.len_utf8()..];
        let span = &rest[..rest.find([close, '\n'])?];
        rest[span.len()..]
            .starts_with(close)
            .then(|| (place.to_owned(), span.to_owned()))
    });
    span.collect()
}

/// Splits a command into words as a shell does, up to an operator or a comment. Returns `None` if
/// a quote is open.
pub(crate) fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = command.chars();
    while let Some(c) = characters.next() {
        match c {
            '\'' | '"' => {
                let quoted: String = characters.by_ref().take_while(|&it| it != c).collect();
                // An unclosed quote takes all the rest.
                if characters.as_str().is_empty() && !command.ends_with(c) {
                    return None;
                }
                word.get_or_insert_default().push_str(&quoted);
            }
            // A number before `>` is a file descriptor.
            '>' => {
                word.take_if(|it| it.bytes().all(|digit| digit.is_ascii_digit()));
                break;
            }
            '|' | ';' | '&' => break,
            '#' if word.is_none() => break,
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

/// Returns whether all words are names of subcommands, as in "see `wavetune tune`".
fn is_name(words: &[String]) -> bool {
    let below = |command: Command, word: &String| command.find_subcommand(word).cloned();
    words[1..].iter().try_fold(Cli::command(), below).is_some()
}

#[track_caller]
fn check(commands: Commands, at_least: usize, may_be_part: bool) {
    // A search that finds nothing must not pass.
    assert!(commands.len() >= at_least, "only {commands:#?}");
    let mut wrong = Vec::new();
    for (place, command) in commands {
        // Placeholders that the author left out or that the reader fills in.
        let shown = command
            .replace('…', "")
            .replace("SUBCOMMAND", "tune")
            .replace("SHELL", "bash");
        let words = words(&shown).unwrap_or_default();
        let error = match Cli::try_parse_from(&words) {
            Err(error) if error.kind() != ErrorKind::DisplayHelp => error,
            _ => continue,
        };
        let is_part = may_be_part && error.kind() == ErrorKind::MissingRequiredArgument;
        if !is_part && !is_name(&words) {
            wrong.push(format!("{place}: {command}\n    {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn commands_of_the_documents_parse() {
    let documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| {
        let path = root().join(name);
        (name.to_owned(), fs::read_to_string(path).unwrap())
    });
    let more = texts(&root().join("docs"), "md");
    let (mut whole, mut named) = (Commands::new(), Commands::new());
    for (place, text) in documents.into_iter().chain(more) {
        whole.extend(lines(&place, &text));
        named.extend(spans(&place, &text, '`', '`'));
    }
    check(whole, 60, false);
    // A sentence may name a command with only one of its options.
    check(named, 8, true);
}

/// Returns the commands in the help of a command and its subcommands.
fn helped(command: &Command) -> Commands {
    let help = command.get_after_long_help().map(ToString::to_string);
    let mut commands = lines(command.get_name(), &help.unwrap_or_default());
    commands.extend(command.get_subcommands().flat_map(helped));
    commands
}

#[test]
fn commands_stand_behind_an_indent_or_in_a_fence() {
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = lines("here", text).into_iter().map(|it| it.1);
        let found: Vec<String> = found.collect();
        assert_eq!(found, expected, "{text}");
    }
    check("wavetune tune is a command", &[]);
    check("    wavetune tune a", &["wavetune tune a"]);
    check(
        "```console\n$ wavetune tune a\nwavetune: done\n```\nwavetune b",
        &["wavetune tune a"],
    );
    check(
        "```sh\nwavetune tune \\\n  a\n```",
        &["wavetune tune \n  a"],
    );
    check("```text\nwavetune tune a\n```", &[]);
    let expected = ["wavetune", "serve", "--no-agent"].map(str::to_owned);
    assert_eq!(
        words("wavetune serve --no-agent 2> log &").as_deref(),
        Some(&expected[..])
    );
}

#[test]
fn commands_of_the_help_parse() {
    check(helped(&Cli::command()), 25, false);
}

/// Strings that begin with `wavetune` and are no commands.
const LABELS: [&str; 2] = ["wavetune emulator", "wavetune object cache "];

#[test]
fn commands_that_are_printed_parse() {
    let mut commands = Commands::new();
    for (place, text) in CRATES
        .iter()
        .flat_map(|name| texts(&root().join(name).join("src"), "rs"))
    {
        let mut said = spans(&place, &text, '`', '`');
        said.extend(spans(&place, &text, '"', '"'));
        said.retain(|(_, text)| !LABELS.iter().any(|it| text.starts_with(it)));
        // A formatted target gets a real name, because clap accepts a closed set.
        let named = |(place, text): (String, String)| (place, text.replace("{target}", "gfx942"));
        commands.extend(said.into_iter().map(named));
    }
    check(commands, 20, false);
}

/// Returns the lines of these crates' sources without comments, each with its file.
fn printed<'a>(crates: &'a [&str]) -> impl Iterator<Item = (String, String)> + 'a {
    let files = crates
        .iter()
        .flat_map(|name| texts(&root().join(name).join("src"), "rs"));
    // `shipping/` is a test of other files, and prints nothing.
    let files = files.filter(|(place, _)| !place.contains("/src/shipping/"));
    files.flat_map(|(place, text)| {
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let lines = lines.map(|line| (place.clone(), line.to_owned()));
        lines.collect::<Vec<_>>()
    })
}

/// Returns the long options of a command and its subcommands.
fn options(command: &Command) -> Vec<String> {
    let own = command
        .get_arguments()
        .filter_map(|argument| argument.get_long());
    let mut all: Vec<String> = own.map(str::to_owned).collect();
    all.extend(command.get_subcommands().flat_map(options));
    all
}

// Only the first eight crates: code generation also prints options of linkers and compilers.
#[test]
fn options_that_are_printed_exist() {
    let known = [
        options(&Cli::command()),
        vec!["help".to_owned(), "version".to_owned()],
    ]
    .concat();
    let mut named = 0;
    for (place, line) in printed(&CRATES[..8]) {
        for (at, dashes) in line.match_indices("--") {
            let rest = &line[at + dashes.len()..];
            let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            let end = rest.find(|c: char| !is_part(c));
            let option = &rest[..end.unwrap_or(rest.len())];
            // Options of iree-compile are not options of wavetune.
            if option.starts_with(|c: char| c.is_ascii_lowercase()) && !option.starts_with("iree-")
            {
                named += 1;
                assert!(known.iter().any(|it| it == option), "{place}: --{option}");
            }
        }
    }
    assert!(named > 50, "only {named} are named");
}

/// Users of a release have no checkout: no message may name a task of xtask.
#[test]
fn nobody_is_sent_to_a_checkout() {
    for (place, line) in printed(&CRATES) {
        assert!(
            !line.contains(concat!("cargo", " xtask")),
            "{place}: {line}"
        );
    }
}

#[test]
fn words_are_those_of_a_shell() {
    #[track_caller]
    fn check(command: &str, expected: Option<&[&str]>) {
        let found = words(command);
        let found = found
            .as_ref()
            .map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(found.as_deref(), expected);
    }
    check("a  b # c", Some(&["a", "b"]));
    check("a 'b c'\"d\" ''", Some(&["a", "b cd", ""]));
    check("a b#c | d", Some(&["a", "b#c"]));
    check("a 'b", None);
    check("a 'b\nc' > d", Some(&["a", "b\nc"]));
}
