//! A database with an impossible trial, which an earlier wavetune stored from an agent's report:
//! every command answers, and reports the row as unreadable.

use crate::support::bed;
use crate::support::running;
use crate::support::states;
use testing_sqlite as support;

use std::os::unix::fs::PermissionsExt as _;

use bed::Bed;
use running::{Running, ask};
use states::State;
use store::{Ledger as _, StudyKey, Trial};
use store_sqlite::Sqlite;
use support::{default_trial, execute, key, right, spoil, trial};

impl Bed {
    /// Returns a database with these studies, changed by `sql`.
    fn filled(studies: &[(StudyKey, &[Trial])], sql: &'static str) -> Bed {
        let bed = Bed::new();
        bed.runtime.block_on(async {
            let path = bed.path("test.db");
            let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
            for (key, trials) in studies {
                let study = store.open_study(key, Some(2.5)).await.unwrap();
                store.record_trials(study.id, trials).await.unwrap();
            }
            spoil(&store, sql).await;
            store.close().await;
        });
        bed
    }

    /// Checks a command's exit code and a part of its output. Returns the output.
    #[track_caller]
    fn check(&self, arguments: &str, exit: i32, part: &str) -> String {
        let output = self.wavetune(arguments).output().unwrap();
        let said =
            [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
        let said = said.concat();
        assert_eq!(output.status.code(), Some(exit), "{arguments}: {said}");
        assert!(
            said.contains(part),
            "{arguments}: {part:?} is not in {said}"
        );
        said
    }
}

const PROBLEM: &str = "argmax:4x[32000]xf32";

/// Checks the trial that the review of November 26 had stored: the fastest of its problem, ended
/// in the year 10000.
#[test]
fn a_poisoned_database_is_served() {
    let mut other = key();
    other.problem = "argmin:[7]xi32".parse().unwrap();
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(1, 2, right(4.5)),
        trial(2, 3, right(3.0)),
    ];
    for (sql, row) in [
        (
            "UPDATE trial SET ended_ms = 253402300800000 WHERE id = 3",
            "trial 3, ended: 253402300800000 ms is before 1970, or after the year 9999",
        ),
        (
            "UPDATE trial SET ended_ms = 9000000000000000, started_ms = -1 WHERE id = 3",
            "trial 3, started: -1 ms is before 1970",
        ),
        (
            "UPDATE trial SET time_us = 1e-300, samples_us = '[1e-300]' WHERE id = 3",
            "trial 3, samples_us: ",
        ),
        (
            "UPDATE trial SET time_us = 2.0, samples_us = '[2e13]' WHERE id = 3",
            "trial 3, samples_us: 20000000000000 is not a possible kernel time",
        ),
        (
            "UPDATE trial SET samples_us = '[]' WHERE id = 3",
            "trial 3, samples_us: a time without samples",
        ),
        (
            "UPDATE trial SET samples_us = '[3.5]' WHERE id = 3",
            "trial 3, time_us: 3 µs is not the median",
        ),
    ] {
        let bed = Bed::filled(&[(key(), &trials), (other.clone(), &trials[..1])], sql);
        bed.check("db check", 1, row);
        bed.check("db info", 0, "trials      4");
        let answer = format!("lookup {PROBLEM} --target gfx942");
        // The rest of the problem answers, and the omission is reported.
        let said = bed.check(&answer, 0, "4.50 µs");
        assert!(said.contains("1 row that this build cannot read"), "{said}");
        bed.check("lookup argmin:[7]xi32 --target gfx942", 0, "9.00 µs");
        bed.check("trials 1", 0, "cannot read");
        bed.check("trials 1 --output-format json", 0, "4.5");
        bed.check("studies", 0, "argmin");
        bed.check("report 1 --output one.html", 0, "");
        bed.check(&format!("report {PROBLEM} --output two.html"), 0, "");
        bed.check("export iree-spec --target gfx942 --output spec.mlir", 1, "");
        bed.check("db backup copy.db", 2, row);
        let said = bed.check("db merge test.db --db into.db", 1, "cannot read");
        assert!(said.contains("into.db includes test.db"), "{said}");
        bed.check("db check --db into.db", 0, "is intact");

        let serve = bed.wavetune("serve --listen 127.0.0.1:0");
        let service = Running::start(serve, "listening on").unwrap();
        let of = |path: &str| ask(service.address(), &format!("GET {path}"), "").unwrap();
        let best = of("/api/v1/best").to_string();
        assert!(best.contains("argmin"), "{best}");
        assert!(best.contains(row), "{best}");
        // The answers come from memory by now, and its list reports the row.
        let mut tuned = String::new();
        while !tuned.contains("argmin") {
            tuned = of("/api/v1/tuned").to_string();
        }
        assert!(tuned.contains(row), "{tuned}");
        let trials = of("/api/v1/studies/1/trials").to_string();
        assert!(trials.contains(row), "{trials}");
        assert_eq!(service.end().unwrap(), Some(0));
    }
}

/// Checks that runs and tokens are read as a service reads them.
#[test]
fn every_table_is_checked() {
    let trials = [default_trial(0, 1, right(9.0))];
    for (sql, row) in [
        (
            "INSERT INTO run (study_id, ordered, state, asked_ms, changed_ms) VALUES (1, '{}', 'paused', 1, 1)",
            "run 1, ordered: this wavetune cannot read the study request",
        ),
        (
            "INSERT INTO run (study_id, ordered, state, asked_ms, changed_ms) VALUES (1, '{}', 'paused', 1, -1)",
            "run 1, changed: -1 ms",
        ),
        (
            "INSERT INTO token (name, hash, scopes, created_ms, expires_ms)
            VALUES ('ann', zeroblob(32), 'root', 1, 1)",
            "token 1, scopes: unknown scope",
        ),
        (
            "INSERT INTO wish VALUES ('argmax:?', 'gfx942', '', '', 1, 1, 1)",
            "wish 1, problem: ",
        ),
        (
            "INSERT INTO final VALUES (1, 1, 'fold', 0, 9e999, 1, 1, '', 1, 1)",
            "final 1, speedup: inf is not finite",
        ),
        (
            "UPDATE study SET bound_us = 9e999",
            "study 1, bound_us: inf µs is not a possible lower bound of a kernel time",
        ),
        (
            "UPDATE study SET created_ms = -1",
            "study 1, created: -1 ms",
        ),
        (
            "UPDATE trial SET protocol = CAST(x'ff' AS TEXT)",
            "trial 1, protocol: is not UTF-8",
        ),
    ] {
        let bed = Bed::filled(&[(key(), &trials)], sql);
        bed.check("db check", 1, row);
    }
}

/// Turns a file into schema 13, without the errors of trials.
const OLDER: &str = "ALTER TABLE trial DROP COLUMN error; DROP TRIGGER study_without_run; DROP TABLE run;
        CREATE TABLE run (study_id INTEGER PRIMARY KEY NOT NULL REFERENCES study (id) ON DELETE CASCADE, ordered TEXT NOT NULL,
            state TEXT NOT NULL, reason TEXT, asked_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL, director TEXT, heard_ms INTEGER,
            progress TEXT) STRICT;
        DROP TABLE submitted_model;
        DELETE FROM _sqlx_migrations WHERE version > 13";

fn older() -> Bed {
    let trials = [default_trial(0, 1, right(9.0))];
    Bed::filled(&[(key(), &trials)], OLDER)
}

#[test]
fn an_older_database_is_backed_up_and_migrated() {
    let bed = older();
    let advice = "back it up, then run `wavetune db migrate` with this --db";
    let answer = format!("lookup {PROBLEM} --target gfx942");
    for command in ["db check", "db info", "studies", &answer] {
        bed.check(command, 2, advice);
    }
    // A backup before the migration has the old schema.
    let before = std::fs::read(bed.path("test.db")).unwrap();
    bed.check("db backup copy.db", 0, "copy.db is a copy of test.db");
    assert_eq!(std::fs::read(bed.path("test.db")).unwrap(), before);
    bed.check(
        "db info --db copy.db",
        2,
        "has schema 13, and this wavetune needs schema 16",
    );

    let said = bed.check(
        "db migrate",
        0,
        "test.db is migrated from schema 13 to 16; the backup is ",
    );
    let backup = said.trim().rsplit(' ').next().unwrap();
    assert!(backup.contains("test.db.schema-13-"), "{backup}");
    bed.check(&format!("db info --db {backup}"), 2, "has schema 13");
    let mode = std::fs::metadata(bed.path(backup))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    bed.check("db check", 0, "is intact");
    bed.check(&answer, 0, "9.00 µs");
    // A second migration has nothing to do, and makes no backup.
    bed.check("db migrate", 0, "already has schema 16");
    let files = || std::fs::read_dir(&bed.folder).unwrap().count();
    let count = files();
    let out = bed
        .wavetune("db migrate test.db --output-format json")
        .output()
        .unwrap();
    let answer = testing_conformance::answers("migrated", &out.stdout).remove(0);
    assert_eq!(answer["from"], 16);
    assert_eq!(answer["backup"], serde_json::Value::Null);
    assert_eq!(files(), count);
    // The restored backup can be migrated again.
    bed.check(&format!("db restore {backup} --yes"), 0, "");
    bed.check("db check", 0, "is intact");
}

#[test]
fn the_option_migrates_without_a_backup() {
    let bed = older();
    let said = bed.check(
        "db migrate test.db --no-backup --db other.db",
        0,
        "is migrated from schema 13 to 16\n",
    );
    assert!(!said.contains("the backup is"), "{said}");
    let names = std::fs::read_dir(&bed.folder).unwrap();
    let names: Vec<String> = names
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names, ["test.db"]);
    bed.check("db migrate missing.db", 2, "does not exist");
}

/// Checks that each command advises how to make a file usable, in each state of the file.
#[test]
fn each_command_says_how_to_make_a_file_usable() {
    let bed = Bed::filled(&[], "");
    let good = std::fs::read(bed.path("test.db")).unwrap();
    std::fs::write(bed.path("other.db"), &good).unwrap();
    let wavetune = |line: &str| bed.wavetune(line);
    let newer =
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (99, '', TRUE, x'', 0)";
    for (state, contents) in [
        (State::Missing, None),
        (State::Empty, Some(Vec::new())),
        (State::Older, Some(changed(&good, OLDER))),
        (State::Newer, Some(changed(&good, newer))),
        (
            State::Foreign,
            Some(changed(&[], "CREATE TABLE theirs (number INTEGER)")),
        ),
    ] {
        let prepare = || {
            for name in ["test.db", "test.db-wal", "test.db-shm", "out"] {
                let path = bed.path(name);
                std::fs::remove_dir_all(&path)
                    .or_else(|_| std::fs::remove_file(&path))
                    .ok();
            }
            if let Some(contents) = &contents {
                std::fs::write(bed.path("test.db"), contents).unwrap();
            }
        };
        states::check_commands(state, false, &wavetune, &prepare);
        // An older or empty file can be backed up, and restored in place of any file but another
        // program's.
        prepare();
        let is_ours = matches!(state, State::Empty | State::Older);
        let backup = format!("db backup backup-{state:?}.db");
        bed.check(&backup, if is_ours { 0 } else { 2 }, "");
        let is_replaced = is_ours || state == State::Missing;
        bed.check(
            "db restore other.db --yes",
            if is_replaced { 0 } else { 2 },
            "",
        );
    }
}

/// Returns the bytes of a file after these statements.
fn changed(file: &[u8], sql: &'static str) -> Vec<u8> {
    let bed = Bed::new();
    let path = bed.path("changed.db");
    std::fs::write(&path, file).unwrap();
    bed.runtime.block_on(execute(&path, sql));
    std::fs::read(path).unwrap()
}

/// Checks that a merge names the given file, and not its temporary copy.
#[test]
fn a_merge_names_the_file_that_was_given() {
    let bed = older();
    bed.check(
        "db merge test.db --db into.db",
        0,
        "into.db includes test.db\n",
    );
}
