//! `wavetune` with a database on a server: it gives the same answers as from a file, and prints
//! no password. Needs PostgreSQL.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::states::{self, State};
use configgen::Generator;
use store::{Finals, Ledger as _, StudyKey, Ties};
use store_postgres::Postgres;
use store_sqlite::Sqlite;
use testing::{Failed, Trial as Test};
use testing_postgres::Database;
use testing_store_contract::block_on;
use testing_store_contract::samples::{at, default_trial, key_made, right, trial};

const PROBLEM: &str = "argmax:[4096]xf32";

pub(crate) fn trials() -> Vec<Test> {
    let is_missing = testing_postgres::programs().is_none();
    // In CI they fail.
    let is_ignored = is_missing && std::env::var_os("CI").is_none();
    let test = |name: &str, test: fn() -> Result<(), Failed>| match is_missing {
        true => Test::test(name, test)
            .with_kind("PostgreSQL is not installed")
            .with_ignored_flag(is_ignored),
        false => Test::test(name, test),
    };
    vec![
        test("known_problems_are_answered", known_problems_are_answered),
        test("known_problems_are_served", known_problems_are_served),
        test("stored_studies_are_listed", stored_studies_are_listed),
        test("faults_are_reported", faults_are_reported),
        test(
            "each_command_says_what_makes_a_server_usable",
            each_command_says_what_makes_a_server_usable,
        ),
        test(
            "a_file_goes_to_a_server_and_back",
            a_file_goes_to_a_server_and_back,
        ),
    ]
}

/// A database on a server; its URL has a password.
struct Bed {
    url: String,
    database: Database,
}

impl Bed {
    fn new() -> Result<Bed, Failed> {
        let database = Database::create()?;
        let url = database.url().replacen("wavetune@", "wavetune:secret@", 1);
        Ok(Bed { url, database })
    }

    fn record(&self) {
        let key = StudyKey {
            problem: PROBLEM.parse().unwrap(),
            ..key_made(|made| made.generator = Generator::IREE)
        };
        block_on(async {
            let store = Postgres::open(&self.url).await.unwrap();
            let study = store.open_study(&key, None).await.unwrap();
            for made in [default_trial(0, 1, right(5.0)), trial(1, 2, right(4.0))] {
                store.record_trial(&study, &made).await.unwrap();
            }
            store.close().await;
        });
    }

    fn wavetune(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
        command.args(line.split(' ')).env("WAVETUNE_DB", &self.url);
        command.stdin(Stdio::null());
        command
    }

    /// Checks a command's exit code and a part of its output.
    #[track_caller]
    fn check(&self, line: &str, exit: i32, part: &str) {
        let output = self.wavetune(line).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert_eq!(output.status.code(), Some(exit), "{line}: {said}");
        assert!(said.contains(part), "{line}: {said}");
        assert!(!said.contains("secret"), "{line}: {said}");
    }
}

fn known_problems_are_answered() -> Result<(), Failed> {
    let bed = Bed::new()?;
    let answer = "4.00 µs modelled on emulated:mi300x, 1.25 times the default's speed";
    let lookup = format!("lookup {PROBLEM} --target gfx942");
    bed.check(&lookup, 2, "`wavetune tune PROBLEM` or `wavetune serve`");
    bed.record();
    bed.check(&lookup, 0, answer);
    let spec = "export iree-spec --target gfx942 --compiler-version 22.1.0";
    bed.check(spec, 0, "4.00 us modelled on emulated:mi300x");
    bed.check("lookup argmax:[77]xf32 --target gfx942", 1, "");
    bed.check("wishes", 0, "argmax:[77]xf32:i32 for gfx942: asked once");
    Ok(())
}

fn known_problems_are_served() -> Result<(), Failed> {
    let bed = Bed::new()?;
    bed.record();
    let mut serve = bed.wavetune("serve --no-agent --listen 127.0.0.1:0");
    let mut served = serve.stderr(Stdio::piped()).spawn()?;
    let said = served.stderr.take().ok_or("no standard error")?;
    let mut line = String::new();
    BufReader::new(said).read_line(&mut line)?;
    let checked = check_served(&bed, &line);
    served.kill()?;
    served.wait()?;
    checked
}

/// Checks a service's answers, before and after another process deletes their study. `line` has
/// the service's address.
fn check_served(bed: &Bed, line: &str) -> Result<(), Failed> {
    let known = "configurations?problem=argmax:%5B4096%5Dxf32&target=gfx942";
    expect(line, known, &["HTTP/1.1 200", "\"time_us\":4.0"])?;
    // The service runs studies in this database.
    expect(line, "studies", &["HTTP/1.1 200"])?;
    bed.check("studies delete 1 --yes", 0, "is deleted");
    // Only an untuned configuration remains.
    expect(line, known, &["HTTP/1.1 200", "\"answer\":\"predicted\""])
}

/// Waits for an answer with these parts.
fn expect(line: &str, question: &str, parts: &[&str]) -> Result<(), Failed> {
    let begin = Instant::now();
    loop {
        let answer = ask(line, question)?;
        if parts.iter().all(|part| answer.contains(part)) {
            return Ok(());
        }
        if begin.elapsed() > Duration::from_secs(60) {
            return Err(answer.into());
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Returns the service's answer to a question.
fn ask(line: &str, question: &str) -> Result<String, Failed> {
    let address = line.trim().rsplit('/').next().unwrap_or_default();
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "GET /api/v1/{question} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn stored_studies_are_listed() -> Result<(), Failed> {
    let bed = Bed::new()?;
    bed.record();
    bed.check("studies", 0, "argmax:[4096]xf32:i32");
    bed.check("studies --generator native", 1, "there is no such study");
    bed.check("studies show 1", 0, "2: 2 right, 0 tie, 0 wrong, 0 failed");
    bed.check("trials 1 --sort time", 0, "4.00");
    bed.check("trials 2", 1, "there is no study 2");
    let deleted = "study 1 of argmax:[4096]xf32:i32 is deleted, with 2 trials and 0 finals";
    bed.check("studies delete 1 --yes", 0, deleted);
    bed.check("studies", 1, "there is no such study");
    Ok(())
}

/// Checks that a file and a server have the same study after each has imported the other.
fn a_file_goes_to_a_server_and_back() -> Result<(), Failed> {
    let bed = Bed::new()?;
    bed.record();
    let folder = tempfile::tempdir()?;
    let name = |name: &str| folder.path().join(name).display().to_string();
    let file = name("trials.db");
    let key = StudyKey {
        problem: PROBLEM.parse()?,
        ..key_made(|made| made.generator = Generator::IREE)
    };
    block_on(async {
        let store = Sqlite::open(&file).await.unwrap();
        let study = store.open_study(&key, None).await.unwrap();
        let finals = Finals {
            trials: 2,
            winner: 1,
            ties: Ties::Fold,
            speedup: 2.0,
            interval: (1.5, 2.5),
            samples: "{}".to_owned(),
            ended: at(9),
        };
        for made in [default_trial(0, 1, right(5.0)), trial(1, 2, right(4.0))] {
            store.record_trial(&study, &made).await.unwrap();
        }
        store.record_finals(study.id, &finals).await.unwrap();
        let other = StudyKey { seed: 7, ..key };
        let study = store.open_study(&other, None).await.unwrap();
        let made = trial(0, 3, right(0.1 + 0.2));
        store.record_trial(&study, &made).await.unwrap();
        store.close().await;
    });
    bed.check(
        &format!("db merge {file}"),
        0,
        "new studies 1 of 2\nnew trials  1 of 3",
    );
    bed.check(
        &format!("db merge {file}"),
        0,
        "new studies 0 of 2\nnew trials  0 of 3",
    );
    let url = &bed.url;
    let back = format!("db merge {url} --db {}", name("back.db"));
    bed.check(&back, 0, "new studies 2 of 2\nnew trials  3 of 3");
    bed.check(
        &format!("db merge {url} --db {file}"),
        0,
        "new trials  0 of 3",
    );
    let listed = |db: &str| {
        let lookup = format!("lookup {PROBLEM} --target gfx942 --db {db} --output-format json");
        let output = bed.wavetune(&lookup).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let known = listed(url);
    // The winner of one study's finals precedes a faster trial of the other.
    assert!(known.contains("\"time_us\":4.0,"), "{known}");
    for db in [file, name("back.db")] {
        assert_eq!(listed(&db), known, "{db}");
    }
    Ok(())
}

/// Reverts migrations 6 and 7.
const OLDER: &str = "
    DROP TABLE submitted_model;
    DROP TRIGGER study_without_run ON study;
    DROP FUNCTION delete_run;
    DROP INDEX run_waiting, run_open, run_moved;
    ALTER TABLE run DROP COLUMN moved, DROP COLUMN urgent, DROP COLUMN submitter;
    ALTER TABLE run ADD CONSTRAINT run_study_id_fkey FOREIGN KEY (study_id) REFERENCES study (id);
    DELETE FROM _sqlx_migrations WHERE version > 5;";

const NEWER: &str = "
    INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (99, '', TRUE, '', 0);";

const ANEW: &str = "DROP SCHEMA public CASCADE; CREATE SCHEMA public;";

/// Checks that each command advises how to make a server's database usable, in each state.
fn each_command_says_what_makes_a_server_usable() -> Result<(), Failed> {
    let bed = Bed::new()?;
    let folder = tempfile::tempdir()?;
    let other = folder.path().join("other.db");
    block_on(async {
        let store = Sqlite::open(other.to_str().unwrap()).await.unwrap();
        store.close().await;
    });
    let execute = |sql: &str| bed.database.execute(sql).unwrap();
    let make = || {
        block_on(async {
            let store = Postgres::open(&bed.url).await.unwrap();
            store.close().await;
        });
    };
    for (state, sql) in [
        (State::Missing, ""),
        (State::Empty, ""),
        (State::Older, OLDER),
        (State::Newer, NEWER),
        (State::Foreign, "CREATE TABLE theirs (number bigint);"),
    ] {
        let url = match state {
            State::Missing => bed.url.replacen("?", "_missing?", 1),
            _ => bed.url.clone(),
        };
        assert_eq!(url == bed.url, state != State::Missing, "{url}");
        let wavetune = |line: &str| {
            let mut command = bed.wavetune(line.trim());
            command.env("WAVETUNE_DB", &url).current_dir(&folder);
            command
        };
        let prepare = || {
            execute(ANEW);
            if matches!(state, State::Older | State::Newer) {
                make();
            }
            execute(sql);
        };
        states::check_commands(state, true, &wavetune, &prepare);
    }
    Ok(())
}

fn faults_are_reported() -> Result<(), Failed> {
    let bed = Bed::new()?;
    // The help shows the values of variables.
    bed.check("lookup --help", 0, "WAVETUNE_DB");
    for (db, part) in [
        (
            "mysql://ann:secret@h/tuning",
            "unknown kind \"mysql\"; give a file, sqlite:FILE or postgres://",
        ),
        (
            "postgres://ann:secret@127.0.0.1:1/tuning",
            "database postgres://ann@127.0.0.1:1/tuning: its server does not answer: ",
        ),
        (
            "postgresql://ann@h:port/tuning?password=secret",
            "a URL is postgres://USER@HOST:PORT/DATABASE",
        ),
    ] {
        bed.check(&format!("wishes --db {db}"), 2, part);
    }
    Ok(())
}
