//! Comparators and the bodies of reductions against IREE's compiler. The compiler reads the
//! printed text and computes the evaluator's results.

use std::path::Path;
use std::process::Command;

use codegen::tools::{self, Tool};
use testing::{Failed, Trial};

/// A test that takes the compiler's path.
type Test = fn(&Path) -> Result<(), Failed>;

mod folding;
mod printing;
mod reductions;

const TESTS: [(&str, Test); 3] = [
    ("printed_blocks_are_read", printing::printed_blocks_are_read),
    (
        "operations_fold_to_the_same",
        folding::operations_fold_to_the_same,
    ),
    (
        "reductions_are_read_as_they_are_printed",
        reductions::reductions_are_read_as_they_are_printed,
    ),
];

/// A test that takes longer.
const FULL: (&str, Test) = (
    "full_reductions_are_read_in_every_form",
    reductions::reductions_are_read_in_every_form,
);

/// Returns the trials. Without the compiler they are ignored, with the reason as their kind; in
/// CI they fail.
pub(crate) fn trials() -> Vec<Trial> {
    let found = tools::find(Tool::IreeCompile);
    let trial = |(name, test): (&str, Test)| match found.clone() {
        Ok(compiler) => Trial::test(name, move || test(&compiler.path)),
        Err(missing) => {
            let reason = missing.to_string();
            Trial::test(name, move || Err(missing.into()))
                .with_kind(reason)
                .with_ignored_flag(std::env::var_os("CI").is_none())
        }
    };
    let mut trials = Vec::from(TESTS.map(trial));
    trials.push(
        trial(FULL)
            .with_kind("full: three forms")
            .with_ignored_flag(true),
    );
    trials
}

const FLOAT_BINARY: [&str; 9] = [
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.remf",
    "arith.maximumf",
    "arith.minimumf",
    "arith.maxnumf",
    "arith.minnumf",
];
const FLOAT_UNARY: [&str; 8] = [
    "arith.negf",
    "math.absf",
    "math.sqrt",
    "math.floor",
    "math.ceil",
    "math.trunc",
    "math.round",
    "math.roundeven",
];
const INTEGER_UNARY: [&str; 4] = ["math.absi", "math.ctpop", "math.ctlz", "math.cttz"];
const INTEGER_BINARY: [&str; 20] = [
    "arith.addi",
    "arith.subi",
    "arith.muli",
    "arith.divsi",
    "arith.divui",
    "arith.ceildivsi",
    "arith.ceildivui",
    "arith.floordivsi",
    "arith.remsi",
    "arith.remui",
    "arith.maxsi",
    "arith.maxui",
    "arith.minsi",
    "arith.minui",
    "arith.andi",
    "arith.ori",
    "arith.xori",
    "arith.shli",
    "arith.shrsi",
    "arith.shrui",
];
const CASTS: [&str; 10] = [
    "arith.extf",
    "arith.truncf",
    "arith.extsi",
    "arith.extui",
    "arith.trunci",
    "arith.sitofp",
    "arith.uitofp",
    "arith.fptosi",
    "arith.fptoui",
    "arith.bitcast",
];

/// Runs a tool of IREE on a text and returns its output.
fn run(tool: &Path, options: &[&str], input: &str) -> Result<String, Failed> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("input.mlir");
    std::fs::write(&file, input)?;
    let output = Command::new(tool)
        .args(options)
        .arg(&file)
        .args(["-o", "-"])
        .output()?;
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout)?),
        false => {
            let errors = String::from_utf8_lossy(&output.stderr);
            Err(errors
                .lines()
                .take(20)
                .collect::<Vec<_>>()
                .join("\n")
                .into())
        }
    }
}
