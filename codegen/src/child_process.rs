//! Child processes for compilers and other tools: a process group of its own, a time limit,
//! bounded messages, and an optional sandbox.
//!
//! [`run`] starts a process for one task. A [`Coprocess`] answers several.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use codegen_sandbox::{Sandbox, SandboxPolicy, failure_of, limit_memory, signal_of, visible_path};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, set_parent_process_death_signal, waitid,
};

/// The number of bytes that are kept of each stream. The reader drops the rest, so that the child
/// never blocks on a full pipe.
const KEPT_BYTES: u64 = 64 << 10;

/// The time between two polls of the child: 2 % of the fastest compilation.
const POLL: Duration = Duration::from_millis(5);

/// The end of a child process and the beginning of its output.
#[derive(Debug)]
pub struct ChildOutcome {
    /// The way in which it ended.
    pub end: ChildEnd,
    /// The beginning of standard output.
    pub output: String,
    /// The beginning of standard error.
    pub messages: String,
}

/// The way in which a child ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChildEnd {
    /// The exit code 0.
    Success,
    /// An exit code other than 0.
    Failure,
    /// The signal that ended it.
    Signal(i32),
    /// The time limit; the child and all processes that it started were killed.
    TimedOut,
}

impl fmt::Display for ChildEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChildEnd::Success => f.write_str("succeeded"),
            ChildEnd::Failure => f.write_str("failed"),
            ChildEnd::Signal(signal) => write!(f, "was ended by signal {signal}"),
            ChildEnd::TimedOut => f.write_str("took too long and was ended"),
        }
    }
}

/// Returns the command that starts `program`. In a sandbox, the program sees the system's files,
/// itself, the `tools` with their folders, and `folder`, which it may write. Without a sandbox,
/// only its memory is limited.
pub fn command(
    sandbox: Option<&Sandbox>,
    program: &Path,
    tools: &[&Path],
    folder: Option<&Path>,
) -> Command {
    let Some(sandbox) = sandbox else {
        let mut command = Command::new(program);
        limit_memory(&mut command);
        return command;
    };
    let mut read = vec![program.to_owned()];
    for tool in tools {
        read.extend([visible_path(tool), tool.to_path_buf()]);
    }
    let room = SandboxPolicy {
        read,
        write: folder.map(PathBuf::from),
        ..SandboxPolicy::default()
    };
    sandbox.command(program, &room)
}

/// Runs `command` to its end, or kills it after `limit`.
///
/// The child gets no input. It dies when this thread dies, so that a killed tuner leaves no
/// compiler running. If the sandbox cannot be created, the result is an error and not a
/// [`ChildEnd`].
pub fn run(command: &mut Command, limit: Duration) -> io::Result<ChildOutcome> {
    piped(command).stdin(Stdio::null());
    let started = Instant::now();
    let mut child = command.spawn()?;
    let output = child.stdout.take().map(keep_beginning);
    let messages = child.stderr.take().map(keep_beginning);
    let end = end_by(child, started + limit)?;
    outcome(end, text(output), text(messages))
}

/// Returns the outcome, or the sandbox's error if the sandbox could not be created.
fn outcome(end: ChildEnd, output: String, messages: String) -> io::Result<ChildOutcome> {
    match failure_of(&messages) {
        Some(failure) if end == ChildEnd::Failure => Err(io::Error::other(failure)),
        _ => Ok(ChildOutcome {
            end,
            output,
            messages,
        }),
    }
}

/// A message between two processes, through a pipe: a line with words and the number of bytes,
/// then the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// A line without its end.
    pub words: String,
    /// At most [`Message::LARGEST`] bytes.
    pub content: Vec<u8>,
}

impl Message {
    /// The largest number of bytes that a reader accepts.
    pub const LARGEST: u64 = 1 << 30;

    /// Writes the message.
    ///
    /// # Errors
    ///
    /// Any error of the stream.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        writeln!(to, "{} {}", self.words, self.content.len())?;
        to.write_all(&self.content)?;
        to.flush()
    }

    /// Reads a message. Returns `None` at the stream's end.
    ///
    /// # Errors
    ///
    /// Any error of the stream, and text that is no message.
    pub fn read(from: &mut impl BufRead) -> io::Result<Option<Message>> {
        let mut line = String::new();
        if from.take(KEPT_BYTES).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let (words, length) = line.trim_end().rsplit_once(' ').unwrap_or_default();
        let length = length.parse().ok().filter(|it| *it <= Message::LARGEST);
        let length = length.ok_or(io::ErrorKind::InvalidData)?;
        let mut content = Vec::new();
        match from.take(length).read_to_end(&mut content)? as u64 == length {
            true => Ok(Some(Message {
                words: words.to_owned(),
                content,
            })),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// A child that answers each message on its standard input by one on its standard output. It ends
/// with this value.
#[derive(Debug)]
pub struct Coprocess {
    /// None once it has been reaped.
    child: Option<Child>,
    answers: Receiver<Message>,
    messages: Option<thread::JoinHandle<Vec<u8>>>,
}

/// An answer of a [`Coprocess`].
#[derive(Debug)]
pub enum Answer {
    /// A message, and the process for the next question.
    Message(Message, Coprocess),
    /// The process ended without an answer.
    Ended(ChildOutcome),
}

impl Coprocess {
    /// Starts a command. The child dies when this process dies.
    ///
    /// # Errors
    ///
    /// The command cannot be started.
    pub fn start(mut command: Command) -> io::Result<Coprocess> {
        piped(&mut command).stdin(Stdio::piped());
        let (start, started) = mpsc::sync_channel(1);
        // A child that writes without a question waits.
        let (answer, answers) = mpsc::sync_channel(1);
        // The child dies with the thread that starts it. The caller's thread may end before the
        // child does, so this thread starts it and stays.
        thread::spawn(move || {
            let mut child = match command.spawn() {
                Ok(child) => child,
                Err(error) => return drop(start.send(Err(error))),
            };
            let output = child.stdout.take();
            let process = Pid::from_child(&child);
            start.send(Ok(child)).ok();
            let mut output = BufReader::new(output.expect("the output is a pipe"));
            while let Ok(Some(message)) = Message::read(&mut output) {
                if answer.send(message).is_err() {
                    break;
                }
            }
            drop((answer, output));
            // Without reaping it. An error means that the child was reaped.
            waitid(
                WaitId::Pid(process),
                WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
            )
            .ok();
        });
        let mut child = started.recv().map_err(io::Error::other)??;
        let messages = child.stderr.take().map(keep_beginning);
        Ok(Coprocess {
            child: Some(child),
            answers,
            messages,
        })
    }

    /// Returns true if the child has ended.
    pub fn has_ended(&self) -> bool {
        let ended = |child| ends_before(Pid::from_child(child), Instant::now());
        (self.child.as_ref()).is_none_or(|child| ended(child).unwrap_or(true))
    }

    /// Sends a message and waits for the answer, at most for `limit`.
    ///
    /// # Errors
    ///
    /// The child cannot be waited for, or its sandbox cannot be created.
    pub fn ask(mut self, question: Message, limit: Duration) -> io::Result<Answer> {
        let deadline = Instant::now() + limit;
        let mut child = self.child.take().expect("only `ask` reaps it");
        let mut input = child.stdin.take().expect("the input is a pipe");
        let (written, write) = mpsc::sync_channel(1);
        // A child that reads nothing would block this thread beyond the limit.
        thread::spawn(move || {
            // An error means that the child has ended, which the reader of answers finds out.
            question.write(&mut input).ok();
            written.send(input).ok();
        });
        let answer = self.answers.recv_timeout(limit);
        let input = write.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        if let (Ok(message), Ok(input)) = (answer, input) {
            child.stdin = Some(input);
            self.child = Some(child);
            return Ok(Answer::Message(message, self));
        }
        // A child may also close its output and run on.
        let end = end_by(child, deadline)?;
        let messages = text(self.messages.take());
        outcome(end, String::new(), messages).map(Answer::Ended)
    }
}

impl Drop for Coprocess {
    fn drop(&mut self) {
        // An error means that there is no child left.
        self.child.take().map(reap);
    }
}

/// Gives a command pipes for its output, and a process group of its own that dies with the thread
/// that starts it.
fn piped(command: &mut Command) -> &mut Command {
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
    // allowed; it makes one system call (prctl) and allocates nothing.
    unsafe { command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?)) }
}

/// Waits for the child's end until the deadline, and then ends it.
fn end_by(child: Child, deadline: Instant) -> io::Result<ChildEnd> {
    let in_time = ends_before(Pid::from_child(&child), deadline);
    let status = reap(child)?;
    // The error of `waitid` is returned only now, because the group must be killed and the child
    // reaped in any case.
    Ok(match in_time? {
        true => end_of(status),
        false => ChildEnd::TimedOut,
    })
}

/// Ends all processes of the child's group, and returns the child's status.
fn reap(mut child: Child) -> io::Result<ExitStatus> {
    // Also after a normal end: a process that the child left behind would hold the pipes open.
    // The child is not reaped yet, so its id still names its own group. An error means that the
    // group is empty.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    child.wait()
}

/// Returns the beginning of a stream, read to its end.
fn text(reader: Option<thread::JoinHandle<Vec<u8>>>) -> String {
    let bytes = reader.and_then(|reader| reader.join().ok());
    String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
}

/// Returns true if the child ends before the deadline. Does not reap the child.
fn ends_before(child: Pid, deadline: Instant) -> io::Result<bool> {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    loop {
        if waitid(WaitId::Pid(child), look)?.is_some() {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        thread::sleep(POLL);
    }
}

fn end_of(status: ExitStatus) -> ChildEnd {
    match signal_of(status) {
        Some(signal) => ChildEnd::Signal(signal),
        None if status.success() => ChildEnd::Success,
        None => ChildEnd::Failure,
    }
}

/// Reads a stream to its end on a thread of its own and keeps its beginning.
fn keep_beginning(mut stream: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut kept = Vec::new();
        // A read error ends the stream like its end does: what was read so far is what there is.
        let _ = stream.by_ref().take(KEPT_BYTES).read_to_end(&mut kept);
        let _ = io::copy(&mut stream, &mut io::sink());
        kept
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn shell(script: &str, limit: Duration) -> ChildOutcome {
        run(Command::new("sh").args(["-c", script]), limit).unwrap()
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn ends() {
        assert_eq!(shell("exit 0", LONG).end, ChildEnd::Success);
        assert_eq!(shell("exit 3", LONG).end, ChildEnd::Failure);
        assert_eq!(shell("kill -ABRT $$", LONG).end, ChildEnd::Signal(6));
    }

    #[test]
    fn streams_are_kept_apart() {
        let ended = shell("echo one; echo two >&2", LONG);
        assert_eq!((&*ended.output, &*ended.messages), ("one\n", "two\n"));
    }

    #[test]
    fn a_long_message_is_cut_and_does_not_block() {
        let ended = shell("head -c 1000000 /dev/zero >&2", LONG);
        assert_eq!(ended.end, ChildEnd::Success);
        assert_eq!(ended.messages.len() as u64, KEPT_BYTES);
    }

    #[test]
    fn the_limit_ends_the_whole_group() {
        let started = Instant::now();
        // The inner sleep keeps standard error open: joining its reader would take 60 s if it survived.
        let ended = shell("sleep 60 & sleep 60", Duration::from_millis(100));
        assert_eq!(ended.end, ChildEnd::TimedOut);
        assert!(started.elapsed() < LONG);
    }

    /// A script that answers each message by itself.
    const ECHO: &str = "while read -r words length; do echo $words $length; head -c $length; done";

    fn coprocess(script: &str) -> Coprocess {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Coprocess::start(command).unwrap()
    }

    fn message(words: &str, content: &[u8]) -> Message {
        Message {
            words: words.to_owned(),
            content: content.to_owned(),
        }
    }

    #[test]
    fn a_coprocess_answers_each_message_also_on_other_threads() {
        let mut process = thread::spawn(|| coprocess(ECHO)).join().unwrap();
        // More than a pipe holds.
        let long = vec![b'\n'; 300_000];
        for question in [message("one", b""), message("two", &long)] {
            let asked = question.clone();
            let ask = move || process.ask(asked, LONG).unwrap();
            let Answer::Message(answer, same) = thread::spawn(ask).join().unwrap() else {
                panic!("no answer");
            };
            assert_eq!(answer, question);
            assert!(!same.has_ended());
            process = same;
        }
    }

    #[test]
    fn messages_are_read_back_or_refused() {
        #[track_caller]
        fn check(bytes: &[u8], expected: Result<Option<Message>, io::ErrorKind>) {
            let mut bytes = bytes;
            let found = Message::read(&mut bytes);
            assert_eq!(found.map_err(|error| error.kind()), expected);
        }
        check(b"", Ok(None));
        check(b"a b 2\n\xff\n!", Ok(Some(message("a b", b"\xff\n"))));
        check(b"a 3\nxy", Err(io::ErrorKind::UnexpectedEof));
        for bad in ["a\n", "a -1\n", "a 1073741825\n", "\n"] {
            check(bad.as_bytes(), Err(io::ErrorKind::InvalidData));
        }
        check(b"\xff 1\n", Err(io::ErrorKind::InvalidData));
    }

    #[test]
    fn the_end_of_a_coprocess_is_told() {
        #[track_caller]
        fn check(script: &str, limit: Duration, expected: ChildEnd) {
            let started = Instant::now();
            let Answer::Ended(outcome) = coprocess(script)
                .ask(message("?", &[0; 200_000]), limit)
                .unwrap()
            else {
                panic!("{script} answers");
            };
            assert_eq!(outcome.end, expected, "{script}");
            assert_eq!(outcome.messages, "last words\n", "{script}");
            assert!(started.elapsed() < LONG);
        }
        let words = |rest: &str| format!("echo last words >&2; {rest}");
        check(&words("read line; exit 0"), LONG, ChildEnd::Success);
        check(&words("exit 3"), LONG, ChildEnd::Failure);
        check(
            &words("read line; kill -SEGV $$"),
            LONG,
            ChildEnd::Signal(11),
        );
        let short = Duration::from_millis(500);
        check(&words("sleep 60 & sleep 60"), short, ChildEnd::TimedOut);
        check(&words("exec >&-; sleep 60"), short, ChildEnd::TimedOut);
        // It answers, but does not read the question.
        check(&words("echo a 0; sleep 60"), short, ChildEnd::TimedOut);
    }

    #[test]
    fn a_coprocess_that_has_ended_is_told_apart() {
        let process = coprocess("exit 0");
        while !process.has_ended() {
            thread::sleep(POLL);
        }
    }

    #[test]
    fn orphans_of_the_child_are_killed() {
        let started = Instant::now();
        let ended = shell("sleep 60 & exit 0", LONG);
        assert_eq!(ended.end, ChildEnd::Success);
        assert!(started.elapsed() < LONG);
    }
}
