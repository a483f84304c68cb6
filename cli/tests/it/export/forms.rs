//! The tables of docs/iree-kernels.md: the forms of iree-compile's operations that a named
//! problem's kernel replaces.

use testing::Failed;

use crate::export::wavetune;

/// A problem and one of its forms; `None` if only a model shows one.
const FORMS: [(&str, Option<&str>); 18] = [
    ("argmax:4x[4096]xf32", Some("arg_compare")),
    ("argmin:[64]x4xf32", Some("generic")),
    ("argmax:4x[4096]xf32:i64", Some("max_dim")),
    ("argmax_nan:4x[4096]xf32", Some("stablehlo")),
    ("argmax_nan:4x[4096]xf32:i32:initial", Some("tosa")),
    ("argmax_last:4x[4096]xf32", Some("arg_compare")),
    ("sum:4x[4096]xf32", Some("reduce")),
    ("max:4x[3]x5x[7]xbf16", Some("reduce")),
    ("product:[64]x4xi32", Some("reduce")),
    ("square_sum:4x[4096]xf32", Some("generic")),
    ("dot:4x[4096]xf16,f16(1)", Some("product")),
    ("softmax:4x[4096]xf32", Some("softmax")),
    ("log_softmax:4x[4096]xf32", Some("chain")),
    ("log_sum_exp:4x[4096]xf32", Some("chain")),
    ("layer_norm:4x[4096]xf32", Some("chain")),
    ("rms_norm:4x[4096]xf32", Some("chain")),
    ("add_rms_norm:4x[4096]xf32", None),
    ("standardize:4x[4096]xf32", None),
];

/// Returns the problem with a count known at launch only, or `None` if its outermost dimension is
/// reduced.
fn with_open_count(problem: &str) -> Option<String> {
    let (operation, rest) = problem.split_once(":4x")?;
    let is_indexed = operation.starts_with("arg") && !rest.contains(':');
    let index = if is_indexed { ":i32" } else { "" };
    Some(format!("{operation}:?x{rest}{index}:count=1..16"))
}

/// Checks that a kernel has the documented form, for a known and for an open count.
pub(crate) fn each_operation_is_replaced_in_its_form() -> Result<(), Failed> {
    let document = include_str!("../../../../docs/iree-kernels.md");
    let open = FORMS
        .iter()
        .filter_map(|(problem, form)| Some((with_open_count(problem)?, *form)));
    let known = FORMS
        .iter()
        .map(|(problem, form)| ((*problem).to_owned(), *form));
    let wanted: Vec<(String, Option<&str>)> = known.chain(open).collect();
    let directory = tempfile::tempdir()?;
    let out = directory.path().join("kernels").display().to_string();
    let mut arguments = vec![
        "export",
        "iree-kernels",
        "--target",
        "gfx942",
        "--out",
        &out,
    ];
    arguments.extend(wanted.iter().map(|(problem, _)| problem.as_str()));
    let output = wavetune(directory.path(), &arguments)?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said)?;
    for (problem, form) in wanted {
        let operation = problem.split(':').next().unwrap_or_default();
        let canonical: configgen::Problem = problem.parse()?;
        let line = format!("{canonical}: ");
        let line = said.lines().find(|it| it.contains(&line));
        let line = line.ok_or_else(|| format!("nothing is said of {problem}: {said}"))?;
        let forms = line
            .split_once("in place of ")
            .map_or("", |(_, forms)| forms);
        let is_said = match form {
            Some(form) => forms.split(", ").any(|it| it == form),
            None => line.contains("the form of this operation in iree-compile is not known"),
        };
        // The table of arg_compare names operations, and the other table names forms.
        let is_listed = form.is_none_or(|form| {
            operation.starts_with("arg") || document.contains(&format!("`{form}`"))
        });
        if !is_said || !is_listed || !document.contains(operation) {
            return Err(format!("{problem}, {form:?}: {line}").into());
        }
    }
    Ok(())
}
