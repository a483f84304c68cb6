//! Rates of lookups, against that of an answer that asks nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use serde_json::json;

use crate::fill::problem;
use crate::{Bed, ask};

const PROBLEMS: u32 = 100_000;
const TRIALS: u32 = 20;

/// Questions of one request.
const BATCH: u32 = 1000;

/// Asks for the addresses of a file, one after the other, and says the rate in a second and the 99th percentile in
/// microseconds.
const SCRIPT: &str = r#"
local requests, at = {}, 0
function init(arguments)
  for line in io.lines(arguments[1]) do requests[#requests + 1] = wrk.format("GET", line) end
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

/// What wrk says of these addresses: requests in a second, and the 99th percentile.
fn measure(bed: &Bed, paths: &Path) -> Result<(f64, Duration), Failed> {
    let mut wrk = Command::new("wrk");
    wrk.args(["-t1", "-c64", "-d8s", "--latency", "-s"]);
    wrk.arg(bed.directory.path().join("script.lua"));
    wrk.arg(format!("http://{}", bed.service.address()));
    let output = wrk.arg("--").arg(paths).output();
    let output = output.map_err(|error| format!("wrk (apt-get install wrk): {error}"))?;
    let said = String::from_utf8(output.stdout)?;
    let result = said.lines().find_map(|line| line.strip_prefix("RESULT "));
    let (rate, tail) = result
        .and_then(|it| it.split_once(' '))
        .ok_or(said.clone())?;
    Ok((rate.parse()?, Duration::from_micros(tail.parse()?)))
}

fn paths(bed: &Bed, name: &str, paths: impl Iterator<Item = String>) -> Result<PathBuf, Failed> {
    let file = bed.directory.path().join(name);
    let lines: String = paths.map(|path| path + "\n").collect();
    fs::write(&file, lines)?;
    Ok(file)
}

/// Questions in a second, by a thousand at once, on one connection.
fn batches(bed: &Bed) -> Result<f64, Failed> {
    let question = |number| json!({ "problem": problem(number), "target": "gfx942" });
    let batch = |first: u32| {
        let questions: Vec<_> = (first..first + BATCH).map(question).collect();
        json!({ "questions": questions }).to_string()
    };
    let bodies: Vec<String> = (0..PROBLEMS / BATCH).map(|at| batch(at * BATCH)).collect();
    let begun = Instant::now();
    let answered = std::thread::scope(|scope| {
        let half = bodies.len() / 2;
        let one = |bodies: &[String]| -> Result<usize, String> {
            let mut found = 0;
            for body in bodies {
                let url = format!(
                    "http://{}/api/v1/configurations:batch",
                    bed.service.address()
                );
                let asked = ureq::post(&url).content_type("application/json").send(body);
                let mut answer = asked.map_err(|error| error.to_string())?;
                let text = answer.body_mut().read_to_string();
                let text = text.map_err(|error| error.to_string())?;
                found += text.matches("\"configuration\":{").count();
            }
            Ok(found)
        };
        let other = scope.spawn(|| one(&bodies[..half]));
        let mine = one(&bodies[half..])?;
        Ok::<usize, String>(mine + other.join().expect("it does not panic")?)
    })?;
    assert_eq!(answered, PROBLEMS as usize);
    Ok(f64::from(PROBLEMS) / begun.elapsed().as_secs_f64())
}

pub(crate) fn lookups() -> Result<(), Failed> {
    let bed = Bed::new(PROBLEMS, TRIALS)?;
    fs::write(bed.directory.path().join("script.lua"), SCRIPT)?;
    let health = paths(&bed, "health", std::iter::once("/healthz".to_owned()))?;
    let ask_for =
        |problem: String| format!("/api/v1/configurations?problem={problem}&target=gfx942");
    let hits = (0..PROBLEMS).map(|number| ask_for(problem(number * 7919 % PROBLEMS)));
    let hits = paths(&bed, "hits", hits)?;
    let misses = (0..PROBLEMS).map(|number| ask_for(problem(PROBLEMS + number)));
    let misses = paths(&bed, "misses", misses)?;
    let one = ask(
        bed.service.address(),
        &format!("GET {}", ask_for(problem(77))),
        "",
    )?;
    assert_eq!(one["problem"], problem(77), "{one}");
    // In turn, as the machine may have other things to do.
    for _ in 0..2 {
        let (base, _) = measure(&bed, &health)?;
        println!("/healthz: {base:.0}/s");
        let mut rates = [0.0; 2];
        for (rate, (name, paths)) in rates.iter_mut().zip([("hits", &hits), ("misses", &misses)]) {
            let (measured, tail) = measure(&bed, paths)?;
            println!(
                "{name}: {measured:.0}/s, {:.2} of /healthz, p99 {tail:?}",
                measured / base
            );
            *rate = measured;
        }
        let many = batches(&bed)?;
        println!("by a thousand: {many:.0}/s, {:.1} of hits", many / rates[0]);
        println!("memory: {} kB", bed.service.memory()?);
        assert!(rates[0] > 0.5 * base && rates[1] > 0.5 * rates[0] && many > 2.0 * rates[0]);
    }
    let memory = bed.service.memory()?;
    assert!(memory < 300_000, "{memory} kB");
    assert_eq!(bed.service.end()?, Some(0));
    Ok(())
}
