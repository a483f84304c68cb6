//! `wavetune completions` and `wavetune man-pages`: completion scripts and manual pages of the
//! command line.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Arg, Args, Command};
use clap_complete::Shell;
use configgen::operation_names;

use crate::Exit;
use crate::output::print;

/// The name of the installed program.
const NAME: &str = "wavetune";

/// Print a completion script for a shell.
///
/// The scripts of bash, zsh and fish also complete devices, targets and operations.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CompletionsArguments {
    /// Shell that reads the script.
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  wavetune completions bash \\
    > ~/.local/share/bash-completion/completions/wavetune
  # With fpath+=~/.zfunc before compinit:
  wavetune completions zsh > ~/.zfunc/_wavetune
  wavetune completions fish > ~/.config/fish/completions/wavetune.fish";

pub(crate) fn run(arguments: &CompletionsArguments, mut command: Command) -> anyhow::Result<Exit> {
    // Into memory first: clap_complete panics if a write fails, as on a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, NAME, &mut script);
    let script = String::from_utf8(script).context("the script is not UTF-8")?;
    print(&match arguments.shell {
        Shell::Zsh => with_files(&script),
        Shell::Fish => script + &fish_operations(&command),
        _ => script,
    })?;
    Ok(Exit::Found)
}

/// Adds files to the completion of problems by zsh, which else completes operations alone: a model
/// is a file. bash and fish complete files by default.
fn with_files(script: &str) -> String {
    let operations = format!("({})", operation_names().join(" "));
    let function = format!(
        "autoload -U is-at-least\n\n_wavetune_problems() {{\n    _alternative 'operations:operation:{operations}' 'files:file:_files'\n}}\n"
    );
    script.replace(&operations, "_wavetune_problems").replacen(
        "autoload -U is-at-least\n",
        &function,
        1,
    )
}

/// Write the manual pages to a directory. `cargo xtask share` runs this command.
#[derive(Args)]
pub(crate) struct ManArguments {
    /// Output directory; created if missing.
    directory: PathBuf,
}

pub(crate) fn write_man_pages(arguments: &ManArguments, command: Command) -> anyhow::Result<Exit> {
    let directory = &arguments.directory;
    std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(command, directory))
        .with_context(|| format!("cannot write to {}", directory.display()))?;
    Ok(Exit::Found)
}

/// Returns lines for fish, because clap's generator for fish skips values of positional arguments.
fn fish_operations(command: &Command) -> String {
    let mut lines = String::new();
    for (path, problem) in problem_arguments(command) {
        let conditions: Vec<String> = path
            .iter()
            .enumerate()
            .map(|(depth, name)| match depth {
                0 => format!("__fish_{NAME}_using_subcommand {name}"),
                _ => format!("__fish_seen_subcommand_from {name}"),
            })
            .collect();
        let (conditions, operations) = (conditions.join("; and "), operation_names().join(" "));
        lines +=
            &format!("complete -c {NAME} -n \"{conditions}\" -a \"{operations}\" -d '{problem}'\n");
    }
    lines
}

/// Returns each command that takes problems, as the names below the program, with the name of that
/// argument.
fn problem_arguments(command: &Command) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    for below in command.get_subcommands() {
        let name = below.get_name().to_owned();
        let is_problem = |it: &&Arg| matches!(it.get_id().as_str(), "problem" | "problems");
        if let Some(problem) = below.get_positionals().find(is_problem) {
            found.push((vec![name.clone()], problem.get_id().to_string()));
        }
        let deeper = problem_arguments(below).into_iter();
        found.extend(deeper.map(|(path, problem)| ([vec![name.clone()], path].concat(), problem)));
    }
    found
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, ValueEnum as _};

    use super::*;
    use crate::{Cli, UserCli};

    fn script(shell: Shell) -> String {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut UserCli::command(), NAME, &mut script);
        String::from_utf8(script).unwrap()
    }

    #[test]
    fn scripts_have_no_hidden_command() {
        let hidden: Vec<String> = Cli::command()
            .get_subcommands()
            .filter(|it| it.is_hide_set())
            .map(|it| it.get_name().to_owned())
            .collect();
        assert_eq!(hidden.len(), 4);
        let shown = Cli::command();
        let shown: Vec<&str> = shown
            .get_subcommands()
            .filter(|it| !it.is_hide_set())
            .map(Command::get_name)
            .collect();
        for &shell in Shell::value_variants() {
            let script = script(shell);
            for name in &hidden {
                // zsh and fish also write the names of functions with underscores.
                let function = format!("wavetune__{}", name.replace('-', "__"));
                assert!(!script.contains(name), "{shell}: {name}");
                assert!(!script.contains(&function), "{shell}: {name}");
            }
            for name in &shown {
                assert!(script.contains(name), "{shell}: {name}");
            }
        }
    }

    #[test]
    fn scripts_have_devices_targets_and_operations() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let mut script = script(shell);
            if shell == Shell::Fish {
                script += &fish_operations(&UserCli::command());
            }
            for name in ["mi300x", "gfx942", "softmax", "argmax", "dot"] {
                assert!(script.contains(name), "{shell}: {name}");
            }
        }
        let fish = fish_operations(&UserCli::command());
        for condition in [
            "_using_subcommand tune\" -a",
            "_using_subcommand export; and __fish_seen_subcommand_from kernels\" -a",
        ] {
            assert!(fish.contains(condition), "{fish}");
        }
        let zsh = with_files(&script(Shell::Zsh));
        assert_eq!(
            zsh.matches("_alternative 'operations:operation:(").count(),
            1
        );
        assert!(zsh.matches("_wavetune_problems").count() > 3);
    }
}
