//! `wavetune export kernels`: native kernels as code objects and HIP C++, and a manifest of their
//! launch parameters.
//!
//! For programs that launch kernels themselves. The manifest is written last: a directory that
//! has it is complete.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use configgen::Target;
use kernel_export::{Choice, Export, ExportFile, Selection};
use serde::Deserialize;

use super::selection::SelectionArguments;
use crate::Exit;
use crate::sandbox;
use crate::verbosity::note;

const MANIFEST: &str = "manifest.json";

/// Write kernels as code objects, with a manifest.
///
/// The manifest lists the launch parameters.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct ExportKernelsArguments {
    #[command(flatten)]
    which: SelectionArguments,
    /// Output directory; created if missing.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

const EXAMPLES: &str = "\
The command writes to DIR a code object for each problem, and manifest.json. The manifest lists \
the symbol, grid, block and origin of each kernel, and the type, offset and size of each argument.

Exit codes: 0 written, 1 no legal kernel, 2 error.

Examples:
  wavetune export kernels 'argmax:4x[32000]xf32' --target gfx942 \\
    --out kernels
  wavetune export kernels --target gfx942 --out kernels
  wavetune export kernels 'argmax:8x[4096]xbf16' 'argmin:[50257]xf16' \\
    --device emulated:mi300x --out kernels
  wavetune emulate kernels/*.hsaco --grid 4 --block 64 \\
    --arg buf:512000:random --arg buf:16 --arg buf:16 --dump 1:f32";

pub(super) fn run(arguments: &ExportKernelsArguments) -> anyhow::Result<Exit> {
    let wanted = arguments.which.wanted(false)?;
    let problems = arguments.which.problems()?;
    let is_all = problems.is_empty();
    let Selection {
        choices, refused, ..
    } = arguments.which.select(problems, &wanted)?;
    // A named problem must be exported; of all tuned ones, the legal rest is still of use.
    if let Some(refused) = refused.first().filter(|_| !is_all) {
        eprintln!("{refused}");
        return Ok(Exit::NotFound);
    }
    // A configuration may have been legal when it was tuned, and illegal by today's rules.
    for left_out in &refused {
        eprintln!("skipped: {left_out}");
    }
    if choices.is_empty() {
        eprintln!("{}", wanted.no_kernel_message());
        return Ok(Exit::NotFound);
    }
    write(&arguments.out, wanted.target, &choices)?;
    let (count, target, out) = (choices.len(), wanted.target, arguments.out.display());
    note!("{count} kernels for {target} in {out}");
    Ok(Exit::Found)
}

/// Builds the kernels and writes their files, the manifest last.
fn write(directory: &Path, target: &'static Target, choices: &[Choice]) -> anyhow::Result<()> {
    let toolchain = sandbox::toolchain(None)?;
    let mut export = Export::new(&toolchain, target)?;
    make(directory)?;
    for choice in choices {
        for file in export.add(choice)? {
            put(directory, &file)?;
        }
    }
    put(directory, &export.end())
}

/// Creates the output directory if it is missing.
pub(super) fn make(directory: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot create the directory {}", directory.display()))
}

/// Writes a file into the output directory.
pub(super) fn put(directory: &Path, file: &ExportFile) -> anyhow::Result<()> {
    let path = directory.join(&file.name);
    fs::write(&path, &file.content).with_context(|| format!("cannot write {}", path.display()))
}

/// The part of a manifest that lists files.
#[derive(Default, Deserialize)]
struct Manifest {
    kernels: Vec<KernelFiles>,
}

/// The files of a kernel.
#[derive(Deserialize)]
struct KernelFiles {
    file: String,
    source: String,
}

/// Returns the files of an earlier export into the directory, by its manifest.
pub(super) fn earlier(directory: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(directory.join(MANIFEST)).unwrap_or_default();
    // An unreadable manifest names no files, so none is removed.
    let manifest: Manifest = serde_json::from_str(&manifest).unwrap_or_default();
    let kernels = manifest.kernels.into_iter();
    let names = kernels.flat_map(|kernel| [kernel.file, kernel.source]);
    // Somebody else may have written the manifest, and it may name any file: only ours are
    // removed.
    let is_ours = |name: &String| {
        let path = Path::new(name);
        let end = path
            .extension()
            .is_some_and(|end| end == "hsaco" || end == "hip");
        end && path.file_name() == Some(path.as_os_str())
    };
    names.filter(is_ours).collect()
}

/// Removes the files of an earlier export that the new manifest does not name.
pub(super) fn remove_stale(directory: &Path, earlier: &[String]) {
    let now = self::earlier(directory);
    let stale = earlier.iter().filter(|name| !now.contains(name));
    let removed = stale.filter(|name| fs::remove_file(directory.join(name)).is_ok());
    match removed.count() {
        0 => {}
        count => note!("removed: {count} files of an earlier export"),
    }
}
