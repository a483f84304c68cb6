//! LLVM's disassembler in a separate process, because some encodings crash it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::decoder_oracle::disassembler::Disassembler;

/// The environment variable that names the processor for which this process disassembles its
/// input.
const SERVE: &str = "WAVETUNE_TEST_DISASSEMBLE";

/// LLVM's answer for an encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    Accepted {
        text: String,
        words: usize,
    },
    Refused,
    /// LLVM crashed, so there is no answer.
    Crashed,
}

/// A disassembler for one processor.
pub(crate) struct Oracle {
    processor: String,
    server: Option<Server>,
}

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Oracle {
    pub(crate) fn new(processor: &str) -> Result<Oracle, String> {
        // This reports a missing library, which the server could not.
        Disassembler::new(processor)?;
        Ok(Oracle {
            processor: processor.to_owned(),
            server: None,
        })
    }

    /// Returns the answers for `cases`, in their order.
    pub(crate) fn decode(&mut self, cases: &[[u32; 3]]) -> Result<Vec<Answer>, String> {
        let mut answers = Vec::with_capacity(cases.len());
        while answers.len() < cases.len() {
            let server = match &mut self.server {
                Some(server) => server,
                None => self.server.insert(Server::start(&self.processor)?),
            };
            // This much fits a pipe, so that neither side waits for the other.
            let rest = &cases[answers.len()..];
            let chunk = &rest[..rest.len().min(256)];
            if !server.ask(chunk, &mut answers) {
                answers.push(Answer::Crashed);
                self.server = None;
            }
        }
        Ok(answers)
    }
}

impl Server {
    fn start(processor: &str) -> Result<Server, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut child = Command::new(program)
            .env(SERVE, processor)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a child without pipes".into());
        };
        Ok(Server {
            child,
            input,
            output: BufReader::new(output),
        })
    }

    /// Adds the answers to `answers`; returns false if the server died before the last one.
    fn ask(&mut self, cases: &[[u32; 3]], answers: &mut Vec<Answer>) -> bool {
        let bytes: Vec<u8> = cases
            .iter()
            .flatten()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        // Missing answers show that a server has died.
        let _ = self.input.write_all(&bytes);
        let mut line = String::new();
        for _ in cases {
            line.clear();
            if !matches!(self.output.read_line(&mut line), Ok(1..)) {
                return false;
            }
            answers.push(match line.trim_end().split_once(' ') {
                Some((words, text)) => Answer::Accepted {
                    text: text.to_owned(),
                    words: words.parse().unwrap_or(0),
                },
                None => Answer::Refused,
            });
        }
        true
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Disassembles standard input if the environment requests it; prints a line for each three
/// words.
pub(crate) fn serve() -> bool {
    let Ok(processor) = std::env::var(SERVE) else {
        return false;
    };
    let Ok(llvm) = Disassembler::new(&processor) else {
        return true;
    };
    let mut input = std::io::stdin().lock();
    let mut bytes = [0; 12];
    while input.read_exact(&mut bytes).is_ok() {
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let line = match llvm.decode(&[word(0), word(4), word(8)]) {
            Some((text, words)) => format!("{words} {text}\n"),
            None => "-\n".to_owned(),
        };
        if std::io::stdout().write_all(line.as_bytes()).is_err() {
            break;
        }
    }
    true
}
