//! Requests that schemathesis makes up from the description: the service answers each as it says.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::http::service::Service;
use crate::http::support::{default_trial, key, right, trial};

/// The version from PyPI: others make up other requests.
const VERSION: &str = "4.32.5";

/// What an answer is looked at for.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_schema_conformance,response_headers_conformance";

/// Made up for each operation at most: one without parameters has few.
const EXAMPLES: &str = "220";

/// Requests that have to have come of it.
const REQUESTS: f64 = 2000.0;

/// Runs a command to its end, and gives what it printed.
#[track_caller]
fn run(program: &Path, arguments: &[&str]) -> String {
    // It leaves files of its own where it is.
    let place = env!("CARGO_TARGET_TMPDIR");
    let output = Command::new(program)
        .args(arguments)
        .current_dir(place)
        .output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}\n{errors}");
    said
}

/// Schemathesis in a venv of its own below the target directory, installed where it is not.
fn schemathesis() -> PathBuf {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("schemathesis-{VERSION}"));
    let program = venv.join("bin/st");
    if !program.is_file() {
        let place = venv.to_str().unwrap();
        run(Path::new("python3"), &["-m", "venv", "--clear", place]);
        let package = format!("schemathesis=={VERSION}");
        let install = [
            "-m",
            "pip",
            "install",
            "--no-input",
            "--disable-pip-version-check",
            "--quiet",
            "--only-binary=:all:",
            &package,
        ];
        run(&venv.join("bin/python"), &install);
    }
    program
}

#[test(threads)]
#[ignore = "full: 2,000 requests that schemathesis makes up, which it needs PyPI and libLLVM for"]
async fn every_answer_is_one_that_the_description_promises() {
    let service = Service::start().await;
    let trials = [default_trial(0, 1, right(61.0)), trial(1, 2, right(8.0))];
    service.record(&key(), &trials).await;
    let description = format!("http://{}/api/v1/openapi.json", service.address);
    let said = tokio::task::spawn_blocking(move || {
        let arguments = [
            "run",
            &description,
            "--checks",
            CHECKS,
            "--max-examples",
            EXAMPLES,
            "--phases",
            "examples,coverage,fuzzing",
            "--seed",
            "1",
            "--generation-database",
            "none",
            "--suppress-health-check",
            "all",
            "--no-color",
        ];
        run(&schemathesis(), &arguments)
    });
    println!("{}", said.await.unwrap());
    let (_, metrics) = service.get("/metrics").await;
    let counts = metrics
        .lines()
        .filter(|line| line.starts_with("wavetune_http_requests_total{"));
    let counts = counts.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    let requests: f64 = counts.sum();
    println!("{requests} requests");
    assert!(requests >= REQUESTS, "{requests}");
    assert!(!metrics.contains("status=\"5xx\""), "{metrics}");
}
