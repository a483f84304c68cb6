//! Requests of schemathesis from the description: the service answers each as described.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::http::service::Service;
use crate::http::support::{default_trial, key, right, trial};

/// The version from PyPI: other versions generate other requests.
const VERSION: &str = "4.32.5";

/// The checks of an answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_schema_conformance,response_headers_conformance";

/// Most requests per operation: one without parameters has few.
const EXAMPLES: &str = "220";

/// Least number of requests.
const REQUESTS: f64 = 2000.0;

/// Runs a command to its end, and returns its output.
#[track_caller]
fn run(program: &Path, arguments: &[&str]) -> String {
    // It creates files in its working directory.
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

/// Returns schemathesis in a venv below the target directory, installed if necessary.
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
