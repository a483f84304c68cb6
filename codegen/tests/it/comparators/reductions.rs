//! Reductions that configgen reads from MLIR are valid MLIR, and the compiler's text of them is
//! the same problem.

use std::path::Path;

use configgen::Problem;
use configgen::linalg::read_reduction;
use testing::Failed;

use crate::comparators::run;

/// Texts, each after a line with its problem; `with` has the arguments and the result of a
/// function around a fragment.
const TEXTS: [&str; 2] = [
    include_str!("../../../../configgen/src/linalg/tests/accepted.mlir"),
    include_str!("../../../../configgen/src/linalg/tests/chains.mlir"),
];

/// The compiler's output forms: pretty, with locations, and generic.
static FORMS: [&[&str]; 3] = [
    &[],
    &["--mlir-print-debuginfo"],
    &["--mlir-print-op-generic"],
];

/// Returns the value of `// key: ` in a text.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut lines = text.lines().filter_map(|it| it.strip_prefix("// "));
    lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}

/// Returns the text as a module: a fragment, from its first value on, becomes the body of a
/// function with result `%r`.
fn module(text: &str) -> Result<String, Failed> {
    let Some(with) = field(text, "with") else {
        return Ok(text.to_owned());
    };
    let (arguments, result) = with.rsplit_once(" -> ").ok_or("no result")?;
    let (names, body) = text.split_once("\n%").ok_or("no value")?;
    Ok(format!(
        "{names}\nfunc.func @f({arguments}) -> {result} {{\n%{body}\nreturn %r : {result}\n}}\n"
    ))
}

/// Checks each text in one of the forms, in turn.
pub(crate) fn reductions_are_read_as_they_are_printed(compiler: &Path) -> Result<(), Failed> {
    check(compiler, |text| &FORMS[text % FORMS.len()..][..1])
}

pub(crate) fn reductions_are_read_in_every_form(compiler: &Path) -> Result<(), Failed> {
    check(compiler, |_| &FORMS)
}

/// Checks each text, by its number, in these forms.
fn check(
    compiler: &Path,
    forms: impl Fn(usize) -> &'static [&'static [&'static str]],
) -> Result<(), Failed> {
    let texts = TEXTS.map(|texts| texts.split("// -----\n").skip(1));
    for (number, text) in texts.into_iter().flatten().enumerate() {
        let problem: Problem = field(text, "problem").ok_or("no problem")?.parse()?;
        let module = module(text)?;
        for form in forms(number) {
            let options = ["--compile-to=input", "--iree-input-demote-f64-to-f32=false"];
            let options = [&options[..], *form].concat();
            let printed = run(compiler, &options, &module)
                .map_err(|error| format!("{}\n{module}", error.message().unwrap_or_default()))?;
            let read = read_reduction(&printed).map_err(|error| format!("{error}\n{printed}"))?;
            if read != problem {
                return Err(format!("{read} is not {problem}\n{printed}").into());
            }
        }
    }
    Ok(())
}
