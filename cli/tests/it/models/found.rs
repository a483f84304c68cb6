//! docs/operations-table.md: the reductions, row operations and comparisons of the corpus, and the
//! problems that they are part of.
//!
//! People count the operations (`rows` of modules.tsv) and the missed ones (missed.tsv).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect_file;
use serde_json::Value;
use testing::Failed;

use super::measured::{CorpusModule, modules};
use crate::iree_kernels::tools::Tools;

/// The least share of the operations that must be part of a problem.
const LEAST: f64 = 0.95;

const HEAD: &str = "\
# Operations of the modules

The long test `operations_are_found` writes this page with `UPDATE_EXPECT=1`. It has a row for each module of
`testing/modules`:

- People counted the reductions, row operations and comparisons in the source of the module.
- `wavetune problems` finds the problems for gfx942. A number before a problem says how often it occurs. A program may
  have several operations, and an operation may be several problems.
- Missed operations are part of no problem. The reason follows their number.

Pointwise operations do not count. Problems without a fold are listed all the same.
";

/// An operation of a module that is part of no problem.
struct MissedOperation {
    count: u64,
    operation: String,
    why: String,
}

/// Returns the missed operations, by the names of their modules.
fn missed() -> BTreeMap<String, MissedOperation> {
    let table = include_str!("../../../../testing/modules/missed.tsv");
    let missed = table.lines().skip(1).map(|line| {
        let mut cells = line.split('\t').map(str::to_owned);
        let mut cell = || cells.next().unwrap();
        let name = cell().trim_end_matches(".mlir").to_owned();
        let missed = MissedOperation {
            count: cell().parse().unwrap(),
            operation: cell(),
            why: cell(),
        };
        (name, missed)
    });
    missed.collect()
}

/// Returns the sentence with the sums.
fn summary(modules: &[CorpusModule]) -> String {
    let all: u64 = modules.iter().map(|it| it.operations).sum();
    let missed: u64 = missed().values().map(|it| it.count).sum();
    let share = 100.0 * (all - missed) as f64 / all as f64;
    format!(
        "{} of {all} operations are part of a problem: {share:.1} %.",
        all - missed
    )
}

#[test]
fn missed_operations_are_few() {
    let (modules, missed) = (modules().unwrap(), missed());
    let page = include_str!("../../../../docs/operations-table.md");
    let summary = summary(&modules);
    assert!(page.contains(&summary), "{summary}");
    for (name, one) in &missed {
        let module = modules.iter().find(|it| it.name == *name).unwrap();
        let names = &module.operation_names;
        assert!(
            one.count <= module.operations && names.contains(&one.operation),
            "{name}: {names}"
        );
    }
    for CorpusModule {
        name,
        operation_names,
        ..
    } in &modules
    {
        let row = format!("| `{name}` | {operation_names} |");
        assert!(page.contains(&row), "{name}");
    }
    let all: u64 = modules.iter().map(|it| it.operations).sum();
    let few: u64 = missed.values().map(|it| it.count).sum();
    assert!(few as f64 <= (1.0 - LEAST) * all as f64, "{few} of {all}");
}

/// Returns the problems of a module, and the reasons for operations that are none.
fn problems(tools: &Tools, path: &Path) -> Result<[Vec<String>; 2], Failed> {
    let folder = tempfile::tempdir()?;
    let path = path.display().to_string();
    let words = ["problems", &path, "--target=gfx942", "--output-format=json"];
    let output = tools.wavetune(&folder.path().join("none.db"), &words.map(str::to_owned))?;
    let answer = testing_conformance::answer("model", &output);
    let of = |name: &str, text: &str| {
        let all = answer[name].as_array().into_iter().flatten();
        let all = all.map(|it: &Value| {
            let text = it[text].as_str().unwrap_or_default();
            match it["count"].as_u64() {
                Some(count) if count > 1 => format!("{count} `{text}`"),
                _ => format!("`{text}`"),
            }
        });
        all.collect::<Vec<String>>()
    };
    Ok([of("problems", "problem"), of("others", "reason")])
}

/// Checks the page. An operation without a problem is in missed.tsv.
pub(super) fn operations_are_found(tools: &Tools) -> Result<(), Failed> {
    let (modules, missed) = (modules()?, missed());
    let mut page = format!("{HEAD}\n{}\n\n", summary(&modules));
    page += "| module | operations | problems | missed |\n|---|---|---|---|\n";
    for module in &modules {
        let [problems, reasons] = problems(tools, &module.path)?;
        let name = &module.name;
        let missed = missed.get(name);
        if reasons.is_empty() != missed.is_none() {
            return Err(format!("{name}: {reasons:?}").into());
        }
        let why = missed.map(|it| format!("{} {}: {}", it.count, it.operation, it.why));
        let problems = problems.join("<br>");
        let names = &module.operation_names;
        writeln!(
            page,
            "| `{name}` | {names} | {problems} | {} |",
            why.unwrap_or_default()
        )?;
    }
    expect_file!["../../../../docs/operations-table.md"].assert_eq(&page);
    Ok(())
}
