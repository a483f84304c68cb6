//! Any part of a fleet is killed and restarted: the result equals that of `tune` alone.

use std::path::Path;
use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use testing::Failed;

use crate::fleet::running::ask;
use crate::fleet::{Bed, wavetune};

/// The size of a fleet.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    replicas: usize,
    agents: usize,
    /// The niceness of agents against the services.
    nice: u8,
    problems: usize,
    /// Problems submitted at once, before each kill.
    at_once: usize,
    budget: u64,
    /// Most kills, one in each pause.
    kills: usize,
    /// One of this many kills is of NATS, which loses all its data.
    loss_each: usize,
    /// The least number of losses.
    losses: usize,
    pause: Duration,
    limit: Duration,
}

pub(crate) const SMALL: Size = Size {
    replicas: 2,
    agents: 3,
    nice: 0,
    problems: 6,
    at_once: 1,
    budget: 40,
    kills: 6,
    loss_each: 5,
    losses: 1,
    pause: Duration::from_secs(1),
    limit: Duration::from_secs(240),
};

pub(crate) const ROUNDS: Size = Size {
    replicas: 2,
    agents: 3,
    nice: 0,
    problems: 18,
    at_once: 9,
    budget: 250,
    kills: 20,
    loss_each: 4,
    losses: 5,
    pause: Duration::from_secs(3),
    limit: Duration::from_secs(1200),
};

pub(crate) const LARGE: Size = Size {
    replicas: 3,
    agents: 40,
    nice: 10,
    problems: 200,
    at_once: 20,
    budget: 100,
    kills: usize::MAX,
    loss_each: 60,
    losses: 1,
    pause: Duration::from_secs(1),
    limit: Duration::from_secs(3600),
};

fn problems(size: Size) -> Vec<String> {
    (0..size.problems).map(problem).collect()
}

/// Returns one of 216 problems without neighbours among each other: what lookups serve before a
/// study then does not depend on the progress of the others.
pub(crate) fn problem(number: usize) -> String {
    const COLUMNS: [u32; 6] = [512, 1088, 2240, 4544, 9152, 18_368];
    let (columns, number) = (COLUMNS[number % 6], number / 6);
    // Each is more than twice the rows before.
    let (rows, number) = ((2 << (number % 6)) - 1, number / 6);
    let (operation, number) = (["argmax", "argmin"][number % 2], number / 2);
    let element = ["f32", "f16", "bf16"][number % 3];
    format!("{operation}:{rows}x[{columns}]x{element}")
}

/// Kills replicas, agents, PostgreSQL and NATS during studies. Each study ends with each trial
/// once, and with the result of one process alone.
pub(crate) fn survives(size: Size) -> Result<(), Failed> {
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
        agents.push(bed.agent(home(agent), size.nice)?);
    }
    let problems = problems(size);
    let mut studies = Vec::new();
    let mut waiting = problems.chunks(size.at_once);
    let seed = rand::random();
    println!("seed {seed}");
    let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
    let begun = Instant::now();
    let (mut kills, mut losses) = (0, 0);
    loop {
        match waiting.next() {
            Some(some) => studies.extend(submit(&addresses[0], some, size.budget)?),
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
        if kills % 60 == 0 {
            let left = under_way(&addresses, &studies);
            println!(
                "{:?}: {kills} kills, {left} of {} studies",
                begun.elapsed(),
                studies.len()
            );
        }
        let is_loss = kills % size.loss_each == 0;
        let victim = match kills {
            // First each kind once, then any kind with several processes.
            1 => 0,
            _ if is_loss || kills == 2 => {
                bed.nats.kill();
                if is_loss {
                    bed.nats.lose_data()?;
                    losses += 1;
                }
                std::thread::sleep(size.pause);
                bed.nats.start_again()?;
                continue;
            }
            3 => {
                bed.postgres.crash()?;
                std::thread::sleep(size.pause);
                bed.postgres.resume()?;
                continue;
            }
            4 => size.replicas,
            _ => random.random_range(0..size.replicas + size.agents),
        };
        // The old process is dead before its successor starts.
        match victim.checked_sub(size.replicas) {
            None => {
                replicas.remove(victim).kill()?;
                replicas.insert(victim, bed.replica(&addresses[victim])?);
            }
            Some(agent) => {
                agents.remove(agent).kill()?;
                agents.insert(agent, bed.agent(home(agent), size.nice)?);
            }
        }
    }
    println!(
        "{kills} kills in {:?}, {losses} of which lost data",
        begun.elapsed()
    );
    assert!(losses >= size.losses, "{losses} losses");
    for replica in replicas {
        assert_eq!(replica.end()?, Some(0));
    }
    drop(agents);
    check(&bed.url, bed.directory.path(), &problems, size.budget)
}

/// Submits these problems, and returns the numbers of their studies. Retries while a database or
/// a queue is restarting or no agent has started: forty agents need more than a minute of two
/// cores.
pub(crate) fn submit(
    address: &str,
    problems: &[String],
    budget: u64,
) -> Result<Vec<String>, Failed> {
    let wanted = json!({ "problems": problems, "target": "gfx942", "budget": budget });
    let begun = Instant::now();
    loop {
        let answer = ask(address, "POST /api/v1/studies", &wanted.to_string())?;
        if let Some(studies) = answer["studies"].as_array() {
            return Ok(studies
                .iter()
                .map(|study| study["id"].to_string())
                .collect());
        }
        if begun.elapsed() > Duration::from_secs(300) {
            return Err(answer.to_string().into());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Counts the studies that have not ended; all of them if no service answers.
pub(crate) fn under_way(addresses: &[String], studies: &[String]) -> usize {
    let state = |study: &String| {
        let head = format!("GET /api/v1/studies/{study}");
        let mut answers = addresses
            .iter()
            .filter_map(|address| ask(address, &head, "").ok());
        answers.find_map(|answer| answer["state"].as_str().map(str::to_owned))
    };
    // A study submitted before its agents came waits for them.
    let goes_on = ["waiting", "running"];
    let is_over = |state: Option<String>| state.is_some_and(|it| !goes_on.contains(&&*it));
    studies
        .iter()
        .filter(|study| !is_over(state(study)))
        .count()
}

/// Checks that a database has no work left, and that the results equal those of one process
/// alone.
pub(crate) fn check(
    db: &str,
    directory: &Path,
    problems: &[String],
    budget: u64,
) -> Result<(), Failed> {
    let alone = directory.join("alone.db");
    let alone = alone.to_str().ok_or("not UTF-8")?;
    let (here, there) = (
        tuned(db, problems, budget)?,
        tuned(alone, problems, budget)?,
    );
    assert_eq!(here.len(), problems.len());
    for (mut here, mut there) in here.into_iter().zip(there) {
        // A small space ends before the budget.
        let trials = here["space"]
            .as_u64()
            .map_or(budget, |space| space.min(budget));
        assert_eq!(here["trials"]["total"], trials, "{here}");
        assert_eq!(here["trials"]["resumed"], trials, "{here}");
        for answer in [&mut here, &mut there] {
            answer["trials"]["resumed"] = Value::Null;
            answer["seconds"] = Value::Null;
        }
        if here["trials"]["failed"] != there["trials"]["failed"] {
            return Err(format!("{}\n{}", here["problem"], failures(db)?).into());
        }
        // The search learns in the order of results, so other trials may be worth a verification.
        for status in ["tie", "wrong", "total"] {
            assert_eq!(here["trials"][status], there["trials"][status], "{status}");
        }
        for same in ["problem", "best", "default", "speedup"] {
            assert_eq!(here[same], there[same], "{same}");
        }
    }
    Ok(())
}

/// Returns the trials without a verdict, with their messages.
fn failures(db: &str) -> Result<String, Failed> {
    let output = wavetune(db).args(["trials", "--failures"]).output()?;
    Ok(String::from_utf8(output.stdout)?)
}

/// Returns the answers of `tune`.
fn tuned(db: &str, problems: &[String], budget: u64) -> Result<Vec<Value>, Failed> {
    let mut command = wavetune(db);
    command.arg("tune").args(problems);
    command.args(["--budget", &budget.to_string(), "--output-format", "json"]);
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let text = String::from_utf8(output.stdout)?;
    let answers = text.lines().map(serde_json::from_str);
    Ok(answers.collect::<Result<_, _>>()?)
}
