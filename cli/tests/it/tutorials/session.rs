//! A shell for the commands of a reader.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use testing::Failed;

/// Time limit of a command on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// The beginning of the line that ends the output of a command.
const END: &str = "<<end of the command: ";

/// A shell with the outputs of its commands.
pub(crate) struct Session {
    shell: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Session {
    /// Starts a shell with the folder as the reader's home, and these programs first in `PATH`.
    pub(crate) fn start(folder: &Path, programs: &Path) -> Result<Self, Failed> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path);
        let folders = [programs.to_owned()].into_iter().chain(folders);
        let mut shell = Command::new("bash");
        shell.args(["--norc", "--noprofile"]).current_dir(folder);
        shell.env("PATH", std::env::join_paths(folders)?);
        shell.env("HOME", folder).env("XDG_DATA_HOME", folder);
        for variable in ["WAVETUNE_DB", "WAVETUNE_LOG", "WAVETUNE_TOKEN"] {
            shell.env_remove(variable);
        }
        let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut input = shell.stdin.take().ok_or("no input")?;
        let output = shell.stdout.take().ok_or("no output")?;
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        // Jobs get numbers, and end with the shell.
        writeln!(input, "exec 2>&1; set -m; trap 'kill $(jobs -p)' EXIT")?;
        Ok(Self {
            shell,
            input: Some(input),
            lines,
        })
    }

    /// Runs a command. Returns its exit code, and all output of it and of the jobs meanwhile.
    pub(crate) fn run(&mut self, command: &str) -> Result<(i32, String), Failed> {
        let input = self.input.as_mut().ok_or("the shell has ended")?;
        // The braces keep a job a child of this shell.
        writeln!(
            input,
            "{{ {command}\n}} < /dev/null\nprintf '\\n{END}%d\\n' $?"
        )?;
        let mut printed = String::new();
        loop {
            let line = self.lines.recv_timeout(LIMIT);
            let line = line.map_err(|error| format!("$ {command}\n{printed}{error}"))?;
            if let Some(code) = line.strip_prefix(END) {
                return Ok((code.parse()?, printed));
            }
            printed.push_str(&line);
            printed.push('\n');
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The end of its input ends the shell.
        drop(self.input.take());
        self.shell.wait().ok();
    }
}
