//! Queue dispatcher: the director's end of the queue, which receives its batches.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::mpsc;
use tuner::{Batch, BatchContent, BatchDispatcher, BatchEvent, Toolchain, TuneError};

use crate::Fleet;
use crate::directed_study::DirectedStudy;
use crate::queue_payload::BatchPayload;
use crate::study_request::OfferedStudy;

/// Batches per agent that a study may have in the queue, so that an agent finds the next one
/// after a result.
const AHEAD: usize = 2;

pub(crate) struct QueueDispatcher {
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) study: i64,
    pub(crate) active: Arc<DirectedStudy>,
    pub(crate) events: mpsc::UnboundedReceiver<BatchEvent>,
}

impl QueueDispatcher {
    /// Returns the number of build agents for the toolchain of this study.
    fn builders(&self) -> usize {
        let made = &self.active.order.offer.provenance;
        self.fleet.agents.building(&Toolchain::from(made))
    }

    /// Returns this study's share of the agents, among the studies of this replica with the same
    /// offer.
    fn agents_of(&self, active: &HashMap<i64, Arc<DirectedStudy>>) -> usize {
        let offer = &self.active.order.offer;
        let studies = active.values().filter(|one| one.order.offer == *offer);
        let studies = studies.count().max(1);
        let agents = self.fleet.agents.offering(offer) + self.builders();
        agents.div_ceil(studies).max(1)
    }
}

/// Returns the place of a study among those of its submitter: urgent ones first, then by number.
fn place(study: i64, order: &OfferedStudy) -> (bool, i64) {
    (!order.is_urgent, study)
}

#[async_trait]
impl BatchDispatcher for QueueDispatcher {
    /// Returns this study's share of the present agents, at least one. Agents that other studies
    /// keep busy need no pieces of its batches, and fewer sharers allow larger pieces. Build
    /// agents count, because they build one piece while a device tries another.
    fn agents(&self) -> usize {
        self.agents_of(&self.fleet.active())
    }

    /// Returns 0 if enough other studies of the same submitter come before this one. Each
    /// submitter has so many batches in the queue, however many studies it has, and so its share
    /// of the agents.
    fn slots(&self) -> usize {
        let order = &self.active.order;
        let agents = self.fleet.agents.offering(&order.offer) + self.builders();
        let mine = place(self.study, order);
        let active = self.fleet.active();
        let before = active.iter().filter(|(study, one)| {
            one.order.offer == order.offer
                && one.order.submitter == order.submitter
                && place(**study, &one.order) < mine
        });
        match before.count() < AHEAD * agents.max(1) {
            true => AHEAD * self.agents_of(&active),
            false => 0,
        }
    }

    /// Puts a batch into the queue. If a build agent is present, trials go to the build topic
    /// first. Finals do not: they have few kernels, and the agent that measures them has built
    /// most of them.
    async fn give(&mut self, batch: Batch) -> Result<(), TuneError> {
        let is_built = matches!(batch.work, BatchContent::Try(_)) && self.builders() > 0;
        let letter = BatchPayload::of(batch, is_built);
        self.active.note_dispatch();
        let sent = self.fleet.enqueue(&self.active.order, &letter).await;
        sent.map_err(|error| TuneError::Dispatch(error.to_string()))
    }

    async fn next(&mut self) -> Option<BatchEvent> {
        self.events.recv().await
    }
}
