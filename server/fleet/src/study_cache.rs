//! Study cache: runs from the database, each read at most once per second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use store::{Run, RunState, StudyId};
use tokio::time::Instant;
use tracing::warn;
use tuner::BatchId;

use crate::Fleet;
use crate::error::FleetError;
use crate::study_request::{OfferedStudy, StoredRequest};

/// Time for which a cached run is fresh. The replica that changes a run publishes it; this limit
/// covers lost messages.
const FRESH: Duration = Duration::from_secs(1);

/// Most runs in the cache.
const MOST: usize = 10_000;

/// A run, and its offered study.
pub(crate) struct CachedStudy {
    pub(crate) run: Run,
    pub(crate) order: OfferedStudy,
    at: Instant,
}

/// The runs that this replica read within the last second.
#[derive(Default)]
pub(crate) struct StudyCache(Mutex<StudyCacheState>);

#[derive(Default)]
struct StudyCacheState {
    runs: HashMap<i64, Arc<CachedStudy>>,
    /// Number of invalidations, so that a read that began before one is not cached after it.
    forgotten: u64,
}

impl StudyCache {
    fn remembered(&self) -> MutexGuard<'_, StudyCacheState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a run that has changed.
    pub(crate) fn forget(&self, study: i64) {
        let mut remembered = self.remembered();
        remembered.forgotten += 1;
        remembered.runs.remove(&study);
    }
}

impl Fleet {
    /// Returns a run that has an agent's offer. Returns none if no service was asked to run the
    /// study, if no agent has offered, or if this version cannot read the request.
    pub(crate) async fn known(
        &self,
        study: StudyId,
    ) -> Result<Option<Arc<CachedStudy>>, FleetError> {
        let forgotten = {
            let remembered = self.runs.remembered();
            let known = remembered.runs.get(&study.0);
            if let Some(known) = known.filter(|known| known.at.elapsed() < FRESH) {
                return Ok(Some(Arc::clone(known)));
            }
            remembered.forgotten
        };
        // Taken before the read, because its result may be that old.
        let at = Instant::now();
        let Some(run) = self.store.run(study).await? else {
            return Ok(None);
        };
        let order = match StoredRequest::read(&run.order) {
            Ok(StoredRequest::Offered(order)) => *order,
            // No agent has any of its batches yet.
            Ok(StoredRequest::Unoffered(_)) => return Ok(None),
            Err(reason) => {
                warn!(study = study.0, reason, "a study is left out");
                return Ok(None);
            }
        };
        let known = Arc::new(CachedStudy { run, order, at });
        let mut remembered = self.runs.remembered();
        // Clearing all is cheap here: one query per study fills it again within a second.
        if remembered.runs.len() >= MOST {
            remembered.runs.clear();
        }
        if remembered.forgotten == forgotten {
            remembered.runs.insert(study.0, Arc::clone(&known));
        }
        Ok(Some(known))
    }

    /// Returns the running study of this batch, if its current director gave out the batch.
    pub(crate) async fn wanted(
        &self,
        batch: &BatchId,
    ) -> Result<Option<Arc<CachedStudy>>, FleetError> {
        let known = self.known(StudyId(batch.study)).await?;
        Ok(known.filter(|known| {
            known.run.state == RunState::Running
                && known.run.director.as_ref() == Some(&batch.owner)
        }))
    }
}
