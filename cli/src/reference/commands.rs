//! The page of all commands: usage, options and examples of each.

use std::fmt::Write as _;

use clap::Command;

use super::{cell, escaped, shown, typed};

const HEAD: &str = "\
# Command line

`wavetune reference` writes this page from the program's own options. `wavetune help SUBCOMMAND` prints the same.
";

/// Returns the page.
pub(super) fn page(command: &Command) -> String {
    let mut page = HEAD.to_owned();
    section(command, "wavetune", &mut page);
    page
}

/// Adds the section of a command, and those of the commands below it.
fn section(command: &Command, name: &str, page: &mut String) {
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let mut described = command.clone();
    let usage = described.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    add(
        page,
        format_args!(
            "\n## {name}\n\n{}.\n\n```text\n{usage}\n```\n",
            escaped(&about).trim_end_matches('.')
        ),
    );
    let below = || {
        // The tree of `help` repeats the names of all commands.
        let all = command.get_subcommands();
        all.filter(|it| !it.is_hide_set() && it.get_name() != "help")
    };
    if below().next().is_some() {
        add(page, format_args!("\n| command | meaning |\n|---|---|\n"));
    }
    for command in below() {
        let about = command.get_about().map(ToString::to_string);
        let about = escaped(&about.unwrap_or_default());
        add(
            page,
            format_args!("| `{}` | {about} |\n", command.get_name()),
        );
    }
    let mut options = shown(command).peekable();
    if options.peek().is_some() {
        add(page, format_args!("\n| option | meaning |\n|---|---|\n"));
    }
    for argument in options {
        let variable = argument.get_env().map(|it| it.display().to_string());
        let variable = variable.map(|it| format!(". Variable: `{it}`"));
        let (name, meaning) = (typed(argument), cell(argument));
        add(
            page,
            format_args!("| `{name}` | {meaning}{} |\n", variable.unwrap_or_default()),
        );
    }
    if let Some(more) = command.get_after_long_help() {
        add(
            page,
            format_args!("\n```text\n{}\n```\n", more.to_string().trim()),
        );
    }
    for below in below() {
        section(below, &format!("{name} {}", below.get_name()), page);
    }
}

fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("writing to a string succeeds");
}
