//! The fleet: studies of a service, and the agents that try their configurations.
//!
//! A service is one or several replicas, each a [`Fleet`]. They share a database and a broker of
//! `server/dispatch/`: a queue, and a bus for messages between replicas.
//!
//! ```text
//! run ─▶ director ─▶ batch ─▶ queue ─▶ lease ─▶ agent
//!                     └▶ queue ─▶ build ─▶ agent without a device ─▶ queue, with kernels
//! agent ─▶ any replica ─▶ database, then a message on the bus: director and followers read there
//! ```
//!
//! - A *run* is a study request stored in the database. A submission is one transaction.
//! - The queue gives each run to one replica. Its director is that of `tune`, and the replica
//!   renews its claim. If the replica dies, the queue gives the run to another.
//! - The database chooses the next study: that of the submitter with the fewest directors, urgent
//!   ones first.
//! - An agent *leases* a batch from any replica, renews the lease and reports the results in the
//!   messages of [`wire`].
//! - An *offer* is a device, a builder and the provenance of their numbers. Agents with equal
//!   offers lease from the same topic.
//! - Agents without a device build kernels before a batch waits for a device. The queue keeps the
//!   signed kernels with the batch.
//! - If the queue loses its data, directors put their unfinished batches again.
//! - After [`DELIVERIES`] leases without a result, a replica stores the trial as abandoned. A
//!   requeue tries it again. Deliveries that no agent got and leases that agents gave back do not
//!   count.
//!
//! Each replica reads a study's state from the database, at most a second late; a message on the
//! bus makes it read at once. Followers of a study share one feed in each replica.
//!
//! This crate does not know HTTP, nor the kind of database or broker.
//!
//! # Invariants
//!
//! - A result is in the database before the agent hears an acknowledgement, and before the queue
//!   forgets the work.
//! - An agent reports the trials of its lease, and no other: the lease is sealed with a hash of its
//!   batch.
//! - A trial that no agent finishes ends: alone in its third lease, as abandoned.
//! - An agent runs foreign code only with a signature of its service for this batch, toolchain and
//!   target.
//! - Build agents that build, die or lie change no trial of an emulated device, except its time to
//!   build.
//! - The death of a service, an agent, PostgreSQL or NATS leaves the trials of an undisturbed
//!   study.
//! - A queue that loses its data costs no trial and needs no operator.
//! - Every replica reports the same results of a study, also a replica that started later.
//! - A submission begins all of its studies or none, and computes no space.
//! - No number of studies of one submitter, however urgent, keeps the agents from another.
//! - A replaced director that does not know it gives out no batch that is leased and ends no run.

mod agent_registry;
mod background;
mod builds;
mod bus_message;
mod checks;
mod computation_cache;
mod counters;
mod directed_study;
mod director;
mod director_request;
mod error;
mod events;
mod findings;
mod keys;
mod lease;
mod lease_history;
mod lease_registry;
mod prior_answers;
mod queue_dispatcher;
mod queue_payload;
mod replica_metrics;
mod results;
mod stall;
mod studies;
mod study_cache;
mod study_feed;
mod study_list;
mod study_request;
mod study_watch;
pub mod wire;

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use server_dispatch::Broker;
use store::{Catalogue, Ledger, Runs};
use tokio::sync::{Semaphore, watch as signal};
use tokio::task::AbortHandle;
use tuner::PreparedStudy;

pub use agent_registry::AgentCapabilities;
pub use background::persist;
pub use counters::{CounterSnapshot, LeaseFailure};
pub use error::FleetError;
pub use events::{StudyMoment, StudyUpdate, TrialSummary};
pub use findings::StudyFindings;
pub use keys::{InvalidSignature, Keys, PublicKey, Purpose, SignedKernels};
pub use lease::{DELIVERIES, LONGEST_WAIT};
pub use lease_registry::{LeaseActivity, LeaseSummary};
pub use replica_metrics::ReplicaMetrics;
pub use stall::STALL;
pub use studies::{StudyQuota, SubmittedStudies};
pub use study_list::{PresentAgent, StudyStatus};
pub use study_request::{OfferedStudy, StoredRequest, StudyRequest, Submitter, UnofferedStudy};
pub use study_watch::StudyWatch;
pub use tuner::{DriftStatus, Effort, Offer, Plan, Strategy, Toolchain, TuneProgress};

use agent_registry::AgentRegistry;
use computation_cache::ComputationCache;
use counters::Counters;
use directed_study::DirectedStudy;
use lease_history::LeaseHistory;
use lease_registry::LeaseRegistry;
use replica_metrics::LastCounts;
use stall::StallClock;
use study_cache::StudyCache;
use study_feed::StudyFeed;

/// A database that keeps studies, and the runs that replicas direct.
pub trait FleetStore: Ledger + Runs {
    /// Returns the catalogue, for the answers of lookups before a study.
    fn catalogue(&self) -> &dyn Catalogue;
}

impl<T: Ledger + Runs + Catalogue> FleetStore for T {
    fn catalogue(&self) -> &dyn Catalogue {
        self
    }
}

/// Directors of one replica at the same time: each keeps the space of its study in memory. A
/// submitter gets another director while it has fewer than are free, so at most 64.
const DIRECTORS: usize = 128;

/// A replica of a service: the studies that it directs, and its view of the others.
pub struct Fleet {
    store: Arc<dyn FleetStore>,
    broker: Arc<dyn Broker>,
    keys: Keys,
    agents: AgentRegistry,
    leases: LeaseRegistry,
    runs: StudyCache,
    history: LeaseHistory,
    counters: Counters,
    counts: LastCounts,
    stall: StallClock,
    /// Prepared studies for [`Fleet::findings`], by the JSON of their stored request.
    prepared: Arc<ComputationCache<PreparedStudy>>,
    /// Permits of directors, [`DIRECTORS`] in total.
    turns: Arc<Semaphore>,
    active: Mutex<HashMap<i64, Arc<DirectedStudy>>>,
    boards: Mutex<HashMap<i64, Weak<StudyFeed>>>,
    /// True if several submitters have running studies.
    is_shared: AtomicBool,
    /// Held by a report of progress, so that no older one is stored behind it.
    reporting: tokio::sync::Mutex<()>,
    /// The reason for which studies wait; none after the next successful write.
    trouble: Mutex<Option<String>>,
    /// Serializes the tasks that create study feeds.
    following: tokio::sync::Mutex<()>,
    tasks: Mutex<Vec<AbortHandle>>,
    /// True after [`Fleet::dismiss`]: long polls and watches end.
    is_dismissing: signal::Sender<bool>,
}

impl Fleet {
    /// Opens a replica, and returns it with the number of running studies. All replicas have the
    /// same keys.
    ///
    /// # Errors
    ///
    /// `Store`; `Queue`.
    pub async fn open(
        store: Arc<dyn FleetStore>,
        carrier: Arc<dyn Broker>,
        keys: Keys,
    ) -> Result<(Arc<Fleet>, usize), FleetError> {
        let fleet = Arc::new(Fleet {
            store,
            broker: carrier,
            keys,
            agents: AgentRegistry::default(),
            leases: LeaseRegistry::default(),
            runs: StudyCache::default(),
            history: LeaseHistory::default(),
            counters: Counters::default(),
            counts: LastCounts::default(),
            stall: StallClock::default(),
            prepared: Arc::default(),
            turns: Arc::new(Semaphore::new(DIRECTORS)),
            active: Mutex::default(),
            boards: Mutex::default(),
            is_shared: AtomicBool::default(),
            reporting: tokio::sync::Mutex::default(),
            trouble: Mutex::default(),
            following: tokio::sync::Mutex::default(),
            tasks: Mutex::default(),
            is_dismissing: signal::Sender::default(),
        });
        // Ask for every director before the tasks start: an empty queue, or one that lost its
        // disk, gets its requests back.
        let under_way = fleet.request_all_directors().await?;
        let tasks = [
            fleet.spawn("hear", Fleet::follow_bus),
            fleet.spawn("take errands", Fleet::serve_director_requests),
            fleet.spawn("keep", Fleet::keep),
            fleet.spawn("count", Fleet::count),
        ];
        fleet.tasks().extend(tasks);
        Ok((fleet, under_way))
    }

    /// Spawns a task of this replica that restarts after a panic.
    fn spawn<F>(self: &Arc<Fleet>, name: &'static str, task: fn(Arc<Fleet>) -> F) -> AbortHandle
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let fleet = Arc::clone(self);
        let task = persist(name, move || task(Arc::clone(&fleet)));
        tokio::spawn(task).abort_handle()
    }

    /// Ends all waiting at this replica. Long polls for work return none and watches of studies
    /// end, so that clients go on at another replica. The replica still answers all other
    /// requests.
    pub fn dismiss(&self) {
        self.is_dismissing.send_replace(true);
    }

    /// Closes the replica: stops its tasks, and hands its studies to other replicas at once.
    ///
    /// # Errors
    ///
    /// `Store`.
    pub async fn close(&self) -> Result<(), FleetError> {
        for task in std::mem::take(&mut *self.tasks()) {
            task.abort();
        }
        self.hand_on_all().await
    }

    /// Returns the reason for which studies cannot go on, if this replica knows one: the database
    /// refuses writes, or the queue is away.
    pub fn trouble(&self) -> Option<String> {
        let trouble = self.trouble.lock();
        trouble.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_trouble(&self, trouble: Option<String>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    // Nothing panics or waits while it holds one of these locks, so a poisoned lock is still
    // consistent.

    fn active(&self) -> MutexGuard<'_, HashMap<i64, Arc<DirectedStudy>>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn boards(&self) -> MutexGuard<'_, HashMap<i64, Weak<StudyFeed>>> {
        self.boards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tasks(&self) -> MutexGuard<'_, Vec<AbortHandle>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
