//! docs/models-table.md: the times of the corpus before and after.

use std::fmt::Write as _;
use std::path::Path;

use testing::Failed;

use super::measured::{MeasuredModule, measured_corpus};
use super::{SAME, TARGETS, check_all};
use crate::iree_kernels::tools::Tools;

const HEAD: &str = "\
# Whole models: before and after

`cargo xtask models` writes this page. Each module of `testing/modules` is compiled by plain iree-compile 3.13.0, with
every kernel, and with the kernels that the gate keeps. Kernels have their untuned
configurations. Times are modelled, in microseconds, at the largest size of a dynamic dimension (512). A kernel with an
instruction that the emulator lacks has no time and is left out of all sums of its row. \"Values\" says whether the results with the kept
kernels are those of the processor.
";

/// Writes the page, and fails if a module is slower or wrong.
pub(super) fn written(tools: &Tools) -> Result<(), Failed> {
    let corpus = measured_corpus(tools)?;
    let mut page = HEAD.to_owned();
    for ((target, device), rows) in TARGETS.into_iter().zip(&corpus) {
        let rows: Vec<_> = rows.iter().filter_map(|it| it.as_ref().ok()).collect();
        section(&mut page, target, device, &rows);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/models-table.md");
    std::fs::write(path, &page)?;
    check_all(corpus)
}

/// The times of a module at the largest sizes: plain, with all kernels, and with the kept ones.
struct Times {
    plain: f64,
    all: Option<f64>,
    kept: f64,
}

fn times(row: &MeasuredModule) -> Option<Times> {
    // The last call of each function has the largest size.
    let is_last = |at: usize| {
        let next = row.calls.get(at + 1);
        next.is_none_or(|next| next.function != row.calls[at].function)
    };
    let last = (0..row.calls.len()).filter(|&at| is_last(at));
    let last: Vec<_> = last.map(|at| &row.calls[at]).collect();
    let plain = last.iter().map(|it| it.plain_us).sum::<Option<f64>>()?;
    let kept = last.iter().map(|it| it.time_us).sum();
    let is_timed = !last.is_empty() && plain > 0.0 && kept > 0.0;
    is_timed.then_some(Times {
        plain,
        all: row.all_us,
        kept,
    })
}

/// Counts the quotients that are faster and slower, and returns their geometric mean.
fn counted(quotients: &[f64]) -> (usize, usize, f64) {
    let faster = quotients.iter().filter(|it| **it > SAME).count();
    let slower = quotients.iter().filter(|it| **it < 1.0 / SAME).count();
    let mean = quotients.iter().map(|it| it.ln()).sum::<f64>() / quotients.len().max(1) as f64;
    (faster, slower, mean.exp())
}

fn section(page: &mut String, target: &str, device: &str, rows: &[&MeasuredModule]) {
    let of_rows = |quotient: fn(&Times) -> Option<f64>| -> Vec<f64> {
        rows.iter()
            .filter_map(|row| quotient(&times(row)?))
            .collect()
    };
    let kept = of_rows(|it| Some(it.plain / it.kept));
    let all = of_rows(|it| Some(it.plain / it.all?));
    let (faster, slower, mean) = counted(&kept);
    let (all_faster, all_slower, all_mean) = counted(&all);
    // A module with a kernel that is not emulated has times of the others, and no values.
    let compared = rows.iter().filter(|it| it.is_compared).count();
    let compilations = rows.iter().map(|it| it.compilations).max().unwrap_or(0);
    let wrong = rows.iter().filter(|it| it.wrong.is_some()).count();
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "
## {target} ({device})

With the kept kernels, {faster} of {} modules became faster and {slower} slower; the geometric mean of the gain is
{mean:.3}. With every kernel, as before the gate, {all_faster} of {} became faster and {all_slower} slower; the mean is
{all_mean:.3}. Values were compared for {compared} modules; {wrong} are wrong. A module was compiled {compilations} times at
most.

| module | plain | kernels | every kernel | kept kernels | kernels | kept | without a time | values |
|---|---:|---:|---:|---:|---:|---|---:|---|
",
        kept.len(),
        all.len(),
    );
    for row in rows {
        let Some(Times { plain, all, kept }) = times(row) else {
            let _ = writeln!(page, "| `{}` | - | - | - | - | - | - | - | |", row.name);
            continue;
        };
        let all = all.map_or("-".to_owned(), |all| format!("{all:.2}"));
        let values = match (&row.wrong, row.is_compared) {
            (Some(_), _) => "wrong",
            (None, true) => "right",
            (None, false) => "",
        };
        let _ = writeln!(
            page,
            "| `{}` | {plain:.2} | {} | {all} | {kept:.2} | {} | {} of {} | {} | {values} |",
            row.name, row.plain_kernels, row.kernels, row.kept, row.judged, row.untimed,
        );
    }
}
