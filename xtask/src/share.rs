//! `cargo xtask share`: manual pages and shell completions, in their standard folders.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::files;
use crate::program_build;
use crate::step;
use crate::workspace;

/// A shell, and the file below `share` from which it loads completions of `wavetune`.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/wavetune"),
    ("zsh", "zsh/site-functions/_wavetune"),
    ("fish", "fish/vendor_completions.d/wavetune.fish"),
];

/// Builds the program, and writes its pages and completions into `share` in the target directory.
pub(crate) fn run() -> Result<()> {
    let share = workspace::target_dir()?.join("share");
    write(&program_build::build("wavetune")?, &share)?;
    println!("\nTo install: cp -r {} ~/.local/", share.display());
    Ok(())
}

/// Creates the folder afresh. The program writes its pages and completions into it.
pub(crate) fn write(program: &Path, share: &Path) -> Result<()> {
    // The page of a removed subcommand must not stay.
    files::remove(share)?;
    step::run(
        Command::new(program)
            .arg("man-pages")
            .arg(share.join("man/man1")),
    )?;
    for (shell, file) in COMPLETIONS {
        let script = step::output(Command::new(program).args(["completions", shell]));
        let script = script.with_context(|| format!("`wavetune completions {shell}` failed"))?;
        let file = share.join(file);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&file, script).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}
