//! A queue loses all its data while agents hold leases: no trial is lost or repeated, and no
//! operator acts.

#![allow(missing_docs)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use configgen::{Generator, Target};
use server_dispatch::{Broker, JetStream, JetStreamSettings, MemoryBroker};
use server_fleet::wire::{Lease, LeaseRequest};
use server_fleet::{Fleet, Keys, StudyRequest};
use store::{Ledger as _, LedgerPosition, RunState, Runs as _, StudyId, Ties, TrialOutcome};
use store_sqlite::Sqlite;
use testing::{Failed, Trial};
use testing_nats::Nats;
use tuner::{BatchEventKind, Plan, Strategy};

use testing_agent::{hold, offer, results, tell};

/// Longest silence of a lease in tests that do not wait for its end.
const LONG: Duration = Duration::from_secs(60);
/// The same in tests that wait.
const SHORT: Duration = Duration::from_millis(1500);
const BUDGET: u32 = 60;
const PROBLEMS: [&str; 3] = [
    "argmax:4x[4096]xf32",
    "argmin:4x[4096]xf32",
    "argmax:8x[1024]xf32",
];
/// Losses of the data.
const LOSSES: usize = 3;
/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("studies_outlive_the_data_of_the_queue", |program| {
            run(studies_outlive_the_data(program))
        }),
        trial("a_part_that_is_lost_is_missed", |program| {
            run(a_part_is_missed(program))
        }),
    ]
}

fn trial(name: &str, test: fn(PathBuf) -> Result<(), Failed>) -> Trial {
    match testing_nats::program() {
        Some(program) => Trial::test(name, move || test(program)),
        None => {
            let reason = "nats-server is missing; `cargo xtask setup` installs it";
            Trial::test(name, move || Err(reason.into()))
                .with_kind(reason)
                .with_ignored_flag(std::env::var_os("CI").is_none())
        }
    }
}

fn run(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build()?;
    runtime.block_on(test)
}

async fn replica(store: &Arc<Sqlite>, carrier: Arc<dyn Broker>) -> Arc<Fleet> {
    let key = Keys::from_secret(&[7; 32]);
    let opened = Fleet::open(Arc::clone(store) as _, carrier, key).await;
    opened.unwrap().0
}

async fn lease(fleet: &Fleet, agent: &str) -> Option<Lease> {
    let ask = LeaseRequest {
        agent: agent.to_owned(),
        offers: vec![offer("mi300x")],
        devices: Vec::new(),
        wait_s: 1,
    };
    fleet.lease(ask).await.unwrap()
}

async fn submit(fleet: &Arc<Fleet>) -> Vec<StudyId> {
    // An agent comes first, so that studies can begin.
    assert_eq!(lease(fleet, "one").await, None);
    let asked = PROBLEMS.map(|problem| StudyRequest {
        plan: Plan {
            problem: problem.parse().unwrap(),
            strategy: Strategy::Evolution,
            seed: 0,
            budget: BUDGET,
            effort: None,
            ties: Ties::Fold,
        },
        target: Target::named("gfx942").unwrap(),
        device: None,
        generator: Generator::NATIVE,
        is_urgent: false,
    });
    let begun = fleet.submit(asked.to_vec(), None, None).await.unwrap();
    begun.studies.into_iter().map(|one| one.study).collect()
}

/// Works until every study has ended.
async fn work(fleets: &[Arc<Fleet>], store: &Sqlite) {
    let begun = Instant::now();
    while store.running().await.unwrap() > 0 {
        assert!(begun.elapsed() < LIMIT, "a study does not end");
        for (at, fleet) in fleets.iter().enumerate() {
            if let Some(lease) = lease(fleet, "one").await {
                let other = &fleets[(at + 1) % fleets.len()];
                other
                    .record_report(tell(&lease, results(&lease)))
                    .await
                    .unwrap();
            }
        }
    }
}

/// Returns the trials of all studies: ordinal, configuration and outcome.
async fn trials_of(store: &Sqlite, studies: &[StudyId]) -> Vec<(u32, String, TrialOutcome)> {
    let mut all = Vec::new();
    for study in studies {
        let run = store.run(*study).await.unwrap().unwrap();
        assert_eq!(run.state, RunState::Done);
        let (mut trials, _) = store
            .trials_since(*study, LedgerPosition::default())
            .await
            .unwrap();
        trials.sort_by_key(|trial| trial.ordinal);
        let row = |trial: store::Trial| {
            let configuration = format!("{:?}", trial.configuration);
            (trial.ordinal, configuration, trial.outcome)
        };
        all.extend(trials.into_iter().map(row));
    }
    all
}

async fn open(directory: &Path, name: &str) -> Arc<Sqlite> {
    let path = directory.join(name);
    Arc::new(Sqlite::open(path.to_str().unwrap()).await.unwrap())
}

async fn studies_outlive_the_data(program: PathBuf) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let alone = open(directory.path(), "alone.db").await;
    let memory = Arc::new(MemoryBroker::new(LONG, Duration::from_secs(60)));
    let undisturbed = [replica(&alone, memory).await];
    let expected = submit(&undisturbed[0]).await;
    work(&undisturbed, &alone).await;
    let expected = trials_of(&alone, &expected).await;
    assert_eq!(expected.len(), PROBLEMS.len() * BUDGET as usize);

    let mut nats = Nats::start(&program, &["--jetstream"])?;
    let settings = JetStreamSettings {
        patience: LONG,
        ..JetStreamSettings::new(nats.address())
    };
    let store = open(directory.path(), "shared.db").await;
    let mut fleets = Vec::new();
    for _ in 0..2 {
        let carrier = Arc::new(JetStream::connect(&settings).await?);
        fleets.push(replica(&store, carrier).await);
    }
    let studies = submit(&fleets[0]).await;
    for _ in 0..LOSSES {
        let mut leases = Vec::new();
        while leases.len() < 3 {
            leases.extend(lease(&fleets[leases.len() % 2], "one").await);
        }
        nats.kill();
        nats.lose_data()?;
        nats.start_again()?;
        // One agent dies. One is alive and has reported nothing; another reports all results.
        let [_, lives, tells] = &leases[..] else {
            panic!("{leases:?}")
        };
        fleets[0].renew_lease(hold(lives)).await.unwrap();
        let told = fleets[1]
            .record_report(tell(tells, results(tells)))
            .await
            .unwrap();
        assert!(!told.is_wanted);
        let asked: Vec<u32> = results(tells).iter().filter_map(ordinal).collect();
        let study = StudyId(tells.batch.id.study);
        assert_eq!(store.ended(study, &asked).await.unwrap(), asked);
        // A while later it learns that another agent has its batch.
        let begun = Instant::now();
        while fleets[0].renew_lease(hold(lives)).await.unwrap().is_wanted {
            assert!(begun.elapsed() < LIMIT);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    work(&fleets, &store).await;
    assert_eq!(trials_of(&store, &studies).await, expected);
    Ok(())
}

/// The items are gone and the stream is not, as after a power cut: the test removes all items
/// silently.
async fn a_part_is_missed(program: PathBuf) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let nats = Nats::start(&program, &["--jetstream"])?;
    let settings = JetStreamSettings {
        patience: SHORT,
        ..JetStreamSettings::new(nats.address())
    };
    let store = open(directory.path(), "shared.db").await;
    let carrier = Arc::new(JetStream::connect(&settings).await?);
    let fleets = [replica(&store, carrier).await];
    let studies = submit(&fleets[0]).await;
    testing::until_some(async || lease(&fleets[0], "one").await).await;
    let client = async_nats::connect(nats.address()).await?;
    let context = async_nats::jetstream::new(client);
    context.get_stream("WAVETUNE_WORK").await?.purge().await?;
    work(&fleets, &store).await;
    let trials = trials_of(&store, &studies).await;
    assert_eq!(trials.len(), PROBLEMS.len() * BUDGET as usize);
    Ok(())
}

fn ordinal(news: &BatchEventKind) -> Option<u32> {
    match news {
        BatchEventKind::Trial(trial) => Some(trial.ordinal),
        _ => None,
    }
}
