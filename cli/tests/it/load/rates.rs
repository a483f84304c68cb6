//! Rates of lookups, against the rate of an answer without a lookup.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use testing::Failed;

use crate::load::fill::problem;
use crate::load::{Bed, ask};

const PROBLEMS: u32 = 100_000;
const TRIALS: u32 = 20;

/// Questions of one request.
const BATCH: usize = 1000;

/// Sends the requests of a file in turn, one per line: an address, or a body with many questions.
/// Prints the rate per second and the 99th percentile in microseconds.
const SCRIPT: &str = r#"
local requests, at = {}, 0
local many, json = "/api/v1/configurations:batch", { ["Content-Type"] = "application/json" }
function init(arguments)
  for line in io.lines(arguments[1]) do
    local is_body = line:sub(1, 1) == "{"
    requests[#requests + 1] = is_body and wrk.format("POST", many, json, line) or wrk.format("GET", line)
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency)
  local errors = summary.errors
  assert(errors.connect + errors.read + errors.write + errors.timeout == 0, "not everybody was answered")
  io.write(string.format("RESULT %f %d\n", summary.requests / summary.duration * 1e6, latency:percentile(99)))
end
"#;

/// Returns wrk's rate per second and 99th percentile for these requests.
fn measure(bed: &Bed, lines: &Path) -> Result<(f64, Duration), Failed> {
    let mut wrk = Command::new("wrk");
    wrk.args(["-t1", "-c64", "-d8s", "--latency", "-s"]);
    wrk.arg(bed.directory.path().join("script.lua"));
    wrk.arg(format!("http://{}", bed.service.address()));
    let output = wrk.arg("--").arg(lines).output();
    let output = output.map_err(|error| format!("wrk (apt-get install wrk): {error}"))?;
    let said = String::from_utf8(output.stdout)?;
    let result = said.lines().find_map(|line| line.strip_prefix("RESULT "));
    let (rate, tail) = result
        .and_then(|it| it.split_once(' '))
        .ok_or(said.clone())?;
    Ok((rate.parse()?, Duration::from_micros(tail.parse()?)))
}

/// Writes a file of requests.
fn file(bed: &Bed, name: &str, lines: impl Iterator<Item = String>) -> Result<PathBuf, Failed> {
    let file = bed.directory.path().join(name);
    let lines: String = lines.map(|line| line + "\n").collect();
    fs::write(&file, lines)?;
    Ok(file)
}

/// Returns the problems in another order than they were written in.
fn mixed() -> impl Iterator<Item = String> {
    (0..PROBLEMS).map(|number| problem((u64::from(number) * 7919 % u64::from(PROBLEMS)) as u32))
}

/// Returns bodies of a thousand questions.
fn bodies() -> impl Iterator<Item = String> {
    let question = |problem: &String| json!({ "problem": problem, "target": "gfx942" });
    let all: Vec<String> = mixed().collect();
    let body = |some: &[String]| {
        let questions: Vec<_> = some.iter().map(question).collect();
        json!({ "questions": questions }).to_string()
    };
    let bodies: Vec<String> = all.chunks(BATCH).map(body).collect();
    bodies.into_iter()
}

pub(crate) fn lookups() -> Result<(), Failed> {
    let bed = Bed::new(PROBLEMS, TRIALS)?;
    fs::write(bed.directory.path().join("script.lua"), SCRIPT)?;
    let ask_for =
        |problem: String| format!("/api/v1/configurations?problem={problem}&target=gfx942");
    let health = file(&bed, "health", std::iter::once("/healthz".to_owned()))?;
    let hits = file(&bed, "hits", mixed().map(ask_for))?;
    let unknown = (0..PROBLEMS).map(|number| problem(PROBLEMS + number));
    let unknown: Vec<String> = unknown.map(ask_for).collect();
    let exact = unknown.iter().map(|ask| format!("{ask}&at_least=exact"));
    let misses = file(&bed, "misses", exact)?;
    let neighbours = file(&bed, "neighbours", unknown.into_iter())?;
    let many = file(&bed, "many", bodies())?;
    let one = ask(
        bed.service.address(),
        &format!("GET {}", ask_for(problem(77))),
        "",
    )?;
    assert!(
        one["problem"] == problem(77) && one["answer"] == "exact",
        "{one}"
    );
    // In turn, because the machine's other load may change.
    for _ in 0..3 {
        let (base, _) = measure(&bed, &health)?;
        println!("/healthz: {base:.0}/s");
        let mut rates = [0.0; 4];
        let kinds = [
            ("hits", &hits),
            ("misses", &misses),
            ("neighbours", &neighbours),
            ("a thousand each", &many),
        ];
        for (rate, (name, lines)) in rates.iter_mut().zip(kinds) {
            let (measured, tail) = measure(&bed, lines)?;
            let ratio = measured / base;
            println!("{name}: {measured:.0}/s, {ratio:.2} of /healthz, p99 {tail:?}");
            *rate = measured;
        }
        let [hit, miss, near, many] = rates;
        let many = many * BATCH as f64;
        println!(
            "by a thousand: {many:.0} problems/s, {:.1} times as many",
            many / hit
        );
        assert!(hit > 0.5 * base && miss > 0.5 * hit && near > 0.2 * hit && many > 5.0 * hit);
    }
    let memory = bed.service.memory()?;
    println!("memory: {memory} kB");
    assert!(memory < 300_000, "{memory} kB");
    assert_eq!(bed.service.end()?, Some(0));
    Ok(())
}
