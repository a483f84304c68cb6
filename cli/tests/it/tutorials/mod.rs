//! The tutorials of the book: each command runs as its page has it, and prints the output of the
//! page.

mod page;
mod session;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::cache::Cache;
use codegen::native::Native;
use iree::IreeCompiler;
use testing::{Failed, Trial};

use crate::support::needing::{Lack, needing};
use page::{Step, steps};
use session::Session;

/// The port of services in the pages.
const PORT: &str = "8942";

/// A test of a page, and the reason if this machine cannot run it.
type Tutorial = (&'static str, fn() -> Result<(), Failed>, Option<Lack>);

/// Returns a test for each page. A test is ignored if a tool is missing.
pub(crate) fn trials() -> Vec<Trial> {
    let native = Native::load(Cache::of_environment()).err();
    let native = native.map(Lack::of_tool);
    let clang = match testing::llvm("clang") {
        Some(_) => None,
        None => Some(Lack::of_tool("clang 22 was not found")),
    };
    let iree = IreeCompiler::find().err().map(Lack::of_tool);
    let curl = Command::new("curl").arg("--version").output().err();
    let curl = curl.map(|error| Lack::of_tool(format!("curl: {error}")));
    let tutorials: [Tutorial; 4] = [
        (
            "kernel_tutorial",
            || run(include_str!("../../../../docs/tutorial-kernel.md")),
            clang,
        ),
        (
            "compiler_tutorial",
            || run(include_str!("../../../../docs/tutorial-compiler.md")),
            iree,
        ),
        (
            "service_tutorial",
            || run(include_str!("../../../../docs/tutorial-service.md")),
            curl,
        ),
        (
            "launch_tutorial",
            || run(include_str!("../../../../docs/tutorial-launch.md")),
            None,
        ),
    ];
    let trial =
        |(name, test, lack): Tutorial| needing((name, test), native.as_ref().or(lack.as_ref()));
    tutorials.into_iter().map(trial).collect()
}

/// Follows a page in an empty folder.
fn run(page: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let port = free_port()?;
    let mut session = Session::start(folder.path(), &programs(folder.path())?)?;
    let mut count = 0;
    for step in steps(page) {
        match step {
            Step::File { name, text } => fs::write(folder.path().join(name), text)?,
            Step::Command { line, shown } => {
                let command = line.replace(PORT, &port);
                let (code, printed) = session.run(&command)?;
                let printed = printed.replace(&port, PORT);
                // A command that fails on purpose shows its error.
                if let Some(missing) = page::missing(&shown, &printed) {
                    return Err(format!(
                        "$ {line}\n{printed}\nexit code {code}; the page shows {missing}"
                    )
                    .into());
                }
                if shown.is_empty() && code != 0 {
                    return Err(format!("$ {line}\n{printed}\nexit code {code}").into());
                }
                count += 1;
            }
        }
    }
    assert!(count >= 5, "{count} commands");
    Ok(())
}

/// Returns a free port.
fn free_port() -> Result<String, Failed> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    Ok(listener.local_addr()?.port().to_string())
}

/// Creates a folder with the programs that the pages call by name.
fn programs(folder: &Path) -> Result<PathBuf, Failed> {
    let programs = folder.join(".programs");
    fs::create_dir(&programs)?;
    symlink(env!("CARGO_BIN_EXE_wavetune"), programs.join("wavetune"))?;
    if let Some(clang) = testing::llvm("clang") {
        symlink(clang, programs.join("clang++-22"))?;
    }
    if let Ok(iree) = IreeCompiler::find() {
        symlink(iree.path(), programs.join("iree-compile"))?;
    }
    Ok(programs)
}
