//! What is known of runs: as the database has them, read at most once in a second.

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

/// Time for which what was read counts. Who changes a run says so; this is for words that are not heard.
const FRESH: Duration = Duration::from_secs(1);

/// Runs that are remembered at most.
const MOST: usize = 10_000;

/// A run, and what was asked for.
pub(crate) struct CachedStudy {
    pub(crate) run: Run,
    pub(crate) order: OfferedStudy,
    at: Instant,
}

/// The runs that were read lately.
#[derive(Default)]
pub(crate) struct StudyCache(Mutex<StudyCacheState>);

#[derive(Default)]
struct StudyCacheState {
    runs: HashMap<i64, Arc<CachedStudy>>,
    /// Counts what was forgotten, so that what was read before is not taken for what is there after.
    forgotten: u64,
}

impl StudyCache {
    fn remembered(&self) -> MutexGuard<'_, StudyCacheState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run has changed.
    pub(crate) fn forget(&self, study: i64) {
        let mut remembered = self.remembered();
        remembered.forgotten += 1;
        remembered.runs.remove(&study);
    }
}

impl Fleet {
    /// A run that an agent has offered to carry out; none where no service was asked to carry the study on, or in words that
    /// this version does not know.
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
        let at = Instant::now();
        let Some(run) = self.store.run(study).await? else {
            return Ok(None);
        };
        let order = match StoredRequest::read(&run.order) {
            Ok(StoredRequest::Offered(order)) => *order,
            // No agent has any of its work yet.
            Ok(StoredRequest::Unoffered(_)) => return Ok(None),
            Err(reason) => {
                warn!(study = study.0, reason, "a study that is left out");
                return Ok(None);
            }
        };
        let known = Arc::new(CachedStudy { run, order, at });
        let mut remembered = self.runs.remembered();
        if remembered.runs.len() >= MOST {
            remembered.runs.clear();
        }
        if remembered.forgotten == forgotten {
            remembered.runs.insert(study.0, Arc::clone(&known));
        }
        Ok(Some(known))
    }

    /// The run that wants this done: one that goes on, and whose director has given it out.
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
