//! The dashboard in a browser. Each file of `web/tests` is a test: node runs it against its own
//! service, with a database of real studies. Needs Chromium, node, the npm packages of `cargo
//! xtask setup`, libLLVM, lld and iree-compile.

use crate::support::needing;
mod seed;

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use codegen::cache::Cache;
use codegen::native::Native;
use iree::IreeCompiler;
use testing::{Failed, Trial};

use needing::Lack;

/// Files of `web/tests` that are no tests: their harness, the script that runs several, the list of
/// screenshots, and the script that `cli/tests/it/load` runs against a large database.
const NO_TESTS: [&str; 4] = ["harness", "several", "screens", "large"];

/// The short tests of CI's part. They run in one process, since Node and the browser take 5
/// processor seconds to start; each is a test by itself, too.
const TOGETHER: &str = "front hostile_text journey models service_lives";

/// Writes screenshots, on request only.
const PICTURES: &str = "screenshots";

pub(crate) fn trials() -> Vec<Trial> {
    let lack = lack();
    let test = |name: String| {
        let script = name.clone();
        let trial = Trial::test(name.clone(), move || run(&script));
        match &lack {
            Some(lack) => lack.mark(trial),
            None if name == PICTURES => trial
                .with_kind("full: all pictures of the documents")
                .with_ignored_flag(true),
            None => trial,
        }
    };
    let together = Trial::test(TOGETHER, run_together);
    let together = match &lack {
        Some(lack) => lack.mark(together),
        None => together,
    };
    let each = scripts().into_iter().map(test);
    each.chain([together]).collect()
}

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../web")
}

/// Returns the names of the tests.
fn scripts() -> Vec<String> {
    let files = fs::read_dir(web().join("tests")).expect("the folder of the tests is there");
    let paths = files.map(|file| file.expect("its files can be listed").path());
    let scripts = paths.filter(|path| path.extension() == Some(OsStr::new("js")));
    let names = scripts.filter_map(|path| path.file_stem()?.to_str().map(str::to_owned));
    let mut names: Vec<String> = names
        .filter(|name| !NO_TESTS.contains(&name.as_str()))
        .collect();
    names.sort();
    names
}

/// Returns the missing tool of the tests, if there is one.
fn lack() -> Option<Lack> {
    let is_missing = |name: &&&str| !web().join("node_modules").join(name).is_dir();
    let missing = if chromium().is_none() {
        "chromium is not installed".to_owned()
    } else if in_path("node").is_none() {
        "node is not installed".to_owned()
    } else if let Some(package) = ["playwright-core", "axe-core"].iter().find(is_missing) {
        format!("{package} is not installed: cargo xtask setup")
    } else if let Err(missing) = Native::load(Cache::of_environment()) {
        missing.to_string()
    } else if let Err(missing) = IreeCompiler::find() {
        missing.to_string()
    } else {
        return None;
    };
    Some(Lack::of_tool(missing))
}

/// Returns the browser: the variable's, or that of `PATH`. The program without windows starts in
/// half the processor time.
pub(crate) fn chromium() -> Option<PathBuf> {
    let said = env::var_os("CHROMIUM").filter(|path| !path.is_empty());
    let found = || in_path("chromium-headless-shell").or_else(|| in_path("chromium"));
    said.map_or_else(found, |path| Some(path.into()))
}

fn in_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let mut files = env::split_paths(&folders).map(|folder| folder.join(program));
    files.find(|file| file.is_file())
}

/// Runs a script with its own database. The script starts and ends the service, the browser and
/// its other processes.
fn run(script: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut node = node(script)?;
    node.env("WAVETUNE_DB", seed::copy_into(folder.path())?);
    end_well(node)
}

fn run_together() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut node = node("several")?;
    node.args(TOGETHER.split(' '));
    for script in TOGETHER.split(' ') {
        let folder = folder.path().join(script);
        fs::create_dir(&folder)?;
        node.arg(seed::copy_into(&folder)?);
    }
    end_well(node)
}

fn node(script: &str) -> Result<Command, Failed> {
    let mut node = Command::new("node");
    node.arg(web().join("tests").join(format!("{script}.js")))
        .env("WAVETUNE", env!("CARGO_BIN_EXE_wavetune"))
        .env("IREE_COMPILE", IreeCompiler::find()?.path())
        .env("CHROMIUM", chromium().ok_or("chromium has gone")?)
        .stdin(Stdio::null());
    Ok(node)
}

fn end_well(mut node: Command) -> Result<(), Failed> {
    let output = node.output()?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    print!("{said}");
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{}\n{said}", output.status).into()),
    }
}
