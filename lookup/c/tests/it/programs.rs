//! Programs in C and C++ find the installed library by pkg-config and by CMake, with every
//! compiler, and with the sanitizers on.

use crate::support;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lookup::table_file::{TableQuestion, ask};
use lookup_table::Table;
use tempfile::TempDir;
use testing::{Failed, Trial};

/// A compiler of C, and one of C++.
const COMPILERS: [[&str; 2]; 2] = [["gcc", "g++"], ["clang", "clang++"]];
const FLAGS: &[&str] = &["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g"];
const SANITIZED: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
const C11: &[&str] = &["-std=c11", "-x", "c"];
const CPP17: &[&str] = &["-std=c++17", "-x", "c++"];

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for [c, cpp] in COMPILERS {
        let tests: [(&str, Test, &str); 2] = [
            ("are_found_by_pkg_config", by_pkg_config, "pkg-config"),
            ("are_found_by_cmake", by_cmake, "cmake"),
        ];
        for (name, test, tool) in tests {
            let tools = [c, cpp, tool].map(|name| program(name).ok_or(name));
            let trial = match tools.into_iter().find_map(Result::err) {
                None => Trial::test(format!("{name} {c}"), move || test(&Bed::new()?, [c, cpp])),
                Some(missing) => {
                    let reason = format!("{missing} is missing; `cargo xtask setup` installs it");
                    let is_quiet = std::env::var_os("CI").is_none();
                    let message = reason.clone();
                    Trial::test(format!("{name} {c}"), move || Err(message.into()))
                        .with_kind(reason)
                        .with_ignored_flag(is_quiet)
                }
            };
            trials.push(trial);
        }
    }
    trials
}

type Test = fn(&Bed, [&'static str; 2]) -> Result<(), Failed>;

/// Returns a program from `PATH`, or the newest of Debian's LLVM packages.
fn program(name: &str) -> Option<PathBuf> {
    let packaged = (19..=22)
        .rev()
        .map(|version| PathBuf::from(format!("/usr/lib/llvm-{version}/bin/{name}")));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&path).map(|folder| folder.join(name));
    packaged.chain(named).find(|file| file.is_file())
}

/// A folder with a table, and with the prefix of the installed library.
struct Bed {
    folder: TempDir,
    table: Vec<u8>,
}

impl Bed {
    fn new() -> Result<Bed, Failed> {
        let bed = Bed {
            folder: tempfile::tempdir()?,
            table: support::table(),
        };
        fs::write(bed.at("gfx942.wtab"), &bed.table)?;
        let mut install = Command::new("sh");
        install
            .arg(package().join("install.sh"))
            .arg(support::libraries());
        said(install.arg(bed.at("installed")))?;
        // The installed library must be movable.
        fs::rename(bed.at("installed"), bed.at("prefix"))?;
        Ok(bed)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the flags that pkg-config prints for the library.
    fn flags(&self) -> Result<Vec<String>, Failed> {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", self.at("prefix/lib/pkgconfig"));
        let flags = said(command.args(["--cflags", "--libs", "wavetune-lookup"]))?;
        Ok(flags.split_whitespace().map(str::to_owned).collect())
    }

    /// Runs a program on the table, and returns its output.
    fn run(&self, program: &str, arguments: &[&str]) -> Result<String, Failed> {
        let mut command = Command::new(self.at(program));
        command.env("LD_LIBRARY_PATH", self.at("prefix/lib"));
        said(command.arg(self.at("gfx942.wtab")).args(arguments))
    }

    /// Checks that the examples return the answers of the table.
    fn check_examples(&self, ask_program: &str, find_program: &str) -> Result<(), Failed> {
        let table = Table::read(&*self.table)?;
        for problem in [
            "argmax:4x[32000]xf32",
            "argmax:4x[31000]xf32",
            "argmin:[9]xf64",
        ] {
            let asked = TableQuestion {
                problem,
                ..TableQuestion::default()
            };
            let expected = answers::line(&ask(&table, &asked)?);
            is(&self.run(ask_program, &[problem, "gfx942"])?, &expected)?;
            is(&self.run(ask_program, &[problem])?, &expected)?;
        }
        for (number, problem) in support::TUNED.iter().enumerate() {
            let entry = table
                .lookup(&format!("{problem}\0gfx942"))
                .ok_or("it is not there")?;
            let expected = format!("{} native {}", number + 5, entry.configuration());
            is(&self.run(find_program, &[problem, "gfx942"])?, &expected)?;
            is(&self.run(find_program, &[problem, "gfx90a"])?, "absent")?;
        }
        let refused = self.run(ask_program, &["argmax:4x[x]xf32"]);
        let words = refused
            .err()
            .and_then(|error| error.message().map(str::to_owned));
        match words.is_some_and(|words| words.contains("problem \"argmax:4x[x]xf32\"")) {
            true => Ok(()),
            false => Err("no error tells of the problem".into()),
        }
    }
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the output of a command, or the reason of its failure.
fn said(command: &mut Command) -> Result<String, Failed> {
    let output = command.output()?;
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout)?.trim_end().to_owned()),
        false => {
            let parts = [&*output.stdout, &*output.stderr].map(String::from_utf8_lossy);
            Err(format!("{command:?}: {}: {}", output.status, parts.concat()).into())
        }
    }
}

fn is(found: &str, expected: &str) -> Result<(), Failed> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("it says\n{found}\nand not\n{expected}").into()),
    }
}

fn by_pkg_config(bed: &Bed, [c, cpp]: [&'static str; 2]) -> Result<(), Failed> {
    let flags = bed.flags()?;
    let compile = |compiler: &str, language: &[&str], source: &str, to: &str| {
        let compiler = program(compiler).ok_or("it has gone")?;
        let mut command = Command::new(compiler);
        command.args(language).args(FLAGS).args(SANITIZED);
        command.arg(package().join(source));
        said(command.args(&flags).arg(OsStr::new("-o")).arg(bed.at(to)))
    };
    compile(c, C11, "examples/ask.c", "ask")?;
    compile(cpp, CPP17, "examples/find.cpp", "find")?;
    bed.check_examples("ask", "find")?;
    compile(c, C11, "tests/it/programs/misused.c", "misused")?;
    bed.run("misused", &[])?;
    compile(cpp, CPP17, "tests/it/programs/misused.c", "misused++")?;
    bed.run("misused++", &[])?;
    Ok(())
}

fn by_cmake(bed: &Bed, [c, cpp]: [&'static str; 2]) -> Result<(), Failed> {
    let [c, cpp] = [c, cpp].map(|name| program(name).unwrap_or_default());
    let mut configure = Command::new("cmake");
    configure
        .arg("-S")
        .arg(package().join("examples"))
        .arg("-B")
        .arg(bed.at("build"))
        .args(["-G", "Unix Makefiles"])
        .arg(format!(
            "-DCMAKE_PREFIX_PATH={}",
            bed.at("prefix").display()
        ))
        .arg(format!("-DCMAKE_C_COMPILER={}", c.display()))
        .arg(format!("-DCMAKE_CXX_COMPILER={}", cpp.display()));
    said(&mut configure)?;
    said(Command::new("cmake").arg("--build").arg(bed.at("build")))?;
    bed.check_examples("build/ask", "build/find")?;
    // CMake finds the version of the crate, and no other.
    let wanted = |version: &str| {
        let project = format!(
            "cmake_minimum_required(VERSION 3.20)\nproject(asks C)\n\
             find_package(wavetune-lookup {version} REQUIRED)\n"
        );
        fs::create_dir_all(bed.at("asks"))?;
        fs::write(bed.at("asks/CMakeLists.txt"), project)?;
        let mut command = Command::new("cmake");
        command
            .arg("-S")
            .arg(bed.at("asks"))
            .arg("-B")
            .arg(bed.at("asked"));
        let prefix = bed.at("prefix");
        said(command.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())))
    };
    wanted(&format!("{} EXACT", env!("CARGO_PKG_VERSION")))?;
    match wanted("0.0") {
        Ok(said) => Err(format!("version 0.0 is found: {said}").into()),
        Err(_) => Ok(()),
    }
}
