//! Batch payloads: batches in the queue, their fate when nobody does them, and the trials that
//! are given up.

use std::sync::atomic::Ordering;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use server_dispatch::{QueueError, Urgency};
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
    /// The part, if the batch was put again in parts.
    part: Option<u32>,
    /// True while it waits for a build agent.
    #[serde(default)]
    pub(crate) is_to_build: bool,
    /// Its kernels from a build agent.
    #[serde(default)]
    pub(crate) kernels: Option<SignedKernels>,
}

impl BatchPayload {
    /// Creates a payload that waits for a device, or first for a build agent.
    pub(crate) fn of(batch: Batch, is_to_build: bool) -> BatchPayload {
        BatchPayload {
            batch,
            part: None,
            is_to_build,
            kernels: None,
        }
    }

    /// Returns the payload as it waits for a device, with kernels if there are some.
    pub(crate) fn for_device(self, kernels: Option<SignedKernels>) -> BatchPayload {
        BatchPayload {
            is_to_build: false,
            kernels,
            ..self
        }
    }

    /// Returns the key in the queue: it drops the same payload if it is put twice.
    fn name(&self) -> String {
        let id = &self.batch.id;
        let name = format!("{}/{}/{}/{:?}", id.owner, id.study, id.number, self.part);
        // 32 hexadecimal digits are 128 bits: no two payloads share a key by chance.
        blake3::hash(name.as_bytes()).to_hex()[..32].to_owned()
    }

    /// Returns true if it asks for several candidates.
    pub(crate) fn is_of_several(&self) -> bool {
        matches!(&self.batch.work, BatchContent::Try(candidates) if candidates.len() > 1)
    }

    /// Returns a payload for each of these candidates alone.
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
    /// Puts a payload into the queue.
    pub(crate) async fn enqueue(
        &self,
        order: &OfferedStudy,
        letter: &BatchPayload,
    ) -> Result<(), QueueError> {
        let payload = serde_json::to_vec(letter).expect("its keys are text");
        let work = server_dispatch::QueueItem {
            topic: match letter.is_to_build {
                true => build_topic(&order.offer),
                false => topic(&order.offer),
            },
            urgency: match self.is_shared.load(Ordering::Relaxed) {
                // Submitters take turns: none goes before another by calling its batches urgent.
                true => Urgency::Normal,
                false => order.lane(),
            },
            name: token(&letter.name()),
            payload: payload.into(),
        };
        self.broker.put(work).await
    }

    /// Returns the candidates of a batch that have no trial yet.
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

    /// Stores a failed trial with this reason for each of these candidates.
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
