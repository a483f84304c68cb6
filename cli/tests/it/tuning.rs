//! `wavetune` with real kernels: tuning, kills, and served answers. Needs libLLVM and lld.

mod attempt;
mod compiled;
mod ending;
mod guarded;
mod lent;
mod problems;
mod quarantine;
mod readme;
mod remote;
use crate::support::{faultless, running};
mod said;
mod shared;
mod team;
mod told;
mod twin;
mod wishes;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use store::Catalogue as _;

use codegen::cache::Cache;
use codegen::native::Native;
use serde_json::Value;
use testing::{Failed, Trial};

type Test = fn() -> Result<(), Failed>;

const TESTS: [(&str, Test); 33] = [
    (
        "a_service_lends_its_own_machine",
        lent::a_service_lends_its_own_machine,
    ),
    (
        "a_service_lends_nothing_unasked",
        lent::a_service_lends_nothing_unasked,
    ),
    (
        "tuning_finds_checks_and_keeps",
        tuning_finds_checks_and_keeps,
    ),
    ("a_killed_study_goes_on", a_killed_study_goes_on),
    ("tuned_problems_are_served", tuned_problems_are_served),
    (
        "a_file_of_problems_is_tuned_line_by_line",
        problems::a_file_of_problems_is_tuned_line_by_line,
    ),
    (
        "a_comparator_that_orders_nothing_is_tuned",
        problems::a_comparator_that_orders_nothing_is_tuned,
    ),
    (
        "plain_reductions_are_tuned",
        problems::plain_reductions_are_tuned,
    ),
    ("isa_is_explained", isa_is_explained),
    (
        "one_configuration_is_tried",
        attempt::one_configuration_is_tried,
    ),
    ("ends_are_graceful", ending::ends_are_graceful),
    ("a_team_has_its_service", team::a_team_has_its_service),
    (
        "a_signal_ends_a_run_with_what_it_has",
        said::a_signal_ends_a_run_with_what_it_has,
    ),
    (
        "a_second_signal_ends_the_program_at_once",
        said::a_second_signal_ends_the_program_at_once,
    ),
    ("advice_can_be_followed", said::advice_can_be_followed),
    (
        "too_few_descriptors_are_not_permissions",
        said::too_few_descriptors_are_not_permissions,
    ),
    (
        "a_service_tunes_on_lent_devices",
        lent::a_service_tunes_on_lent_devices,
    ),
    (
        "a_machine_without_a_gpu_builds",
        compiled::a_machine_without_a_gpu_builds,
    ),
    ("a_builder_is_killed", compiled::a_builder_is_killed),
    ("a_builder_lies", compiled::a_builder_lies),
    (
        "a_device_whose_machine_fails_is_left_alone",
        quarantine::a_device_whose_machine_fails_is_left_alone,
    ),
    (
        "a_service_tunes_and_answers_as_this_program_does",
        remote::a_service_tunes_and_answers_as_this_program_does,
    ),
    ("detaching_ends_no_study", remote::detaching_ends_no_study),
    (
        "an_agent_shows_its_token",
        guarded::an_agent_shows_its_token,
    ),
    (
        "requests_to_a_service_need_a_token",
        guarded::requests_to_a_service_need_a_token,
    ),
    (
        "an_agent_knows_its_service",
        guarded::an_agent_knows_its_service,
    ),
    ("wishes_are_tuned", wishes::wishes_are_tuned),
    (
        "a_database_that_is_deleted_ends_the_study",
        a_database_that_is_deleted_ends_the_study,
    ),
    (
        "a_third_generator_is_tuned_stored_and_looked_up",
        twin::a_third_generator_is_tuned_stored_and_looked_up,
    ),
    (
        "progress_is_apart_from_the_answer",
        told::progress_is_apart_from_the_answer,
    ),
    (
        "two_processes_share_a_study",
        shared::two_processes_share_a_study,
    ),
    (
        "a_killed_process_leaves_its_share_to_others",
        shared::a_killed_process_leaves_its_share_to_others,
    ),
    (
        "a_problem_that_is_named_twice_is_tuned_once",
        shared::a_problem_that_is_named_twice_is_tuned_once,
    ),
];

/// Tests that need curl, too.
const WITH_CURL: [(&str, Test); 1] = [("the_loop_by_curl_works", readme::the_loop_by_curl_works)];

/// Tests that take minutes.
const FULL: [(&str, Test); 1] = [("many_are_killed", shared::many_are_killed)];

/// Returns the tests. Without libLLVM they are ignored, with the reason as their kind; in CI they
/// fail.
pub(crate) fn trials() -> Vec<Trial> {
    let missing = Native::load(Cache::of_environment())
        .err()
        .map(|error| error.to_string());
    let curl = Command::new("curl").arg("--version").output();
    let curl = curl.err().map(|error| format!("curl: {error}"));
    let needing = |name: &str, test: Test, missing: Option<String>| match missing {
        None => Trial::test(name, test),
        Some(reason) => Trial::test(name, test)
            .with_kind(reason)
            .with_ignored_flag(std::env::var_os("CI").is_none()),
    };
    let trial = |name: &str, test: Test| needing(name, test, missing.clone());
    let mut trials: Vec<Trial> = TESTS
        .iter()
        .map(|(name, test)| trial(name, *test))
        .collect();
    let with_curl = WITH_CURL.iter();
    trials.extend(
        with_curl.map(|(name, test)| needing(name, *test, missing.clone().or(curl.clone()))),
    );
    let full = FULL.iter().map(|(name, test)| {
        trial(name, *test)
            .with_kind("full: minutes")
            .with_ignored_flag(true)
    });
    trials.extend(full);
    trials
}

fn wavetune(db: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command
        .args(arguments)
        .env("WAVETUNE_DB", db)
        .stdin(Stdio::null());
    command
}

/// Runs a command with this exit code. Returns its JSON object, checked against its schema.
fn json(mut command: Command, exit: i32) -> Result<Value, Failed> {
    let output = command.output()?;
    if output.status.code() != Some(exit) {
        return Err(format!(
            "{}\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
        .into());
    }
    // A schema has the name of the subcommand.
    let subcommand = command.get_args().next().unwrap_or_default();
    let schema = subcommand.to_str().ok_or("not UTF-8")?;
    Ok(testing_conformance::answer(schema, &output.stdout))
}

fn tune(db: &Path, budget: &str) -> Command {
    tune_problem(db, "argmax:4x[32000]xf32", budget)
}

fn tune_problem(db: &Path, problem: &str, budget: &str) -> Command {
    let mut command = wavetune(db, &["tune", problem, "--output-format", "json"]);
    command.args(["--budget", budget]);
    command
}

fn tuning_finds_checks_and_keeps() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("test.db");
    let answer = json(tune(&db, "24"), 0)?;
    assert_eq!(answer["problem"], "argmax:4x[32000]xf32:i32");
    assert_eq!(answer["clock"], "modelled");
    assert_eq!(answer["trials"]["total"], 24);
    assert_eq!(faultless(&answer), 24);
    assert_eq!(answer["default"]["status"], "right");
    assert_eq!(answer["best"]["status"], "right");
    let time = |value: &Value| value["time_us"].as_f64().unwrap();
    let (default, best) = (time(&answer["default"]), time(&answer["best"]));
    let bound = answer["bound_us"].as_f64().unwrap();
    assert!(bound <= best && best <= default, "{answer}");
    assert!((answer["speedup"].as_f64().unwrap() - default / best).abs() < 1e-9);

    let lookup = [
        "lookup",
        "argmax:4x[32000]xf32",
        "--target",
        "gfx942",
        "--output-format",
        "json",
    ];
    let found = json(wavetune(&db, &lookup), 0)?;
    assert_eq!(found["answer"], "exact");
    assert_eq!(found["configuration"], answer["best"]["configuration"]);
    assert_eq!(found["time_us"], answer["best"]["time_us"]);
    for key in [
        "device",
        "driver",
        "compiler",
        "compiler_version",
        "generator_version",
        "clock",
    ] {
        assert!(
            !found["provenance"][key].as_str().unwrap().is_empty(),
            "{key}: {found}"
        );
    }
    let miss = [
        "lookup",
        "argmax:5x[32000]xf32",
        "--target",
        "gfx942",
        "--output-format",
        "json",
    ];
    let near = json(wavetune(&db, &miss), 1)?;
    assert_eq!(near["answer"], "neighbour");
    assert_eq!(near["tuned"], found);
    // The configuration for one row more needs no change.
    assert_eq!(near["configuration"], found["configuration"]);
    let exact = [&miss[..], &["--at-least", "exact"]].concat();
    assert_eq!(json(wavetune(&db, &exact), 1)?["answer"], "none");
    Ok(())
}

fn a_killed_study_goes_on() -> Result<(), Failed> {
    const PROBLEM: &str = "argmax:4x[8192]xf32";
    let directory = tempfile::tempdir()?;
    let tune = |db: &Path| tune_problem(db, PROBLEM, "64");
    let undisturbed = json(tune(&directory.path().join("whole.db")), 0)?;
    let db = directory.path().join("killed.db");
    let mut child = tune(&db)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let reported = wait_for_trials_of(PROBLEM, &mut child, &db, 20)?;
    child.kill()?;
    child.wait()?;
    let resumed = json(tune(&db), 0)?;
    let kept = resumed["trials"]["resumed"].as_u64().unwrap();
    assert!(
        reported <= kept && kept < 64,
        "{reported} were reported, {kept} kept"
    );
    for status in ["total", "right", "timed"] {
        let (found, expected) = (&resumed["trials"][status], &undisturbed["trials"][status]);
        assert_eq!(found, expected, "{status}");
    }
    assert_eq!(resumed["best"], undisturbed["best"]);
    assert_eq!(resumed["default"], undisturbed["default"]);
    Ok(())
}

/// Waits as [`wait_for_trials_of`] does, for the problem of most tests.
fn wait_for_trials(child: &mut Child, db: &Path, enough: u64) -> Result<u64, Failed> {
    wait_for_trials_of("argmax:4x[32000]xf32", child, db, enough)
}

/// Waits until a running study has stored some trials. Returns their number.
fn wait_for_trials_of(
    problem: &str,
    child: &mut Child,
    db: &Path,
    enough: u64,
) -> Result<u64, Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        if child.try_wait()?.is_some() {
            return Err("the study ended before it could be killed".into());
        }
        let stored = runtime.block_on(async {
            let problem = problem.parse().unwrap();
            let store = store_sqlite::Sqlite::open_existing(db.to_str().unwrap())
                .await
                .ok()?;
            let coverage = store.coverage(&problem).await.ok()?.rows;
            Some(coverage.iter().map(|known| known.trials).sum::<u64>())
        });
        if stored.is_some_and(|stored| stored >= enough) {
            return Ok(stored.unwrap_or_default());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err("no trials within a minute".into())
}

/// A server that is killed when the test ends early.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(db: &Path) -> Result<Server, Failed> {
        let mut command = wavetune(db, &["serve", "--no-agent", "--listen", "127.0.0.1:0"]);
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line)?;
        let address = line
            .trim()
            .rsplit("http://")
            .next()
            .unwrap_or_default()
            .to_owned();
        Ok(Server { child, address })
    }

    /// Returns the status line and the body of a GET.
    fn get(&self, path: &str) -> Result<(String, String), Failed> {
        let mut stream = TcpStream::connect(&self.address)?;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or("no body")?;
        Ok((
            head.lines().next().unwrap_or_default().to_owned(),
            body.to_owned(),
        ))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn tuned_problems_are_served() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("test.db");
    json(tune(&db, "4"), 0)?;
    let lookup = [
        "lookup",
        "argmax:4x[32000]xf32",
        "--target",
        "gfx942",
        "--output-format",
        "json",
    ];
    let said = String::from_utf8(wavetune(&db, &lookup).output()?.stdout)?;

    let query = "/api/v1/configurations?problem=argmax:4x%5B32000%5Dxf32&target=gfx942";
    // The limit is 300 ms; a busy machine with other tests gets more.
    let answered = testing::retry_within(Duration::from_secs(3), async || {
        let start = Instant::now();
        let server = Server::start(&db).unwrap();
        let answer = server.get(query).unwrap();
        (start.elapsed(), (server, answer))
    });
    let (mut server, (status, body)) = testing::block_on(answered);
    assert_eq!(status, "HTTP/1.1 200 OK");
    assert_eq!(body.trim_end(), said.trim_end());

    let (status, body) = server.get("/")?;
    assert_eq!(status, "HTTP/1.1 200 OK");
    assert!(body.contains("/web/main.js"), "{body}");
    assert_eq!(server.get("/web/main.js")?.0, "HTTP/1.1 200 OK");
    let (_, body) = server.get("/api/v1/best")?;
    assert!(body.contains("argmax:4x[32000]xf32:i32"), "{body}");
    assert_eq!(server.get("/healthz")?.0, "HTTP/1.1 200 OK");
    let (status, body) = server.get("/api/v1/configurations?problem=argmax:4x&target=gfx942")?;
    assert_eq!(status, "HTTP/1.1 400 Bad Request");
    assert!(body.contains("\"position\":"), "{body}");

    // A minimal Debian has no `kill` program, but its shell does.
    let terminated = Command::new("sh")
        .args(["-c", "kill -TERM $0", &server.child.id().to_string()])
        .status()?;
    assert!(terminated.success());
    assert_eq!(server.child.wait()?.code(), Some(0));
    Ok(())
}

fn isa_is_explained() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("none.db");
    let output = wavetune(&db, &["explain", "argmax:4x[32000]xf32", "--stage", "isa"]).output()?;
    let isa = String::from_utf8(output.stdout)?;
    assert!(
        isa.contains("global_load_dwordx4") && isa.contains("s_endpgm"),
        "{isa}"
    );
    Ok(())
}

/// Checks that a study ends as soon as its results cannot be stored, and does not claim that they
/// are.
fn a_database_that_is_deleted_ends_the_study() -> Result<(), Failed> {
    for files in ["test.db", "test.db test.db-wal test.db-shm", "test.db-wal"] {
        let directory = tempfile::tempdir()?;
        let db = directory.path().join("test.db");
        let mut tune = wavetune(&db, &["tune", "argmax:4x[32000]xf32", "--budget", "20000"]);
        let mut child = tune.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        wait_for_trials(&mut child, &db, 3)?;
        for file in files.split(' ') {
            std::fs::remove_file(directory.path().join(file))?;
        }
        let deleted = Instant::now();
        let output = child.wait_with_output()?;
        let (out, err) = (
            String::from_utf8(output.stdout)?,
            String::from_utf8(output.stderr)?,
        );
        assert_eq!(output.status.code(), Some(2), "{out}{err}");
        assert!(
            out.is_empty() && err.contains("was deleted or moved while it was open; "),
            "{out}{err}"
        );
        assert!(
            deleted.elapsed() < Duration::from_secs(60),
            "{:?}",
            deleted.elapsed()
        );
    }
    Ok(())
}
