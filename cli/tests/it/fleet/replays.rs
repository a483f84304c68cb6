//! Results per second of a fleet: three services on one PostgreSQL and one NATS, and forty agents
//! that replay recorded trials of `tune`. All of it, agents included, runs on this machine.
//!
//! Its figures are only of use for a release build: `cargo test --release -p wavetune --test it
//! -- --ignored --nocapture replayed`.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use server_client::{Client, ClientSettings};
use server_fleet::wire::{Lease, LeaseReply, LeaseReport, LeaseRequest};
use store::{Page, Provenance, Records, StudyFilter, Trial, TrialFilter, TrialSort};
use testing::Failed;
use tuner::{BatchContent, BatchEventKind, Offer};

use crate::fleet::running::ask;
use crate::fleet::{Bed, wavetune};

const REPLICAS: usize = 3;
const AGENTS: usize = 40;
const PROBLEMS: usize = 64;
/// Trials in a lease, as the agents offer it.
const LEASE: usize = 50;
/// Trials of each problem: the default, which is a lease of its own, and ten leases.
const BUDGET: usize = 10 * LEASE + 1;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The recorded trials of each problem, by ordinal.
type Recorded = HashMap<String, HashMap<u32, Trial>>;

fn problems() -> Vec<String> {
    let problem = |number: usize| format!("argmax:1x[{}]xf32", 1024 + 32 * number);
    (0..PROBLEMS).map(problem).collect()
}

/// Tunes the problems in one process.
fn record(db: &str) -> Result<(), Error> {
    let mut command = wavetune(db);
    command.arg("tune").args(problems());
    command.args(["--strategy", "random", "--budget", &BUDGET.to_string()]);
    let output = command.output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into()),
    }
}

/// Reads the trials of the problems and their provenance from a database.
async fn read(store: &dyn Records) -> Result<(Recorded, Provenance), Error> {
    let page = Page::first(PROBLEMS as u32);
    let studies = store.list_studies(&StudyFilter::default(), page).await?;
    let mut recorded = Recorded::new();
    let mut provenance = None;
    for study in studies.rows {
        let (all, sort) = (TrialFilter::default(), TrialSort::Ordinal);
        let page = Page::first(BUDGET as u32);
        let trials = store.list_trials(study.known.id, &all, sort, page).await?;
        let trials = trials.rows.into_iter().map(|row| row.trial);
        let trials = trials.map(|trial| (trial.ordinal, trial)).collect();
        recorded.insert(study.known.problem.to_string(), trials);
        provenance = Some(study.known.provenance);
    }
    Ok((recorded, provenance.ok_or("nothing was recorded")?))
}

/// An agent that only replays.
struct Replayer<'a> {
    client: Client,
    name: String,
    offer: Offer,
    recorded: &'a Recorded,
    told: &'a AtomicU64,
    leases: &'a AtomicU64,
}

impl Replayer<'_> {
    fn work(&self, is_over: &AtomicBool) -> Result<(), Error> {
        while !is_over.load(Ordering::Relaxed) {
            let asks = LeaseRequest {
                agent: self.name.clone(),
                offers: vec![self.offer.clone()],
                devices: Vec::new(),
                wait_s: 1,
            };
            let answer = self.client.post("/api/v1/leases", &[], &asks)?;
            let Some(lease) = self.client.decode_optional::<Lease>(&answer)? else {
                continue;
            };
            let news = self.news(&lease)?;
            let trials = news.len() as u64 - 1;
            let tells = LeaseReport {
                token: lease.token,
                batch: lease.batch,
                news,
            };
            let answer = self.client.post("/api/v1/leases:tell", &[], &tells)?;
            let heard: LeaseReply = self.client.decode(&answer)?;
            assert!(!heard.is_wanted, "all was told");
            self.told.fetch_add(trials, Ordering::Relaxed);
            self.leases.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Returns the recorded trials that a lease asks for.
    fn news(&self, lease: &Lease) -> Result<Vec<BatchEventKind>, Error> {
        let BatchContent::Try(candidates) = &lease.batch.work else {
            return Err("emulated times need no finals".into());
        };
        let problem = lease.batch.job.problem.to_string();
        let trials = self.recorded.get(&problem).ok_or("another problem")?;
        let trial = |ordinal: u32| trials.get(&ordinal).ok_or("another study");
        let trials = candidates.iter().map(|candidate| {
            Ok(BatchEventKind::Trial(Box::new(
                trial(candidate.ordinal)?.clone(),
            )))
        });
        trials.chain([Ok(BatchEventKind::Done)]).collect()
    }
}

/// Records, replays, compares, and prints the rate.
pub(crate) fn replays() -> Result<(), Failed> {
    replay().map_err(|error| error.to_string().into())
}

fn replay() -> Result<(), Error> {
    let bed = Bed::new().map_err(said)?;
    let alone = bed.directory.path().join("alone.db");
    let alone = alone.to_str().ok_or("not UTF-8")?;
    record(alone)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let store = runtime.block_on(store_sqlite::Sqlite::open_existing(alone))?;
    let (recorded, provenance) = runtime.block_on(read(&store))?;
    let total = recorded.values().map(|trials| trials.len() as u64).sum();
    let offer = json!({ "provenance": provenance, "device": "mi300x", "batch": LEASE });
    let offer: Offer = serde_json::from_value(offer)?;
    let mut replicas = Vec::new();
    for _ in 0..REPLICAS {
        replicas.push(bed.replica("127.0.0.1:0").map_err(said)?);
    }
    let (is_over, told, leases) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let replayer = |number: usize| Replayer {
        client: Client::new(ClientSettings {
            server: format!("http://{}", replicas[number % REPLICAS].address()),
            program: "replayer",
            ..ClientSettings::default()
        }),
        name: format!("replayer {number}"),
        offer: offer.clone(),
        recorded: &recorded,
        told: &told,
        leases: &leases,
    };
    std::thread::scope(|scope| -> Result<(), Error> {
        let agents: Vec<Replayer<'_>> = (0..AGENTS).map(replayer).collect();
        let is_over = &is_over;
        let agents: Vec<_> = agents
            .into_iter()
            .map(|agent| scope.spawn(move || agent.work(is_over)))
            .collect();
        // Time for the service to learn of all agents.
        std::thread::sleep(Duration::from_secs(2));
        let measured = measure(replicas[0].address(), total, &told, &leases);
        is_over.store(true, Ordering::Relaxed);
        for agent in agents {
            agent.join().map_err(|_| "an agent died")??;
        }
        measured
    })?;
    for replica in replicas {
        assert_eq!(replica.end().map_err(said)?, Some(0));
    }
    let store = runtime.block_on(store_postgres::Postgres::open_existing(&bed.url))?;
    let (replayed, _) = runtime.block_on(read(&store))?;
    assert!(replayed == recorded, "what was stored is what was told");
    Ok(())
}

/// Submits all problems at once. Prints the results per second until the last.
fn measure(address: &str, total: u64, told: &AtomicU64, leases: &AtomicU64) -> Result<(), Error> {
    let before = processor_s()?;
    let wanted = json!({
        "problems": problems(), "target": "gfx942", "strategy": "random", "budget": BUDGET,
    });
    let wanted = wanted.to_string();
    let begun = Instant::now();
    let (submitted, answer) = std::thread::scope(|scope| -> Result<_, Error> {
        let submitted = scope.spawn(|| {
            let answer = ask(address, "POST /api/v1/studies", &wanted).map_err(said);
            (begun.elapsed(), answer)
        });
        while told.load(Ordering::Relaxed) < total {
            std::thread::sleep(Duration::from_millis(10));
            if begun.elapsed() > Duration::from_secs(120) {
                let told = told.load(Ordering::Relaxed);
                return Err(format!("{told} of {total} results were told").into());
            }
        }
        let (at, answer) = submitted.join().map_err(|_| "nothing was asked")?;
        Ok((at.as_secs_f64(), answer?))
    })?;
    let (seconds, leases) = (
        begun.elapsed().as_secs_f64(),
        leases.load(Ordering::Relaxed),
    );
    println!(
        "{total} results in {seconds:.1} s: {:.0} a second; the studies were there after {submitted:.1} s",
        total as f64 / seconds
    );
    println!(
        "{leases} leases of {:.1} on average",
        total as f64 / leases as f64
    );
    for (program, used) in processor_s()? {
        let used = used - before.get(&program).unwrap_or(&0.0);
        println!("{program}: {:.2} cores", used / seconds);
    }
    let studies = answer["studies"].as_array();
    let studies = studies.ok_or_else(|| answer.to_string())?;
    assert_eq!(studies.len(), PROBLEMS);
    // Directors end soon after the last result.
    for study in studies {
        let head = format!("GET /api/v1/studies/{}", study["id"]);
        let ended = || ask(address, &head, "").is_ok_and(|run| run["state"] == "done");
        let patience = Instant::now();
        while !ended() {
            if patience.elapsed() > Duration::from_secs(60) {
                return Err(format!("{head}: does not end").into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    Ok(())
}

fn said(error: Failed) -> Error {
    error.message().unwrap_or("no reason given").into()
}

/// Returns the processor seconds of this process and of those that it started, by program.
fn processor_s() -> Result<BTreeMap<String, f64>, Error> {
    let mut all = HashMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let Ok(stat) = std::fs::read_to_string(entry?.path().join("stat")) else {
            continue;
        };
        let parts = stat
            .split_once(" (")
            .and_then(|(id, rest)| Some((id, rest.rsplit_once(") ")?)));
        let Some((id, (program, fields))) = parts else {
            continue;
        };
        // The fields from the state on, the third in proc(5).
        let fields: Vec<&str> = fields.split(' ').collect();
        let number = |field: usize| fields[field - 3].parse::<u32>().unwrap_or(0);
        // Linux always reports a hundred ticks per second.
        let used = f64::from(number(14) + number(15)) / 100.0;
        all.insert(id.parse::<u32>()?, (program.to_owned(), number(4), used));
    }
    let is_ours = |mut id: u32| loop {
        match all.get(&id) {
            _ if id == std::process::id() => return true,
            Some((_, parent, _)) => id = *parent,
            None => return false,
        }
    };
    let mut by_program = BTreeMap::new();
    for (id, (program, _, used)) in &all {
        if is_ours(*id) {
            *by_program.entry(program.clone()).or_insert(0.0) += used;
        }
    }
    Ok(by_program)
}
