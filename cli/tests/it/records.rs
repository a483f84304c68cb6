//! `wavetune studies`, `trials` and `db`: the contents of a database, for people.

use testing_sqlite as support;

mod waiting;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use store::{FailureKind, Ledger as _, Study, StudyKey, Trial, TrialOutcome};
use store_sqlite::Sqlite;
use support::{default_trial, key, right, spoil, timing, trial};

/// A database, and the program that reads it.
struct Bed {
    directory: tempfile::TempDir,
    store: Sqlite,
    runtime: tokio::runtime::Runtime,
}

impl Bed {
    fn new() -> Bed {
        let directory = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        let path = directory.path().join("test.db");
        let store = runtime.block_on(Sqlite::open(path.to_str().unwrap()));
        Bed {
            directory,
            store: store.unwrap(),
            runtime,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn record(&self, key: &StudyKey, trials: &[Trial]) -> Study {
        self.runtime.block_on(async {
            let study = self.store.open_study(key, None).await.unwrap();
            for trial in trials {
                self.store.record_trial(&study, trial).await.unwrap();
            }
            study
        })
    }

    /// Runs a command with this exit code. Returns its standard output and standard error.
    #[track_caller]
    fn run(&self, arguments: &str, exit: i32) -> (String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
        command
            .args(arguments.split(' '))
            .current_dir(&self.directory);
        command
            .env("WAVETUNE_DB", self.path("test.db"))
            .stdin(Stdio::null());
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (out, err) = (text(output.stdout), text(output.stderr));
        assert_eq!(
            output.status.code(),
            Some(exit),
            "{arguments:?}\n{out}{err}"
        );
        // A configuration shown alone stays on one line, as JSON does.
        let table = out.lines().filter(|line| !line.starts_with(['{', 'b']));
        for line in table {
            assert!(line.chars().count() <= 100, "{line}");
        }
        (out, err)
    }

    #[track_caller]
    fn check(&self, arguments: &str, exit: i32, in_out: &[&str], in_err: &str) {
        let (out, err) = self.run(arguments, exit);
        for part in in_out {
            assert!(out.contains(part), "{arguments}: {part}: {out}");
        }
        assert!(err.contains(in_err), "{arguments}: {err}");
        assert_eq!(
            (out.is_empty(), err.is_empty()),
            (in_out.is_empty(), in_err.is_empty()),
            "{out}{err}"
        );
    }

    #[track_caller]
    fn json(&self, schema: &str, arguments: &str, exit: i32) -> Vec<Value> {
        let (out, _) = self.run(&format!("{arguments} --output-format json"), exit);
        testing_conformance::answers(schema, out.as_bytes())
    }
}

fn trials() -> [Trial; 5] {
    let failed = |kind, words: &str| TrialOutcome::Failed(kind, words.to_owned());
    [
        default_trial(0, 1, right(9.0)),
        Trial {
            error: Some(0.0123),
            ..trial(1, 2, right(4.5))
        },
        trial(
            2,
            3,
            TrialOutcome::Tie(timing(3.0), "row 0: index 3 for 1".to_owned()),
        ),
        trial(
            3,
            4,
            failed(FailureKind::Compile, "error: no such register"),
        ),
        trial(4, 5, failed(FailureKind::Timeout, "longer than 10 s")),
    ]
}

#[test]
fn studies_are_listed_shown_and_deleted() {
    let bed = Bed::new();
    bed.check("studies", 1, &[], "there is no such study");
    let long = "argmax:2000x3000x5x[8000]x2xf32:i64:initial"
        .parse()
        .unwrap();
    let long = StudyKey {
        problem: long,
        ..key()
    };
    bed.record(&key(), &trials());
    bed.record(&long, &[]);
    let first = ["ID  PROBLEM", "1  argmax:4x[32000]xf32:i32", "4.50", "2.00"];
    bed.check("studies", 0, &first, "");
    bed.check("studies list --problem argmax:4x[32000]xf32", 0, &first, "");
    bed.check(
        "studies --limit 1",
        0,
        &["2  argmax:2000x3000x5x"],
        "the list is incomplete; --limit sets its length",
    );
    bed.check("studies --element f16", 1, &[], "there is no such study");
    bed.check("studies --since yesterday", 2, &[], "--since");
    let json = bed.json("study", "studies", 0);
    assert_eq!(json.len(), 2);
    let study = &json[1];
    assert_eq!(
        (&study["best"]["time_us"], &study["best"]["ordinal"]),
        (&4.5.into(), &1.into())
    );
    assert_eq!(
        (&study["default_time_us"], &study["speedup"]),
        (&9.0.into(), &2.0.into())
    );
    assert_eq!(study["trials"]["failed"], 2);
    assert_eq!(
        (&json[0]["best"], &json[0]["finals"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(bed.json("study", "studies show 1", 0)[0], *study);
    let shown = [
        "trials     5: 2 right, 1 tie, 0 wrong, 2 failed",
        "best       4.50 µs modelled, right, trial 1: ",
    ];
    let (out, _) = bed.run("studies show 2", 0);
    assert!(out.contains("best       none"), "{out}");
    let (out, _) = bed.run("studies show 1", 0);
    for part in shown {
        assert!(out.contains(part), "{out}");
    }
    bed.check(
        "studies show 7",
        1,
        &[],
        "there is no study 7; see `wavetune studies`",
    );

    bed.check(
        "studies delete 2",
        2,
        &[],
        "standard input is not a terminal; --yes confirms",
    );
    let study = bed.record(&key(), &[]);
    bed.runtime.block_on(bed.store.stay(&study, "ann")).unwrap();
    bed.check(
        "studies delete 1 --yes",
        2,
        &[],
        "study 1 is being worked on by ann",
    );
    bed.runtime.block_on(bed.store.leave(None, "ann")).unwrap();
    let deleted = bed.json("deleted", "studies delete 1 --yes", 0);
    assert_eq!(
        (&deleted[0]["trials"], &deleted[0]["finals"]),
        (&5.into(), &0.into())
    );
    bed.check(
        "studies delete 1 2 --yes",
        1,
        &["study 2 of argmax:"],
        "there is no study 1",
    );
    bed.check("studies", 1, &[], "there is no such study");
}

#[test]
fn failed_trials_are_listed_with_their_reasons() {
    let bed = Bed::new();
    bed.check(
        "trials 1",
        1,
        &[],
        "there is no study 1; see `wavetune studies`",
    );
    bed.record(&key(), &trials());
    bed.check(
        "trials 1",
        0,
        &[
            "right, default",
            "1.2e-2",
            "9.00",
            "7.25",
            "row 0: index 3 for 1",
        ],
        "",
    );
    let failures = [
        "compile",
        "error: no such register",
        "timeout",
        "longer than 10 s",
    ];
    bed.check("trials 1 --failures", 0, &failures, "");
    bed.check(
        "trials 1 --status wrong",
        1,
        &[],
        "study 1 has no such trial",
    );
    bed.check(
        "trials 1 --sort time --limit 1",
        0,
        &["3.00"],
        "the list is incomplete; --limit sets its length",
    );
    bed.check(
        "trials 1 --status best",
        2,
        &[],
        "[possible values: right, tie, wrong, failed, timed]",
    );
    let ordinals = |arguments: &str| {
        let json = bed.json("trial", arguments, 0);
        let ordinals = json.iter().map(|trial| trial["ordinal"].as_u64().unwrap());
        ordinals.collect::<Vec<u64>>()
    };
    assert_eq!(ordinals("trials 1"), [0, 1, 2, 3, 4]);
    assert_eq!(ordinals("trials 1 --sort time"), [2, 1, 0]);
    assert_eq!(ordinals("trials 1 --failure timeout"), [4]);
    assert_eq!(ordinals("trials 1 --least 4 --most 5"), [1]);
    assert_eq!(ordinals("trials 1 --limit 2"), [0, 1]);
    let errors = bed.json("trial", "trials 1 --status right", 0);
    let errors: Vec<Option<f64>> = { errors.iter() }.map(|it| it["error"].as_f64()).collect();
    assert_eq!(errors, [None, Some(0.0123)]);
    let one = &bed.json("trial", "trials 1 --role default", 0)[0];
    assert_eq!(one["samples_us"], serde_json::json!([9.0, 11.25, 6.75]));
    bed.runtime.block_on(spoil(
        &bed.store,
        "UPDATE trial SET status = 'new' WHERE ordinal = 1",
    ));
    let (out, err) = bed.run("trials 1 --output-format json", 0);
    assert_eq!(out.lines().count(), 4);
    assert!(
        err.contains("skipped: 1 row that this build cannot read"),
        "{err}"
    );
}

#[test]
fn abandoned_trials_are_listed_and_repeated() {
    let bed = Bed::new();
    let abandoned =
        TrialOutcome::Failed(FailureKind::Abandoned, "given up after 3 leases".to_owned());
    for seed in 0..2 {
        let key = StudyKey { seed, ..key() };
        bed.record(&key, &trials());
        bed.record(&key, &[trial(5, 6, abandoned.clone())]);
    }
    let listed = ["STUDY", "abandoned", "given up after 3 leases"];
    bed.check("trials --failure abandoned", 0, &listed, "");
    let studies = |arguments: &str| {
        let json = bed.json("trial", arguments, 0);
        let studies = json.iter().map(|trial| trial["study"].as_i64().unwrap());
        studies.collect::<Vec<i64>>()
    };
    assert_eq!(studies("trials --failure abandoned"), [1, 2]);
    assert_eq!(studies("trials --status right"), [1, 1, 2, 2]);
    bed.check("trials --sort time", 2, &[], "<STUDY>");
    bed.check(
        "trials --failure fault",
        1,
        &[],
        "no study has such a trial",
    );
    let made = &bed.json("requeued", "studies requeue 1", 0)[0];
    assert_eq!((&made["study"], &made["trials"]), (&1.into(), &1.into()));
    assert_eq!(studies("trials --failure abandoned"), [2]);
    bed.check(
        "studies requeue 1",
        1,
        &[],
        "study 1 has no abandoned trial",
    );
    let study = bed.record(&StudyKey { seed: 1, ..key() }, &[]);
    bed.runtime.block_on(bed.store.stay(&study, "ann")).unwrap();
    bed.check(
        "studies requeue 2",
        2,
        &[],
        "study 2 is being worked on by ann",
    );
    bed.runtime.block_on(bed.store.leave(None, "ann")).unwrap();
    bed.check("studies requeue 2", 0, &["study 2 repeats 1 trials"], "");
}

#[test]
fn regressions_are_listed() {
    let bed = Bed::new();
    bed.record(&key(), &trials());
    bed.check("regressions", 1, &[], "no problem became slower");
    let mut newer = key();
    newer.provenance.compiler_version = "23.0.0".to_owned();
    bed.record(&newer, &[trial(0, 7, right(9.0))]);
    let told = "argmax:4x[32000]xf32:i32 on emulated:mi300x, native kernels\n  2.000 times as long: 4.50 to 9.00 µs modelled, \
                another configuration\n  compiler: LLVM 22.1.0, LLD 22.1.0\n    now LLVM 23.0.0, LLD 22.1.0\n";
    let (out, _) = bed.run("regressions --output-format json", 0);
    let json = testing_conformance::answer("regression", out.as_bytes());
    assert_eq!((&json["low"], &json["high"]), (&2.0.into(), &2.0.into()));
    let (out, _) = bed.run("regressions", 0);
    assert_eq!(out, told);
}

#[test]
fn a_database_is_looked_after() {
    let bed = Bed::new();
    bed.record(&key(), &trials());
    bed.check(
        "db info",
        0,
        &["studies     1\n", "trials      5\n", "schema      16\n"],
        "",
    );
    let info = &bed.json("database", "db info", 0)[0];
    assert_eq!((&info["problems"], &info["finals"]), (&1.into(), &0.into()));
    bed.check("db check", 0, &["test.db is intact\n"], "");
    bed.check("db backup copy.db", 0, &["copy.db is a copy of "], "");
    bed.check(
        "db backup copy.db",
        2,
        &[],
        "copy.db: exists already; name another file",
    );
    let backup = &bed.json("backup", "db backup other.db", 0)[0];
    assert_eq!(
        backup["bytes"],
        bed.path("other.db").metadata().unwrap().len()
    );

    bed.runtime
        .block_on(spoil(&bed.store, "UPDATE problem SET text = 'argmax:<b>'"));
    bed.check("db check", 1, &["problem 1, text: "], "");
    let checked = &bed.json("database-check", "db check", 1)[0];
    assert_eq!(
        (
            &checked["whole"],
            checked["findings"].as_array().unwrap().len()
        ),
        (&false.into(), 2)
    );
    bed.check(
        "db backup third.db",
        2,
        &[],
        "is damaged: problem 1, text: ",
    );

    bed.check(
        "db restore copy.db",
        2,
        &[],
        "standard input is not a terminal",
    );
    bed.runtime.block_on(bed.store.clone().close());
    let restored = &bed.json("restored", "db restore copy.db --yes", 0)[0];
    assert!(std::path::Path::new(restored["kept"].as_str().unwrap()).exists());
    bed.check("db check", 0, &["is intact"], "");
    bed.check("trials 1 --failure timeout", 0, &["longer than 10 s"], "");
    for (command, tool) in [
        ("info", "psql"),
        ("check", "pg_amcheck"),
        ("backup a", "pg_dump"),
        ("restore a --yes", "pg_restore"),
    ] {
        let server = format!("db {command} --db postgres://host/wavetune");
        let words = format!("use its tool {tool}");
        bed.check(&server, 2, &[], &words);
    }
}

#[test]
fn samples_are_pruned() {
    let bed = Bed::new();
    let several: Vec<Trial> = (1..6)
        .map(|n| trial(n, n + 1, right(f64::from(n))))
        .collect();
    bed.record(&key(), &several);
    let tried = "0 trials of 0 studies would lose their samples: 0 B";
    bed.check("db prune --dry-run", 0, &[tried], "");
    let old = "db prune --keep 3 --older-than 0s";
    bed.check(old, 2, &[], "standard input is not a terminal");
    let tried = "2 trials of 1 studies would lose their samples: 18 B";
    bed.check(&format!("{old} --dry-run"), 0, &[tried], "");
    let answer = bed.json("pruned", &format!("{old} --yes"), 0);
    assert_eq!([&answer[0]["trials"], &answer[0]["studies"]], [2, 1]);
    let study = bed.record(&key(), &[]);
    let known = bed.runtime.block_on(bed.store.trials_of(&study)).unwrap();
    let samples = known.iter().filter_map(|it| it.outcome.timing());
    let samples: Vec<usize> = samples.map(|it| it.samples_us.len()).collect();
    assert_eq!(samples, [3, 3, 3, 1, 1]);
    bed.check("db check", 0, &["is intact"], "");
    bed.check("db prune --keep 0", 2, &[], "0 is not in 1..");
    bed.check("db prune --older-than soon", 2, &[], "--older-than");
    let stay = bed.store.stay(&study, "ann");
    bed.runtime.block_on(stay).unwrap();
    let said = "skipped: study 1 is being worked on by ann";
    let (_, err) = bed.run("db prune --older-than 0s --yes", 1);
    assert!(err.contains(said), "{err}");
}
