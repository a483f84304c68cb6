//! The Python module agrees with the library, and with the readers in Rust and C on every file:
//! valid, damaged and mutated. The mutated files are those of the reader in C
//! (`lookup/table/tests/it/readers`).

use crate::support;
use testing_tables as tables;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::sync_channel;

use lookup_table::Table;
use tables::damage::DAMAGE;
use tables::{Random, mutation, samples, transcript};
use tempfile::TempDir;
use testing::{Failed, Trial};

/// The number of files in the long test for each of the four builds of the reader in C. Seeds
/// start there.
const FULL: u64 = 250_000;
/// The number of files for each of them in the usual run.
const MUTATED: u64 = 1_000;

pub(crate) fn trials() -> Vec<Trial> {
    let asked = quick("a_table_is_asked_from_python", || asked(&Bed::new()?));
    let agrees = quick("python_agrees", || {
        let bed = Bed::new()?;
        planted_damage(&bed)?;
        (0..4).try_for_each(|build| mutated_files(&bed, build, MUTATED))
    });
    let full = (0..4).map(|build| {
        let test = move || mutated_files(&Bed::new()?, build, FULL);
        Trial::test(format!("full_python_agrees {build}"), test)
            .with_ignored_flag(true)
            .with_kind(format!("full: {FULL} mutated files"))
    });
    let wheel = Trial::test("full_a_wheel_is_installed", || wheel(&Bed::new()?))
        .with_ignored_flag(true)
        .with_kind("full: builds wavetune, and installs hatchling and mypy from PyPI in a venv");
    full.chain([asked, agrees, wheel]).collect()
}

fn quick(name: &str, test: fn() -> Result<(), Failed>) -> Trial {
    let is_there = Command::new("python3").arg("--version").output().is_ok();
    let is_quiet = !is_there && std::env::var_os("CI").is_none();
    let trial = Trial::test(name, test).with_ignored_flag(is_quiet);
    match is_there {
        true => trial,
        false => trial.with_kind("python3 is missing; `cargo xtask setup` installs it"),
    }
}

/// A folder with the module, laid out as in a wheel.
struct Bed {
    folder: TempDir,
}

impl Bed {
    fn new() -> Result<Bed, Failed> {
        let folder = tempfile::tempdir()?;
        let module = folder.path().join("wavetune");
        fs::create_dir(&module)?;
        for file in fs::read_dir(package().join("../python/wavetune"))? {
            let file = file?;
            if file.file_type()?.is_file() {
                fs::copy(file.path(), module.join(file.file_name()))?;
            }
        }
        let library = "libwavetune_lookup.so";
        fs::copy(support::libraries().join(library), module.join(library))?;
        Ok(Bed { folder })
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the command of a test program in the machine's Python.
    fn python(&self, program: &str) -> Command {
        let mut command = Command::new("python3");
        command.env("PYTHONPATH", self.folder.path());
        command.arg(package().join("tests/it/programs").join(program));
        command
    }
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn done(command: &mut Command) -> Result<String, Failed> {
    let output = command.output()?;
    let text = [&*output.stdout, &*output.stderr]
        .map(String::from_utf8_lossy)
        .concat();
    match output.status.success() {
        true => Ok(text),
        false => Err(format!("{command:?}: {}\n{text}", output.status).into()),
    }
}

fn asked(bed: &Bed) -> Result<(), Failed> {
    let table = support::table();
    fs::write(bed.at("gfx942.wtab"), &table)?;
    fs::write(bed.at("cut.wtab"), &table[..table.len() - 1])?;
    let mut command = bed.python("asked.py");
    done(command.arg(bed.at("gfx942.wtab")).arg(bed.at("cut.wtab")))?;
    // The example of the manual.
    let manual = include_str!("../../../../docs/bindings.md");
    let (_, example) = manual.split_once("```python\n").ok_or("no example")?;
    let (example, _) = example.split_once("```").ok_or("no end")?;
    fs::write(bed.at("example.py"), example)?;
    let mut command = Command::new("python3");
    let said = done(command.arg("example.py").current_dir(bed.folder.path()))?;
    match said.starts_with("neighbour native {'workgroup': [1, 0], ") {
        true => Ok(()),
        false => Err(said.into()),
    }
}

/// A Python process that reads files.
struct Reader {
    child: Child,
    texts: ChildStdout,
}

impl Reader {
    fn start(bed: &Bed) -> Result<Reader, Failed> {
        let mut command = bed.python("said.py");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let texts = child.stdout.take().ok_or("no output")?;
        Ok(Reader { child, texts })
    }

    fn next(&mut self) -> Result<String, Failed> {
        let mut length = [0; 8];
        self.texts.read_exact(&mut length)?;
        let mut text = vec![0; usize::try_from(u64::from_le_bytes(length))?];
        self.texts.read_exact(&mut text)?;
        Ok(String::from_utf8(text)?)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // The process has ended or should end, and nobody reads its output any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write(into: &mut impl Write, file: &[u8]) -> std::io::Result<()> {
    into.write_all(&[&(file.len() as u64).to_le_bytes(), file].concat())
}

/// Returns Rust's transcript of a file, without the families.
fn rust(file: &[u8]) -> String {
    match Table::read(file) {
        Ok(table) => transcript::entries_transcript(&table),
        Err(error) => transcript::verdict(&error) + "\n",
    }
}

fn planted_damage(bed: &Bed) -> Result<(), Failed> {
    let mut reader = Reader::start(bed)?;
    let mut files = reader.child.stdin.take().ok_or("no input")?;
    for (what, damage, _) in DAMAGE {
        let mut file = samples::small();
        damage(&mut file);
        write(&mut files, &file)?;
        agrees(&reader.next()?, &file).map_err(|error| format!("{what}: {error}"))?;
    }
    Ok(())
}

fn agrees(python: &str, file: &[u8]) -> Result<String, String> {
    let rust = rust(file);
    match rust == python {
        true => Ok(rust),
        false => Err(format!("Rust says\n{rust}\nand Python says\n{python}")),
    }
}

fn mutated_files(bed: &Bed, build: u64, count: u64) -> Result<(), Failed> {
    let mut reader = Reader::start(bed)?;
    let mut pipe = reader.child.stdin.take().ok_or("no input")?;
    let (sender, files) = sync_channel::<Vec<u8>>(64);
    let seed = build << 32;
    let mut verdicts: BTreeMap<String, u64> = BTreeMap::new();
    std::thread::scope(|scope| {
        // If Python dies, its end of the pipe closes, and both threads end.
        scope.spawn(move || {
            for number in 0..count {
                let file = mutation::mutated(&mut Random::new(seed + number));
                if write(&mut pipe, &file).is_err() || sender.send(file).is_err() {
                    break;
                }
            }
        });
        for (number, file) in files.into_iter().enumerate() {
            let rust = agrees(&reader.next()?, &file)
                .map_err(|error| format!("file {number} of {seed:x}: {error}"))?;
            let verdict = rust.split(' ').next().unwrap_or_default();
            *verdicts.entry(verdict.to_owned()).or_default() += 1;
        }
        Ok::<_, Failed>(())
    })?;
    println!("{build}: {verdicts:?}");
    let all: u64 = verdicts.values().sum();
    let read = verdicts.get("ok").copied().unwrap_or_default();
    match all == count && read >= count / 50 {
        true => Ok(()),
        false => Err(format!("of {count} files: {verdicts:?}").into()),
    }
}

/// Builds and installs the wheel in a new venv, checks its types, and reads a database and its
/// table.
fn wheel(bed: &Bed) -> Result<(), Failed> {
    let venv = bed.at("venv");
    let bin = |name: &str| venv.join("bin").join(name);
    done(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    done(Command::new(bin("pip")).args(["install", "--quiet", "hatchling>=1.27,<2", "mypy"]))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([bin("")].into_iter().chain(std::env::split_paths(&path)))?;
    let mut build = Command::new("cargo");
    build.args(["build", "--locked", "--workspace", "--bin", "wavetune"]);
    done(build.current_dir(package()))?;
    let built = support::libraries();
    let mut make = Command::new("sh");
    make.arg(package().join("../python/wheel.sh"));
    // Cargo puts a program one folder above the libraries of tests.
    make.args(["../wavetune", "libwavetune_lookup.so"].map(|file| built.join(file)));
    make.arg(package().join("../..")).arg(bed.at("dist"));
    done(make.env("PATH", path))?;
    let wheels = fs::read_dir(bed.at("dist"))?.map(|file| Ok(file?.path()));
    let wheels: Vec<PathBuf> = wheels.collect::<std::io::Result<_>>()?;
    let mut install = Command::new(bin("pip"));
    done(
        install
            .args(["install", "--quiet", "--no-index"])
            .args(&wheels),
    )?;

    let table = support::table();
    fs::write(bed.at("gfx942.wtab"), &table)?;
    fs::write(bed.at("cut.wtab"), &table[..table.len() - 1])?;
    let programs = package().join("tests/it/programs");
    let installed = |program: &str| {
        let mut command = Command::new(bin("python"));
        command.current_dir(bed.folder.path().join("dist"));
        command.arg(programs.join(program));
        command
    };
    done(
        installed("asked.py")
            .arg(bed.at("gfx942.wtab"))
            .arg(bed.at("cut.wtab")),
    )?;
    let sources = ["asked.py", "said.py", "database.py"].map(|file| programs.join(file));
    let modules = [PathBuf::from("-p"), PathBuf::from("wavetune")];
    for what in [&sources[..], &modules] {
        let mut types = Command::new(bin("python"));
        types.args(["-m", "mypy", "--strict", "--cache-dir=/dev/null"]);
        done(types.current_dir(bed.at("dist")).args(what))?;
    }

    let (database, table) = (bed.at("tuned.db"), bed.at("tuned.wtab"));
    let run = |arguments: &[&str]| {
        done(
            Command::new(bin("wavetune"))
                .args(arguments)
                .env("WAVETUNE_DB", &database),
        )
    };
    run(&[
        "tune",
        "argmax:4x[512]xf32",
        "--device",
        "emulated:mi300x",
        "--budget",
        "4",
    ])?;
    run(&[
        "export",
        "table",
        "--target",
        "gfx942",
        "--output",
        &table.to_string_lossy(),
    ])?;
    done(installed("database.py").arg(&database).arg(&table))?;
    Ok(())
}
