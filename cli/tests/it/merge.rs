//! `wavetune db merge`: a file and a service import another database.

use crate::support::bed;
use crate::support::running;
use testing_sqlite as support;

use std::process::Command;

use bed::Bed;
use running::Running;
use serde_json::{Value, json};
use store::{FailureKind, Ledger as _, StudyKey, Trial, TrialOutcome};
use store_sqlite::Sqlite;
use support::{default_trial, key, right, spoil, trial};

impl Bed {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    fn open(&self, name: &str) -> Sqlite {
        self.block_on(Sqlite::open(self.path(name).to_str().unwrap()))
            .unwrap()
    }

    fn record(&self, name: &str, key: &StudyKey, trials: &[Trial]) {
        let store = self.open(name);
        self.block_on(async {
            let study = store.open_study(key, None).await.unwrap();
            for trial in trials {
                store.record_trial(&study, trial).await.unwrap();
            }
            store.close().await;
        });
    }

    /// Runs a command with this exit code. Returns its standard output and standard error.
    #[track_caller]
    fn ends(mut command: Command, exit: i32) -> (String, String) {
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (out, err) = (text(output.stdout), text(output.stderr));
        assert_eq!(output.status.code(), Some(exit), "{command:?}\n{out}{err}");
        (out, err)
    }

    #[track_caller]
    fn tells(&self, arguments: &str, exit: i32, part: &str) {
        let (out, err) = Self::ends(self.wavetune(arguments), exit);
        assert!(
            (out.clone() + &err).contains(part),
            "{arguments}\n{out}{err}"
        );
    }

    /// Returns the answer of a merge with these arguments and this exit code.
    #[track_caller]
    fn merged(&self, arguments: &str, exit: i32) -> Value {
        let line = format!("db merge {arguments} --output-format json");
        let (out, _) = Self::ends(self.wavetune(&line), exit);
        let mut answers = testing_conformance::answers("merged", out.as_bytes());
        assert_eq!(answers.len(), 1);
        answers.remove(0)
    }
}

#[track_caller]
fn check(merged: &Value, new_studies: u64, added: u64, replaced: u64) {
    let told = [
        &merged["new_studies"],
        &merged["added"],
        &merged["replaced"],
    ];
    assert_eq!(
        told,
        [new_studies, added, replaced]
            .map(|it| json!(it))
            .each_ref()
    );
}

fn twin(seed: u64) -> StudyKey {
    StudyKey { seed, ..key() }
}

const LOOKUP: &str = "lookup argmax:4x[32000]xf32 --target gfx942";

#[test]
fn a_file_takes_in_another() {
    let bed = Bed::new();
    let start = [default_trial(0, 1, right(9.0))];
    let more = [&start[..], &[trial(1, 2, right(4.0))]].concat();
    bed.record("other.db", &key(), &more);
    bed.record("other.db", &twin(1), &[trial(0, 3, right(3.0))]);
    bed.tells("db merge none.db", 2, "database none.db: does not exist");
    bed.tells("db merge other.db --dry-run", 2, "test.db: does not exist");
    assert!(!bed.path("test.db").exists());

    bed.record("test.db", &key(), &start);
    let tried = bed.merged("other.db --dry-run", 0);
    check(&tried, 1, 2, 0);
    let names = [&tried["other"], &tried["into"], &tried["dry_run"]];
    assert_eq!(names, [&json!("other.db"), &json!("test.db"), &json!(true)]);
    bed.tells(LOOKUP, 0, "9.00 µs");
    bed.tells(
        "db merge other.db",
        0,
        "test.db includes other.db\nnew studies 1 of 2\nnew trials  2 of 3",
    );
    bed.tells(LOOKUP, 0, "3.00 µs");
    check(&bed.merged("other.db", 0), 0, 0, 0);
    bed.tells("db check", 0, "test.db is intact");
    // A missing database is created.
    check(&bed.merged("test.db --db new.db", 0), 2, 3, 0);
}

#[test]
fn left_out_rows_are_named() {
    let bed = Bed::new();
    bed.record("other.db", &key(), &[default_trial(0, 1, right(9.0))]);
    bed.record("other.db", &twin(1), &[trial(0, 3, right(3.0))]);
    let other = bed.open("other.db");
    bed.block_on(async {
        let study = other.open_study(&twin(1), None).await.unwrap();
        other.stay(&study, "ann").await.unwrap();
        let sql = "UPDATE trial SET status = 'newer' WHERE study_id = 1";
        spoil(&other, sql).await;
    });
    let merged = bed.merged("other.db", 1);
    check(&merged, 1, 0, 0);
    assert_eq!(merged["unreadable"]["rows"], 1);
    let problem = "argmax:4x[32000]xf32:i32";
    let left_out =
        json!([{ "study": 2, "problem": problem, "reason": "is being worked on by ann" }]);
    assert_eq!(merged["left_out"], left_out);
    let study = twin(1);
    bed.block_on(async {
        let study = other.open_study(&study, None).await.unwrap();
        other.stay(&study, "ann").await.unwrap();
    });
    let said = "skipped: study 2 of argmax:4x[32000]xf32:i32: is being worked on by ann\n\
                skipped: 1 row that this build cannot read";
    bed.tells("db merge other.db", 1, said);
}

/// Checks that a file of schema 12 is imported, and stays as it is.
#[test]
fn an_older_file_is_taken_in_and_stays() {
    let bed = Bed::new();
    bed.record("other.db", &key(), &[default_trial(0, 1, right(9.0))]);
    let other = bed.open("other.db");
    let older = "ALTER TABLE trial DROP COLUMN error; DROP TABLE token; DROP TRIGGER study_without_run; DROP TABLE run;
        DROP TABLE submitted_model;
        DELETE FROM _sqlx_migrations WHERE version > 12;
        CREATE TABLE run (study_id INTEGER PRIMARY KEY NOT NULL REFERENCES study (id) ON DELETE CASCADE, ordered TEXT NOT NULL,
            state TEXT NOT NULL, reason TEXT, asked_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL) STRICT;";
    bed.block_on(async {
        spoil(&other, older).await;
        other.close().await;
    });
    let before = std::fs::read(bed.path("other.db")).unwrap();
    bed.tells(
        "studies --db other.db",
        2,
        "has schema 12, and this wavetune needs schema 16",
    );
    check(&bed.merged("other.db", 0), 1, 1, 0);
    assert_eq!(std::fs::read(bed.path("other.db")).unwrap(), before);
}

#[test]
fn a_service_takes_in_a_file() {
    let bed = Bed::new();
    let message = |bytes| TrialOutcome::Failed(FailureKind::Compile, "x".repeat(bytes));
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(1, 2, right(4.0)),
        // Together they exceed a request.
        trial(2, 3, message(600_000)),
        trial(3, 4, message(600_000)),
    ];
    bed.record("other.db", &key(), &trials);
    bed.record("other.db", &twin(1), &[trial(0, 3, message(1_100_000))]);
    let token = |scope: &str| {
        let (out, _) = Bed::ends(
            bed.wavetune(&format!("token create ann --scope {scope}")),
            0,
        );
        out.trim().to_owned()
    };
    let (reads, may) = (token("read,submit"), token("admin"));
    let serve = bed.wavetune("serve --listen 127.0.0.1:0 --require-token");
    let service = Running::start(serve, "listening on").unwrap();
    let server = format!("--server http://{}", service.address());
    let merge = |arguments: &str, token: &str, exit| {
        let line = format!("db merge other.db {server} {arguments} --output-format json");
        let mut command = bed.wavetune(&line);
        command.env("WAVETUNE_TOKEN", token);
        Bed::ends(command, exit)
    };
    let (_, err) = merge("", &reads, 2);
    assert!(err.contains("lacks the scope admin"), "{err}");
    let answer = |said: &str| testing_conformance::answers("merged", said.as_bytes()).remove(0);
    let tried = answer(&merge("--dry-run", &may, 1).0);
    check(&tried, 1, 4, 0);
    bed.tells("studies", 1, "there is no such study");
    let merged = answer(&merge("", &may, 1).0);
    check(&merged, 1, 4, 0);
    assert_eq!(merged["into"], format!("http://{}", service.address()));
    let reason = merged["left_out"][0]["reason"].as_str().unwrap();
    assert!(reason.contains(": a trial or finals has 11"), "{reason}");
    check(&answer(&merge("", &may, 1).0), 0, 0, 0);
    bed.tells(LOOKUP, 0, "4.00 µs");
    let store = bed.open("test.db");
    let kept = bed.block_on(async {
        let study = store.open_study(&key(), None).await.unwrap();
        store.trials_of(&study).await.unwrap()
    });
    assert_eq!(kept, trials);
    service.kill().unwrap();
    let (_, err) = merge("", &may, 2);
    assert!(err.contains(&server[9..]), "{err}");
}
