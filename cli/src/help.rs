//! The help: `-h` is a screen, and `--help` has details and examples.
//!
//! The documentation of an argument has a short first paragraph, which `-h` prints on one line.
//! [`command`] moves environment variables and lists of values to `--help`, and groups the
//! subcommands.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory as _};

use crate::Cli;

/// The subcommands by use. `help` stands in no group.
const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Tune",
        &["tune", "try", "check", "space", "replay", "devices"],
    ),
    (
        "Look up and export",
        &[
            "lookup",
            "rule",
            "export",
            "problems",
            "profile",
            "iree-compile",
            "table",
            "wishes",
        ],
    ),
    (
        "Databases",
        &["studies", "trials", "regressions", "report", "db"],
    ),
    ("Service and agents", &["serve", "agent", "token"]),
    ("Kernels and emulator", &["explain", "emulate"]),
    ("Setup", &["doctor", "completions"]),
];

/// Returns the command line with its help in order.
pub(crate) fn command() -> Command {
    let root = arranged(Cli::command(), "wavetune");
    let template = template(&root);
    root.help_template(template)
}

/// Returns the template of the program's help, with the groups of subcommands.
fn template(root: &Command) -> StyledStr {
    let styles = root.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = StyledStr::new();
    let mut add = |part: std::fmt::Arguments<'_>| {
        text.write_fmt(part).expect("writing to a string succeeds");
    };
    add(format_args!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n"
    ));
    for (group, names) in GROUPS {
        add(format_args!("\n{header}{group}:{header:#}\n"));
        for name in names {
            let about = root.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            // 12 is the longest name.
            add(format_args!("  {literal}{name:<12}{literal:#}  {about}\n"));
        }
    }
    add(format_args!(
        "\n{header}Options:{header:#}\n{{options}}{{after-help}}"
    ));
    text
}

/// Arranges the help of a command of this name, and of the commands below it.
fn arranged(command: Command, name: &str) -> Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|it| it.get_name().to_owned())
        .collect();
    let mut command = command
        .mut_args(argument)
        .after_help(format!("`{name} --help` has details and examples."));
    for below in names {
        command = command.mut_subcommand(&below, |it| arranged(it, &format!("{name} {below}")));
    }
    command
}

/// Moves the variable and the values of an argument to its long help.
fn argument(argument: Arg) -> Arg {
    let help = argument.get_long_help().or(argument.get_help());
    let mut long = help.map(ToString::to_string).unwrap_or_default();
    if let Some(variable) = argument.get_env() {
        long += &format!("\n\n[env: {}]", variable.display());
    }
    let values = match argument.get_action().takes_values() {
        true => argument.get_possible_values(),
        false => Vec::new(),
    };
    // An argument that hides its values accepts others, too.
    if !values.is_empty() && !argument.is_hide_possible_values_set() {
        let names: Vec<&str> = values.iter().map(|it| it.get_name()).collect();
        long += &format!("\n\n[possible values: {}]", names.join(", "));
    }
    let argument = match values.is_empty() {
        true => argument.hide_env(true),
        false => argument.hide_env(true).hide_possible_values(true),
    };
    match long.is_empty() {
        true => argument,
        false => argument.long_help(long),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documented_commands::lines;

    /// Most lines of a subcommand's `-h`.
    const SCREEN: usize = 40;
    /// Most lines of `wavetune -h`, which has a line for each subcommand.
    const OVERVIEW: usize = 49;
    /// Widths of terminals at which no example breaks.
    const WIDTHS: [usize; 2] = [80, 100];

    /// Calls `check` with each command that a user may give, at each width.
    fn each(check: impl Fn(&mut Command, usize)) {
        fn walk(
            command: &mut Command,
            width: usize,
            check: &impl Fn(&mut Command, usize),
        ) -> usize {
            check(command, width);
            let below = command.get_subcommands_mut();
            let below = below.filter(|it| !it.is_hide_set() && it.get_name() != "help");
            1 + below.map(|it| walk(it, width, check)).sum::<usize>()
        }
        for width in WIDTHS {
            let mut root = command().term_width(width);
            root.build();
            assert!(walk(&mut root, width, &check) > 40);
        }
    }

    #[test]
    fn short_help_is_a_screen() {
        each(|command, width| {
            let help = command.render_help().to_string();
            let name = command.get_bin_name().unwrap_or("wavetune").to_owned();
            let lines = help.lines().count();
            let most = if name == "wavetune" { OVERVIEW } else { SCREEN };
            assert!(lines <= most, "{name} at {width}: {lines} lines\n{help}");
            assert!(help.contains("Usage: wavetune"), "{help}");
            let pointer = format!("`{name} --help` has details and examples.");
            assert!(help.contains(&pointer), "{help}");
            assert!(!help.contains("Examples:"), "{help}");
        });
    }

    #[test]
    fn short_help_has_a_line_for_each_option() {
        each(|command, width| {
            let help = command.render_help().to_string();
            // A wrapped text begins below the text before it; an option begins at column 2 or 6.
            let wrapped: Vec<&str> = help
                .lines()
                .filter(|it| it.starts_with("         "))
                .collect();
            assert!(wrapped.is_empty(), "at {width}: {wrapped:#?}\n{help}");
            // clap does not wrap a usage.
            let mut lines = help.lines().filter(|it| !it.starts_with("Usage: "));
            let long = lines.find(|it| it.chars().count() > width);
            assert_eq!(long, None, "at {width}: {help}");
        });
    }

    #[test]
    fn long_help_has_details_and_whole_examples() {
        each(|command, width| {
            let written = command.get_after_long_help().map(ToString::to_string);
            let written = written.unwrap_or_default();
            let help = command.render_long_help().to_string();
            let name = command.get_name();
            assert!(written.contains("Examples:\n"), "{name} has no examples");
            let (expected, found) = (lines(name, &written), lines(name, &help));
            for command in &expected {
                assert!(
                    found.contains(command),
                    "at {width}: {command:?} breaks:\n{help}"
                );
            }
            let examples = written.split("Examples:\n").nth(1).unwrap_or_default();
            for line in examples.lines() {
                assert!(
                    help.contains(&format!("{line}\n")),
                    "at {width}: {line:?}\n{help}"
                );
            }
        });
    }

    /// Returns the sentences of a command's help, without its tables and examples.
    fn sentences(command: &Command) -> Vec<String> {
        let about = command.get_long_about().or(command.get_about());
        let mut texts: Vec<String> = about.map(ToString::to_string).into_iter().collect();
        let help = |it: &Arg| {
            it.get_long_help()
                .or(it.get_help())
                .map(ToString::to_string)
        };
        texts.extend(command.get_arguments().filter_map(help));
        let after = command.get_after_long_help().map(ToString::to_string);
        let after = after.unwrap_or_default();
        texts.extend(after.split("Examples:").next().map(str::to_owned));
        let paragraphs = texts.iter().flat_map(|it| it.split("\n\n"));
        let prose = paragraphs.filter(|it| !it.starts_with(['[', ' ']));
        prose
            .flat_map(|it| it.split(". "))
            .flat_map(|it| it.split("; "))
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn sentences_are_short_and_name_their_subject() {
        let openers = [
            "What", "Who", "Whose", "Where", "Which", "Whether", "How", "Of",
        ];
        each(|command, _| {
            for sentence in sentences(command) {
                let words: Vec<&str> = sentence.split_whitespace().collect();
                assert!(words.len() <= 25, "{sentence}");
                let first = words.first().copied().unwrap_or_default();
                assert!(!openers.contains(&first), "{sentence}");
            }
        });
    }

    #[test]
    fn each_shown_subcommand_has_one_group() {
        let root = command();
        let mut shown: Vec<&str> = root
            .get_subcommands()
            .filter(|it| !it.is_hide_set())
            .map(Command::get_name)
            .collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|it| it.1).copied().collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, shown);
        let help = command().render_help().to_string();
        for hidden in root.get_subcommands().filter(|it| it.is_hide_set()) {
            assert!(!help.contains(hidden.get_name()), "{help}");
        }
    }
}
