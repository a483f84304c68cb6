//! The reader in C, compiled in several ways, and the protocol of its process.

use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use tempfile::TempDir;

/// A compiler with a language.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Build {
    compiler: &'static str,
    language: &'static [&'static str],
}

const C11: &[&str] = &["-std=c11"];
const CPP17: &[&str] = &["-x", "c++", "-std=c++17"];

/// All builds that the reader supports.
pub(crate) const BUILDS: [Build; 4] = [
    Build {
        compiler: "gcc",
        language: C11,
    },
    Build {
        compiler: "gcc",
        language: CPP17,
    },
    Build {
        compiler: "clang",
        language: C11,
    },
    Build {
        compiler: "clang",
        language: CPP17,
    },
];

const FLAGS: [&str; 8] = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Werror",
    "-g",
    "-O1",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
];

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}",
            self.compiler,
            self.language.last().unwrap_or(&"")
        )
    }
}

impl Build {
    /// Returns the start of the random numbers for this build's files.
    pub(crate) fn seed(self) -> u64 {
        BUILDS.iter().position(|build| *build == self).unwrap_or(0) as u64
    }

    /// Returns the missing tool of this build, if there is one.
    pub(crate) fn lacks(self) -> Option<String> {
        let Some(compiler) = program(self.compiler) else {
            let name = self.compiler;
            return Some(format!(
                "{name} is missing; `cargo xtask setup` installs it"
            ));
        };
        // One compilation for all checks: each test process asks this of each build.
        let is_there = self.compiles(
            &compiler,
            "#include <xxhash.h>\nint main(void) { return 0; }\n",
        );
        let missing = || {
            format!(
                "xxhash.h or a sanitizer for {self} is missing; `cargo xtask setup` installs them"
            )
        };
        (!is_there).then(missing)
    }

    fn compiles(self, compiler: &Path, source: &str) -> bool {
        let try_it = || -> io::Result<bool> {
            let folder = tempfile::tempdir()?;
            let file = folder.path().join("tried.c");
            std::fs::write(&file, source)?;
            let mut command = self.command(compiler);
            command.arg(file).arg("-o").arg(folder.path().join("tried"));
            Ok(command.stderr(Stdio::null()).status()?.success())
        };
        try_it().unwrap_or(false)
    }

    fn command(self, compiler: &Path) -> Command {
        let mut command = Command::new(compiler);
        command.args(self.language).args(FLAGS);
        command
    }

    /// Compiles the reader.
    pub(crate) fn compile(self) -> Result<Reader, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let compiler = program(self.compiler).ok_or("it has gone")?;
        let mut command = self.command(&compiler);
        command
            .arg("-I")
            .arg(package.join("include"))
            .arg(package.join("tests/it/readers/said.c"))
            .arg("-o")
            .arg(folder.path().join("said"));
        let output = command.output().map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(Reader { folder }),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}

/// Returns a program from `PATH`, or the newest of Debian's LLVM packages.
fn program(name: &str) -> Option<PathBuf> {
    let packaged = (19..=22)
        .rev()
        .map(|version| PathBuf::from(format!("/usr/lib/llvm-{version}/bin/{name}")));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&path).map(|folder| folder.join(name));
    packaged.chain(named).find(|file| file.is_file())
}

/// The compiled reader, in a temporary folder.
pub(crate) struct Reader {
    folder: TempDir,
}

impl Reader {
    fn command(&self) -> Command {
        let mut command = Command::new(self.folder.path().join("said"));
        // An error of a sanitizer or of the reader ends it, and the test shows its messages.
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    }

    /// Returns the reader's transcript of a file.
    pub(crate) fn text(&self, file: &[u8]) -> Result<String, String> {
        let ask = || -> io::Result<String> {
            let mut command = self.command();
            let mut child = command.arg("text").spawn()?;
            // A small file fits into the pipe, so nobody waits. The pipe closes at the end of the
            // statement.
            Questions(child.stdin.take()).ask(file)?;
            let output = child.wait_with_output()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Ok(format!("{text}{}", failure(output.status.success())))
        };
        ask().map_err(|error| error.to_string())
    }

    /// Returns the reader's transcript of a path.
    pub(crate) fn open(&self, path: &Path) -> Result<String, String> {
        let output = self.command().arg(path).output();
        let output = output.map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(format!("{text}{}", failure(output.status.success())))
    }

    /// Starts a process that reads one file after the other.
    pub(crate) fn start(&self) -> Result<(Questions, Answers), String> {
        let mut child = self.command().spawn().map_err(|error| error.to_string())?;
        let stdout = child.stdout.take().ok_or("no output")?;
        let questions = Questions(child.stdin.take());
        let lines = BufReader::new(stdout);
        Ok((questions, Answers { child, lines }))
    }
}

fn failure(is_well: bool) -> &'static str {
    match is_well {
        true => "",
        false => "and ends with an error, which is above",
    }
}

/// The pipe to the process, for files.
pub(crate) struct Questions(Option<ChildStdin>);

impl Questions {
    pub(crate) fn ask(&mut self, file: &[u8]) -> io::Result<()> {
        let mut question = (file.len() as u64).to_le_bytes().to_vec();
        question.extend(file);
        let pipe = self.0.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        pipe.write_all(&question)
    }
}

/// The pipe from the process, for lines.
pub(crate) struct Answers {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Answers {
    /// Returns the next line.
    pub(crate) fn next(&mut self) -> Result<String, String> {
        let mut line = String::new();
        let read = self.lines.read_line(&mut line);
        match read.map_err(|error| error.to_string())? {
            0 => Err("the reader in C ended; its words are above".to_owned()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        // The process has ended or should end, and nobody reads its lines any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
