//! `wavetune export kernels`: code objects of native kernels, HIP C++ of the same, and a manifest that says how to
//! launch them.
//!
//! For programs that launch kernels themselves. The manifest is written last: a directory that has it is complete.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use configgen::{Problem, Target};
use kernel_export::{Choice, Export, File, Selection, Toolchain, Wanted, choose, tuned};
use store::{Catalogue, StoreError, Unreadable};

use crate::Exit;
use crate::comparator::ComparatorFile;
use crate::database::{Database, block_on};
use crate::inputs;
use crate::names::targets;
use crate::output::tell_unreadable;

/// Write native kernels as code objects, with a manifest that says how to launch them.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Problems, such as 'argmax:4x[32000]xf32' [default: all that were tuned for the target].
    problems: Vec<String>,
    #[command(flatten)]
    comparator: ComparatorFile,
    /// The ISA [default: the device's].
    #[arg(long, required_unless_present = "device", value_parser = targets())]
    target: Option<&'static Target>,
    /// Of what was tuned, only what was tuned on this device.
    #[arg(long)]
    device: Option<String>,
    /// The configuration as JSON, of one problem [default: the best known, or the untuned one].
    #[arg(long, value_name = "JSON")]
    configuration: Option<String>,
    #[command(flatten)]
    database: Database,
    /// Directory to write into; made if it is not there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

const EXAMPLES: &str = "\
DIR gets a code object for each problem, and manifest.json: symbol, grid, block, arguments in their order with type,
offset and size, and where kernel and configuration are from. Exit codes: 0 written, 1 no such kernel is legal, 2 error.

Examples:
  wavetune export kernels 'argmax:4x[32000]xf32' --target gfx942 --out kernels
  wavetune export kernels --target gfx942 --out kernels
  wavetune export kernels 'argmax:8x[4096]xbf16' 'argmin:[50257]xf16' --device emulated:mi300x --out kernels
  wavetune emulate kernels/*.hsaco --grid 4 --block 64 --arg buf:512000:random --arg buf:16 --arg buf:16 --dump 1:f32";

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let wanted = Wanted {
        target: target(arguments)?,
        device: arguments.device.as_deref(),
        wish: true,
    };
    let problems = inputs::problems(&arguments.problems, None, &arguments.comparator)?;
    let is_all = problems.is_empty();
    let Selection {
        choices, refused, ..
    } = match &arguments.configuration {
        Some(json) => given(json, problems, &wanted)?,
        None => known(arguments, problems, &wanted)?,
    };
    if let Some(refused) = refused.first().filter(|_| !is_all) {
        eprintln!("{refused}");
        return Ok(Exit::NotFound);
    }
    // What was legal when it was tuned.
    for left_out in &refused {
        eprintln!("left out: {left_out}");
    }
    if choices.is_empty() {
        eprintln!("{}", wanted.nothing());
        return Ok(Exit::NotFound);
    }
    write(&arguments.out, wanted.target, &choices)?;
    let (count, target, out) = (choices.len(), wanted.target, arguments.out.display());
    eprintln!("{count} kernels for {target} in {out}");
    Ok(Exit::Found)
}

fn target(arguments: &Arguments) -> anyhow::Result<&'static Target> {
    let of_device = match &arguments.device {
        Some(name) => Some(bench_harness::emulated_device(name)?.target()),
        None => None,
    };
    match (arguments.target, of_device) {
        (Some(named), Some(of_device)) if named != of_device => {
            bail!("the device is a {of_device}, not a {named}")
        }
        (Some(target), _) | (None, Some(target)) => Ok(target),
        (None, None) => bail!("no target; name one with --target"),
    }
}

/// The configuration of the command line, of the one problem that it is for.
fn given(json: &str, problems: Vec<Problem>, wanted: &Wanted<'_>) -> anyhow::Result<Selection> {
    let count = problems.len();
    let Ok([problem]) = <[Problem; 1]>::try_from(problems) else {
        bail!("--configuration is of one problem, not of {count}");
    };
    let mut selection = Selection::default();
    match Choice::given(problem, wanted.target, inputs::configuration(json)?) {
        Ok(choice) => selection.choices.push(choice),
        Err(refused) => selection.refused.push(refused),
    }
    Ok(selection)
}

/// What is known of these problems, or of all that were tuned. Who names problems needs no database.
fn known(
    arguments: &Arguments,
    problems: Vec<Problem>,
    wanted: &Wanted<'_>,
) -> anyhow::Result<Selection> {
    block_on(async {
        let database = &arguments.database;
        let store = match problems.is_empty() {
            true => Some(database.open_existing().await?),
            false => database.open_if_there().await?,
        };
        let Some(store) = store else {
            return Ok(choose(None, wanted, problems).await?);
        };
        let selection = select(&*store, problems, wanted).await;
        store.close().await;
        let selection = selection?;
        tell_unreadable(&selection.unreadable);
        Ok(selection)
    })
}

async fn select(
    store: &dyn Catalogue,
    mut problems: Vec<Problem>,
    wanted: &Wanted<'_>,
) -> Result<Selection, StoreError> {
    let mut unreadable = Unreadable::default();
    if problems.is_empty() {
        let known = tuned(store, wanted).await?;
        (problems, unreadable) = (known.rows, known.unreadable);
    }
    let mut selection = choose(Some(store), wanted, problems).await?;
    selection.unreadable.join(unreadable);
    Ok(selection)
}

/// Builds the kernels and writes their files, the manifest last.
fn write(directory: &Path, target: &'static Target, choices: &[Choice]) -> anyhow::Result<()> {
    let toolchain = Toolchain::of_user();
    let mut export = Export::new(&toolchain, target)?;
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory {}", directory.display()))?;
    for choice in choices {
        for file in export.add(choice)? {
            put(directory, &file)?;
        }
    }
    put(directory, &export.end())
}

fn put(directory: &Path, file: &File) -> anyhow::Result<()> {
    let path = directory.join(&file.name);
    fs::write(&path, &file.content).with_context(|| format!("cannot write {}", path.display()))
}
