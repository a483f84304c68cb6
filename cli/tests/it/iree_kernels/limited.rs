//! Programs with a time limit that only a program without an end exceeds. The error reports their
//! activity.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use testing::Failed;

/// Time limit of a program. A whole model's export takes 40 s of a quiet processor, and machines are
/// loaded.
const LIMIT: Duration = Duration::from_mins(15);

/// Returns the output of a program that ends by itself.
pub(crate) fn output(command: &mut Command) -> Result<Output, Failed> {
    output_within(command, LIMIT)
}

/// Returns the output of a program with a longer limit.
pub(crate) fn output_within(command: &mut Command, limit: Duration) -> Result<Output, Failed> {
    within(command, limit)?.map_err(Failed::from)
}

/// Returns the output, or the program's activity at the end of the limit.
fn within(command: &mut Command, limit: Duration) -> Result<Result<Output, String>, Failed> {
    let mut files = [tempfile::tempfile()?, tempfile::tempfile()?];
    let [out, err] = [files[0].try_clone()?, files[1].try_clone()?];
    command.stdin(Stdio::null()).stdout(out).stderr(err);
    // A process group of its own, so that its children can be examined and ended with it.
    let mut child = command.process_group(0).spawn()?;
    let started = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if started.elapsed() < limit => std::thread::sleep(Duration::from_millis(5)),
            None => return Ok(Err(ended(command, &mut child, limit)?)),
        }
    };
    let read = |file: &mut File| -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let [out, err] = files.each_mut().map(read);
    Ok(Ok(Output {
        status,
        stdout: out?,
        stderr: err?,
    }))
}

/// Ends a group of processes. Returns their activity.
fn ended(command: &Command, child: &mut Child, limit: Duration) -> Result<String, Failed> {
    let mut text = format!("{command:?} did not end in {limit:?}\n");
    let processes = group(child.id());
    for process in &processes {
        let of = |name: &str| fs::read(format!("/proc/{process}/{name}")).unwrap_or_default();
        let words = String::from_utf8_lossy(&of("cmdline")).replace('\0', " ");
        writeln!(text, "process {process}: {words}")?;
        let traced = Command::new("gdb")
            .args(["-p", &process.to_string(), "-batch", "-ex"])
            .arg("thread apply all backtrace 99")
            .output();
        match traced {
            Ok(traced) => text += &String::from_utf8_lossy(&traced.stdout),
            Err(error) => writeln!(text, "no gdb: {error}")?,
        }
    }
    let all: Vec<String> = processes.iter().map(u32::to_string).collect();
    let all = format!("kill -9 {}", all.join(" "));
    let _: ExitStatus = Command::new("sh").args(["-c", &all]).status()?;
    child.wait()?;
    Ok(text)
}

/// Returns the processes of a group.
fn group(number: u32) -> Vec<u32> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = all.filter_map(|it| it.file_name().to_str()?.parse().ok());
    let is_in = |process: &u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // Behind the name, which may contain anything: the state, the parent, the group.
        let behind = stat.rsplit_once(") ").map_or("", |(_, behind)| behind);
        behind.split(' ').nth(2) == Some(&number.to_string())
    };
    processes.filter(is_in).collect()
}

/// Checks that a hanging program is ended with its children, with a report of their activity.
pub(crate) fn hanging_compilers_are_ended() -> Result<(), Failed> {
    let mut command = Command::new("sh");
    command.args(["-c", "echo begun; sleep 1000 & wait"]);
    let Err(text) = within(&mut command, Duration::from_millis(300))? else {
        return Err("it ended".into());
    };
    for part in ["sleep 1000", "process"] {
        if !text.contains(part) {
            return Err(format!("{text:?} lacks {part:?}").into());
        }
    }
    let mut command = Command::new("sh");
    command.args(["-c", "echo said; echo told >&2; exit 3"]);
    let output = output(&mut command)?;
    let found = (output.status.code(), &*output.stdout, &*output.stderr);
    match found == (Some(3), &b"said\n"[..], &b"told\n"[..]) {
        true => Ok(()),
        false => Err(format!("{found:?}").into()),
    }
}
