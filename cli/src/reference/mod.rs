//! `wavetune reference`: the pages of the book that follow from the command line, as Markdown.
//!
//! [`commands`] has all options of all commands. [`configuration`] has the variables of the
//! environment, and the options of the two commands that run for long.

mod commands;
mod configuration;

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Arg, Args, Command};

use crate::Exit;

/// Write the generated pages of the book to a directory. `cargo xtask book` runs this command.
#[derive(Args)]
pub(crate) struct ReferenceArguments {
    /// Output directory.
    directory: PathBuf,
}

/// Writes the pages.
pub(crate) fn run(arguments: &ReferenceArguments, mut command: Command) -> anyhow::Result<Exit> {
    // `build` copies global options into each command.
    command.build();
    for (name, page) in [
        ("reference-cli.md", commands::page(&command)),
        ("reference-configuration.md", configuration::page(&command)),
    ] {
        let file = arguments.directory.join(name);
        fs::write(&file, page).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(Exit::Found)
}

/// Lists the options and arguments of a command that a reader may give.
fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    // clap gives each command these two options, and each page would repeat them.
    let all = command.get_arguments().filter(|it| !it.is_hide_set());
    // `build` copies global options into each command; the program's section has them.
    let is_root = command.get_name() == "wavetune";
    let all = all.filter(move |it| is_root || !it.is_global_set());
    all.filter(|it| !matches!(it.get_id().as_str(), "help" | "version"))
}

/// Returns an option as it is typed, such as `--db <URL>`.
fn typed(argument: &Arg) -> String {
    let takes_value = argument.get_action().takes_values();
    // clap names the value of an option even if the option is a flag.
    let values = argument.get_value_names().unwrap_or_default().iter();
    let values = values.map(|it| format!("<{it}>")).collect::<Vec<_>>();
    let values = values.join(" ");
    match (argument.get_long(), argument.get_short()) {
        (Some(long), _) if takes_value => format!("--{long} {values}"),
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) if takes_value => format!("-{short} {values}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => values,
    }
}

/// Returns the default value of an option.
fn default(argument: &Arg) -> Option<String> {
    let values = argument.get_default_values().iter();
    let values: Vec<_> = values.map(|it| it.to_string_lossy()).collect();
    // The value of an absent flag tells a reader nothing.
    let is_value = argument.get_action().takes_values() && !values.is_empty();
    is_value.then(|| values.join(" "))
}

/// Returns the help of an argument, with its default, as one cell of a table.
fn cell(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help());
    let mut text = help.map(ToString::to_string).unwrap_or_default();
    let values = argument.get_possible_values();
    let named = values.iter().filter(|it| !it.is_hide_set());
    let named: Vec<String> = named.map(|it| format!("`{}`", it.get_name())).collect();
    let is_closed = !argument.is_hide_possible_values_set() && !named.is_empty();
    if argument.get_action().takes_values() && is_closed {
        text = format!("{text} (one of {})", named.join(", "));
    }
    let text = escaped(&text);
    let text = text.trim_end_matches('.');
    match default(argument) {
        Some(default) => format!("{text}. Default: `{default}`"),
        None => text.to_owned(),
    }
}

/// Escapes text for a cell of a Markdown table.
fn escaped(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut escaped = String::with_capacity(words.len());
    for (number, part) in words.split('`').enumerate() {
        if number > 0 {
            escaped.push('`');
        }
        // Within a code span only `|` has a meaning: it ends the cell.
        let is_code = number % 2 == 1;
        for character in part.chars() {
            match character {
                '|' => escaped.push_str("\\|"),
                '<' if !is_code => escaped.push_str("&lt;"),
                '*' | '_' | '[' if !is_code => escaped.extend(['\\', character]),
                other => escaped.push(other),
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::Cli;

    fn command() -> Command {
        let mut command = Cli::command();
        command.build();
        command
    }

    #[test]
    fn text_stands_in_a_cell_as_it_was_written() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(escaped(text), expected);
        }
        check("a\n  b", "a b");
        check("a|b `c|d`", "a\\|b `c\\|d`");
        check(
            "WAVETUNE_DB <FILE> [i32]",
            "WAVETUNE\\_DB &lt;FILE> \\[i32]",
        );
        check("`WAVETUNE_DB <FILE>`", "`WAVETUNE_DB <FILE>`");
    }

    /// Checks that a page names each command and option of the program.
    #[test]
    fn each_option_has_its_row() {
        fn check(command: &Command, name: &str, page: &str) -> usize {
            let section = page.split(&format!("\n## {name}\n")).nth(1);
            let section = section.unwrap_or_else(|| panic!("{name} has no section"));
            let section = section.split("\n## ").next().unwrap_or_default();
            let options = shown(command).map(|argument| {
                let row = format!("| `{}` |", typed(argument));
                assert!(section.contains(&row), "{name}: {row}\n{section}");
            });
            let count = options.count();
            let below = command.get_subcommands().filter(|it| !it.is_hide_set());
            let below = below.filter(|it| it.get_name() != "help");
            count
                + below
                    .map(|it| check(it, &format!("{name} {}", it.get_name()), page))
                    .sum::<usize>()
        }
        let command = command();
        let page = commands::page(&command);
        assert!(check(&command, "wavetune", &page) > 150);
        assert!(
            !page.contains("man-pages") && !page.contains("device-process"),
            "{page}"
        );
    }

    #[test]
    fn each_variable_has_its_row() {
        let page = configuration::page(&command());
        for part in [
            "| `WAVETUNE_DB` |",
            "| `WAVETUNE_LIBLLVM` |",
            "| `WAVETUNE_MAX_REQUESTS` | `--max-requests <COUNT>` of `wavetune serve` |",
            "Maximum concurrent requests. Default: `256` |",
            "selects a free port. Default: `127.0.0.1:8942` |",
            "## wavetune agent",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
    }
}
