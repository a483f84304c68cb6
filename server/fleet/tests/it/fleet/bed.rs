//! A fleet with a database of its own, and agents of the test with invented results.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use configgen::{Generator, Target};
use server_dispatch::MemoryBroker;
use server_fleet::wire::{Lease, LeaseRequest};
use server_fleet::{Fleet, FleetError, FleetStore, Keys, StoredRequest, StudyRequest};
use store::{Ledger as _, RunState, Runs as _, StudyId, Ties, Trial, TrialOutcome};
use store_sqlite::Sqlite;
use tempfile::TempDir;
use tuner::{BatchEventKind, Plan, Strategy};

use crate::fleet::faulty::Faulty;
use testing_agent::{offer, results, tell};

/// Returns a request of so many trials of a problem on a gfx942.
pub(crate) fn asked(problem: &str, budget: u32) -> StudyRequest {
    StudyRequest {
        plan: Plan {
            problem: problem.parse().unwrap(),
            strategy: Strategy::Evolution,
            seed: 0,
            budget,
            effort: None,
            ties: Ties::Fold,
        },
        target: Target::named("gfx942").unwrap(),
        device: None,
        generator: Generator::NATIVE,
        is_urgent: false,
    }
}

/// Longest silence of a lease: long enough for a living agent on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

pub(crate) struct Bed {
    directory: TempDir,
    pub(crate) store: Arc<Sqlite>,
    pub(crate) fleet: Arc<Fleet>,
}

impl Bed {
    pub(crate) async fn new() -> Bed {
        let directory = TempDir::new().unwrap();
        let (store, fleet, _) = opened(&directory).await;
        Bed {
            directory,
            store,
            fleet,
        }
    }

    /// Opens a fleet with a database that refuses so many writes of trials, and fails so many
    /// reads of new ones.
    pub(crate) async fn with_faults(writes: u32, looks: u32) -> Bed {
        let bed = Bed::new().await;
        let faulty = Faulty::new(Arc::clone(&bed.store), writes, looks);
        bed.fleet.close().await.unwrap();
        let (fleet, _) = fleet(Arc::new(faulty)).await;
        Bed { fleet, ..bed }
    }

    /// Opens a fleet with a database that counts its calls.
    pub(crate) async fn counted() -> (Bed, Arc<Faulty>) {
        let bed = Bed::new().await;
        let counted = Arc::new(Faulty::new(Arc::clone(&bed.store), 0, 0));
        bed.fleet.close().await.unwrap();
        let (fleet, _) = fleet(Arc::clone(&counted) as _).await;
        (Bed { fleet, ..bed }, counted)
    }

    /// Restarts the service on the same database. Returns the number of running studies.
    pub(crate) async fn again(self) -> (Bed, usize) {
        self.fleet.close().await.unwrap();
        let Bed { directory, .. } = self;
        let (store, fleet, under_way) = opened(&directory).await;
        let bed = Bed {
            directory,
            store,
            fleet,
        };
        (bed, under_way)
    }

    /// Leases a batch to an agent with an MI300X; none if none comes for a while.
    pub(crate) async fn lease(&self, agent: &str) -> Option<Lease> {
        self.ask(agent).await.unwrap()
    }

    /// Leases a batch to an agent with an MI300X.
    pub(crate) async fn leased(&self, agent: &str) -> Lease {
        testing::until_some(async || self.lease(agent).await).await
    }

    pub(crate) async fn ask(&self, agent: &str) -> Result<Option<Lease>, FleetError> {
        let ask = LeaseRequest {
            agent: agent.to_owned(),
            offers: vec![offer("mi300x")],
            devices: Vec::new(),
            wait_s: 1,
        };
        self.fleet.lease(ask).await
    }

    /// Makes an agent present, so that studies can begin.
    pub(crate) async fn agent_comes(&self) {
        let ask = LeaseRequest {
            agent: "first".to_owned(),
            offers: vec![offer("mi300x")],
            devices: Vec::new(),
            wait_s: 0,
        };
        assert_eq!(self.fleet.lease(ask).await.unwrap(), None);
    }

    pub(crate) async fn submit(&self, problem: &str, budget: u32) -> StudyId {
        let asked = vec![asked(problem, budget)];
        let begun = self.fleet.submit(asked, None, None).await;
        begun.unwrap().studies[0].study
    }

    /// Waits until a study's director has opened it.
    pub(crate) async fn opened(&self, study: StudyId) -> StudyId {
        loop {
            let study = self.fleet.study(study).await.unwrap();
            match study.order {
                StoredRequest::Offered(order) if order.recorded.is_some() => return study.study,
                _ => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    }

    pub(crate) async fn state(&self, study: StudyId) -> RunState {
        self.store.run(study).await.unwrap().unwrap().state
    }

    /// Waits until a study has ended.
    pub(crate) async fn ended(&self, study: StudyId) -> RunState {
        for _ in 0..2000 {
            let state = self.state(study).await;
            if !state.goes_on() {
                return state;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("study {} does not end", study.0);
    }

    /// Works as an agent until no study runs any more, and returns its trials. No reported trial
    /// comes again.
    pub(crate) async fn work(
        &self,
        agent: &str,
        mut does: impl FnMut(&Lease) -> Does,
    ) -> BTreeSet<u32> {
        let mut told = BTreeSet::new();
        loop {
            let Some(lease) = self.lease(agent).await else {
                let running = self.store.runs(Some(RunState::Running), None, 1).await;
                match running.unwrap().rows.is_empty() {
                    true => return told,
                    false => continue,
                }
            };
            let again = results(&lease).iter().any(|news| has_told(&told, news));
            assert!(!again, "{told:?} {:?}", lease.batch.work);
            let news = match does(&lease) {
                Does::All => results(&lease),
                Does::First => results(&lease).into_iter().take(1).collect(),
                Does::FirstAndEnds => {
                    let first = results(&lease).into_iter().take(1);
                    first.chain([BatchEventKind::Done]).collect()
                }
                Does::Nothing => continue,
            };
            let ordinals: Vec<u32> = news.iter().filter_map(ordinal).collect();
            self.fleet.record_report(tell(&lease, news)).await.unwrap();
            told.extend(ordinals);
        }
    }

    /// Opens a study for reading.
    pub(crate) async fn study(&self, study: StudyId) -> store::Study {
        use store::Catalogue as _;
        let known = self
            .store
            .studies(store::ProblemSelection::All, None)
            .await
            .unwrap();
        let known = known.rows.into_iter().find(|known| known.id == study);
        let known = known.unwrap();
        let key = store::StudyKey {
            problem: known.problem,
            provenance: known.provenance,
            strategy: String::new(),
            space: String::new(),
            ties: None,
            seed: 0,
        };
        store::Study {
            id: study,
            key,
            bound_us: None,
            recorded: 0,
        }
    }

    /// Returns the trials of a study: ordinal, configuration and outcome.
    pub(crate) async fn trials(&self, study: StudyId) -> Vec<(u32, String, TrialOutcome)> {
        let study = self.study(study).await;
        let trials = self.store.trials_of(&study).await.unwrap();
        let row = |trial: Trial| {
            let configuration = format!("{:?}", trial.configuration);
            (trial.ordinal, configuration, trial.outcome)
        };
        trials.into_iter().map(row).collect()
    }
}

async fn opened(directory: &TempDir) -> (Arc<Sqlite>, Arc<Fleet>, usize) {
    let path = directory.path().join("fleet.db");
    let store = Arc::new(Sqlite::open(path.to_str().unwrap()).await.unwrap());
    let (fleet, under_way) = fleet(Arc::clone(&store) as _).await;
    (store, fleet, under_way)
}

async fn fleet(store: Arc<dyn FleetStore>) -> (Arc<Fleet>, usize) {
    let queue = Arc::new(MemoryBroker::new(PATIENCE, Duration::from_secs(60)));
    let key = Keys::from_secret(&[7; 32]);
    Fleet::open(store, queue, key).await.unwrap()
}

/// The behaviour of an agent with a lease.
pub(crate) enum Does {
    All,
    /// It reports the first trial, and disappears.
    First,
    /// It reports the first trial, and the end.
    FirstAndEnds,
    /// It disappears.
    Nothing,
}

/// Returns the ordinal of a reported trial.
fn ordinal(news: &BatchEventKind) -> Option<u32> {
    match news {
        BatchEventKind::Trial(trial) => Some(trial.ordinal),
        _ => None,
    }
}

fn has_told(told: &BTreeSet<u32>, news: &BatchEventKind) -> bool {
    ordinal(news).is_some_and(|ordinal| told.contains(&ordinal))
}
