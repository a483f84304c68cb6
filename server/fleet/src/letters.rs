//! Letters: work in the queue, what becomes of it when nobody does it, and the trials that are given up.

use std::time::SystemTime;

use dispatch::QueueError;
use serde::{Deserialize, Serialize};
use store::{FailureKind, Outcome, Recorded, StoreError, Trial};
use tuner::{Batch, Candidate, Event, News, Work};

use crate::Fleet;
use crate::active::Active;
use crate::order::{line, token};

/// A batch in the queue, or a part of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Letter {
    pub(crate) batch: Batch,
    /// Of a batch that was sent again in parts, which part.
    part: Option<u32>,
}

impl Letter {
    pub(crate) fn of(batch: Batch) -> Letter {
        Letter { batch, part: None }
    }

    /// The name by which the queue knows it: the same work sent twice is one letter.
    fn name(&self) -> String {
        let id = &self.batch.id;
        let name = format!("{}/{}/{}/{:?}", id.owner, id.study, id.number, self.part);
        blake3::hash(name.as_bytes()).to_hex()[..32].to_owned()
    }

    /// The candidates that have not ended, each in a letter of its own; none where there is only one.
    pub(crate) fn parts(&self, active: &Active) -> Option<Vec<Letter>> {
        let Work::Try(candidates) = &self.batch.work else {
            return None;
        };
        let part = |candidate: Candidate| Letter {
            part: Some(candidate.ordinal),
            batch: Batch {
                work: Work::Try(vec![candidate]),
                ..self.batch.clone()
            },
        };
        let is_several = candidates.len() > 1;
        is_several.then(|| active.missing(candidates).into_iter().map(part).collect())
    }
}

impl Fleet {
    /// Puts a letter into the queue.
    pub(crate) async fn send(&self, active: &Active, letter: &Letter) -> Result<(), QueueError> {
        let payload = serde_json::to_vec(letter).expect("its keys are text");
        let work = dispatch::Work {
            line: line(&active.order.offer),
            lane: active.order.lane(),
            name: token(&letter.name()),
            payload: payload.into(),
        };
        self.queue.put(work).await
    }

    /// Ends what nobody could do: a trial without a verdict for each candidate, which says why.
    pub(crate) async fn give_up(
        &self,
        active: &Active,
        batch: &Batch,
        reason: &str,
    ) -> Result<(), StoreError> {
        let news = match &batch.work {
            Work::Try(candidates) => {
                for candidate in active.missing(candidates) {
                    let trial = given_up(batch, &candidate, reason);
                    self.store(active, &trial).await?;
                }
                News::Stored
            }
            Work::Finals { .. } => News::Finals(Err(reason.to_owned())),
        };
        let batch = batch.id.clone();
        active.tell(Event { batch, news });
        Ok(())
    }

    /// Stores a trial; whether it was not there.
    pub(crate) async fn store(&self, active: &Active, trial: &Trial) -> Result<bool, StoreError> {
        let Some(study) = active.study.get() else {
            return Ok(false);
        };
        let recorded = self.store.record_trial(study, trial).await?;
        active.has_ended(trial.ordinal);
        Ok(recorded == Recorded::Stored)
    }
}

fn given_up(batch: &Batch, candidate: &Candidate, reason: &str) -> Trial {
    let now = SystemTime::now();
    Trial {
        ordinal: candidate.ordinal,
        role: candidate.choice.role(),
        configuration: candidate.choice.configuration().cloned(),
        outcome: Outcome::Failed(FailureKind::Abandoned, reason.to_owned()),
        input_seed: batch.job.input_seed,
        compile_ms: None,
        started: now,
        ended: now,
    }
}
