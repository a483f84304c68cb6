//! The baseline of tuned kernels: norms and softmax in handwritten HIP, each verified and timed
//! in the emulator. Needs clang of LLVM 22, and for the table libLLVM.
//!
//!     cargo test -p bench-harness --test it -- --ignored --nocapture handwritten::
//!
//! prints the table: [`table::row`] of each of [`PROBLEMS`].

mod kernels;
mod reference;
mod table;
use crate::tried;
mod values;

use codegen::cache::Cache;
use codegen::native::Native;
use testing::{Failed, Trial};

/// Small problems. A row's threads divide some of them and not others, and there are more rows
/// than a block has waves.
const SMALL: [&str; 4] = ["1x[8]", "5x[768]", "3x[2056]", "2x[8192]"];

/// The problems of the table, for each of [`ELEMENTS`].
const PROBLEMS: [&str; 22] = [
    "layer_norm:1x[768]",
    "layer_norm:1x[4096]",
    "layer_norm:1x[8192]",
    "layer_norm:64x[768]",
    "layer_norm:64x[4096]",
    "layer_norm:64x[8192]",
    "layer_norm:4096x[768]",
    "layer_norm:4096x[4096]",
    "layer_norm:4096x[8192]",
    "rms_norm:1x[768]",
    "rms_norm:1x[4096]",
    "rms_norm:1x[8192]",
    "rms_norm:64x[768]",
    "rms_norm:64x[4096]",
    "rms_norm:64x[8192]",
    "rms_norm:4096x[768]",
    "rms_norm:4096x[4096]",
    "rms_norm:4096x[8192]",
    "softmax:4096x[128]",
    "softmax:1024x[2048]",
    "softmax:64x[32768]",
    "softmax:8x[128256]",
];

const ELEMENTS: [&str; 3] = ["f32", "f16", "bf16"];

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for element in ELEMENTS {
        let small = format!("small_rows_are_right {element}");
        trials.push(trial(&small, move || small_rows(element)));
        let table = format!("the_table_is_right {element}");
        let table = trial(&table, move || print_table(element));
        trials.push(table.with_kind("full: a minute").with_ignored_flag(true));
    }
    trials
}

/// Creates a test that is ignored if clang 22 is missing, and fails then in CI.
fn trial(name: &str, test: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
    if testing::llvm("clang").is_some() {
        return Trial::test(name, test);
    }
    let missing = "clang of LLVM 22 not found";
    Trial::test(name, move || Err(missing.into()))
        .with_kind(missing)
        .with_ignored_flag(std::env::var_os("CI").is_none())
}

/// Checks every kernel of a type on small problems, including all rows.
fn small_rows(element: &str) -> Result<(), Failed> {
    for operation in ["layer_norm", "rms_norm", "softmax"] {
        for shape in SMALL {
            table::row(&format!("{operation}:{shape}x{element}"))?;
        }
    }
    Ok(())
}

/// Prints the table with a column of native kernels. The starting points of a search must be
/// faster than every handwritten kernel.
fn print_table(element: &str) -> Result<(), Failed> {
    let native = Native::load(Cache::of_environment())?;
    let mut slower = Vec::new();
    for row in table::rows(PROBLEMS.map(|problem| format!("{problem}x{element}")))? {
        let ours = table::native_us(&native, &row.problem)?;
        let line = format!("{row}, ours {ours:8.2} µs");
        println!("{line}");
        if ours >= row.best_us {
            slower.push(line);
        }
    }
    match slower.len() {
        0 => Ok(()),
        _ => Err(format!("slower than by hand:\n{}", slower.join("\n")).into()),
    }
}
