//! Metrics of a replica for its operators.
//!
//! A task counts studies and queue items from time to time, independent of requests: the metrics
//! exist while the database or the queue is away.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use server_dispatch::Topic;
use store::{RunState, StoreError};
use tracing::warn;

use crate::Fleet;
use crate::counters::CounterSnapshot;
use crate::lease_registry::LeaseActivity;
use crate::stall::STALL;
use crate::study_request::{BUILD, DIRECT, OfferedStudy, TRY};

/// Time between two counts.
const PAUSE: Duration = Duration::from_secs(5);

/// Studies in one page of a search.
const PAGE: u32 = 1000;

/// Metrics of a replica and of the state that it shares with the others.
#[derive(Debug, Clone)]
pub struct ReplicaMetrics {
    /// Studies of the whole service by state; none while the database does not answer.
    pub studies: Option<Vec<(RunState, u64)>>,
    /// Items of the whole service in the queue by kind, including leased ones; none while the
    /// queue does not answer.
    pub queued: Option<BTreeMap<String, u64>>,
    /// Leases of the whole service, by activity.
    pub leases: Vec<(LeaseActivity, u64)>,
    /// Age of the oldest lease.
    pub oldest_lease: Duration,
    /// Studies that this replica directs.
    pub directors: usize,
    /// Time without a trial while batches wait for present agents.
    pub stalled: Duration,
    /// Counters of this replica.
    pub counted: CounterSnapshot,
}

/// The last counts of the shared state.
#[derive(Default)]
pub(crate) struct LastCounts(Mutex<SharedCounts>);

#[derive(Debug, Clone, Default)]
struct SharedCounts {
    studies: Option<Vec<(RunState, u64)>>,
    queued: Option<BTreeMap<String, u64>>,
}

impl Fleet {
    /// Returns the metrics of this replica.
    pub fn metrics(&self) -> ReplicaMetrics {
        let counts = self.counts.0.lock();
        let SharedCounts { studies, queued } =
            counts.unwrap_or_else(PoisonError::into_inner).clone();
        let tasks: Vec<_> = self.leases.by_agent().into_values().flatten().collect();
        let held =
            |doing: LeaseActivity| tasks.iter().filter(|task| task.doing == doing).count() as u64;
        let oldest = tasks.iter().map(|task| task.since).min();
        let age = oldest.and_then(|since| SystemTime::now().duration_since(since).ok());
        ReplicaMetrics {
            studies,
            queued,
            leases: LeaseActivity::ALL
                .map(|doing| (doing, held(doing)))
                .to_vec(),
            oldest_lease: age.unwrap_or_default(),
            directors: self.active().len(),
            stalled: self.stall.elapsed(),
            counted: self.counters.read(),
        }
    }

    /// Counts without end, every 5 s.
    pub(crate) async fn count(self: Arc<Fleet>) {
        loop {
            let queued = self.broker.count().await.ok();
            // A queue that lost its data shows here as one without batches.
            if let Some(queued) = &queued {
                self.find_missed(queued).await;
            }
            let counts = SharedCounts {
                studies: self.store.count_runs().await.ok(),
                queued: queued.map(|queued| by_kind(&queued)),
            };
            self.stall.observe(self.is_waiting(&counts).await);
            *self.counts.0.lock().unwrap_or_else(PoisonError::into_inner) = counts;
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns true if a study waits for a present agent.
    async fn is_waiting(&self, counts: &SharedCounts) -> bool {
        let Some(studies) = &counts.studies else {
            // The state is unknown: a database that is away neither ends nor begins a stall.
            return !self.stall.elapsed().is_zero();
        };
        let is_running =
            |(state, count): &(RunState, u64)| *state == RunState::Running && *count > 0;
        if !studies.iter().any(is_running) || !self.agents.is_any_fit() {
            return false;
        }
        // All running studies may be for devices that no agent lends now. The search reads every
        // run, so it happens only shortly before a stall would be reported.
        if self.stall.elapsed() + 2 * PAUSE < STALL {
            return true;
        }
        self.is_any_wanted().await.unwrap_or_else(|error| {
            warn!(%error, "waiting studies could not be read");
            true
        })
    }

    /// Returns true if a running study is for a device of a present agent.
    async fn is_any_wanted(&self) -> Result<bool, StoreError> {
        let mut after = None;
        loop {
            let runs = self
                .store
                .runs(Some(RunState::Running), after, PAGE)
                .await?;
            let Some(last) = runs.rows.last() else {
                return Ok(false);
            };
            after = Some(last.study);
            let orders = runs
                .rows
                .iter()
                .filter_map(|run| OfferedStudy::read(&run.order).ok());
            if orders
                .into_iter()
                .any(|order| self.agents.offering(&order.offer) > 0)
            {
                return Ok(true);
            }
        }
    }
}

/// Counts items by kind, including kinds without items.
fn by_kind(queued: &BTreeMap<Topic, u64>) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> =
        [BUILD, DIRECT, TRY].map(|kind| (kind.to_owned(), 0)).into();
    for (line, count) in queued {
        *counts.entry(line.kind.to_string()).or_default() += count;
    }
    counts
}
