//! `tune --server` and `lookup --server`: a service's results and messages equal those of this
//! program.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testing::Failed;

use crate::tuning::lent::{agent, wait_for};
use crate::tuning::running::{Running, ask};
use crate::tuning::{json as answer, wavetune};

const PROBLEM: &str = "argmax:4x[1000]xf32";

/// Runs a command with this exit code. Returns both outputs.
fn run(db: &Path, arguments: &[&str], exit: i32) -> Result<(String, String), Failed> {
    let Output {
        status,
        stdout,
        stderr,
    } = wavetune(db, arguments).output()?;
    let (out, err) = (String::from_utf8(stdout)?, String::from_utf8(stderr)?);
    match status.code() == Some(exit) {
        true => Ok((out, err)),
        false => Err(format!("{arguments:?}: {status}\n{out}{err}").into()),
    }
}

/// Returns a report without its last line, which has the duration and the place.
fn found(report: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = report.lines().collect();
    lines.pop();
    lines
}

pub(crate) fn a_service_tunes_and_answers_as_this_program_does() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let (served, other) = (
        directory.path().join("served.db"),
        directory.path().join("other.db"),
    );
    let service = Running::service(wavetune(&served, &[]), "127.0.0.1:0")?;
    let server = format!("http://{}", service.address());
    let remote = |arguments: &[&str], exit| {
        let arguments = [arguments, &["--server", &server]].concat();
        run(&other, &arguments, exit)
    };
    let _agent = agent(&served, service.address())?;
    let tune = ["tune", PROBLEM, "argmin:[512]xi32", "--budget", "40"];
    let (report, err) = remote(&tune, 0)?;
    assert!(
        err.contains("[2/2] argmin:[512]xi32:i32: 40 of 40 trials"),
        "{err}"
    );
    let local = directory.path().join("local.db");
    let (expected, _) = run(&local, &tune, 0)?;
    let (reports, expected): (Vec<&str>, Vec<&str>) = (
        report.split_inclusive("kept ").collect(),
        expected.split_inclusive("kept ").collect(),
    );
    assert_eq!(reports.len(), expected.len());
    assert_eq!(found(reports[0]), found(expected[0]));
    assert!(report.contains("kept as study 1\n"), "{report}");

    // A known result is reported again, in both formats.
    let again = [
        "tune",
        PROBLEM,
        "--budget",
        "40",
        "--output-format",
        "json",
        "--server",
        &server,
    ];
    let mut told = answer(wavetune(&other, &again), 0)?;
    let mut expected = answer(wavetune(&local, &again[..6]), 0)?;
    assert_eq!(
        [&told["trials"]["total"], &told["trials"]["resumed"]],
        [40, 40]
    );
    for answer in [&mut told, &mut expected] {
        answer["seconds"] = Value::Null;
    }
    assert_eq!(told, expected);

    // The generator supports the second problem, and not the first.
    let (_, err) = remote(
        &[
            "tune",
            "argmax:1048576x[1048576]xf64",
            PROBLEM,
            "--budget",
            "40",
        ],
        1,
    )?;
    assert!(err.contains("bytes"), "{err}");

    for (question, exit) in [
        (&["lookup", PROBLEM, "--target", "gfx942"][..], 0),
        (
            &[
                "lookup",
                PROBLEM,
                "--target",
                "gfx942",
                "--output-format",
                "json",
            ],
            0,
        ),
        (
            &[
                "lookup",
                PROBLEM,
                "--target",
                "gfx942",
                "--generator",
                "iree",
            ],
            1,
        ),
        (
            &[
                "lookup",
                "argmax:[7]xf32",
                "--target",
                "gfx942",
                "--at-least",
                "neighbour",
            ],
            1,
        ),
        (
            &[
                "lookup",
                "argmax:[7]xf32",
                "--target",
                "gfx942",
                "--output-format",
                "json",
            ],
            1,
        ),
    ] {
        assert_eq!(
            remote(question, exit)?,
            run(&served, question, exit)?,
            "{question:?}"
        );
    }
    let (wishes, _) = run(&served, &["wishes"], 0)?;
    assert!(
        wishes.contains("argmax:[7]xf32:i32 for gfx942: asked"),
        "{wishes}"
    );
    let (_, err) = remote(&["lookup", PROBLEM], 2)?;
    assert!(err.contains("name one with --target"), "{err}");
    assert!(!other.exists(), "a database was made");
    drop(service);
    let (_, err) = remote(&["lookup", PROBLEM, "--target", "gfx942"], 2)?;
    assert!(err.contains(&server), "{err}");
    Ok(())
}

/// Checks that Ctrl-C leaves the study to the service, with commands to follow and to cancel it.
pub(crate) fn detaching_ends_no_study() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("served.db");
    let service = Running::service(wavetune(&db, &[]), "127.0.0.1:0")?;
    let address = service.address();
    let server = format!("http://{address}");
    let _agent = agent(&db, address)?;
    let tune = ["tune", PROBLEM, "--budget", "100000", "--server", &server];
    let mut tuning = wavetune(&db, &tune);
    let tuning = tuning
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let state = || ask(address, "GET /api/v1/studies/1", "").map(|study| study["state"].clone());
    let begin = Instant::now();
    while state()? != "running" {
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "it was not asked for"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    wait_for(address, &json!(1), 10)?;
    let id = tuning.id().to_string();
    assert!(
        Command::new("sh")
            .args(["-c", "kill -INT $0", &id])
            .status()?
            .success()
    );
    let Output { status, stderr, .. } = tuning.wait_with_output()?;
    let err = String::from_utf8(stderr)?;
    assert_eq!(status.code(), Some(130), "{err}");
    let cancel = format!("wavetune studies cancel 1 --server {server}");
    for part in [
        "detached by SIGINT; ",
        "continues studies: 1\n",
        &format!("to cancel them: {cancel}\n"),
    ] {
        assert!(err.contains(part), "{part}: {err}");
    }
    assert_eq!(state()?, "running");
    let words: Vec<&str> = cancel.split(' ').skip(1).collect();
    let (out, _) = run(&db, &words, 0)?;
    assert_eq!(out, "study 1 is cancelled\n");
    assert_eq!(state()?, "cancelled");
    let (_, err) = run(&db, &words, 2)?;
    assert!(
        err.contains("study 1 is cancelled; it cannot be cancelled"),
        "{err}"
    );
    Ok(())
}
