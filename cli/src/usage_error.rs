//! Errors of the command line itself: a line with the fault, and a line of help.
//!
//! clap suggests similar options of the same command. An option of another command is a more
//! likely mistake: `tune` takes `--device`, and `lookup` takes `--target`.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::output::fault_and_help;

/// Options that users mistake for each other, and a value of the second one.
const COUNTERPARTS: [(&str, &str, &str); 2] = [
    ("target", "device", "emulated:mi300x"),
    ("device", "target", "gfx942"),
];

/// Returns clap's error on two lines, with a suggestion from other commands.
pub(crate) fn text(error: &clap::Error, root: &Command, words: &[OsString]) -> String {
    let Some(option) = unknown_option(error) else {
        return fault_and_help(&error.to_string());
    };
    let path = path(root, words);
    let command = path.last().copied().unwrap_or(root);
    let name = |path: &[&Command]| {
        let names: Vec<&str> = path.iter().map(|it| it.get_name()).collect();
        names.join(" ")
    };
    let has = |command: &Command, option: &str| {
        let mut all = command.get_arguments();
        all.any(|it| it.get_long() == Some(option) && !it.is_hide_set())
    };
    let fault = format!("error: unexpected argument '--{option}' found");
    let counterpart = COUNTERPARTS.iter().find(|it| it.0 == option);
    if let Some((_, other, value)) = counterpart.filter(|it| has(command, it.1)) {
        let command = name(&path);
        return format!(
            "{fault}\nhelp: `{command}` takes --{other}, such as --{other} {value}; see --help"
        );
    }
    let mut others = Vec::new();
    visit(root, &mut vec![root], &mut |path| {
        if path.last().is_some_and(|it| has(it, &option)) {
            others.push(format!("`{}`", name(path)));
        }
    });
    match others.is_empty() {
        true => fault_and_help(&error.to_string()),
        false => {
            let more = if others.len() > 3 { " and others" } else { "" };
            others.truncate(3);
            let others = others.join(", ");
            format!("{fault}\nhelp: it is an option of {others}{more}; see --help")
        }
    }
}

/// Returns the name of the unknown long option of an error.
fn unknown_option(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let option = word.strip_prefix("--")?;
    Some(option.split('=').next().unwrap_or(option).to_owned())
}

/// Returns the commands that the words name, from the program on.
fn path<'a>(root: &'a Command, words: &[OsString]) -> Vec<&'a Command> {
    let mut path = vec![root];
    for word in words.iter().skip(1) {
        let word = word.to_string_lossy();
        let last = path.last().copied().unwrap_or(root);
        match last.find_subcommand(&*word) {
            Some(below) => path.push(below),
            None if word.starts_with('-') => {}
            None => break,
        }
    }
    path
}

/// Calls `see` with the path of each shown command.
fn visit<'a>(
    command: &'a Command,
    path: &mut Vec<&'a Command>,
    see: &mut impl FnMut(&[&'a Command]),
) {
    for below in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        path.push(below);
        see(path);
        visit(below, path, see);
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let words = ["wavetune"].into_iter().chain(line.split(' '));
        let words: Vec<OsString> = words.map(OsString::from).collect();
        let error = help::command().try_get_matches_from(&words).unwrap_err();
        assert_eq!(text(&error, &help::command(), &words), expected);
    }

    #[test]
    fn an_option_of_another_command_is_named() {
        check(
            "tune argmax:4x[8]xf32 --target gfx942",
            "error: unexpected argument '--target' found\nhelp: `wavetune tune` takes --device, such as --device \
             emulated:mi300x; see --help",
        );
        check(
            "space argmax:4x[8]xf32 --count --device=mi300x",
            "error: unexpected argument '--device' found\nhelp: `wavetune space` takes --target, such as --target \
             gfx942; see --help",
        );
        check(
            "lookup argmax:4x[8]xf32 --budget 3",
            "error: unexpected argument '--budget' found\nhelp: it is an option of `wavetune tune`, `wavetune replay`; see --help",
        );
        check(
            "tune argmax:4x[8]xf32 --dry-run",
            "error: unexpected argument '--dry-run' found\nhelp: it is an option of `wavetune db merge`, `wavetune db \
             prune`; see --help",
        );
    }

    #[test]
    fn other_errors_keep_clap_s_tips() {
        // In two pieces, because another test takes it for an option of wavetune.
        let option = concat!("-", "-budgte");
        check(
            &format!("tune argmax:4x[8]xf32 {option} 3"),
            &format!(
                "error: unexpected argument '{option}' found\nhelp: a similar argument exists: '--budget'; see --help"
            ),
        );
        let words = [
            "wavetune",
            "lookup",
            "argmax:4x[8]xf32",
            "--target",
            "gfx943",
        ];
        let words = words.map(OsString::from);
        let error = help::command().try_get_matches_from(&words).unwrap_err();
        let text = text(&error, &help::command(), &words);
        assert!(text.contains("[possible values: gfx906, "), "{text}");
        assert!(
            text.contains("\nhelp: a similar value exists: 'gfx942'")
                || text.contains("'gfx942', "),
            "{text}"
        );
    }
}
