//! `wavetune export table` and `wavetune table`: from a database to a file, and lookups without
//! the database.

use testing_sqlite as support;

use std::path::Path;
use std::process::{Command, Output};

use configgen::Generator;
use serde_json::Value;
use store::{Ledger as _, Trial, TrialOutcome};
use store_sqlite::Sqlite;
use support::{default_trial, key, right, timing, trial};
use tempfile::TempDir;

/// A folder with a database.
struct Bed {
    folder: TempDir,
}

impl Bed {
    /// Creates a database with these tuned problems and times.
    fn new(tuned: &[(&str, f64)]) -> Bed {
        let bed = Bed {
            folder: tempfile::tempdir().unwrap(),
        };
        for (problem, time_us) in tuned {
            let trials = [
                default_trial(0, 256, right(61.0)),
                trial(1, 512, right(*time_us)),
            ];
            bed.record(problem, Generator::NATIVE, &trials);
        }
        bed
    }

    /// Writes trials of a problem.
    fn record(&self, problem: &str, generator: Generator, trials: &[Trial]) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(async {
            let path = self.folder.path().join("test.db");
            let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
            let mut key = key();
            key.problem = problem.parse().unwrap();
            key.provenance.generator = generator;
            let study = store.open_study(&key, Some(4.0)).await.unwrap();
            for trial in trials {
                store.record_trial(&study, trial).await.unwrap();
            }
            store.close().await;
        });
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
        command.args(arguments.split(' '));
        command.current_dir(self.folder.path());
        command.env("WAVETUNE_DB", "test.db").output().unwrap()
    }

    /// Checks the exit code and parts of the output. Returns standard output and standard error.
    #[track_caller]
    fn check(&self, arguments: &str, exit: i32, parts: &[&str]) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(exit), "{arguments}: {said}");
        for part in parts {
            assert!(said.contains(part), "{arguments}: {part}: {said}");
        }
        said
    }

    fn json(&self, arguments: &str, schema: &str) -> Vec<Value> {
        let output = self.run(&format!("{arguments} --output-format json"));
        testing_conformance::answers(schema, &output.stdout)
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.path().join(name)).unwrap()
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

const PROBLEM: &str = "argmax:4x[32000]xf32";

#[test]
fn a_table_answers_as_the_database() {
    let bed = Bed::new(&[
        (PROBLEM, 8.0),
        ("argmax:4x[20000]xf32", 6.0),
        ("argmin:[7]xi32", 2.0),
    ]);
    let export = "export table --target gfx942 --output gfx942.wtab";
    bed.check(export, 0, &["3 entries for gfx942 in gfx942.wtab"]);
    let bytes = bed.bytes("gfx942.wtab");
    bed.check(export, 0, &[]);
    assert_eq!(bed.bytes("gfx942.wtab"), bytes);
    bed.check(
        "export table --target gfx950 --output none.wtab",
        1,
        &["nothing to export for gfx950"],
    );
    assert!(!bed.path().join("none.wtab").exists());
    bed.check(
        "export table argmin:[7]xi32 --target gfx942 --output one.wtab",
        0,
        &["1 entry for gfx942 in one.wtab"],
    );
    let unknown = [
        "no configuration of argmax:99x[100]xf32:i32 exists for gfx942",
        "`wavetune tune 'argmax:99x[100]xf32:i32' --device emulated:mi300x` finds one",
    ];
    bed.check(
        "export table argmin:[7]xi32 argmax:99x[100]xf32 --target gfx942 --output none.wtab",
        1,
        &unknown,
    );
    assert!(!bed.path().join("none.wtab").exists());

    // The same line, and only the table is opened.
    let lookup = |problem: &str| format!("table lookup gfx942.wtab {problem}");
    let exact = bed.json(&lookup(PROBLEM), "lookup");
    let known = bed.json(&format!("lookup {PROBLEM} --target gfx942"), "lookup");
    assert_eq!(exact, known);
    std::fs::rename(bed.path().join("test.db"), bed.path().join("away.db")).unwrap();
    let text = bed.check(
        &lookup(PROBLEM),
        0,
        &["8.00 µs modelled on emulated:mi300x"],
    );
    assert_eq!(text.lines().count(), 2, "{text}");
    let near = lookup("argmax:4x[30000]xf32");
    let neighbour = [
        "gfx942: neighbour",
        "from argmax:4x[32000]xf32:i32: 8.00 µs",
        "not exact: ",
    ];
    bed.check(&near, 1, &neighbour);
    bed.check(&format!("{near} --at-least neighbour"), 0, &neighbour);
    bed.check(
        &format!("{near} --at-least exact"),
        1,
        &["is not in this table for gfx942"],
    );
    bed.check(&lookup("argmax:9x[7]xf64"), 1, &["gfx942: default"]);
    bed.check(
        &format!("{} --device hip:0", lookup(PROBLEM)),
        1,
        &["gfx942: sibling"],
    );
    bed.check(
        // The time model predicts nothing there.
        &format!("{} --target gfx1100", lookup(PROBLEM)),
        1,
        &["gfx1100: default"],
    );
    bed.check(&format!("{near} --wish"), 2, &["does not exist"]);
    std::fs::rename(bed.path().join("away.db"), bed.path().join("test.db")).unwrap();
    bed.check("wishes", 1, &["there are no wishes"]);
    let wished = bed.json(&format!("{near} --wish"), "lookup");
    assert_eq!(wished[0]["wished"], true);
    bed.check(
        "wishes",
        0,
        &["argmax:4x[30000]xf32:i32 for gfx942: asked once"],
    );
}

#[test]
fn tables_are_dumped_compared_and_merged() {
    let bed = Bed::new(&[(PROBLEM, 8.0), ("argmin:[7]xi32", 2.0)]);
    bed.check("export table --target gfx942 --output a.wtab", 0, &[]);
    bed.check(
        "export table argmin:[7]xi32 --target gfx942 --output b.wtab",
        0,
        &[],
    );
    let dumped = bed.check(
        "table dump a.wtab",
        0,
        &["target: gfx942", "compiler: LLVM 22.1.0", "ties: fold"],
    );
    assert_eq!(dumped.lines().count(), 5, "{dumped}");
    let dumped = bed.json("table dump a.wtab", "table-entry");
    let known = bed.json(&format!("lookup {PROBLEM} --target gfx942"), "lookup");
    assert_eq!(dumped[0]["exact"], known[0]);
    assert_eq!(dumped[0]["bound_us"], 4.0);

    assert_eq!(bed.check("table diff a.wtab a.wtab", 0, &[]), "");
    let only =
        "- argmax:4x[32000]xf32:i32 on gfx942: 8.00 µs modelled on emulated:mi300x, native: ";
    let said = bed.check("table diff a.wtab b.wtab", 1, &[only]);
    assert_eq!(said.lines().count(), 1, "{said}");
    let change = bed.json("table diff b.wtab a.wtab", "table-change");
    assert_eq!(change.len(), 1);
    assert!(change[0]["before"].is_null());
    assert_eq!(change[0]["after"]["exact"], known[0]);

    for order in ["a.wtab b.wtab", "b.wtab a.wtab", "a.wtab"] {
        bed.check(
            &format!("table merge {order} --output all.wtab"),
            0,
            &["2 entries in all.wtab"],
        );
        assert_eq!(bed.bytes("all.wtab"), bed.bytes("a.wtab"));
    }
    // A file that is no table is refused, with advice.
    std::fs::write(bed.path().join("bad.wtab"), &bed.bytes("a.wtab")[..200]).unwrap();
    for command in [
        "table dump bad.wtab",
        "table diff a.wtab bad.wtab",
        "table merge bad.wtab -o x.wtab",
        "table lookup bad.wtab argmin:[7]xi32",
    ] {
        bed.check(command, 2, &["bad.wtab"]);
    }
    assert!(!bed.path().join("x.wtab").exists());
}

/// Checks a problem with another tie-break in all configurations, and the fold's index only in
/// IREE's own choice.
#[test]
fn unusable_tables_are_refused() {
    let bed = Bed::new(&[]);
    let unasked = Trial {
        configuration: None,
        ..default_trial(0, 1, right(13.15))
    };
    let tie = TrialOutcome::Tie(timing(4.46), "row 0: index 3 for 1".to_owned());
    let trials = [unasked, trial(1, 512, tie.clone())];
    bed.record(PROBLEM, Generator::IREE, &trials);
    bed.record("argmin:[7]xi32", Generator::IREE, &[trial(0, 512, tie)]);
    bed.check("export table --target gfx942 --output a.wtab", 0, &[]);
    let said = bed.check("table dump a.wtab", 0, &[]);
    let of = |problem: &str| said.lines().find(|line| line.starts_with(problem)).unwrap();
    let unused = "with another tie-break, and not to be used, iree: ";
    assert!(of(PROBLEM).contains(unused), "{said}");
    let used = "with another tie-break, iree: ";
    assert!(of("argmin").contains(used), "{said}");
    let dumped = bed.json("table dump a.wtab", "table-entry");
    let found = dumped
        .iter()
        .map(|entry| entry["is_best_unasked"].as_bool());
    assert_eq!(found.collect::<Vec<_>>(), [Some(true), Some(false)]);
    let lookup = format!("table lookup a.wtab {PROBLEM}");
    bed.check(
        &lookup,
        1,
        &[
            "Use none of them",
            "(a table that was exported with --ties any)",
        ],
    );
}

/// Checks that two equal bests are told apart by their times.
#[test]
fn repeated_results_are_counted_apart() {
    let beds = [0, 1].map(|hours| {
        let bed = Bed::new(&[]);
        let mut found = trial(1, 512, right(8.0));
        found.started += std::time::Duration::from_secs(3600 * hours);
        found.ended += std::time::Duration::from_secs(3600 * hours);
        bed.record(PROBLEM, Generator::NATIVE, &[found]);
        bed.check("export table --target gfx942 --output a.wtab", 0, &[]);
        bed
    });
    std::fs::copy(beds[1].path().join("a.wtab"), beds[0].path().join("b.wtab")).unwrap();
    let said = beds[0].check("table diff a.wtab b.wtab", 1, &[]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert_ne!(lines[0][1..], lines[1][1..], "{said}");
}

/// Checks that a table on standard output is appended to the redirected file.
#[test]
#[cfg(unix)]
fn a_table_replaces_another_atomically() {
    use std::io::Write as _;
    let bed = Bed::new(&[(PROBLEM, 8.0)]);
    bed.check("export table --target gfx942 --output a.wtab", 0, &[]);
    let mut file = std::fs::File::create(bed.path().join("out")).unwrap();
    file.write_all(b"head").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command.args("export table --target gfx942 --output /dev/stdout".split(' '));
    command
        .current_dir(bed.path())
        .env("WAVETUNE_DB", "test.db");
    assert!(command.stdout(file).status().unwrap().success());
    let expected = [b"head", &bed.bytes("a.wtab")[..]].concat();
    assert_eq!(bed.bytes("out"), expected);
}
