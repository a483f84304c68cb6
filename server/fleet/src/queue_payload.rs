//! Letters: work in the queue, what becomes of it when nobody does it, and the trials that are given up.

use std::sync::atomic::Ordering;
use std::time::SystemTime;

use dispatch::{QueueError, Urgency};
use serde::{Deserialize, Serialize};
use store::{FailureKind, StoreError, StudyId, Trial, TrialOutcome};
use tuner::{Batch, BatchContent, Candidate};

use crate::Fleet;
use crate::bus_message::BusMessage;
use crate::keys::SignedKernels;
use crate::study_request::{OfferedStudy, build_topic, token, topic};

/// A batch in the queue, or a part of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BatchPayload {
    pub(crate) batch: Batch,
    /// Of a batch that was sent again in parts, which part.
    part: Option<u32>,
    /// Whether it waits for somebody to build it.
    #[serde(default)]
    pub(crate) is_to_build: bool,
    /// What was built of it elsewhere.
    #[serde(default)]
    pub(crate) kernels: Option<SignedKernels>,
}

impl BatchPayload {
    /// A batch that waits for a device, or first for somebody to build it.
    pub(crate) fn of(batch: Batch, is_to_build: bool) -> BatchPayload {
        BatchPayload {
            batch,
            part: None,
            is_to_build,
            kernels: None,
        }
    }

    /// The same, waiting for a device: with kernels, where there are some.
    pub(crate) fn for_device(self, kernels: Option<SignedKernels>) -> BatchPayload {
        BatchPayload {
            is_to_build: false,
            kernels,
            ..self
        }
    }

    /// The name by which the queue knows it: the same work sent twice is one letter.
    fn name(&self) -> String {
        let id = &self.batch.id;
        let name = format!("{}/{}/{}/{:?}", id.owner, id.study, id.number, self.part);
        blake3::hash(name.as_bytes()).to_hex()[..32].to_owned()
    }

    /// Whether it asks for several candidates.
    pub(crate) fn is_of_several(&self) -> bool {
        matches!(&self.batch.work, BatchContent::Try(candidates) if candidates.len() > 1)
    }

    /// A letter for each of these candidates of it alone.
    pub(crate) fn parts(&self, candidates: Vec<Candidate>) -> Vec<BatchPayload> {
        let part = |candidate: Candidate| BatchPayload {
            part: Some(candidate.ordinal),
            is_to_build: false,
            kernels: None,
            batch: Batch {
                work: BatchContent::Try(vec![candidate]),
                ..self.batch.clone()
            },
        };
        candidates.into_iter().map(part).collect()
    }
}

impl Fleet {
    /// Puts a letter into the queue.
    pub(crate) async fn enqueue(
        &self,
        order: &OfferedStudy,
        letter: &BatchPayload,
    ) -> Result<(), QueueError> {
        let payload = serde_json::to_vec(letter).expect("its keys are text");
        let work = dispatch::QueueItem {
            topic: match letter.is_to_build {
                true => build_topic(&order.offer),
                false => topic(&order.offer),
            },
            urgency: match self.is_shared.load(Ordering::Relaxed) {
                // Each submitter has its turn: none goes before another by calling its work urgent.
                true => Urgency::Normal,
                false => order.lane(),
            },
            name: token(&letter.name()),
            payload: payload.into(),
        };
        self.broker.put(work).await
    }

    /// Those of a batch's candidates that have not ended.
    pub(crate) async fn missing(
        &self,
        batch: &Batch,
        candidates: &[Candidate],
    ) -> Result<Vec<Candidate>, StoreError> {
        let ordinals: Vec<u32> = candidates.iter().map(|one| one.ordinal).collect();
        let study = StudyId(batch.id.study);
        let ended = self.store.ended(study, &ordinals).await?;
        let is_missing = |one: &&Candidate| !ended.contains(&one.ordinal);
        Ok(candidates.iter().filter(is_missing).cloned().collect())
    }

    /// Ends what nobody could do: a trial without a verdict for each of these candidates, which says why.
    pub(crate) async fn give_up(
        &self,
        batch: &Batch,
        candidates: &[Candidate],
        reason: &str,
    ) -> Result<(), StoreError> {
        let trials = candidates.iter().map(|one| given_up(batch, one, reason));
        let trials: Vec<Trial> = trials.collect();
        let study = batch.id.study;
        self.store.record_trials(StudyId(study), &trials).await?;
        self.counters.gave_up(trials.len());
        self.publish(&BusMessage::Stored(study)).await;
        Ok(())
    }
}

fn given_up(batch: &Batch, candidate: &Candidate, reason: &str) -> Trial {
    let now = SystemTime::now();
    Trial {
        ordinal: candidate.ordinal,
        role: candidate.choice.role(),
        configuration: candidate.choice.configuration().cloned(),
        outcome: TrialOutcome::Failed(FailureKind::Abandoned, reason.to_owned()),
        error: None,
        input_seed: batch.job.input_seed,
        compile_ms: None,
        started: now,
        ended: now,
    }
}
