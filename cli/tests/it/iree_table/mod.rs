//! docs/iree-table.md: IREE's own choices against tuned ones. `cargo xtask table` writes it with
//! `written`; the other tests check the page against the list of problems and against itself.

pub(crate) mod problems;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use problems::PROBLEMS;
use serde_json::Value;

/// Trials of each study.
const BUDGET: &str = "64";

/// Slowdown of a default that is worth a line.
const SLOW: f64 = 1.5;

/// The default of one problem, and the best of each generator; times in microseconds.
struct Row {
    problem: String,
    source: &'static str,
    /// Its time, or its failure.
    default: Result<f64, &'static str>,
    iree: Option<f64>,
    native: Option<f64>,
}

impl Row {
    /// Returns the default's time as a multiple of the best, or `None` if it has no time.
    fn factor(&self, best: Option<f64>) -> Option<f64> {
        Some(self.default.ok()? / best?)
    }

    /// Returns whether IREE gains from the known configurations.
    fn gains(&self, best: Option<f64>) -> bool {
        match self.default {
            Ok(_) => self.factor(best).is_some_and(|factor| factor > SLOW),
            Err(_) => best.is_some(),
        }
    }

    fn best(&self) -> Option<f64> {
        let both = [self.iree, self.native].into_iter().flatten();
        both.min_by(f64::total_cmp)
    }
}

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/iree-table.md")
}

#[test]
#[ignore = "writes the table anew: 150 studies of 64 trials; `cargo xtask table` does it"]
fn written() {
    let mut tables = String::new();
    let mut all = Vec::new();
    for (device, problems) in PROBLEMS {
        let rows: Vec<Row> = problems
            .iter()
            .map(|(problem, source)| tuned(device, problem, source))
            .collect();
        tables += &table(device, &rows);
        all.extend(rows);
    }
    std::fs::write(page(), HEAD.to_owned() + &summary(&all) + &tables).unwrap();
}

const HEAD: &str = "\
# IREE's default and tuned kernels

`cargo xtask table` writes this page. Each problem gets 64 trials of IREE's configurations and 64 of wavetune's kernels,
with iree-base-compiler 3.13.0. All times are modelled microseconds, because no GPU was available.

- The *default* is the kernel of iree-compile without a tuning spec.
- The *best of IREE* is the configuration that `wavetune export iree-spec` exports.
- *Our kernel* is the kernel that `wavetune export kernels` exports for the same problem.

A configuration that gives the lowest index on ties ranks before a faster one that does not. So the best of IREE may be
slower than its default.

";

/// Returns the study of one problem by one generator.
fn study(device: &str, problem: &str, generator: &str) -> Value {
    let db = Path::new(env!("CARGO_TARGET_TMPDIR")).join("iree-table.db");
    let output = Command::new(env!("CARGO_BIN_EXE_wavetune"))
        .args([
            "tune",
            problem,
            "--device",
            device,
            "--generator",
            generator,
        ])
        .args(["--budget", BUDGET, "--output-format", "json"])
        .env("WAVETUNE_DB", db)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    testing_conformance::answer("tune", &output.stdout)
}

fn tuned(device: &str, problem: &str, source: &'static str) -> Row {
    let iree = study(device, problem, "iree");
    let native = study(device, problem, "native");
    let default = &iree["default"];
    let message = default["message"].as_str().unwrap_or_default();
    let default = match (default["status"].as_str(), default["time_us"].as_f64()) {
        (_, Some(time)) => Ok(time),
        (Some("wrong"), _) => Err("is wrong"),
        _ if message.contains("time limit") => Err("takes more than 10 s to compile"),
        _ if message.contains("crashed") => Err("crashes the compiler"),
        _ if message.contains("iree-compile") => Err("does not compile"),
        _ => Err("does not run"),
    };
    let best = |study: &Value| study["best"]["time_us"].as_f64();
    Row {
        problem: iree["problem"].as_str().unwrap_or(problem).to_owned(),
        source,
        default,
        iree: best(&iree),
        native: best(&native),
    }
}

/// Formats a summary of all rows.
fn summary(rows: &[Row]) -> String {
    let count = |gains: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| gains(row)).count();
    let failed = count(&|row| row.default.is_err());
    let by_iree = count(&|row| row.gains(row.iree));
    let by_any = count(&|row| row.gains(row.best()));
    format!(
        "The default has no time for {failed} of {} problems. A problem gains if the best takes less than 1/{SLOW} of the \
         default's time, or works while the default fails. IREE's best configuration gains for {by_iree} problems. With our \
         kernels as well, {by_any} problems gain.\n",
        rows.len(),
    )
}

const TITLES: &str = "\
| problem | from | default | best of IREE | our kernel | default / best |
|---|---|---:|---:|---:|---:|
";

fn table(device: &str, rows: &[Row]) -> String {
    let mut text = format!("\n## {device}\n\n{TITLES}");
    let time = |time: Option<f64>| time.map_or("–".to_owned(), |time| format!("{time:.1}"));
    for row in rows {
        let default = match row.default {
            Ok(time) => format!("{time:.1}"),
            Err(end) => end.to_owned(),
        };
        let factor = row.factor(row.best());
        let _ = writeln!(
            text,
            "| `{}` | {} | {default} | {} | {} | {} |",
            row.problem,
            row.source,
            time(row.iree),
            time(row.native),
            factor.map_or("–".to_owned(), |factor| format!("{factor:.1}")),
        );
    }
    text
}

/// Parses the rows of the page's tables.
fn said() -> Vec<Row> {
    let page = std::fs::read_to_string(page()).unwrap();
    let ends = [
        "is wrong",
        "takes more than 10 s to compile",
        "crashes the compiler",
        "does not compile",
        "does not run",
    ];
    let sources = PROBLEMS.iter().flat_map(|(_, problems)| problems.iter());
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    assert_eq!(rows.clone().count(), sources.clone().count());
    let row = |(line, (problem, source)): (&str, &(&str, &'static str))| {
        let cells: Vec<&str> = line
            .split(" | ")
            .map(|cell| cell.trim_matches(['|', ' ', '`']))
            .collect();
        let [said, from, default, iree, native, _] = cells[..] else {
            panic!("{line}")
        };
        let canonical: configgen::Problem = problem.parse().unwrap();
        assert_eq!((said, from), (&*canonical.to_string(), *source));
        let end = || ends.into_iter().find(|end| *end == default);
        Row {
            problem: said.to_owned(),
            source,
            default: default.parse().map_err(|_| end().unwrap()),
            iree: iree.parse().ok(),
            native: native.parse().ok(),
        }
    };
    rows.zip(sources).map(row).collect()
}

#[test]
fn the_page_has_a_row_for_each_problem() {
    let page = std::fs::read_to_string(page()).unwrap();
    let rows = said();
    assert!(page.starts_with(HEAD));
    assert!(page.contains(&summary(&rows)), "{}", summary(&rows));
    let mut left = &rows[..];
    for (device, problems) in PROBLEMS {
        let (of_device, others) = left.split_at(problems.len());
        let lines = |text: &str| {
            text.lines()
                .map(|line| {
                    line.rsplit_once(" | ")
                        .map_or(line, |(row, _)| row)
                        .to_owned()
                })
                .collect::<Vec<_>>()
        };
        let section = page
            .split("\n## ")
            .find(|section| section.starts_with(device))
            .unwrap();
        let expected = table(device, of_device);
        let expected = expected.strip_prefix("\n## ").unwrap();
        assert_eq!(lines(section.trim_end()), lines(expected.trim_end()));
        left = others;
    }
}
