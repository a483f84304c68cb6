//! `export iree-spec --ranges`: shapes between tuned ones get a configuration that is correct on
//! samples of the range.

use std::path::Path;

use configgen::{Generator, Problem, Target};
use iree::{IreeCompiler, MlirModule};
use store::{Catalogue as _, ProblemSelection, StudyKey, TrialOutcome};
use store_sqlite::Sqlite;
use testing::Failed;
use testing_store_contract::block_on;
use testing_store_contract::samples::{key_made, record, right, trial};

use super::{compile_with, wavetune};

const TUNED: [&str; 2] = ["argmax:4x[4096]xf32", "argmax:6x[8192]xf32"];

/// The bounds and divisors of a range's rows and columns, from the comment of its entry.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    rows: [u32; 3],
    columns: [u32; 3],
}

/// Parses `4..6 by 2`, `4..6` or `4`: the least, the largest, and the divisor.
fn sizes(text: &str) -> Option<[u32; 3]> {
    let (bounds, divisor) = text.split_once(" by ").unwrap_or((text, "1"));
    let (least, most) = bounds.split_once("..").unwrap_or((bounds, bounds));
    Some([
        least.parse().ok()?,
        most.parse().ok()?,
        divisor.parse().ok()?,
    ])
}

impl Bounds {
    /// Returns the bounds of all ranges of a spec.
    fn of(spec: &str) -> Vec<Bounds> {
        let comments = spec
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("// "));
        let ranges =
            comments.filter_map(|line| line.strip_prefix("argmax:")?.split_once("]xf32:i32: as "));
        let bounds = ranges.filter_map(|(shape, _)| {
            let (rows, columns) = shape.split_once("x[")?;
            Some(Bounds {
                rows: sizes(rows)?,
                columns: sizes(columns)?,
            })
        });
        bounds.collect()
    }

    fn has(&self, rows: u32, columns: u32) -> bool {
        let has = |[least, most, divisor]: [u32; 3], size: u32| {
            (least..=most).contains(&size) && size.is_multiple_of(divisor)
        };
        has(self.rows, rows) && has(self.columns, columns)
    }
}

/// Returns the spec with ranges, and the messages of the export.
fn exported(db: &Path, spec: &Path) -> Result<(String, String), Failed> {
    let output = spec.to_str().ok_or("a path that is no text")?;
    let export = [
        "export",
        "iree-spec",
        "--target",
        "gfx942",
        "--ranges",
        "--output",
        output,
    ];
    let exported = wavetune(db, &export)?;
    let said = String::from_utf8(exported.stderr)?;
    match exported.status.code() {
        Some(0) => Ok((std::fs::read_to_string(spec)?, said)),
        _ => Err(said.into()),
    }
}

/// Returns whether the compiler compiles a problem with the spec's configuration.
fn is_marked(
    compiler: &IreeCompiler,
    folder: &Path,
    spec: &Path,
    [rows, columns]: [u32; 2],
) -> Result<bool, Failed> {
    let problem: Problem = format!("argmax:{rows}x[{columns}]xf32").parse()?;
    let source = folder.join("in.mlir");
    std::fs::write(&source, MlirModule::new(&problem, None)?.to_string())?;
    let shown = ["--compile-to=executable-configurations", "-o", "-"];
    let output = compile_with(compiler, &source, Some(spec), &shown)?;
    Ok(String::from_utf8(output.stdout)?.contains("__tuning_spec_applied__"))
}

pub(super) fn shapes_between_tuned_ones_have_a_configuration(
    compiler: &IreeCompiler,
) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let folder = directory.path();
    let (db, spec) = (folder.join("test.db"), folder.join("spec.mlir"));
    let tune = [
        &["tune"][..],
        &TUNED,
        &["--generator", "iree", "--budget", "8"],
    ]
    .concat();
    assert_eq!(wavetune(&db, &tune)?.status.code(), Some(0));
    let (text, said) = exported(&db, &spec)?;
    let ranges = Bounds::of(&text);
    let count = format!("{} ranges from ", ranges.len());
    assert!(!ranges.is_empty() && said.contains(&count), "{said}{text}");
    assert!(said.contains("2 configurations for gfx942"), "{said}");

    // Shapes on and around the bounds of each range, and a whole step beyond.
    let about = |[least, most, divisor]: [u32; 3]| {
        [
            least,
            most,
            least + divisor,
            least + divisor / 2,
            most + divisor,
        ]
    };
    let mut shapes: Vec<[u32; 2]> = Vec::new();
    for range in &ranges {
        let columns = about(range.columns);
        shapes.extend(columns.map(|columns| [range.rows[1], columns]));
        let rows = [range.rows[0] - 1, range.rows[1] + 1, 5];
        shapes.extend(rows.map(|rows| [rows, range.columns[1]]));
    }
    shapes.sort_unstable();
    shapes.dedup();
    let (mut within, mut beyond) = (0, 0);
    for [rows, columns] in shapes {
        let is_tuned = [[4, 4096], [6, 8192]].contains(&[rows, columns]);
        let is_in_range = ranges.iter().any(|range| range.has(rows, columns));
        let marked = is_marked(compiler, folder, &spec, [rows, columns])?;
        assert_eq!(marked, is_tuned || is_in_range, "{rows}x{columns}\n{text}");
        within += usize::from(is_in_range && !is_tuned);
        beyond += usize::from(!marked);
    }
    assert!(within > 0 && beyond > 0, "{within} and {beyond}");
    // A second export gives the same text.
    let (again, _) = exported(&db, &spec)?;
    assert_eq!(again, text);
    a_wrong_sample_keeps_its_range_out(&db, &spec, &text)?;
    untestable_ranges_are_reported(&db)
}

/// Checks that a failed verdict on a sample of the first range keeps the range out.
fn a_wrong_sample_keeps_its_range_out(db: &Path, spec: &Path, before: &str) -> Result<(), Failed> {
    let comment = before.lines().find(|line| line.contains("]xf32:i32: as "));
    let comment = comment.ok_or("no range")?;
    let [first, ..] = Bounds::of(before)[..] else {
        return Err("no range".into());
    };
    // A corner that was not tuned.
    let corner = match (first.rows[1], first.columns[0]) {
        (4, 4096) => [4, first.columns[1]],
        (rows, columns) => [rows, columns],
    };
    let (_, tuned) = comment.split_once(": as ").ok_or("no problem")?;
    let (tuned, rest) = tuned.split_once(": ").ok_or("no time")?;
    let (_, ordinal) = rest.split_once(", trial ").ok_or("no trial")?;
    let ordinal = ordinal.split(' ').next().unwrap_or_default();
    let tuned: Problem = tuned.parse()?;
    let sample: Problem = format!("argmax:{}x[{}]xf32", corner[0], corner[1]).parse()?;
    block_on(async {
        let store = Sqlite::open(db.to_str().ok_or("a path that is no text")?).await?;
        let target = Target::named("gfx942");
        let studies = store
            .studies(ProblemSelection::These(&[tuned]), target)
            .await?;
        let study = studies.rows.first().ok_or("no study")?;
        let mut fastest = Vec::new();
        for status in [store::Status::Right, store::Status::Tie] {
            fastest.extend(store.fastest(&[study.id], status, 16).await?.trials);
        }
        let of_range = fastest
            .into_iter()
            .find(|it| it.trial.ordinal.to_string() == ordinal);
        let key = StudyKey {
            problem: sample,
            provenance: study.provenance.clone(),
            strategy: "random".to_owned(),
            space: "planted".to_owned(),
            ties: None,
            seed: 1,
        };
        let mut wrong = trial(0, 256, TrialOutcome::Wrong("row 0: planted".to_owned()));
        wrong.configuration = of_range.ok_or("no trial")?.trial.configuration;
        record(&store, &key, &[wrong]).await;
        Ok::<(), Failed>(())
    })?;
    let (after, _) = exported(db, spec)?;
    assert!(!after.contains(comment), "{comment} is still in\n{after}");
    Ok(())
}

/// Checks that samples need the installed compiler and an emulated device.
fn untestable_ranges_are_reported(db: &Path) -> Result<(), Failed> {
    let export = |more: [&str; 2]| -> Result<(Option<i32>, String), Failed> {
        let all = ["export", "iree-spec", "--target", "gfx942", "--ranges"];
        let output = wavetune(db, &[&all[..], &more].concat())?;
        Ok((output.status.code(), String::from_utf8(output.stderr)?))
    };
    let (code, said) = export(["--compiler-version", "3.14.0"])?;
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("but the spec is for iree-compile 3.14.0"),
        "{said}"
    );
    block_on(async {
        let store = Sqlite::open(db.to_str().ok_or("a path that is no text")?).await?;
        for problem in TUNED {
            let mut key = key_made(|made| {
                made.generator = Generator::IREE;
                made.compiler_version = "3.13.0".to_owned();
                made.device = "a card".to_owned();
            });
            key.problem = problem.parse()?;
            record(&store, &key, &[trial(0, 1024, right(5.0))]).await;
        }
        Ok::<(), Failed>(())
    })?;
    let (code, said) = export(["--device", "a card"])?;
    assert_eq!(code, Some(0), "{said}");
    let expected = "no ranges for tunings on a card: it is not emulated\n0 ranges from 0 samples";
    assert!(said.contains(expected), "{said}");
    Ok(())
}
