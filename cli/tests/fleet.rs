//! A fleet: several services on one PostgreSQL and one NATS, and agents, whichever of them is killed and started again. What comes
//! out is what `tune` finds alone. Needs libLLVM, lld, PostgreSQL and nats-server.

#[path = "support/running.rs"]
mod running;

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use codegen::cache::Cache;
use codegen::native::Native;
use libtest_mimic::{Arguments, Failed, Trial};
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use tempfile::TempDir;
use temporary_nats::Nats;
use temporary_postgres::Server;

use running::{Running, ask};

/// How much of a fleet.
#[derive(Clone, Copy)]
struct Size {
    replicas: usize,
    agents: usize,
    problems: usize,
    /// Problems that are asked for at once, before each kill.
    at_once: usize,
    budget: u64,
    /// Kills at most, one in each pause.
    kills: usize,
    pause: Duration,
    limit: Duration,
}

const SMALL: Size = Size {
    replicas: 2,
    agents: 3,
    problems: 6,
    at_once: 1,
    budget: 40,
    kills: 6,
    pause: Duration::from_secs(1),
    limit: Duration::from_secs(240),
};

const LARGE: Size = Size {
    replicas: 3,
    agents: 40,
    problems: 200,
    at_once: 20,
    budget: 100,
    kills: usize::MAX,
    pause: Duration::from_secs(1),
    limit: Duration::from_secs(3600),
};

/// Without what they need the tests are ignored, with the reason as their kind; in CI they fail.
fn main() -> ExitCode {
    let missing = missing();
    let test = |name: &str, size: Size| {
        let test = Trial::test(name, move || survives(size));
        match &missing {
            None => test,
            Some(reason) => test
                .with_kind(reason)
                .with_ignored_flag(std::env::var_os("CI").is_none()),
        }
    };
    let small = test("a_small_fleet_survives", SMALL);
    let large = test("a_fleet_survives", LARGE);
    let large = large
        .with_kind("full: 20,000 trials")
        .with_ignored_flag(true);
    libtest_mimic::run(&Arguments::from_args(), vec![small, large]).exit_code()
}

fn missing() -> Option<String> {
    if let Err(error) = Native::load(Cache::none()) {
        return Some(error.to_string());
    }
    if temporary_postgres::programs().is_none() {
        return Some("PostgreSQL is not installed".to_owned());
    }
    let nats = temporary_nats::program();
    nats.is_none()
        .then(|| "nats-server is not installed".to_owned())
}

/// What a fleet stands on.
struct Bed {
    directory: TempDir,
    postgres: Server,
    nats: Nats,
    url: String,
}

impl Bed {
    fn new() -> Result<Bed, Failed> {
        let directory = tempfile::tempdir()?;
        std::fs::write(directory.path().join("secret"), [7; 32])?;
        let postgres = Server::start()?;
        let program = temporary_nats::program().ok_or("nats-server is not installed")?;
        Ok(Bed {
            url: postgres.create_database()?,
            nats: Nats::start(&program, &["--jetstream"])?,
            directory,
            postgres,
        })
    }

    fn wavetune(&self) -> Command {
        wavetune(&self.url)
    }

    /// A replica; where PostgreSQL or NATS is away it is started until it stays.
    fn replica(&self, listen: &str) -> Result<Running, Failed> {
        let begun = Instant::now();
        loop {
            let mut command = self.wavetune();
            command.env("WAVETUNE_QUEUE", self.nats.address());
            command.env("WAVETUNE_SECRET_FILE", self.directory.path().join("secret"));
            match Running::service(command, listen) {
                Err(_) if begun.elapsed() < Duration::from_secs(60) => {}
                started => return started,
            }
        }
    }
}

fn wavetune(db: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command.env("WAVETUNE_DB", db).stdin(Stdio::null());
    command
}

fn problems(size: Size) -> Vec<String> {
    let problem = |number: usize| format!("argmax:2x[{}]xf32", 512 + 64 * number);
    (0..size.problems).map(problem).collect()
}

/// Replicas, agents, PostgreSQL and NATS are killed while studies are under way; all end with each trial once, and with what
/// one process alone finds.
fn survives(size: Size) -> Result<(), Failed> {
    let mut bed = Bed::new()?;
    let mut replicas = Vec::new();
    for _ in 0..size.replicas {
        replicas.push(bed.replica("127.0.0.1:0")?);
    }
    let addresses: Vec<String> = replicas
        .iter()
        .map(|one| one.address().to_owned())
        .collect();
    let home = |agent: usize| addresses[agent % size.replicas].as_str();
    let mut agents = Vec::new();
    for agent in 0..size.agents {
        agents.push(Running::agent(bed.wavetune(), home(agent))?);
    }
    let problems = problems(size);
    let mut studies = Vec::new();
    let mut waiting = problems.chunks(size.at_once);
    let seed = rand::random();
    println!("seed {seed}");
    let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
    let begun = Instant::now();
    let mut kills = 0;
    loop {
        match waiting.next() {
            Some(some) => studies.extend(submit(&addresses[0], some, size)?),
            None if under_way(&addresses, &studies) == 0 => break,
            None => {}
        }
        if begun.elapsed() > size.limit {
            let left = under_way(&addresses, &studies);
            return Err(format!("{left} studies are under way after {:?}", begun.elapsed()).into());
        }
        std::thread::sleep(size.pause);
        if kills >= size.kills {
            continue;
        }
        kills += 1;
        let victim = match kills {
            // Each sort once; then any of those of which there are several.
            1 => 0,
            2 => {
                bed.nats.kill();
                std::thread::sleep(size.pause);
                bed.nats.start_again()?;
                continue;
            }
            3 => size.replicas,
            4 => {
                bed.postgres.crash()?;
                std::thread::sleep(size.pause);
                bed.postgres.resume()?;
                continue;
            }
            _ => random.random_range(0..size.replicas + size.agents),
        };
        // The old one is dead before the new one begins.
        match victim.checked_sub(size.replicas) {
            None => {
                replicas.remove(victim).kill()?;
                replicas.insert(victim, bed.replica(&addresses[victim])?);
            }
            Some(agent) => {
                agents.remove(agent).kill()?;
                agents.insert(agent, Running::agent(bed.wavetune(), home(agent))?);
            }
        }
    }
    println!("{kills} kills in {:?}", begun.elapsed());
    for replica in replicas {
        assert_eq!(replica.end()?, Some(0));
    }
    drop(agents);
    check(&bed, &problems, size)
}

/// Asks for these problems, again where a database or a queue is only just coming back; the numbers of their studies.
fn submit(address: &str, problems: &[String], size: Size) -> Result<Vec<String>, Failed> {
    let wanted = json!({ "problems": problems, "target": "gfx942", "budget": size.budget });
    let begun = Instant::now();
    loop {
        let answer = ask(address, "POST /api/v1/studies", &wanted.to_string())?;
        if let Some(studies) = answer["studies"].as_array() {
            return Ok(studies
                .iter()
                .map(|study| study["id"].to_string())
                .collect());
        }
        if begun.elapsed() > Duration::from_secs(60) {
            return Err(answer.to_string().into());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// How many studies have not ended; all of them where nobody answers.
fn under_way(addresses: &[String], studies: &[String]) -> usize {
    let state = |study: &String| {
        let head = format!("GET /api/v1/studies/{study}");
        let mut answers = addresses
            .iter()
            .filter_map(|address| ask(address, &head, "").ok());
        answers.find_map(|answer| answer["state"].as_str().map(str::to_owned))
    };
    let is_over = |state: Option<String>| state.is_some_and(|state| state != "running");
    studies
        .iter()
        .filter(|study| !is_over(state(study)))
        .count()
}

/// Nothing is left to be done, and what was found is what one process alone finds.
fn check(bed: &Bed, problems: &[String], size: Size) -> Result<(), Failed> {
    let alone: PathBuf = bed.directory.path().join("alone.db");
    let alone = alone.to_str().ok_or("not UTF-8")?;
    let (here, there) = (
        tuned(&bed.url, problems, size)?,
        tuned(alone, problems, size)?,
    );
    assert_eq!(here.len(), problems.len());
    for (mut here, mut there) in here.into_iter().zip(there) {
        assert_eq!(here["trials"]["total"], size.budget, "{here}");
        assert_eq!(here["trials"]["resumed"], size.budget, "{here}");
        for answer in [&mut here, &mut there] {
            answer["trials"]["resumed"] = Value::Null;
            answer["seconds"] = Value::Null;
        }
        for same in ["problem", "trials", "best", "default", "speedup"] {
            assert_eq!(here[same], there[same], "{same}");
        }
    }
    Ok(())
}

/// The answers of `tune`.
fn tuned(db: &str, problems: &[String], size: Size) -> Result<Vec<Value>, Failed> {
    let mut command = wavetune(db);
    command.arg("tune").args(problems);
    command.args([
        "--budget",
        &size.budget.to_string(),
        "--output-format",
        "json",
    ]);
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let text = String::from_utf8(output.stdout)?;
    let answers = text.lines().map(serde_json::from_str);
    Ok(answers.collect::<Result<_, _>>()?)
}
