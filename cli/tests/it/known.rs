//! Answers from a database that was tuned elsewhere: they need no compiler.

use testing_sqlite as support;

use std::process::{Command, Output};

use configgen::{Generator, Target};
use store::{Ledger as _, StudyKey, Trial, TrialOutcome};
use store_sqlite::Sqlite;
use support::{default_trial, key, key_made, right, spoil, timing, trial};

/// A database, and the program that answers from it.
struct Bed {
    directory: tempfile::TempDir,
    store: Sqlite,
    runtime: tokio::runtime::Runtime,
}

impl Bed {
    fn new() -> Bed {
        let directory = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let path = directory.path().join("test.db");
        let store = runtime.block_on(Sqlite::open(path.to_str().unwrap()));
        Bed {
            directory,
            store: store.unwrap(),
            runtime,
        }
    }

    fn record(&self, key: &StudyKey, trials: &[Trial]) {
        self.runtime.block_on(async {
            let study = self.store.open_study(key, None).await.unwrap();
            for trial in trials {
                self.store.record_trial(&study, trial).await.unwrap();
            }
        });
    }

    /// Runs a command with this exit code. Returns its standard output and standard error.
    #[track_caller]
    fn run(&self, arguments: &[&str], exit: i32) -> (String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
        command.args(arguments).current_dir(&self.directory);
        command.env("WAVETUNE_DB", self.directory.path().join("test.db"));
        let Output {
            status,
            stdout,
            stderr,
        } = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (out, err) = (text(stdout), text(stderr));
        assert_eq!(status.code(), Some(exit), "{arguments:?}\n{out}{err}");
        (out, err)
    }

    #[track_caller]
    fn check(&self, arguments: &[&str], exit: i32, in_out: &str, in_err: &str) {
        let (out, err) = self.run(arguments, exit);
        assert!(out.contains(in_out), "{arguments:?}: {out}");
        assert!(err.contains(in_err), "{arguments:?}: {err}");
        // No further message is printed.
        assert_eq!(
            (out.is_empty(), err.is_empty()),
            (in_out.is_empty(), in_err.is_empty()),
            "{out}{err}"
        );
    }
}

fn iree(problem: &str) -> StudyKey {
    StudyKey {
        problem: problem.parse().unwrap(),
        ..key_made(|made| {
            made.generator = Generator::IREE;
            "3.13.0".clone_into(&mut made.compiler_version);
        })
    }
}

fn tie(time_us: f64) -> TrialOutcome {
    TrialOutcome::Tie(timing(time_us), "row 0: index 512 for 500".to_owned())
}

const TIE: &str = "with another tie-break";
const PROBLEM: &str = "argmax:[4096]xf32";

#[test]
fn a_right_default_is_not_replaced_by_a_faster_tie() {
    let bed = Bed::new();
    bed.record(
        &iree(PROBLEM),
        &[default_trial(0, 1, right(4.91)), trial(1, 2, tie(4.66))],
    );
    let lookup = ["lookup", PROBLEM, "--target", "gfx942"];
    let spec = ["export", "iree-spec", "--target", "gfx942"];
    let with = |command: &[&'static str], ties| [command, &["--ties", ties]].concat();
    for lookup in [lookup.to_vec(), with(&lookup, "fold")] {
        bed.check(
            &lookup,
            0,
            "4.91 µs modelled on emulated:mi300x, 1.00 times the default's speed\n",
            "",
        );
    }
    let words =
        format!("4.66 µs modelled on emulated:mi300x, 1.05 times the default's speed, {TIE}\n");
    bed.check(&with(&lookup, "any"), 0, &words, "");
    let comment =
        "argmax:[4096]xf32:i32: 4.91 us modelled on emulated:mi300x, IREE's own default\n";
    bed.check(&spec, 0, comment, "");
    let comment = format!(
        "argmax:[4096]xf32:i32: 4.66 us modelled on emulated:mi300x ({TIE}), 4.91 us by default (1.05x), trial 1 of study 1\n"
    );
    bed.check(&with(&spec, "any"), 0, &comment, "");
    for command in [&lookup[..], &spec] {
        bed.check(
            &with(command, "lowest"),
            2,
            "",
            "[possible values: fold, any]",
        );
    }
}

#[test]
fn a_spec_has_the_best_or_the_default() {
    let failed = || {
        TrialOutcome::Failed(
            store::FailureKind::Compile,
            "failed to distribute".to_owned(),
        )
    };
    let (best_one, unasked) = (false, true);
    for (default, best, fold, any) in [
        (right(5.0), right(4.0), best_one, best_one),
        (right(5.0), right(6.0), unasked, unasked),
        (right(5.0), tie(4.0), unasked, best_one),
        // A correct kernel precedes the default with another tie-break, however slow it is.
        (tie(5.0), right(6.0), best_one, unasked),
        (tie(5.0), tie(4.0), best_one, best_one),
        (tie(5.0), tie(6.0), unasked, unasked),
        (failed(), tie(6.0), best_one, best_one),
        (failed(), right(6.0), best_one, best_one),
    ] {
        let bed = Bed::new();
        let mut default = default_trial(0, 1, default);
        // As with IREE's fallback pipeline, which has no configuration to write down.
        default.configuration = None;
        bed.record(&iree(PROBLEM), &[default, trial(1, 2, best)]);
        for (ties, is_unasked) in [("fold", fold), ("any", any)] {
            let export = ["export", "iree-spec", "--target", "gfx942", "--ties", ties];
            let (spec, _) = bed.run(&export, 0);
            let found = spec.contains("IREE's own default");
            assert_eq!(found, is_unasked, "{spec}");
        }
    }
}

/// Checks that an export leaves out the choice of another compiler version, which is unknown.
#[test]
fn defaults_of_another_compiler_are_left_out() {
    let bed = Bed::new();
    let key = StudyKey {
        problem: PROBLEM.parse().unwrap(),
        ..key_made(|made| {
            made.generator = Generator::IREE;
            "3.14.0".clone_into(&mut made.compiler_version);
        })
    };
    let mut default = default_trial(0, 1, right(5.0));
    default.configuration = None;
    bed.record(&key, &[default, trial(1, 2, right(6.0))]);
    let export = [
        "export",
        "iree-spec",
        "--target",
        "gfx942",
        "--compiler-version",
        "3.14.0",
    ];
    bed.check(
        &export,
        1,
        "",
        "skipped: 1, because iree-compile's own choice is as fast",
    );
    // The user must learn that it is another version's.
    bed.check(
        &export[..4],
        2,
        "",
        "tuned with iree-compile 3.14.0, and the export is for 3.13.0",
    );
    bed.check(
        &export[..4],
        2,
        "",
        "--compiler-version 3.14.0 exports them anyway",
    );
}

#[test]
fn a_target_need_not_be_named() {
    let bed = Bed::new();
    let lookup = ["lookup", "argmax:4x[32000]xf32"];
    bed.check(
        &lookup,
        1,
        "",
        "was never tuned; `wavetune tune 'argmax:4x[32000]xf32:i32'` tunes it",
    );
    bed.record(&key(), &[trial(0, 1, right(8.0))]);
    bed.check(
        &lookup,
        0,
        "argmax:4x[32000]xf32:i32 on gfx942: 8.00 µs",
        "",
    );
    let other = {
        let mut key = key();
        key.provenance.target = Target::named("gfx950").unwrap();
        key.provenance.device = "emulated:mi350x".to_owned();
        key
    };
    bed.record(&other, &[trial(0, 1, right(7.0))]);
    bed.check(
        &lookup,
        1,
        "",
        "was tuned for gfx942, gfx950; name one of them as the target",
    );
    bed.check(
        &[&lookup[..], &["--target", "gfx950"]].concat(),
        0,
        "7.00 µs",
        "",
    );
    bed.check(
        &[&lookup[..], &["--device", "emulated:mi300x"]].concat(),
        0,
        "8.00 µs",
        "",
    );
    let json = bed
        .run(&[&lookup[..], &["--output-format", "json"]].concat(), 1)
        .0;
    let json = testing_conformance::answer("lookup", json.as_bytes());
    assert_eq!(
        (&json["answer"], &json["target"]),
        (&"none".into(), &serde_json::Value::Null)
    );
}

/// Checks that rows of a newer build are left out, with one line on standard error, and that the
/// rest is answered.
#[test]
fn rows_that_cannot_be_read_are_told() {
    let bed = Bed::new();
    bed.record(
        &iree(PROBLEM),
        &[trial(0, 1, right(4.0)), trial(1, 2, right(5.0))],
    );
    bed.record(&iree("argmax:[512]xf32"), &[trial(0, 1, right(6.0))]);
    bed.record(&iree("argmax:[256]xf32"), &[trial(0, 1, right(7.0))]);
    let spoilt = "UPDATE trial SET configuration = '{\"a\": 1}' WHERE id = 1;
        UPDATE problem SET text = 'argmax:garbage' WHERE id = 2";
    bed.runtime.block_on(spoil(&bed.store, spoilt));
    let knob =
        "skipped: 1 row that this build cannot read, the first of them trial 1, configuration: ";
    bed.check(&["lookup", PROBLEM], 0, "5.00 µs", knob);
    let export = [
        "export",
        "iree-spec",
        "--target",
        "gfx942",
        "--output",
        "spec.mlir",
    ];
    let (_, err) = bed.run(&export, 0);
    assert!(
        err.contains("skipped: 2 rows that this build cannot read, the first of them "),
        "{err}"
    );
    assert!(err.contains("2 configurations for gfx942"), "{err}");
    let (json, _) = bed.run(&["lookup", PROBLEM, "--output-format", "json"], 0);
    let json = testing_conformance::answer("lookup", json.as_bytes());
    assert_eq!(json["unreadable"]["rows"], 1, "{json}");
    // A problem without unreadable rows is answered without a message.
    bed.check(&["lookup", "argmax:[256]xf32"], 0, "7.00 µs", "");
}
