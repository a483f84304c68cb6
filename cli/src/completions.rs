//! `wavetune completions` and `wavetune man-pages`: completion scripts and manual pages of the
//! command line.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;

use crate::Exit;
use crate::output::print;

/// The name of the installed program.
const NAME: &str = "wavetune";

/// Print the completion script of a shell.
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
    print(&String::from_utf8(script).context("the script is not UTF-8")?)?;
    Ok(Exit::Found)
}

/// Write the manual pages into a directory; for `cargo xtask share`.
#[derive(Args)]
pub(crate) struct ManArguments {
    /// The directory; created if it is missing.
    directory: PathBuf,
}

pub(crate) fn write_man_pages(arguments: &ManArguments, command: Command) -> anyhow::Result<Exit> {
    let directory = &arguments.directory;
    std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(command, directory))
        .with_context(|| format!("cannot write into {}", directory.display()))?;
    Ok(Exit::Found)
}
